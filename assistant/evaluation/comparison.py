"""Two runs over the same questions, measure by measure: how far apart they are, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assistant.evaluation.evaluate import Judged, at_cutoffs
from assistant.evaluation.significance import bootstrap_intervals, mcnemar, sign_flip
from kb.errors import UsageError

Test = Literal["mcnemar", "sign-flip"]

BINARY = ("chain", "strict", "joint", "em", "found")
"""Measures that are 0 or 1 for a question, by what is before the @: they get McNemar's test, the others sign flips."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure in both runs, over the questions that have it in both; per cent, but for `hub_strength`.

    `difference` is this run less the other, `interval` its paired 95 % bootstrap interval, None where all questions
    differ by the same; `p` is two-sided. `won` and `lost` are ids in the order of the questions: where this run is
    higher, and lower. Lower is better for hub signs only.
    """

    measure: str
    questions: int
    mean: float
    other: float
    difference: float
    interval: tuple[float, float] | None
    test: Test
    p: float
    won: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def tied(self) -> int:
        """How many questions are the same in both."""
        return self.questions - len(self.won) - len(self.lost)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        parts: dict[str, Any] = {name: getattr(self, name) for name in Difference.__slots__}
        return parts | {"won": list(self.won), "lost": list(self.lost), "tied": self.tied}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two runs; `only_this` and `only_other` questions have a line in one of them."""

    questions: int
    only_this: int
    only_other: int
    differences: tuple[Difference, ...]

    def changes(self, names: Sequence[str]) -> dict[str, dict[str, int]]:
        """Of every question that changed in one of these measures: 1 where it was won, -1 where it was lost.

        Questions with a loss come first, else by id.
        """
        changed: dict[str, dict[str, int]] = {}
        for one in self.differences:
            if one.measure in names:
                for sign, ids in ((1, one.won), (-1, one.lost)):
                    for question in ids:
                        changed.setdefault(question, {})[one.measure] = sign
        return dict(sorted(changed.items(), key=lambda pair: (min(pair[1].values()), pair[0])))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "questions": self.questions,
            "only_this": self.only_this,
            "only_other": self.only_other,
            "measures": [one.to_json() for one in self.differences],
        }


def compare(this: Sequence[Judged], other: Sequence[Judged], cutoffs: Sequence[int]) -> Comparison:
    """The differences of `this` run to the `other` one over the questions that both have a line for.

    Raises UsageError where there are none. P-values are not corrected for how many measures are looked at.
    """
    others = {one.question.id: one for one in other}
    pairs = [(one, others[one.question.id]) for one in this if one.question.id in others]
    if not pairs:
        raise UsageError("the two runs share no question; compare runs over the same question file")
    hubs = [name for name in dict.fromkeys(name for one in this for name in one.values) if name.startswith("hub_")]
    names = [*at_cutoffs(cutoffs), "em", "f1", "found", *(name for name in hubs if not name.endswith("@gold"))]
    found = [_difference(name, pairs) for name in names]
    only_this, only_other = len(this) - len(pairs), len(other) - len(pairs)
    return Comparison(len(pairs), only_this, only_other, tuple(one for one in found if one))


def _difference(name: str, pairs: Sequence[tuple[Judged, Judged]]) -> Difference | None:
    values = _both(name, pairs)
    if not values:
        return None
    scale = 1.0 if name.startswith("hub_strength") else 100.0
    moved = {question: mine - theirs for question, (mine, theirs) in values.items()}
    won = tuple(question for question, by in moved.items() if by > 0)
    lost = tuple(question for question, by in moved.items() if by < 0)
    mine, theirs = (scale * sum(column) / len(values) for column in zip(*values.values(), strict=True))
    (interval,) = bootstrap_intervals([[scale * by] for by in moved.values()])
    test: Test = "mcnemar" if name.partition("@")[0] in BINARY else "sign-flip"
    p = mcnemar(len(won), len(lost)) if test == "mcnemar" else sign_flip(list(moved.values()))
    return Difference(
        measure=name,
        questions=len(values),
        mean=round(mine, 2),
        other=round(theirs, 2),
        difference=round(mine - theirs, 2),
        interval=(round(interval[0], 2), round(interval[1], 2)) if interval else None,
        test=test,
        p=p,
        won=won,
        lost=lost,
    )


def _both(name: str, pairs: Sequence[tuple[Judged, Judged]]) -> Mapping[str, tuple[float, float]]:
    return {
        one.question.id: (one.values[name], other.values[name])
        for one, other in pairs
        if name in one.values and name in other.values
    }
