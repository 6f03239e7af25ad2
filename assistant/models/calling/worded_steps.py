"""A model's bare steps with what planning by rule knows of their relations: other ways to say them, and types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tools.planning.lexicon import NOUNS, RELATIONS, VERBS, Relation, spoken_relation
from tools.planning.plan import Constraint, is_variable

MOST_VARIANTS = 4
"""Ways to say a relation, as many as the planner gives."""


def worded_plan(steps: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """The steps, each as `worded` makes it, and the type of an unknown wherever it stands: a director is a person at
    both ends.
    """
    made = [worded(step) for step in steps]
    pairs = ((end, kind) for step in made for end, kind in ((step.head, step.head_type), (step.tail, step.tail_type)))
    types: dict[str, str] = {}
    for end, kind in pairs:
        if is_variable(end) and kind:
            types.setdefault(end, kind)
    return tuple(
        replace(
            step,
            head_type=step.head_type or types.get(step.head, ""),
            tail_type=step.tail_type or types.get(step.tail, ""),
        )
        for step in made
    )


def worded(step: Constraint) -> Constraint:
    """The step under its relation's usual name where the lexicon knows it, with the words used among the variants.

    Variants and types that the step has come first. A relation that nothing is known of keeps its name.
    """
    words = " ".join(step.relation.replace("_", " ").split()).lower()
    known = _known(words, step.tail)
    relation = known or spoken_relation(words)
    said = (*step.variants, *((step.relation,) if known else ()), *relation.variants)
    variants = tuple(dict.fromkeys(one for one in said if one and one != relation.name))[:MOST_VARIANTS]
    tail_type = step.tail_type or (relation.tail_type if is_variable(step.tail) else "")
    return replace(step, relation=known.name if known else step.relation, variants=variants, tail_type=tail_type)


def _known(words: str, tail: str) -> Relation | None:
    """What the lexicon has under these words: a relation's name, a noun for it, or a verb in the passive."""
    if words in RELATIONS:
        return RELATIONS[words]
    noun = words.removesuffix(" of").removeprefix("has ").removeprefix("is ")
    path = NOUNS.get(noun)
    if path is not None and len(path) == 1:
        return RELATIONS[path[0]]
    verb, _, preposition = words.removeprefix("was ").removeprefix("is ").partition(" ")
    if verb not in VERBS:
        return None
    if preposition == "by":
        name, order = VERBS[verb].objects.get("", ("", ""))
        return RELATIONS.get(name) if order == "OS" else None
    asked = VERBS[verb].when if preposition in ("on", "date", "when") or _is_time(tail) else VERBS[verb].where
    return RELATIONS.get(asked) if preposition in ("in", "at", "on", "date", "when", "where", "place") else None


def _is_time(tail: str) -> bool:
    return tail.lower().lstrip("?").startswith(("date", "year", "when", "time", "day"))
