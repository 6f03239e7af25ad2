"""Fit what the measures of two lines count that answer a question together (`WEIGHTS` of tools/linked/pairing.py).

    python -m benchmarks.train_linking

A softmax over all pairs that are looked at for a question, over the worlds of `benchmarks/collections/linked/`; prints
the weights, and for `linked_choosing/` of how many questions the two lines are among the first so many pairs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from benchmarks.linked_questions import pools
from tools.linked.pairing import WEIGHTS, measured_pairs

COLLECTIONS = Path(__file__).with_name("collections")
_STEPS, _RATE = 150, 0.1
_FIRST = (1, 3, 5, 8, 12, 16, 24, 40)


def measured(folder: Path) -> tuple[list[torch.Tensor], list[int], int]:
    """The measures of the pairs of each question whose two lines are among them, the place of these, and how many
    questions of two lines there are.
    """
    found, places, asked = [], [], 0
    for pool in pools(folder):
        for one in pool.asked:
            if len(one.path) != 2:
                continue
            asked += 1
            pairs = measured_pairs(pool.lines, one.question, one.cosines)
            place = next((at for at, pair in enumerate(pairs) if set(pair[:2]) == set(one.path)), None)
            if place is not None:
                found.append(torch.tensor([measures for _, _, measures in pairs]))
                places.append(place)
    return found, places, asked


def fit(found: list[torch.Tensor], places: list[int]) -> np.ndarray:
    """The weights with which the right pair of each question is likeliest."""
    longest = max(map(len, found))
    table = torch.zeros(len(found), longest, len(WEIGHTS))
    hidden = torch.full((len(found), longest), -1e9)
    for at, one in enumerate(found):
        table[at, : len(one)], hidden[at, : len(one)] = one, 0.0
    weights = torch.zeros(len(WEIGHTS), requires_grad=True)
    optimiser = torch.optim.Adam([weights], lr=_RATE)
    for _ in range(_STEPS):
        loss = torch.nn.functional.cross_entropy(table @ weights + hidden, torch.tensor(places))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"loss {loss.item():.3f} over {len(found)} questions")
    return weights.detach().numpy()


def main() -> None:
    found, places, asked = measured(COLLECTIONS / "linked")
    print(f"{len(found)} of {asked} questions have their two lines among the pairs")
    weights = fit(found, places)
    print("WEIGHTS", [round(float(one), 2) for one in weights])
    found, places, asked = measured(COLLECTIONS / "linked_choosing")
    weighed = [pairs.numpy() @ weights for pairs in found]
    ranks = np.array(
        [int((all_of_it > all_of_it[place]).sum()) for all_of_it, place in zip(weighed, places, strict=True)]
    )
    print(
        f"linked_choosing: {asked} questions,",
        {first: round(float((ranks < first).sum()) / asked, 3) for first in _FIRST},
    )


if __name__ == "__main__":
    main()
