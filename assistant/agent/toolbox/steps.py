"""A plan as language models write it most surely: a line for each step, "subject | relation | object"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from assistant.models.calling.worded_steps import worded_plan
from assistant.shared.recorded_plans import complete_plan
from tools.planning.plan import Constraint, Plan

FORM = '"subject | relation | object", what is not known written ?name'


def as_steps(value: object) -> object:
    """Constraints of lines, of triples or of objects with head, relation and tail; what else there is stays as it is.

    Raises ValueError, which pydantic turns into its own error, for a line that is not of the form, and for none.
    """
    if isinstance(value, str):
        value = value.splitlines()
    if not isinstance(value, Sequence):
        return value
    steps = [_step(one) for one in value if one != ""]
    if not steps:
        raise ValueError(f"give at least one step, {FORM}")
    return tuple(steps)


Steps = Annotated[
    tuple[Constraint, ...],
    BeforeValidator(as_steps),
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 1}),
]


def plan_of(question: str, steps: tuple[Constraint, ...], known: Plan | None) -> Plan:
    """The plan with these steps: the one at hand, which knows more, where it has the same; else what planning adds, and
    what it knows of their relations.
    """
    steps = worded_plan(steps)
    if known is not None and [_triple(one) for one in known.constraints] == [_triple(one) for one in steps]:
        return known
    return complete_plan(question, steps)


def _step(one: Any) -> object:
    if isinstance(one, Mapping):
        return one
    parts = one.split("|") if isinstance(one, str) else one
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        return one
    terms = [" ".join(part.split()) for part in parts]
    if len(terms) != 3 or not all(terms):
        raise ValueError(f"the step {' | '.join(terms)[:80]!r} is not {FORM}")
    head, relation, tail = terms
    return Constraint(head, relation, tail)


def _triple(step: Constraint) -> tuple[str, str, str]:
    return astuple(step)[:3]
