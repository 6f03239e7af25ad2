"""What the techniques return."""

from __future__ import annotations

from dataclasses import dataclass

from kb.records import Passage


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a technique found; `score` is comparable within one result only, higher is better.

    `after` is the id of the passage that led to it, None where the question itself did.
    """

    passage: Passage
    score: float
    why: str = ""
    after: int | None = None
