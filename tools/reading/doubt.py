"""How likely the likeliest candidate is right, once the question as a whole is looked at.

The choice weighs the candidates of one question against each other. How often its winner is right depends besides on
what is asked (a sum, a reason, what is so now), on how many others there were and on how far the readers agree. A
logistic regression over both says so, trained with winners among questions that the choice had not seen
(`benchmarks/train_choice.py`). Where an encyclopaedia is asked the choice itself knows better (`choice.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.reading.weighing import FEATURES

Floats = NDArray[np.float32]

LOOKED_AT = (
    "unheld", "own_asked", "asked_words", "reason_asked", "reckoned_asked", "now_asked", "number_asked", "date_asked",
    "person_asked", "place_asked", "again", "narrow", "close", "readers", "again_lead", "narrow_first", "whole_value",
    "type_fits", "length",
)  # fmt: skip
"""What of the winner's vector counts, behind the log-odds of its probability, the number of the candidates and the
probability of the second.
"""

_PLACES = [FEATURES.index(name) for name in LOOKED_AT]
_LEAST = 1e-3
"""What a probability is at least away from 0 and 1 where its odds are taken."""

WEIGHTS = Path(__file__).with_name("choice.npz")


@dataclass(frozen=True, slots=True)
class Doubt:
    """`mean`, `scale` and `weights` of shape (3 + len(LOOKED_AT),), and `offset`, a number."""

    mean: Floats
    scale: Floats
    weights: Floats
    offset: Floats

    def probability(self, row: Floats) -> float:
        """How likely the winner of a row of `looked_at` is right, 0..1."""
        odds = float((row - self.mean) / self.scale @ self.weights + self.offset)
        return float(1 / (1 + np.exp(-odds)))


@lru_cache(maxsize=1)
def load_doubt(weights: Path = WEIGHTS) -> Doubt:
    """The one that ships."""
    with np.load(weights) as arrays:
        return Doubt(*(arrays[f"doubt_{name}"] for name in ("mean", "scale", "weights", "offset")))


def looked_at(chances: Floats, together: float, winner: Floats) -> Floats:
    """A winner with what counts: `chances` are those of all candidates, `together` the probability of what it says,
    `winner` its vector, shape (len(FEATURES),); shape (3 + len(LOOKED_AT),).
    """
    second = float(np.sort(chances)[-2]) if len(chances) > 1 else 0.0
    return np.array([log_odds(together), len(chances), second, *winner[_PLACES]], dtype=np.float32)


def moved(chance: float, before: float, after: float) -> float:
    """A probability whose odds are multiplied as those of another one are from `before` to `after`, 0..1."""
    odds = log_odds(chance) + log_odds(after) - log_odds(before)
    return float(1 / (1 + np.exp(-odds)))


def log_odds(chance: float) -> float:
    """The logarithm of a probability's odds, as if it were at least 0.001 away from 0 and from 1."""
    kept = min(max(chance, _LEAST), 1 - _LEAST)
    return float(np.log(kept / (1 - kept)))
