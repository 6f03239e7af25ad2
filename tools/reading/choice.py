"""Which candidate is the answer, and how likely it is right: a small trained model over what speaks for each.

One hidden layer over standardised features, trained with questions whose passages the reader has not seen
(`benchmarks/train_choice.py`); its output is the probability that the candidate is right, so that of the answers at 0.8
eight in ten are (docs/results.md has the curve).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.reading.candidates import Candidate

Floats = NDArray[np.float32]
WEIGHTS = Path(__file__).with_name("choice.npz")


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """`mean` and `scale` of shape (features,), `hidden` (features, units), `out` (units,), with their offsets."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_offset: Floats
    out: Floats
    out_offset: Floats

    def probabilities(self, features: Floats) -> Floats:
        """How likely each row of `features`, shape (rows, features), is right: shape (rows,), 0..1."""
        inner = np.tanh((features - self.mean) / self.scale @ self.hidden + self.hidden_offset)
        return np.asarray(1 / (1 + np.exp(-(inner @ self.out + self.out_offset))), dtype=np.float32)


@lru_cache(maxsize=2)
def load_choice(part: str = "span") -> ChoiceModel:
    """The model that ships, for spans, or for what comparisons end in ("compared")."""
    with np.load(WEIGHTS) as arrays:
        names = ("mean", "scale", "hidden", "hidden_offset", "out", "out_offset")
        return ChoiceModel(*(arrays[f"{part}_{name}"] for name in names))


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate, float] | None:
    """The likeliest candidate and its probability; of equals the first. None for none."""
    if not candidates:
        return None
    chances = load_choice().probabilities(np.stack([one.features for one in candidates]))
    best = int(np.argmax(chances))
    return candidates[best], float(chances[best])
