"""What the techniques return."""

from __future__ import annotations

from dataclasses import dataclass

from kb.records import Passage


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a technique found; `score` is comparable within one result only, higher is better."""

    passage: Passage
    score: float
    why: str = ""
