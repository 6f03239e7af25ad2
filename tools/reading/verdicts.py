"""Yes or no, and which of several things: what the plan's branches decide, beside what the reader says of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.answers.compare import Verdict
from tools.plan import Plan
from tools.reading.reader import Reading

Floats = NDArray[np.float32]

VERDICT_FEATURES = (
    "verdict", "decided", "weakest", "mean_step", "steps", "open", "yesno", "compared_yes", "compared_no",
    "earlier", "more", "same", "options", "read_yes", "read_no", "read_best_yes", "read_best_no", "agrees", "by_reading",
    "truth",
)  # fmt: skip

_AUXILIARY = re.compile(
    r"^(?:and |but |so |then )?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)(?:n['’]t)?\s",
    re.I,
)
_TRUTH = re.compile(r"^(?:is it (?:true|correct|right|so|a fact) that|true or false\s*[:,-]?|(?:is|was) it (?:true|right),? )", re.I)  # fmt: skip
_OR = re.compile(r"\bor\b", re.I)

# Passages whose reading counts: of more, those beside the point outvote the one that tells.
READ = 4


def is_yesno(question: str) -> bool:
    """Whether a question asks for yes or no by its form: "Is …?", "true or false: …", but no "Is it A or B?"."""
    if _TRUTH.match(question):
        return True
    return bool(_AUXILIARY.match(question)) and not _OR.search(question)


def asked_plainly(question: str) -> str:
    """A claim to be judged as the question for it: "true or false: X" as "Is it true that X?"."""
    match = _TRUTH.match(question)
    return f"Is it true that {question[match.end() :].strip()}" if match else question


@dataclass(frozen=True, slots=True)
class Judged:
    """What is decided, by the plan's branches or, where these decide nothing, by the reading; its vector of features."""

    text: str
    by_reading: bool
    features: Floats


def judge_verdict(question: str, plan: Plan, verdict: Verdict | None, readings: Sequence[Reading]) -> Judged:
    """Weigh a verdict (None where the plan compares nothing) with the readings of the best passages, best first."""
    weights = [(one.yes + one.no) / (1 + place) for place, one in enumerate(readings)]
    total = sum(weights) or 1.0
    yes = sum(w * one.yes / max(one.yes + one.no, 1e-6) for w, one in zip(weights, readings, strict=True)) / total
    told = max(readings, key=lambda one: one.yes + one.no, default=Reading())
    text = verdict.text if verdict else ""
    by_reading = not text
    if by_reading and is_yesno(question) and told.yes + told.no > 0.3:
        text = "yes" if yes >= 0.5 else "no"
    chains = verdict.chains if verdict else ()
    steps = [step.found.score if step.found else 0.0 for chain in chains for step in chain.steps]
    values = {
        "verdict": verdict.confidence if verdict else 0.0,
        "decided": float(bool(verdict and verdict.text)),
        "weakest": min(steps, default=0.0),
        "mean_step": sum(steps) / len(steps) if steps else 0.0,
        "steps": min(6, len(steps)) / 6,
        "open": float(any(chain.missing for chain in verdict.chains)) if verdict else 0.0,
        "yesno": float(text in ("yes", "no")),
        "compared_yes": float(bool(verdict) and text == "yes"),
        "compared_no": float(bool(verdict) and text == "no"),
        "earlier": float(plan.comparison in ("earlier", "later")),
        "more": float(plan.comparison in ("more", "less")),
        "same": float(plan.comparison == "same"),
        "options": min(4, len(plan.options)) / 4,
        "read_yes": yes if weights else 0.5,
        "read_no": 1 - yes if weights else 0.5,
        "read_best_yes": told.yes,
        "read_best_no": told.no,
        "agrees": told.yes if text == "yes" else told.no if text == "no" else 0.5,
        "by_reading": float(by_reading),
        "truth": float(bool(_TRUTH.match(question))),
    }
    return Judged(text, by_reading, np.array([values[name] for name in VERDICT_FEATURES], dtype=np.float32))
