"""Yes or no, and which of several things: what the plan decides, what the text says, what the reader makes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tools.answer_rules.compare import Verdict
from tools.answer_rules.docs import Doc
from tools.answer_rules.text import content_stems
from tools.planning.plan import Plan
from tools.reading.spans import Reading
from tools.reading.yes_or_no import NEGATED, PREFIX, Weighed, claimed, is_claim, is_yesno

Floats = NDArray[np.float32]

VERDICT_FEATURES = (
    "verdict", "decided", "weakest", "mean_step", "steps", "open", "yesno", "compared_yes", "compared_no",
    "options", "read_yes", "read_no", "read_best_yes", "read_best_no", "agrees",
    "by_reading", "truth", "claim_cover", "rest_cover", "value_missing", "negated", "claim_agrees",
)  # fmt: skip

# Passages whose reading counts: of more, those beside the point outvote the one that tells.
READ = 4


_VALUE = re.compile(r"[A-Z\d][\w.,:'’-]*")

# The share of a claim's words that a sentence has to say before it tells for or against the claim.
_SAYS = 0.99


@dataclass(frozen=True, slots=True)
class Claim:
    """What the sentence that says most of a claim says of it: the share of all its words (0..1), of those that are no
    names and numbers, whether one of these is missing, whether it is denied in one of the two only, and whether its
    names stand there in another order, so that who did what to whom is not told.
    """

    cover: float = 0.0
    rest: float = 0.0
    value_missing: bool = False
    negated: bool = False
    reordered: bool = False
    doc: Doc | None = None
    sentence: str = ""

    @property
    def verdict(self) -> str:
        """ "yes" where it says the claim, "no" where it denies it or has another value, "" where it says too little."""
        if self.reordered:
            return ""
        if self.cover >= _SAYS:
            return "no" if self.negated else "yes"
        return "no" if self.value_missing and self.rest >= _SAYS and self.cover >= 0.5 else ""


def weigh_claim(question: str, docs: Sequence[Doc]) -> Claim:
    """The sentence of the passages that says most of what a question for yes or no claims."""
    claim = claimed(question)
    wanted = frozenset(content_stems(claim))
    values = frozenset(stem for value in _VALUE.findall(claim) for stem in content_stems(value))
    plain = frozenset(one[:PREFIX] for one in wanted - values)
    best = Claim()
    for doc in docs:
        title = frozenset(content_stems(doc.title))
        for index, (start, end) in enumerate(doc.sentences):
            said = doc.sentence_stems[index] | title
            held = len(plain & {one[:PREFIX] for one in said})
            cover = (held + len(values & said)) / (len(plain) + len(values)) if wanted else 0.0
            if cover > best.cover:
                rest = held / len(plain) if plain else 1.0
                text = doc.text[start:end]
                negated = bool(NEGATED.search(text)) != bool(NEGATED.search(claim))
                swapped = _is_reordered(claim, text)
                best = Claim(cover, rest, bool(values - said), negated, swapped, doc, doc.sentence_at(start))
    return best


def _is_reordered(claim: str, sentence: str) -> bool:
    """Whether two names of a claim stand in a sentence the other way round; numbers do nothing to anybody."""
    names = dict.fromkeys(name for name in _VALUE.findall(claim) if not name[0].isdigit())
    found = [re.search(rf"\b{re.escape(name)}(?!\w)", sentence) for name in names]
    held = [match.start() for match in found if match]
    return held != sorted(held)


@dataclass(frozen=True, slots=True)
class Judged:
    """What is decided: by the plan's branches, or, where these decide nothing, by the text (`by_reading`).

    `claim` is the sentence that tells most, where the question is one for yes or no.
    """

    text: str
    by_reading: bool
    features: Floats
    claim: Claim = field(default_factory=Claim)
    weighed: Weighed | None = None


def judge_verdict(
    question: str, plan: Plan, verdict: Verdict | None, readings: Sequence[Reading], docs: Sequence[Doc] = ()
) -> Judged:
    """Weigh a verdict (None where the plan compares nothing) with what the best passages, best first, say and how they
    were read.
    """
    claim = weigh_claim(question, docs) if is_yesno(question) else Claim()
    weights = [(one.yes + one.no) / (1 + place) for place, one in enumerate(readings)]
    total = sum(weights) or 1.0
    yes = sum(w * one.yes / max(one.yes + one.no, 1e-6) for w, one in zip(weights, readings, strict=True)) / total
    told = max(readings, key=lambda one: one.yes + one.no, default=Reading())
    text = verdict.text if verdict else ""
    by_reading = not text
    if by_reading and is_yesno(question):
        text = claim.verdict or (("yes" if yes >= 0.5 else "no") if told.yes + told.no > 0.3 else "")
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
        "options": min(4, len(plan.options)) / 4,
        "read_yes": yes if weights else 0.5,
        "read_no": 1 - yes if weights else 0.5,
        "read_best_yes": told.yes,
        "read_best_no": told.no,
        "agrees": told.yes if text == "yes" else told.no if text == "no" else 0.5,
        "by_reading": float(by_reading),
        "truth": float(is_claim(question)),
        "claim_cover": claim.cover,
        "rest_cover": claim.rest,
        "value_missing": float(claim.value_missing),
        "negated": float(claim.negated),
        "claim_agrees": float(text == claim.verdict) if claim.verdict else 0.5,
    }
    return Judged(text, by_reading, np.array([values[name] for name in VERDICT_FEATURES], dtype=np.float32), claim)
