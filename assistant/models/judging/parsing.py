"""From the objects that a language model answers with to judgements. Only numbers in range, scores and short checked
texts come through; what is not there, doubled or out of range is left out. All raise Malformed where nothing is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.models.judging.one_judgement import Malformed, Value
from assistant.shared.rendering import plain
from kb.name_keys import name_key
from tools.judgements.judge import Concept
from tools.search.word_match import coverage, stems

TEXT = 120
"""Characters of a name, a relation or a concept."""
WEIGHT = 1_000.0
"""Of one concept before all are made to sum to 1; percentages fit, and sums stay finite."""
SUMMARY = 400
"""Characters of a summary: sixty words."""
CONCEPTS = 6
ALTERNATIVES = 3
GROUNDED = 0.5
"""Share of a summary's words that its facts must have: the rest is grammar; invented ones have a few in common."""


def read_numbers(value: Value, key: str, most: int) -> tuple[int, ...]:
    """The places, from 0, of the numbers 1..most under `key`, in their order; an empty list is an answer."""
    listed = value.get(key)
    if not isinstance(listed, list):
        raise Malformed(f"{key!r} must be a list of numbers, as in {{{_quoted(key)}: [1, 2]}}")
    numbers = [_number(one) for one in listed]
    places = [int(one) - 1 for one in numbers if one is not None and one.is_integer() and 1 <= one <= most]
    if listed and not places:
        raise Malformed(f"{key!r} must name numbers from 1 to {most}")
    return tuple(dict.fromkeys(places))


def read_scores(value: Value, most: int) -> dict[int, float]:
    """Scores, cut to 0..10, by place from 0; a place may be missing."""
    scores: dict[int, float] = {}
    for name, score in _by_number(value, "scores").items():
        number = _number(score)
        if number is not None and 1 <= name <= most:
            scores[name - 1] = min(max(number, 0.0), 10.0)
    if not scores:
        raise Malformed(f"'scores' must give each number from 1 to {most} a score from 0 to 10")
    return scores


def read_enough(value: Value) -> bool:
    """Whether the facts are enough: only where that is said outright."""
    return value.get("enough") is True


def read_concepts(value: Value, question: str, told: Sequence[str]) -> tuple[Concept, ...]:
    """Concepts in words that the question or the passages have, heaviest first, weights summing to 1."""
    known = frozenset[str]().union(*map(stems, (question, *told)))
    found: dict[str, tuple[str, float, tuple[str, ...]]] = {}
    for item in _objects(value, "concepts"):
        text = _text(item.get("text"))
        if stems(text) & known:
            others = (item.get("specialised"), *_list(item.get("relaxed"))[: ALTERNATIVES - 1])
            texts = dict.fromkeys(one for one in map(_text, others) if stems(one) & known and one != text)
            found.setdefault(
                name_key(text), (text, min(max(_number(item.get("weight")) or 0.0, 0.0), WEIGHT), tuple(texts))
            )
    if not found:
        raise Malformed("'concepts' must hold things that the question speaks of, in its words")
    kept = sorted(found.values(), key=lambda one: -one[1])[:CONCEPTS]
    total = sum(weight for _, weight, _ in kept)
    return tuple(Concept(text, weight / total if total else 1 / len(kept), others) for text, weight, others in kept)


def read_summaries(value: Value, facts: Sequence[str]) -> dict[int, str]:
    """Summaries by place from 0, where half of their words are in the facts; a place may be missing."""
    found: dict[int, str] = {}
    for number, summary in _by_number(value, "summaries").items():
        text = plain(summary, SUMMARY) if isinstance(summary, str) else ""
        if 1 <= number <= len(facts) and text and coverage(stems(text), stems(facts[number - 1])) >= GROUNDED:
            found[number - 1] = text
    if not found:
        raise Malformed(f"'summaries' must say of each number from 1 to {len(facts)} what its facts say")
    return found


def _by_number(value: Value, key: str) -> dict[int, Any]:
    """An object under `key` by number; a list is read as numbered from 1."""
    held = value.get(key)
    if isinstance(held, list):
        held = dict(enumerate(held, 1))
    if not isinstance(held, Mapping):
        raise Malformed(f"{key!r} must be an object, as in {{{_quoted(key)}: {{{_quoted('1')}: ...}}}}")
    numbers = ((_number(name), one) for name, one in held.items())
    return {int(number): one for number, one in numbers if number is not None and number.is_integer()}


def _objects(value: Value, key: str) -> list[Mapping[str, Any]]:
    return [one for one in _list(value.get(key)) if isinstance(one, Mapping)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return plain(value, TEXT) if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    """A finite number, also where it is written as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _quoted(text: str) -> str:
    return f'"{text}"'
