"""How sure an answer is: a calibrated probability that it is right, and the three words that people read."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

Certainty = Literal["sure", "likely", "none"]

RISK = 0.15
"""Share of the answers given, sure and likely together, that may be wrong."""

SURE_SHARE = 1 / 3
"""Of the risk, what is left to the sure ones: one in twenty where three in twenty may be wrong in all."""

_RISKS, _LEAST = (0.0, 0.05, 0.1, 0.15, 0.5), (1.0, 0.95, 0.85, 0.75, 0.0)
"""Shares of wrong answers, and the confidence from which no more are wrong, over documents that no reader has seen.
From 0.75 on 92 in 100 are right of what was asked beside the documents, and 86 to 92 of what people asked of their own
folders in other words; from 0.85 on 94 and 92 (docs/results.md).
"""


def least_confidence(risk: float) -> float:
    """The confidence from which answers are given so that at most `risk` (0..1) of them are wrong.

    An answer at the threshold may itself be less sure than the answers given are on the whole. Between the measured
    risks the threshold is interpolated. Raises ValueError for a risk outside 0..1.
    """
    if not 0 <= risk <= 1:
        raise ValueError(f"the risk is a share from 0 to 1, got {risk!r}")
    if risk >= _RISKS[-1]:
        return _LEAST[-1]
    behind = bisect_right(_RISKS, risk)
    low, high = _RISKS[behind - 1], _RISKS[behind]
    share = (risk - low) / (high - low)
    return _LEAST[behind - 1] + share * (_LEAST[behind] - _LEAST[behind - 1])


def likelier(chance: float, odds: float) -> float:
    """A probability (0..1) whose odds are so many times as large as those of a `chance` (0..1)."""
    return odds * chance / (1 + (odds - 1) * chance)


def certainty_of(confidence: float, *, has_open_hop: bool = False, risk: float = RISK) -> Certainty:
    """The word for an answer of a `confidence` (0..1): never "sure" where a hop to it is open.

    Raises ValueError for a risk outside 0..1.
    """
    likely = least_confidence(risk)
    if confidence >= least_confidence(risk * SURE_SHARE) and not has_open_hop:
        return "sure"
    return "likely" if confidence > 0 and confidence >= likely else "none"
