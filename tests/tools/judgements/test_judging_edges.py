"""The offline judgements of facts and edges: their scale by hand, and what they prefer on a real file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.edge_scoring import tier_of
from tools.judgements import edges as edges_module
from tools.judgements import helpful_facts as facts_module
from tools.judgements.edges import CONTEXT_LAG, score_edges
from tools.judgements.helpful_facts import filter_facts
from tools.judgements.judge import Edge, OfflineJudge

QUESTION = "Where was the director of Silver Lanterns born?"


def facts_of(kb: KnowledgeBase, name: str) -> list[Triple]:
    return kb.triples_of([kb.find_entities(name, 1)[0].entity.id])


def edge_of(kb: KnowledgeBase, fact: Triple, context: Sequence[Triple] = ()) -> Edge:
    source, target = kb.entities([fact.head, fact.tail])
    return Edge(source, target, (fact,), tuple(context))


@pytest.fixture
def odds(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Log-odds by relation, which the scorer is made to give; -20 for the others."""
    given: dict[str, float] = {}

    def score(
        kb: KnowledgeBase, question: str, triples: Sequence[Triple], sources: Collection[int]
    ) -> NDArray[np.float64]:
        return np.array([given.get(one.relation, -20.0) for one in triples])

    monkeypatch.setattr(edges_module, "score_triples", score)
    monkeypatch.setattr(facts_module, "score_triples", score)
    return given


@pytest.mark.parametrize(
    ("log_odds", "score", "tier"),
    [
        (-0.5, 10.0, "direct"),  # 11 - 0.75, cut
        (-1.0, 9.5, "direct"),
        (-2.0, 8.0, "high"),
        (-4.0, 5.0, "weak"),
        (-6.0, 2.0, "irrelevant"),
        (-9.0, 0.0, "irrelevant"),  # 11 - 13.5, cut
        (3.0, 10.0, "direct"),
    ],
)
def test_the_scale_by_hand(
    cases: KnowledgeBase, odds: dict[str, float], log_odds: float, score: float, tier: str
) -> None:
    odds["born in"] = log_odds
    (fact,) = [one for one in facts_of(cases, "Tomas Brandel") if one.relation == "born in"]
    assert score_edges(cases, QUESTION, [edge_of(cases, fact)]) == pytest.approx((score,))
    assert tier_of(score)[0] == tier


def test_the_best_of_an_edges_facts_counts(cases: KnowledgeBase, odds: dict[str, float]) -> None:
    odds |= {"born in": -2.0, "lived in": -4.0}
    facts = [one for one in facts_of(cases, "Tomas Brandel") if one.relation in odds]
    source, target = cases.entities([facts[0].head, facts[0].tail])
    assert len(facts) == 2
    assert score_edges(cases, QUESTION, [Edge(source, target, tuple(facts))]) == pytest.approx((8.0,))


def test_what_lies_behind_counts_less(cases: KnowledgeBase, odds: dict[str, float]) -> None:
    odds |= {"directed by": -8.0, "born in": 3.0}
    (fact,) = [one for one in facts_of(cases, "Silver Lanterns") if one.relation == "directed by"]
    behind = [one for one in facts_of(cases, "Tomas Brandel") if one.relation == "born in"]
    # By its own fact 11 - 12, cut to 0; by what lies behind 11 + 1.5 * (3 - lag).
    assert score_edges(cases, QUESTION, [edge_of(cases, fact)]) == (0.0,)
    expected = 11 + 1.5 * (3.0 - CONTEXT_LAG)
    assert expected > 0
    assert score_edges(cases, QUESTION, [edge_of(cases, fact, behind)]) == pytest.approx((expected,))


def test_an_edge_without_facts_is_noise(cases: KnowledgeBase, odds: dict[str, float]) -> None:
    (entity,) = [cases.find_entities("Skarn", 1) or cases.find_entities("Karsk", 1)][0]
    assert score_edges(cases, QUESTION, [Edge(entity.entity, entity.entity, ())]) == (0.0,)


def test_facts_are_kept_by_their_odds_in_the_order_given(cases: KnowledgeBase, odds: dict[str, float]) -> None:
    odds |= {"born in": -6.0, "lived in": -6.01, "directed by": -1.0}
    facts = facts_of(cases, "Tomas Brandel")
    kept = {one.id for one in facts if one.relation in ("born in", "directed by")}
    for given in (facts, facts[::-1]):
        assert filter_facts(cases, QUESTION, given) == tuple(one.id for one in given if one.id in kept)
    assert len(kept) == 2


def test_nothing_to_judge(cases: KnowledgeBase) -> None:
    assert score_edges(cases, QUESTION, []) == ()
    assert filter_facts(cases, QUESTION, []) == ()


def test_the_step_asked_for_is_above_another(cases: KnowledgeBase) -> None:
    facts = {one.relation + one.tail_name: one for one in facts_of(cases, "Silver Lanterns")}
    director, star = facts["directed byTomas Brandel"], facts["starringBen Quill"]
    found = OfflineJudge(cases).score_edges("Who is the director of Silver Lanterns?", [
        edge_of(cases, director), edge_of(cases, star),
    ])  # fmt: skip
    assert found[0] > found[1]
    assert all(0 <= one <= 10 for one in found)


def test_scores_do_not_depend_on_the_order(cases: KnowledgeBase) -> None:
    edges = [edge_of(cases, fact) for fact in facts_of(cases, "Silver Lanterns")]
    forward, backward = score_edges(cases, QUESTION, edges), score_edges(cases, QUESTION, edges[::-1])
    assert forward == pytest.approx(backward[::-1], abs=1e-4)


@pytest.mark.parametrize("question", ["", "zzz qqq", "?"])
def test_odd_questions_are_judged_all_the_same(cases: KnowledgeBase, question: str) -> None:
    facts = facts_of(cases, "Silver Lanterns")
    scores = score_edges(cases, question, [edge_of(cases, fact) for fact in facts])
    assert all(0 <= one <= 10 for one in scores)
    assert set(filter_facts(cases, question, facts)) <= {fact.id for fact in facts}


def test_the_scale_of_kept_facts_is_not_empty(cases: KnowledgeBase, odds: Mapping[str, float]) -> None:
    # All below the floor: nothing helps, and nothing is kept in its stead.
    assert filter_facts(cases, QUESTION, facts_of(cases, "Silver Lanterns")) == ()
