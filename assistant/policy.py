"""What the offline model does next: a pure function of what it knows and has done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.plan import Plan

RANKED = 30
"""Passages asked of the evidence walk: at rank 30 nearly every supporting one is there."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to call, with its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Situation:
    """How a question stands.

    `called` names the tools called so far for it, `unresolved` are the places in the plan, from 0, of the constraints
    for which nothing has been found, `anchored` says whether any constraint met a fact of the file, and `confident`
    whether the answer found so far is good enough to stop.
    """

    question: str
    plan: Plan
    called: frozenset[str] = frozenset()
    unresolved: tuple[int, ...] = ()
    anchored: bool = False
    confident: bool = False


def next_calls(situation: Situation) -> tuple[Call, ...]:
    """The calls to make now, in order; none when it is time to answer.

    First the plan is resolved and the evidence around it ranked. What that leaves open is looked for otherwise: a
    constraint without a value in the text, a question that names nothing known by a walk over the whole graph. Whatever
    comes of that, there is one plain search before giving up, and no call is made twice.
    """
    if situation.confident:
        return ()
    wanted = _further(situation) if situation.called else _first(situation)
    new = tuple(call for call in wanted if call.tool not in situation.called)
    if new:
        return new
    return () if "passage_search" in situation.called else (_search(situation),)


def _first(situation: Situation) -> tuple[Call, ...]:
    rank = Call("evidence_walk", {"k": RANKED})
    if not situation.plan.constraints:
        return (_search(situation), rank)
    arguments = {"constraints": situation.plan.constraints, "target": situation.plan.target}
    return (Call("constraint_retrieval", arguments), rank)


def _further(situation: Situation) -> tuple[Call, ...]:
    recoveries = tuple(Call("textual_recovery", {"constraint": place + 1}) for place in situation.unresolved)
    if situation.anchored:
        return recoveries
    return (*recoveries, Call("graph_walk", {"question": situation.question, "k": 10}), _search(situation))


def _search(situation: Situation) -> Call:
    return Call("passage_search", {"query": situation.question, "k": 10})
