"""The whole method on small files: what is resolved, what is recovered, the scale of both, and each switch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_recovery import RecoveryParams, RecoveryResult, retrieve_with_recovery
from tools.constraint_retrieval import ConstraintParams
from tools.planning.plan import Constraint, Plan
from tools.search.passage_search import search_passages

DIRECTOR = Constraint("Silver Lanterns", "director", "?director", ("directed by",), tail_type="person")
BIRTH = Constraint("?director", "place of birth", "?town", ("born in",), "person", "place")
PRISON = Constraint(
    "No Cross, No Crown", "written during imprisonment in", "?prison", ("composed while imprisoned in",), "", "place"
)
UNTIL = Constraint("?prison", "used as a prison until", "?year", ("stopped being used as a prison",), "place", "date")
PRISON_QUESTION = "What year did the prison where No Cross, No Crown was written stop being used as a prison?"
BIRTHPLACE = Constraint("Lady Godiva", "place of birth", "?place", ("born in", "birthplace"), "person", "place")
ABOLISHED = Constraint("?place", "abolished in", "?year", ("dissolved in", "ended in"), "place", "date")


def run(
    kb: KnowledgeBase, *constraints: Constraint, question: str = "Who is it?", params: RecoveryParams | None = None
) -> RecoveryResult:
    return retrieve_with_recovery(kb, question, Plan(constraints), params)


def titles(result: RecoveryResult) -> list[str]:
    return [hit.passage.title for hit in result.hits]


def test_tower_of_london(cases: KnowledgeBase) -> None:
    """Figure 7: the first hop is resolved, the second recovered, and both passages lead the evidence."""
    result = run(cases, PRISON, UNTIL, question=PRISON_QUESTION)
    assert [state.status for state in result.states] == ["resolved", "unresolved"]
    assert result.bindings == {"?prison": ("Tower of London",)}
    resolved, recovered = result.blocks
    assert resolved.text == "No Cross, No Crown written during imprisonment in prison"
    assert resolved.hits[0].passage.title == "No Cross, No Crown"
    assert recovered.text == "Tower of London used as a prison until year"
    assert recovered.hits[0].passage.title == "Tower of London"
    assert "until 1952" in recovered.hits[0].passage.text
    assert set(titles(result)[:2]) == {"No Cross, No Crown", "Tower of London"}


def test_lady_godiva(cases: KnowledgeBase) -> None:
    """Figure 6: refused, and nothing bound; what is recovered speaks of her."""
    result = run(cases, BIRTHPLACE, ABOLISHED, question="When was Lady Godiva's birthplace abolished?")
    assert [state.status for state in result.states] == ["unresolved", "unresolved"]
    assert result.bindings == {}
    assert result.blocks[0].hits[0].passage.title == "Lady Godiva"


def test_passages_rank_by_their_best_score_over_all_blocks(cases: KnowledgeBase) -> None:
    result = run(cases, PRISON, UNTIL, question=PRISON_QUESTION)
    best: dict[int, float] = {}
    for block in result.blocks:
        for hit in block.hits:
            best[hit.passage.id] = max(best.get(hit.passage.id, -99.0), hit.score)
    assert [(hit.passage.id, hit.score) for hit in result.hits] == sorted(
        best.items(), key=lambda one: (-one[1], one[0])
    )


def test_a_chain_of_resolved_constraints_needs_no_text(cases: KnowledgeBase) -> None:
    params = RecoveryParams(resolved_too=False)
    result = run(cases, DIRECTOR, BIRTH, question="Where was the director of Silver Lanterns born?", params=params)
    assert [state.status for state in result.states] == ["resolved", "resolved"]
    assert sorted(titles(result)) == ["Silver Lanterns", "Tomas Brandel"]
    assert all(hit.why.startswith("states: ") for hit in result.hits)


def test_the_text_is_asked_for_resolved_constraints_too(cases: KnowledgeBase) -> None:
    result = run(cases, DIRECTOR, BIRTH, question="Where was the director of Silver Lanterns born?")
    assert [state.status for state in result.states] == ["resolved", "resolved"]
    assert sorted(titles(result)[:2]) == ["Silver Lanterns", "Tomas Brandel"]
    assert len(result.hits) > 2


def test_an_unresolved_constraint_suggests_names_to_the_next_but_binds_none(cases: KnowledgeBase) -> None:
    # Nothing is sufficient at this level, so that the second constraint has no anchor.
    strict = ConstraintParams(min_log_odds=99.0)
    question = "Where was the director of Silver Lanterns born?"
    for suggest, text in ((3, "Tomas Brandel place of birth town"), (0, "director place of birth town")):
        params = RecoveryParams(strict, suggest=suggest)
        result = run(cases, DIRECTOR, BIRTH, question=question, params=params)
        assert result.bindings == {}
        assert result.blocks[1].text == text


def test_the_order_of_the_plan_does_not_keep_a_suggestion_from_the_constraint(cases: KnowledgeBase) -> None:
    params = RecoveryParams(ConstraintParams(min_log_odds=99.0))
    question = "Where was the director of Silver Lanterns born?"
    forward = run(cases, DIRECTOR, BIRTH, question=question, params=params)
    backward = run(cases, BIRTH, DIRECTOR, question=question, params=params)
    assert forward.blocks == backward.blocks[::-1]
    assert forward.hits == backward.hits


def test_a_constraint_without_variables_is_checked_by_text(cases: KnowledgeBase) -> None:
    result = run(cases, Constraint("Silver Lanterns", "directed by", "Tomas Brandel"))
    assert result.states[0].status == "unresolved"
    assert titles(result)[0] == "Silver Lanterns"


def test_what_each_switch_leaves_out(cases: KnowledgeBase) -> None:
    question = "What year did the prison where No Cross, No Crown was written stop being used as a prison?"
    defaults = RecoveryParams()
    unplanned = run(cases, PRISON, UNTIL, question=question, params=replace(defaults, plan=False))
    assert [block.text for block in unplanned.blocks] == [f"{question} answer"]
    ungrounded = run(cases, PRISON, UNTIL, question=question, params=replace(defaults, ground=False))
    assert [state.triples for state in ungrounded.states] == [(), ()]
    assert ungrounded.bindings == {}
    unrecovered = run(cases, PRISON, UNTIL, question=question, params=replace(defaults, recover=False))
    assert all(hit.why.startswith("states: ") for hit in unrecovered.hits)
    one = run(cases, PRISON, UNTIL, question=question, params=replace(defaults, kept=1))
    assert [len(block.hits) for block in one.blocks] == [1, 1]


def test_without_a_plan_the_question_is_planned(cases: KnowledgeBase) -> None:
    result = retrieve_with_recovery(cases, "Where was the director of Silver Lanterns born?")
    assert len(result.states) == 2
    assert set(titles(result)[:2]) == {"Silver Lanterns", "Tomas Brandel"}


def test_a_hub_costs_what_others_do(town: KnowledgeBase) -> None:
    result = run(town, Constraint("Salt Harbour", "took in", "?ships", (), "place", "number"), question="How many?")
    assert len(result.states[0].triples) <= ConstraintParams().kept
    assert len(result.hits) <= RecoveryParams().kept


@pytest.mark.parametrize("question", ["", "   "])
def test_a_blank_question_gives_nothing(cases: KnowledgeBase, question: str) -> None:
    assert run(cases, DIRECTOR, question=question) == RecoveryResult((), {}, (), ())


def test_small_and_empty_files(single: KnowledgeBase, empty: KnowledgeBase) -> None:
    assert titles(run(single, DIRECTOR, BIRTH)) == ["Skarn"]
    result = run(empty, DIRECTOR, BIRTH)
    assert (titles(result), result.bindings) == ([], {})
    assert run(empty) == RecoveryResult((), {}, (), ())


def test_the_same_question_gives_the_same_result(cases: KnowledgeBase) -> None:
    first, second = (run(cases, PRISON, UNTIL, question=PRISON_QUESTION) for _ in range(2))
    assert first == second


def test_without_reranking_recovered_passages_come_by_similarity(cases: KnowledgeBase) -> None:
    params = RecoveryParams(ground=False, rerank=False)
    result = run(cases, BIRTHPLACE, params=params)
    text = "Lady Godiva place of birth place"
    assert result.blocks[0].text == text
    assert [hit.passage.id for hit in result.blocks[0].hits] == [
        hit.passage.id for hit in search_passages(cases, text, params.candidates)
    ][: params.kept]
