"""Whether answers are as sure as they say: right answers by certainty, calibration error, and risk by coverage.

Expected calibration error with ten bins of equal width as in Guo et al. 2017 (section 2); the risk-coverage curve and
the area under it as in Geifman et al. 2019 (section 2), over the answers that were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tools.reading.certainty import Certainty

BINS = 10
MOST_POINTS = 100
"""Of a curve as it is kept: more cannot be told apart in a drawing."""

GIVEN = "sure or likely"


@dataclass(frozen=True, slots=True)
class Told:
    """What a line says of its answer, and what is true: `contains` is for an answer that has the gold one in it, or is
    a part of it; one that is `right` contains it.
    """

    certainty: Certainty
    confidence: float
    given: bool
    right: bool
    contains: bool


@dataclass(frozen=True, slots=True)
class Level:
    """Answers of a level: how many were given, how many are right, and how many right or containing."""

    given: int
    right: int
    contains: int

    @property
    def precision(self) -> float | None:
        """The share of right ones in per cent; None where none was given."""
        return round(100 * self.right / self.given, 2) if self.given else None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        counts = {"given": self.given, "right": self.right, "right_or_containing": self.contains}
        return {**counts, "precision": self.precision}


@dataclass(frozen=True, slots=True)
class Point:
    """Answers from a `confidence` (0..1) on: their share of all questions, and the share of wrong ones, in per cent."""

    confidence: float
    coverage: float
    risk: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far the certainty of a run's answers can be believed, over `questions` questions that can be judged.

    `levels` are by name, "sure" and all that were given. Calibration errors and `aurc`, the mean risk over all
    coverages, are per cent, None where there is nothing to take them of. A refusal counts as not right in `ece_all`.
    """

    questions: int
    levels: Mapping[str, Level]
    ece_given: float | None
    ece_all: float | None
    aurc: float | None
    curve: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        levels = {name.replace(" ", "_"): level.to_json() for name, level in self.levels.items()}
        figures = {"ece_given": self.ece_given, "ece_all": self.ece_all, "aurc": self.aurc}
        curve = [{"confidence": one.confidence, "coverage": one.coverage, "risk": one.risk} for one in self.curve]
        return {"questions": self.questions, **levels, **figures, "curve": curve}


def calibration(told: Sequence[Told]) -> Calibration | None:
    """The calibration of these answers and refusals; None where there is none."""
    if not told:
        return None
    given = [one for one in told if one.given]
    risks = _risks(given)
    return Calibration(
        questions=len(told),
        levels={"sure": _level([one for one in given if one.certainty == "sure"]), GIVEN: _level(given)},
        ece_given=calibration_error(given),
        ece_all=calibration_error(told),
        aurc=round(100 * sum(risks) / len(risks), 2) if risks else None,
        curve=_curve(given, risks, len(told)),
    )


def calibration_error(told: Sequence[Told]) -> float | None:
    """The mean distance, in per cent, between confidence and share of right answers, bin by bin; None for none."""
    bins: dict[int, list[Told]] = {}
    for one in told:
        bins.setdefault(min(int(one.confidence * BINS), BINS - 1), []).append(one)
    distances = [abs(sum(one.confidence - one.right for one in inside)) for inside in bins.values()]
    return round(100 * sum(distances) / len(told), 2) if told else None


def _level(given: Sequence[Told]) -> Level:
    return Level(len(given), sum(one.right for one in given), sum(one.contains for one in given))


def _risks(given: Sequence[Told]) -> list[float]:
    """The share of wrong ones (0..1) among the first, the first two, … of the surest; among equally sure ones what is
    to be expected in any order.
    """
    risks: list[float] = []
    right = 0.0
    for _, group in groupby(sorted(given, key=_surest), key=_surest):
        alike = list(group)
        share = sum(one.right for one in alike) / len(alike)
        for _ in alike:
            right += share
            risks.append(1 - right / (len(risks) + 1))
    return risks


def _curve(given: Sequence[Told], risks: Sequence[float], questions: int) -> tuple[Point, ...]:
    ordered = sorted(given, key=_surest)
    count = min(len(ordered), MOST_POINTS)
    places = [(at + 1) * len(ordered) // count for at in range(count)]
    return tuple(
        Point(
            ordered[place - 1].confidence, round(100 * place / questions, 2), round(100 * max(risks[place - 1], 0), 2)
        )
        for place in places
    )


def _surest(one: Told) -> float:
    return -one.confidence
