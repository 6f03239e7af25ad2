"""One example for the readers to learn from, and the stretch of its passage that they are shown."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Literal

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


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a passage's tokens, and the first and last place of a span in it; None where there is none."""

    ids: list[int]
    answer: tuple[int, int] | None


def stretch_of(row: Row, passage: Any, room: int, draw: random.Random, blank: int = 0) -> Stretch | None:
    """A stretch of at most `room` tokens around the answer, often a short one; None where the answer does not fit.

    `passage` is the passage as a tokenizer encodes it behind `blank` characters.
    """
    placed = row.end > row.start
    inside = [i for i, (a, b) in enumerate(passage.offsets) if placed and a - blank < row.end and b - blank > row.start]
    if placed and not inside:
        return None
    if draw.random() < 0.35:
        room = draw.randint(min(64, room), room)
    first, last = (inside[0], inside[-1]) if inside else (0, 0)
    if last - first >= (min(room, 40) if row.kind == "span" else room):
        return None
    low, high = max(0, last + 1 - room), min(first, max(0, len(passage.ids) - room))
    start = draw.randint(min(low, high), max(low, high)) if placed else 0
    if draw.random() < 0.5 and placed and last < room:
        start = 0
    return Stretch(passage.ids[start : start + room], (first - start, last - start) if row.kind == "span" else None)
