"""What the offline model does next: a pure function of what it knows and has done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tools.planning.plan import Plan

RANKED = 30
"""Passages asked of the evidence walk: at rank 30 nearly every supporting one is there."""

LONG = 3
"""Constraints from which a chain is long: its middle is then seldom found from its ends."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to call, with its arguments."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Situation:
    """How a question stands.

    `called` names the tools called so far for it, in order, `unresolved` are the places in the plan, from 0, of the
    constraints for which nothing has been found. `grounded` says whether constraint retrieval came to an end,
    `anchored` whether any constraint met a fact of the file, and `confident` whether the answer found so far is good
    enough to stop. `next_asked` is the next of the questions that this one consists of for which nothing was looked up.
    """

    question: str
    plan: Plan
    called: tuple[str, ...] = ()
    unresolved: tuple[int, ...] = ()
    grounded: bool = True
    anchored: bool = False
    confident: bool = False
    next_asked: str = ""

    @property
    def is_chain(self) -> bool:
        """Whether one thing leads to the next, as in a look-up; the sides of a comparison stand beside each other."""
        return self.plan.kind in ("lookup", "count")


def next_calls(situation: Situation) -> tuple[Call, ...]:
    """The calls to make now, in order; none when it is time to answer.

    The plan is resolved first, and the text is asked for the same constraints, the resolved ones too: what the graph
    takes for resolved is not always right. What it leaves open in a chain is worth the walks that find what stands
    between its ends. Then there is one plain search, and everything found is ranked, before any of it is read: reading
    takes ten times as long as all the tools. What the question consists of is searched for after that, until the answer
    is sure. No call is made twice for nothing.

    Evidence graphs, scored facts and chains are left to models and people: of the development questions none got
    better evidence or a better answer by them after the others (docs/methods.md).
    """
    for stage in (_resolve, _rank):
        wanted = stage(situation)
        if any(call.tool not in situation.called for call in wanted):
            return wanted
    if situation.next_asked and not situation.confident:
        return (Call("passage_search", {"query": situation.next_asked, "k": 10}),)
    return ()


def _resolve(situation: Situation) -> tuple[Call, ...]:
    if not situation.plan.constraints:
        return (_plain_search(situation), Call("edge_scoring", {"k": 20}), _evidence())
    arguments = {"constraints": situation.plan.constraints, "target": situation.plan.target}
    return (Call("constraint_retrieval", arguments),)


def _rank(situation: Situation) -> tuple[Call, ...]:
    calls: list[Call] = []
    if situation.grounded:
        calls.append(Call("textual_recovery"))
    if situation.unresolved:
        if situation.is_chain:
            calls.append(Call("edge_scoring", {"k": 20}))
        if len(situation.plan.constraints) >= LONG or not situation.anchored:
            calls += [Call("path_search"), Call("path_resurrection")]
    if situation.plan.constraints:
        calls.append(_plain_search(situation))
    return (*calls, _evidence())


def _evidence() -> Call:
    return Call("evidence_walk", {"k": RANKED})


def _plain_search(situation: Situation) -> Call:
    return Call("passage_search", {"query": situation.question, "k": 10})
