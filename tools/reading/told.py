"""Sentences that are an answer themselves, and the best of them with those that follow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SUREST = 0.95
"""The most confidence in what sentences tell."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, from `start` of its text on, with its cosine to the question (-1..1).

    `subject` is whom or what structure says that it speaks of: the subject of its line, else the nearest heading; "".
    """

    passage: int
    title: str
    text: str
    start: int
    rank: int
    cosine: float
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """The sentences that answer, best first, then in order, and how sure that is (0..1); () where none does."""

    sentences: tuple[Sentence, ...] = ()
    confidence: float = 0.0


def best_of(scored: Sequence[tuple[float, Sentence]], more: int) -> Told:
    """The best sentence, with up to `more` that follow it in its passage."""
    if not scored:
        return Told()
    score, best = max(scored, key=lambda pair: (pair[0], -pair[1].rank, -pair[1].start))
    after = sorted(
        (one for _, one in scored if one.passage == best.passage and one.start > best.start), key=lambda one: one.start
    )
    return Told((best, *after[:more]), max(0.0, min(SUREST, score)))
