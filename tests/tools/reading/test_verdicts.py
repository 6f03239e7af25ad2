"""Yes or no: which questions ask for it, what the telling sentence says, and how the readings are weighed with it."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.compare import Verdict
from tools.planning.plan import Plan
from tools.reading.spans import Reading
from tools.reading.verdicts import VERDICT_FEATURES, Claim, judge_verdict, weigh_claim
from tools.reading.yes_or_no import asked_plainly, is_yesno

BRISTOL = "Paul Dirac was born in Bristol on 8 August 1902."
YESNO = Plan((), kind="yesno", answer_type="yesno")


@pytest.mark.parametrize(
    "question",
    [
        "Is the bridge open?",
        "Isn't it open?",
        "Doesn’t it leak?",
        "And did she win?",
        "Is it true that Ann or Bob came?",
        "True or false: Ann came.",
    ],
)
def test_questions_for_yes_or_no(question: str) -> None:
    assert is_yesno(question)


@pytest.mark.parametrize("question", ["Is it red or blue?", "Who is it?", "What is it?", "Island or sea?", ""])
def test_other_questions(question: str) -> None:
    assert not is_yesno(question)


def test_a_claim_to_be_judged_is_asked_as_a_question() -> None:
    assert asked_plainly("True or false: Ann came.") == "Is it true that Ann came."
    assert asked_plainly("Is the bridge open?") == "Is the bridge open?"


def claim(question: str, *texts: str) -> Claim:
    return weigh_claim(question, evidence(*(("Notes", text) for text in texts)).docs)


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Is it true that Dirac was born in Bristol?", BRISTOL, "yes"),
        ("Is it true that Dirac was born in London?", BRISTOL, "no"),
        ("Was Dirac born in 1902?", BRISTOL, "yes"),
        ("Was Dirac born in 1912?", BRISTOL, "no"),
        ("Did Ana study law?", "Ana studied law in Ghent.", "yes"),
        ("Did Ana sign the contract?", "Ana refused to sign the contract.", "no"),
        ("Did Ana sign the contract?", "Ana didn't sign the contract.", "no"),
        ("Was the ferry not sold?", "The ferry was not sold.", "yes"),
        ("Was the ferry not sold?", "The ferry was sold.", "no"),
        ("Does the pump run at 40 bar?", "The pump runs at 60 bar.", "no"),
        ("Did Dirac like cheese?", BRISTOL, ""),
        ("Is the tower made of steel?", "The tower has a lift.", ""),
    ],
)
def test_what_a_sentence_says_of_a_claim(question: str, text: str, verdict: str) -> None:
    assert claim(question, text).verdict == verdict


def test_a_claim_in_numbers() -> None:
    """Of Dirac, born and London two are said; of the words that are no names, born alone, all."""
    found = claim("Was Dirac born in London?", BRISTOL)
    assert (found.cover, found.rest) == (pytest.approx(2 / 3), 1.0)
    assert found.value_missing
    assert not found.negated
    assert found.sentence == BRISTOL


def test_the_sentence_that_says_most_is_taken_and_of_equals_the_first() -> None:
    found = claim("Was Dirac born in Bristol?", "Dirac was shy.", f"He ate. {BRISTOL}", BRISTOL)
    assert found.doc is not None
    assert (found.doc.rank, found.sentence) == (1, BRISTOL)


def test_nothing_claimed_or_nothing_said_is_no_claim() -> None:
    assert claim("Was Dirac born in Bristol?") == Claim()
    assert claim("Is it?", BRISTOL).verdict == ""


def features(
    question: str, readings: list[Reading], verdict: Verdict | None = None, *texts: str
) -> tuple[str, dict[str, float]]:
    docs = evidence(*(("Notes", text) for text in texts)).docs
    judged = judge_verdict(question, YESNO, verdict, readings, docs)
    return judged.text, dict(zip(VERDICT_FEATURES, judged.features.tolist(), strict=True))


def test_readings_are_weighed_by_how_much_they_tell_and_by_their_rank() -> None:
    """0.8 / 1 says yes with 0.6 / 0.8, and 0.4 / 2 says no: 0.8 · 0.75 + 0.2 · 0 = 0.6."""
    text, values = features("Is it open?", [Reading(yes=0.6, no=0.2), Reading(no=0.4)])
    assert text == "yes"
    assert values["read_yes"] == pytest.approx(0.6)
    assert values["read_no"] == pytest.approx(0.4)
    assert (values["read_best_yes"], values["read_best_no"]) == pytest.approx((0.6, 0.2))
    assert values["agrees"] == pytest.approx(0.6)
    assert values["by_reading"] == 1.0
    assert values["verdict"] == 0.0
    assert values["claim_agrees"] == 0.5


def test_readings_that_tell_little_decide_nothing() -> None:
    text, values = features("Is it open?", [Reading(yes=0.15, no=0.1)])
    assert text == ""
    assert values["yesno"] == 0.0
    assert features("Is it open?", [])[1]["read_yes"] == 0.5


def test_a_sentence_that_tells_outweighs_the_readings() -> None:
    text, values = features("Was Dirac born in Bristol?", [Reading(no=0.9)], None, BRISTOL)
    assert text == "yes"
    assert values["claim_cover"] == 1.0
    assert values["claim_agrees"] == 1.0
    assert values["agrees"] == 0.0


def test_what_the_plan_decides_stays_and_is_told_apart() -> None:
    text, values = features("Was Dirac born in Bristol?", [], Verdict("no", (), 0.7, ""), BRISTOL)
    assert text == "no"
    assert (values["decided"], values["compared_no"], values["by_reading"]) == (1.0, 1.0, 0.0)
    assert values["verdict"] == pytest.approx(0.7)
    assert values["claim_agrees"] == 0.0


def test_a_comparison_without_a_verdict_is_not_read_for_yes_or_no() -> None:
    assert features("Which is older, Ann or Bob?", [Reading(yes=0.9)])[0] == ""
