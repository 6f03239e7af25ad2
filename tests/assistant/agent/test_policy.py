from __future__ import annotations

import pytest

from assistant.agent.offline.policy import Situation, next_calls
from tools.planning.plan import Constraint, Plan

ONE_STEP = Plan((Constraint("Metropolis", "directed by", "?director"),), "?director")
TWO_STEPS = Plan((*ONE_STEP.constraints, Constraint("?director", "born in", "?place")), "?place")
THREE_STEPS = Plan((*TWO_STEPS.constraints, Constraint("?place", "located in", "?country")), "?country")
COMPARISON = Plan(
    (Constraint("A", "released in", "?year1"), Constraint("B", "released in", "?year2")), kind="comparison"
)


def tools(plan: Plan, *called: str, unresolved: tuple[int, ...] = (), **known: bool) -> list[str]:
    situation = Situation("Q?", plan, called, unresolved, **known)
    return [call.tool for call in next_calls(situation)]


def course(plan: Plan, unresolved: tuple[int, ...], *, anchored: bool = True) -> list[list[str]]:
    """All rounds of calls for a question that never finds a sure answer."""
    called: list[str] = []
    rounds = []
    while new := tools(plan, *called, unresolved=unresolved, anchored=anchored):
        called += new
        rounds.append(new)
    return rounds


def test_the_plan_is_resolved_before_anything_else() -> None:
    assert tools(ONE_STEP) == tools(THREE_STEPS) == tools(COMPARISON) == ["constraint_retrieval"]


def test_a_question_that_cannot_be_planned_is_searched_and_walked_from() -> None:
    assert tools(Plan(())) == ["passage_search", "edge_scoring", "evidence_walk"]


def test_what_is_resolved_is_looked_for_in_the_text_too_and_ranked() -> None:
    assert course(TWO_STEPS, ()) == [
        ["constraint_retrieval"],
        ["textual_recovery", "passage_search", "evidence_walk"],
    ]


def test_what_was_not_grounded_cannot_be_recovered() -> None:
    assert tools(TWO_STEPS, "constraint_retrieval", grounded=False) == ["passage_search", "evidence_walk"]


def test_what_was_ranked_is_not_searched_for_again() -> None:
    called = ("constraint_retrieval", "textual_recovery", "edge_scoring", "passage_search", "evidence_walk")
    assert tools(TWO_STEPS, *called, unresolved=(1,), anchored=True) == []


def test_an_open_chain_is_looked_for_in_the_text_and_along_scored_edges() -> None:
    assert tools(TWO_STEPS, "constraint_retrieval", unresolved=(1,), anchored=True) == [
        "textual_recovery", "edge_scoring", "passage_search", "evidence_walk",
    ]  # fmt: skip


def test_an_open_comparison_needs_no_walk_between_its_sides() -> None:
    assert course(COMPARISON, (0,)) == [
        ["constraint_retrieval"],
        ["textual_recovery", "passage_search", "evidence_walk"],
    ]


def test_paths_are_searched_where_the_chain_is_long_or_nothing_is_known() -> None:
    resolved = ("constraint_retrieval",)
    assert "path_search" in tools(THREE_STEPS, *resolved, unresolved=(2,), anchored=True)
    assert "path_search" in tools(ONE_STEP, *resolved, unresolved=(0,), anchored=False)
    assert "path_search" not in tools(TWO_STEPS, *resolved, unresolved=(1,), anchored=True)


@pytest.mark.parametrize("plan", [ONE_STEP, TWO_STEPS, THREE_STEPS, COMPARISON, Plan(())])
@pytest.mark.parametrize("anchored", [True, False])
def test_every_course_ends_and_calls_nothing_but_the_ranking_twice(plan: Plan, anchored: bool) -> None:
    rounds = course(plan, tuple(range(len(plan.constraints))), anchored=anchored)
    others = [tool for calls in rounds for tool in calls if tool != "evidence_walk"]
    assert len(others) == len(set(others))
    assert "passage_search" in others
    assert all(calls[-1] == "evidence_walk" for calls in rounds if "constraint_retrieval" not in calls)
