"""Means with how sure they are: bootstrap intervals over questions, and the spread over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.evaluation.significance import bootstrap_intervals


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean in per cent with the ends of its 95 % interval; None where the values leave nothing to resample."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean over seeds in per cent, the lowest and highest of them, and their standard deviation in points."""

    mean: float
    low: float
    high: float
    deviation: float


def estimate(values: Sequence[float | None]) -> Estimate | None:
    """The mean of the values that are there (shares, 0..1, or differences of such) with its bootstrap interval; None
    where there are none.
    """
    known = [100 * value for value in values if value is not None]
    if not known:
        return None
    interval = bootstrap_intervals(np.array(known)[:, None])[0]
    return Estimate(float(np.mean(known)), *(interval or (None, None)))


def change(values: Sequence[float | None], base: Sequence[float | None]) -> Estimate | None:
    """How much the mean of `values` is above that of `base`, question by question (a paired bootstrap), in points.

    Both are of the same questions in the same order; those without a value in either are left out.
    """
    pairs = zip(values, base, strict=True)
    return estimate([None if one is None or other is None else one - other for one, other in pairs])


def spread(means: Sequence[float | None]) -> Spread | None:
    """Of the means of several seeds (0..1); None where there are none. A single one has a deviation of 0."""
    known = np.array([100 * mean for mean in means if mean is not None])
    if not known.size:
        return None
    deviation = known.std(ddof=1) if known.size > 1 else 0.0
    return Spread(float(known.mean()), float(known.min()), float(known.max()), float(deviation))


def mean(values: Sequence[float | None]) -> float | None:
    """Of the values that are there; None where there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of them lie, interpolated; 0 for none."""
    return float(np.quantile(np.array(values), share)) if values else 0.0
