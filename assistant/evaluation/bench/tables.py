"""The rows of the result, made from outcomes, and their form as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from assistant.evaluation.bench.intervals import Estimate, Spread, change, estimate, mean, percentile, spread
from assistant.evaluation.bench.measure import Outcome

NAMES = {"recall": "recall@5", "chain": "chain@5", "exact": "em", "p50": "seconds_p50", "p95": "seconds_p95"}
"""What a field is called in JSON, as `clew eval` calls it."""


@dataclass(frozen=True, slots=True)
class Quality:
    """What a technique, or the agent, finds and takes; a measure is None where no question has the gold for it.

    `p50` and `p95` are seconds of a question, `errors` the questions that failed.
    """

    technique: str
    questions: int
    recall: Estimate | None
    chain: Estimate | None
    exact: Estimate | None
    f1: Estimate | None
    p50: float
    p95: float
    errors: int


@dataclass(frozen=True, slots=True)
class Ablation:
    """A method with a step switched off, or whole where `without` is "": what it finds, and the difference to whole."""

    method: str
    without: str
    recall: Estimate | None
    chain: Estimate | None
    recall_change: Estimate | None
    chain_change: Estimate | None
    p50: float


@dataclass(frozen=True, slots=True)
class Damaged:
    """What a technique finds where `rho` of the facts in a scope are spoilt, over seeds; rho 0 is the sound file."""

    technique: str
    mode: str
    scope: str
    rho: float
    recall: Spread | None
    chain: Spread | None
    exact: Spread | None
    f1: Spread | None


@dataclass(frozen=True, slots=True)
class Choice:
    """Tools in the order in which the agent first called them, and for how many of a type's questions (per cent)."""

    type: str
    questions: int
    tools: tuple[str, ...]
    share: float


@dataclass(slots=True)
class FolderResult:
    """All that was measured on one folder; a part that was not asked for is empty."""

    name: str
    passages: int
    questions: int
    with_supporting: int
    with_answers: int
    notes: list[str] = field(default_factory=list)
    quality: list[Quality] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    ablations: list[Ablation] = field(default_factory=list)
    damage: list[Damaged] = field(default_factory=list)


def quality(technique: str, outcomes: Sequence[Outcome]) -> Quality:
    """The row of a technique."""
    seconds = [one.seconds for one in outcomes]
    return Quality(
        technique,
        len(outcomes),
        estimate([one.recall for one in outcomes]),
        estimate([one.chain for one in outcomes]),
        estimate([one.exact for one in outcomes]),
        estimate([one.f1 for one in outcomes]),
        percentile(seconds, 0.5),
        percentile(seconds, 0.95),
        sum(bool(one.error) for one in outcomes),
    )


def ablation(method: str, without: str, outcomes: Sequence[Outcome], whole: Sequence[Outcome]) -> Ablation:
    """The row of a step; of the whole method for "", which has no difference."""
    recalls, chains = [one.recall for one in outcomes], [one.chain for one in outcomes]
    return Ablation(
        method,
        without,
        estimate(recalls),
        estimate(chains),
        change(recalls, [one.recall for one in whole]) if without else None,
        change(chains, [one.chain for one in whole]) if without else None,
        percentile([one.seconds for one in outcomes], 0.5),
    )


def damaged(technique: str, mode: str, scope: str, rho: float, seeds: Sequence[Sequence[Outcome]]) -> Damaged:
    """The row of a technique at one rho: the spread of the seeds' means."""

    def over_seeds(measure: str) -> Spread | None:
        return spread([mean([getattr(one, measure) for one in outcomes]) for outcomes in seeds])

    return Damaged(technique, mode, scope, rho, *(over_seeds(name) for name in ("recall", "chain", "exact", "f1")))


def choices(outcomes: Sequence[Outcome], types: Mapping[str, str]) -> list[Choice]:
    """How often each order of tools was taken, by type of question (`types`, by question id), the most usual first."""
    orders: dict[str, Counter[tuple[str, ...]]] = {}
    for outcome in outcomes:
        if not outcome.error:
            orders.setdefault(types[outcome.question], Counter())[outcome.tools] += 1
    return [
        Choice(kind, counts.total(), tools, 100 * count / counts.total())
        for kind, counts in sorted(orders.items())
        for tools, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def to_json(value: Any) -> Any:
    """Rows as plain types for JSON: per cents to two decimals, seconds to a tenth of a millisecond."""
    if is_dataclass(value) and not isinstance(value, type):
        return {NAMES.get(one.name, one.name): _number(one.name, getattr(value, one.name)) for one in fields(value)}
    return [to_json(one) for one in value] if isinstance(value, (list, tuple)) else value


def _number(name: str, value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4 if name in ("p50", "p95") else 2)
    return to_json(value)
