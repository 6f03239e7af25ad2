"""From a plan and its evidence to the shortest right answer, with no language model; or to the hop that is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from tools.answers.compare import Verdict, compare_options
from tools.answers.countries import country_of, is_adjective
from tools.answers.docs import Evidence, EvidencePassage, Found
from tools.answers.guess import Guesser
from tools.answers.relations import missing_words
from tools.answers.text import fold
from tools.answers.values import find_dates
from tools.answers.walk import Chain, Hop, Step, Walker, target_of
from tools.plan import Plan

if TYPE_CHECKING:
    import numpy as np

__all__ = ["EvidencePassage", "FoundAnswer", "Hop", "answer_question"]

_NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})
# How far the reading of the whole question counts beside the plan's chains. Chosen on the train questions of HotpotQA
# and MuSiQue; at 1 a sentence that repeats the question beats a chain, at 0 a bad plan has no second opinion.
_WHOLE = 0.5
# Below this an answer is one of very many possible ones: better none. Of HotpotQA's train questions it costs 2 in 100
# their right answer, and leaves 30 in 100 unanswered where all passages are beside the point.
_FLOOR = 0.02
_COUNTRY_ASKED = re.compile(r"\b(?:country|nation)\b", re.IGNORECASE)
_TITLE = re.compile(
    r"(?:Sultan|Emperor|Empress|President|Senator|Dr\.?|Professor|Prof\.|Mr\.|Mrs\.|General|Rev\.|Hon\.)\s+(?=[A-Z])"
)
_ROYAL = re.compile(r"(?:King|Queen)\s+(?=[A-Z][^ ]* ?(?!.*\bof\b))")


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The answer to a question and how it was reached.

    `text` is a span of a passage, one of the plan's options, "yes" or "no", or a year of a date; "" where none was
    found. `support` are the ids of the passages that it rests on, in the order of the hops. `confidence` (0..1) ranks
    answers and is no measured probability: of answers to development questions of HotpotQA and MuSiQue, one in seven
    was right below 0.1, three in ten below 0.3, two in three above. `missing` says which hop found nothing ("the place
    of birth of Ann Lee"), "" where all found something; with a text beside it, the text is what the question as a whole
    led to.
    """

    text: str
    hops: tuple[Hop, ...]
    support: tuple[int, ...]
    confidence: float
    missing: str
    reason: str


def answer_question(
    question: str,
    plan: Plan,
    passages: Sequence[EvidencePassage],
    bindings: Mapping[str, Sequence[str]] = _NOTHING,
    embed: Callable[[Sequence[str]], np.ndarray] | None = None,
) -> FoundAnswer:
    """Answer a question from passages along its plan; a plan without constraints leaves the question's own words.

    `passages` come best first, most of them may be beside the point. `bindings` are values that a graph offers for the
    plan's variables; they decide between values that the passages give, and are none themselves. `embed` maps texts to
    unit rows and helps to find the sentences that say what is asked. The same arguments give the same answer. Never
    raises for any text; no passages give an answer with text "".
    """
    evidence = Evidence(passages)
    guesser = Guesser(evidence, question, plan, embed)
    walker = Walker(evidence, guesser.value, bindings)
    if plan.kind in ("comparison", "yesno"):
        verdict = compare_options(question, plan, evidence, walker)
        return _compared(verdict)
    return _looked_up(question, plan, walker, guesser)


def _compared(verdict: Verdict) -> FoundAnswer:
    steps = [step for chain in verdict.chains for step in chain.steps]
    text = verdict.text
    confidence = round(verdict.confidence, 4) if text else 0.0
    return FoundAnswer(text, _hops(steps), _support(steps), confidence, verdict.missing, verdict.reason)


def _looked_up(question: str, plan: Plan, walker: Walker, guesser: Guesser) -> FoundAnswer:
    target = target_of(plan)
    chains = walker.walk(plan.constraints) if plan.constraints else []
    chosen = _choose(chains, target, guesser)
    best = chains[0] if chains else Chain()
    if chosen is None:
        return FoundAnswer("", _hops(best.steps), (), 0.0, _missing(best), "")
    found, chain, confidence = chosen
    text = answer_form(question, plan, found)
    steps = chain.steps if chain else best.steps
    missing = "" if chain and not chain.missing else _missing(best)
    support = _support(steps) if chain else (found.doc.passage.id,)
    reason = _reason(steps, found, chain)
    return FoundAnswer(text, _hops(steps), support, round(min(1.0, confidence), 4), missing, reason)


def _choose(chains: Sequence[Chain], target: str, guesser: Guesser) -> tuple[Found, Chain | None, float] | None:
    """The likeliest value of the target: by the best chain to it, and by the question read as a whole."""
    by_chain: dict[str, tuple[Found, Chain]] = {}
    for chain in chains:
        found = chain.bound.get(target)
        if found is not None:
            by_chain.setdefault(fold(found.text), (found, chain))
    if by_chain and chains[0].bound.get(target) is not None and chains[0].sure:
        found = chains[0].bound[target]
        return found, chains[0], chains[0].score
    between = chains[0].between(target) if chains else []
    whole = {fold(found.text): found for found in reversed(guesser.answers(between))}
    scored: list[tuple[float, int, str]] = []
    for i, key in enumerate(dict.fromkeys((*by_chain, *whole))):
        chained = by_chain[key][1].score if key in by_chain else 0.0
        read = _WHOLE * whole[key].score if key in whole else 0.0
        scored.append((1 - (1 - chained) * (1 - read), -i, key))
    if not scored or max(scored)[0] < _FLOOR:
        return None
    confidence, _, key = max(scored)
    found, best = by_chain[key] if key in by_chain else (whole[key], None)
    return found, best, confidence


def answer_form(question: str, plan: Plan, found: Found) -> str:
    """A value in the form that the question asks for: a year, a country where its name is in the text, a name alone."""
    text = found.text.strip(" \"“”'’,;:")
    if plan.answer_type == "year":
        dates = [date for date in find_dates(text) if date.year]
        year = re.search(r"\d{3,4}", dates[0].text) if dates else None
        return year.group() if year else text
    if _COUNTRY_ASKED.search(question) and is_adjective(text):
        country = country_of(text)
        return country if text.startswith(country) else text
    if plan.answer_type in ("person", "text"):
        return _ROYAL.sub("", _TITLE.sub("", text, count=1), count=1)
    return text


def _hops(steps: Sequence[Step]) -> tuple[Hop, ...]:
    return tuple(step.hop for step in steps)


def _support(steps: Sequence[Step]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(step.found.doc.passage.id for step in steps if step.found))


def _missing(chain: Chain) -> str:
    step = chain.missing
    return missing_words(step.constraint, step.subject) if step else ""


def _reason(steps: Sequence[Step], found: Found, chain: Chain | None) -> str:
    if chain is None:
        return found.sentence
    told = [f"{missing_words(step.constraint, step.subject)} is {step.found.text}" for step in steps if step.found]
    reason = "; ".join(told)
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""
