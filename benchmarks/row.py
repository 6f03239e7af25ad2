"""One example for the readers to learn from, and the stretch of its passage that they are shown."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["none", "span", "yes", "no"]
KINDS: tuple[Kind, ...] = ("none", "span", "yes", "no")


@dataclass(frozen=True, slots=True)
class Row:
    """One example; `start` and `end` are characters of `passage`: of the span, or of what decides between yes and no; 0
    and 0 where there is no such place.
    """

    source: str
    question: str
    passage: str
    kind: Kind
    start: int = 0
    end: int = 0
    relation: str = ""

    @property
    def placed(self) -> bool:
        return self.end > self.start

    def place(self, offsets: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """The first and last token of the span, or of what decides, by where each token of the passage stands."""
        inside = [i for i, (a, b) in enumerate(offsets) if a < self.end and b > self.start] if self.placed else []
        return (inside[0], inside[-1]) if inside else None


def stretch_of(tokens: int, place: tuple[int, int] | None, room: int, draw: random.Random, *, span: bool) -> range:
    """The places of a stretch of at most `room` of so many `tokens`, around what stands at `place`, often a short one.

    Empty where what answers, which is a `span` or the sentence that decides, is too long for it.
    """
    if draw.random() < 0.35:
        room = draw.randint(min(64, room), room)
    first, last = place or (0, 0)
    if last - first >= (min(room, 40) if span else room):
        return range(0)
    low, high = max(0, last + 1 - room), min(first, max(0, tokens - room))
    start = draw.randint(min(low, high), max(low, high)) if place else 0
    if draw.random() < 0.5 and place and last < room:
        start = 0
    return range(start, min(tokens, start + room))
