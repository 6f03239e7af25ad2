"""One example for the reader to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["none", "span", "yes", "no"]
KINDS: tuple[Kind, ...] = ("none", "span", "yes", "no")


@dataclass(frozen=True, slots=True)
class Row:
    """One example; `start` and `end` are characters of `passage`, 0 and 0 unless `kind` is "span"."""

    source: str
    question: str
    passage: str
    kind: Kind
    start: int = 0
    end: int = 0
    relation: str = ""
