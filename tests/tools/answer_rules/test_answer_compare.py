from __future__ import annotations

from answer_evidence import evidence

from tools.answer_rules.claims import claims_hold, likelier
from tools.answer_rules.compare import branches_of
from tools.planning.plan import Constraint, Plan


def test_each_option_has_the_constraints_that_lead_on_from_it() -> None:
    first, second = Constraint("Alder", "director", "?d1"), Constraint("Birch", "director", "?d2")
    born, born2 = Constraint("?d1", "date of birth", "?b1"), Constraint("?d2", "date of birth", "?b2")
    plan = Plan((first, second, born, born2), kind="comparison", options=("Alder", "Birch"))
    assert [(one.option, one.constraints) for one in branches_of(plan)] == [
        ("Alder", (first, born)),
        ("Birch", (second, born2)),
    ]


def test_a_shared_unknown_joins_no_branches() -> None:
    first, second = Constraint("Alder", "director", "?d1"), Constraint("Birch", "director", "?d2")
    from_, from2 = Constraint("?d1", "country", "?country"), Constraint("?d2", "country", "?country")
    plan = Plan((first, second, from_, from2), kind="yesno", comparison="same")
    assert [one.constraints for one in branches_of(plan)] == [(first, from_), (second, from2)]


def test_constraints_that_only_compare_or_name_are_left_out() -> None:
    plan = Plan(
        (
            Constraint("?p1", "named", "Ann Lee"),
            Constraint("?p1", "age", "?a1"),
            Constraint("?a1", "greater than", "?a2"),
        ),
        kind="comparison",
        options=("Ann Lee",),
    )
    (branch,) = branches_of(plan)
    assert [(item.head, item.relation, item.tail) for item in branch.constraints] == [("Ann Lee", "age", "?a1")]


def test_claims_hold_by_their_words_and_countries() -> None:
    found = evidence(("Ann Lee", "Ann Lee is a Dutch film director and painter."))
    claims = {
        "film directors": True,
        "Dutch directors": True,
        "French directors": False,
        "film directors and sculptors": False,
    }
    for claim, holds in claims.items():
        assert claims_hold(found, "Ann Lee", [Constraint("Ann Lee", "is", claim)]).holds is holds


def test_a_claim_about_nobody_known_has_a_missing_step() -> None:
    claim = claims_hold(evidence(), "Ann Lee", [Constraint("Ann Lee", "is", "painter")])
    assert claim.chain.missing is not None
    assert not claim.holds


def test_the_likelier_option_shares_more_words() -> None:
    found = evidence(("Alder", "Alder is a tall tree."), ("Birch", "Birch is a film."))
    assert likelier(found, ["Alder", "Birch"], "Which is a tall tree, Alder or Birch?")[0] == "Alder"
    assert likelier(found, ["Alder", "Birch"], "Which?") == ("", None)
    assert likelier(found, [], "Which is tall?") == ("", None)


def test_an_option_of_which_nothing_is_claimed_is_left_open() -> None:
    texts = (("Alder", "Alder is a tree. It is native to Europe."),)
    claim = claims_hold(evidence(*texts), "Alder", ())
    assert claim.share == 0.0
    assert claim.chain.missing is not None
