from __future__ import annotations

from assistant.policy import Situation, next_calls
from tools.plan import Constraint, Plan

ONE_STEP = Plan((Constraint("Metropolis", "directed by", "?director"),), "?director")
TWO_STEPS = Plan((*ONE_STEP.constraints, Constraint("?director", "born in", "?place")), "?place")
COMPARISON = Plan(
    (Constraint("A", "released in", "?year1"), Constraint("B", "released in", "?year2")), kind="comparison"
)

FIRST = ("constraint_retrieval", "evidence_walk")


def tools(plan: Plan, *called: str, unresolved: tuple[int, ...] = (), **known: bool) -> list[str]:
    situation = Situation("Q?", plan, frozenset(called), unresolved, **known)
    return [call.tool for call in next_calls(situation)]


def test_a_plan_is_resolved_and_its_evidence_ranked() -> None:
    assert tools(ONE_STEP) == tools(TWO_STEPS) == ["constraint_retrieval", "evidence_walk"]


def test_a_question_that_cannot_be_planned_is_searched_and_ranked() -> None:
    assert tools(Plan(())) == ["passage_search", "evidence_walk"]


def test_a_confident_answer_ends_the_search() -> None:
    assert tools(ONE_STEP, *FIRST, anchored=True, confident=True) == []
    assert tools(TWO_STEPS, *FIRST, unresolved=(1,), confident=True) == []


def test_a_constraint_without_a_value_is_recovered_from_the_text_by_its_number() -> None:
    situation = Situation("Q?", COMPARISON, frozenset(FIRST), (0, 1), anchored=True)
    assert [(call.tool, call.arguments) for call in next_calls(situation)] == [
        ("textual_recovery", {"constraint": 1}),
        ("textual_recovery", {"constraint": 2}),
    ]


def test_where_no_fact_is_known_everything_is_searched() -> None:
    assert tools(ONE_STEP, *FIRST, unresolved=(0,)) == ["textual_recovery", "graph_walk", "passage_search"]


def test_one_plain_search_before_giving_up_and_no_call_twice() -> None:
    recovered = (*FIRST, "textual_recovery")
    assert tools(TWO_STEPS, *recovered, unresolved=(0,), anchored=True) == ["passage_search"]
    assert tools(TWO_STEPS, *FIRST, anchored=True) == ["passage_search"]
    assert tools(TWO_STEPS, *recovered, "passage_search", unresolved=(0, 1), anchored=True) == []
    assert tools(Plan(()), "passage_search", "evidence_walk", "graph_walk") == []
