"""How sure a mean over questions is, and whether two runs differ: bootstrap intervals and paired tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 2000
"""Of the bootstrap: the ends of a 95 % interval then stand on the 50 outermost means of either side."""
FLIPS = 9999
"""Sampled sign flips: the least p-value that they can give is 1/10,000."""
SEED = 0

_EXACT = 12
"""Up to so many differences all 4,096 flips are counted instead of some sampled."""
_AT_ONCE = 1_000_000
"""Random numbers held at a time, so that a run of a hundred thousand questions needs no gigabytes."""
_ROUNDING = 1e-9

Floats = NDArray[np.float64]


def bootstrap_intervals(values: ArrayLike) -> list[tuple[float, float] | None]:
    """95 % percentile bootstrap intervals of the means of the columns of `values`, shape (questions, measures).

    Questions are drawn with replacement, the same for all columns (Efron and Tibshirani 1993, chapter 13). None for a
    column whose values are all the same, or of fewer than two: there resampling has nothing to vary, and an interval
    without width would claim certainty.
    """
    matrix = np.asarray(values, dtype=np.float64)
    varies = [len(column) > 1 and bool(np.ptp(column) > 0) for column in matrix.T]
    if not any(varies):
        return [None] * len(varies)
    low, high = np.percentile(_resampled_means(matrix), [2.5, 97.5], axis=0)
    return [(float(low[at]), float(high[at])) if varied else None for at, varied in enumerate(varies)]


def mcnemar(won: int, lost: int) -> float:
    """McNemar's exact two-sided p-value for `won` questions right in the first run only, `lost` in the second only.

    Twice the lower tail of a binomial distribution with probability one half, 1 at most (McNemar 1947; exact form).

    >>> mcnemar(5, 0)
    0.0625
    """
    ways = tail = 1
    for i in range(min(won, lost)):
        ways = ways * (won + lost - i) // (i + 1)  # of choosing i + 1, exactly, from those of choosing i
        tail += ways
    return min(1.0, float(2 * tail / (1 << (won + lost))))


def sign_flip(differences: ArrayLike) -> float:
    """The two-sided p-value of a paired permutation test on the mean of `differences`, shape (questions,).

    The share of sign flips whose sum is at least as far from 0 as the one seen: of all of them for up to 12 differences
    other than 0, else of 9,999 seeded ones and the one seen (Good 2005, chapter 3). 1 where nothing differs.
    """
    given = np.asarray(differences, dtype=np.float64)
    moved = given[given != 0]
    if not len(moved):
        return 1.0
    seen = abs(moved.sum()) - _ROUNDING
    if len(moved) <= _EXACT:
        bits = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved)) & 1
        return float((np.abs((2 * bits - 1) @ moved) >= seen).mean())
    rng = np.random.default_rng(SEED)
    beyond = 0
    for rows in _portions(FLIPS, len(moved)):
        signs = 2.0 * rng.integers(0, 2, (rows, len(moved)), dtype=np.int8) - 1.0
        beyond += int((np.abs(signs @ moved) >= seen).sum())
    return (1 + beyond) / (1 + FLIPS)


def _resampled_means(matrix: Floats) -> Floats:
    """Shape (RESAMPLES, measures)."""
    count = len(matrix)
    rng = np.random.default_rng(SEED)
    means = []
    for rows in _portions(RESAMPLES, count):
        drawn = rng.integers(0, count, (rows, count)) + count * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
        means.append(times.astype(np.float64) @ matrix / count)
    return np.concatenate(means)


def _portions(total: int, width: int) -> list[int]:
    most = max(_AT_ONCE // width, 1)
    return [min(most, total - start) for start in range(0, total, most)]
