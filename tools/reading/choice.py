"""Which candidate is the answer, and how likely it is right: a small trained model over what speaks for each.

One hidden layer over standardised features gives each candidate a score, and a softmax over the scores of a question's
candidates and of "none of them", which is 0, their probabilities. Trained with questions whose passages the reader has
not seen (`benchmarks/train_choice.py`), so that of the answers at 0.8 eight in ten are right (docs/results.md has the
curve).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.reading.candidates import Candidate, same

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
        """How likely each of a question's candidates is right: rows of `features`, shape (rows, features) -> (rows,).

        They add up to less than 1; what is left is the probability that none is right.
        """
        inner = np.tanh((features - self.mean) / self.scale @ self.hidden + self.hidden_offset)
        scores = np.append(inner @ self.out + self.out_offset, np.float32(0.0)).astype(np.float64)
        likely = np.exp(scores - scores.max())
        return np.asarray((likely / likely.sum())[:-1], dtype=np.float32)


@lru_cache(maxsize=2)
def load_choice(part: str = "span") -> ChoiceModel:
    """The model that ships, for spans, or for what comparisons end in ("compared")."""
    with np.load(WEIGHTS) as arrays:
        names = ("mean", "scale", "hidden", "hidden_offset", "out", "out_offset")
        return ChoiceModel(*(arrays[f"{part}_{name}"] for name in names))


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate, float] | None:
    """The likeliest candidate, and the probability of all that say the same; of equals the first. None for none."""
    if not candidates:
        return None
    chances = load_choice().probabilities(np.stack([one.features for one in candidates]))
    best, together = likeliest(chances, [one.found.text for one in candidates])
    return candidates[best], together


def likeliest(chances: Floats, texts: Sequence[str]) -> tuple[int, float]:
    """The place of the largest probability, and the sum of those of the texts that name the same."""
    best = int(np.argmax(chances))
    alike = [float(chance) for chance, text in zip(chances, texts, strict=True) if same(text, texts[best])]
    return best, min(1.0, sum(alike))
