"""Recorded constraint plans, to be used instead of planning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.shared.question_files import read_jsonl
from kb.errors import UsageError
from kb.named_files import named_text
from tools.planning.plan import Constraint, Plan
from tools.planning.planner import plan_question


def read_plans(path: Path) -> dict[str, tuple[Constraint, ...]]:
    """The plans of a file of lines `{"id", "plan": [{"head", "relation", "relation_variants", "tail"}]}`, by question
    id.

    Variants are optional. Raises UsageError naming the line for anything else, and for an id that occurs twice.
    """
    plans: dict[str, tuple[Constraint, ...]] = {}
    for number, record in read_jsonl(path, named_text(path)):
        question_id, steps = record.get("id"), record.get("plan")
        if not isinstance(question_id, (str, int)) or not isinstance(steps, list):
            raise UsageError(f"{path}, line {number}: a plan needs 'id' and a list 'plan'")
        if str(question_id) in plans:
            raise UsageError(f"{path}, line {number}: there is a plan for {question_id!r} already")
        plans[str(question_id)] = tuple(_constraint(path, number, step) for step in steps)
    return plans


def complete_plan(question: str, constraints: tuple[Constraint, ...]) -> Plan:
    """The recorded constraints with what they leave unsaid, the kind of question and what is asked for, from planning.

    The target is the planned one where the recorded plan has that variable, else the last unknown: plans lead to what
    is asked. No constraints at all mean that planning has to do it alone.
    """
    planned = plan_question(question)
    if not constraints:
        return planned
    unknowns = [variable for constraint in constraints for variable in constraint.variables]
    if planned.target in unknowns or not unknowns or planned.kind != "lookup":
        target = planned.target if planned.target in unknowns else ""
    else:
        target = unknowns[-1]
    return replace(planned, constraints=constraints, target=target)


def _constraint(path: Path, number: int, step: Any) -> Constraint:
    if not isinstance(step, dict) or not all(isinstance(step.get(key), str) for key in ("head", "relation", "tail")):
        raise UsageError(
            f"{path}, line {number}: a step needs the texts 'head', 'relation' and 'tail', not {step!r:.80}"
        )
    variants = step.get("relation_variants") or []
    if not isinstance(variants, list) or not all(isinstance(variant, str) for variant in variants):
        raise UsageError(f"{path}, line {number}: 'relation_variants' must be a list of texts, not {variants!r:.80}")
    terms = {key: " ".join(step[key].split()) for key in ("head", "relation", "tail")}
    others = tuple(dict.fromkeys(variant for variant in variants if variant != terms["relation"]))
    return Constraint(terms["head"], terms["relation"], terms["tail"], others)
