"""How sure an answer is: a calibrated probability that it is right, and the three words that people read."""

from __future__ import annotations

from typing import Literal

Certainty = Literal["sure", "likely", "none"]

RISK = 0.15
"""Share of the answers given, sure and likely together, that may be wrong."""

LEEWAY = 2.1
"""How far below the mean confidence of the answers given the threshold lies. Cross-validated, 87 in 100 of the answers
from 0.685 on are right or contain the right one, 97 from 0.895 on (docs/results.md).
"""

SURE_SHARE = 1 / 3
"""Of the risk, what is left to the sure ones: one in twenty where three in twenty may be wrong in all."""


def least_confidence(risk: float) -> float:
    """The confidence from which answers are given so that at most `risk` (0..1) of them are wrong.

    An answer at the threshold may itself be less sure than the answers given are on the whole. Raises ValueError for a
    risk outside 0..1.
    """
    if not 0 <= risk <= 1:
        raise ValueError(f"the risk is a share from 0 to 1, got {risk!r}")
    return max(0.0, 1 - LEEWAY * risk)


def certainty_of(confidence: float, *, has_open_hop: bool = False, risk: float = RISK) -> Certainty:
    """The word for an answer of a `confidence` (0..1): never "sure" where a hop to it is open.

    Raises ValueError for a risk outside 0..1.
    """
    likely = least_confidence(risk)
    if confidence >= least_confidence(risk * SURE_SHARE) and not has_open_hop:
        return "sure"
    return "likely" if confidence > 0 and confidence >= likely else "none"
