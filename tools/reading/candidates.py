"""All that may be the answer, each with what speaks for it: the chains of a plan, and the reading of the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.answer_rules.asked_before import is_question
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.text import content_stems, fold
from tools.answer_rules.walk import Chain
from tools.planning.plan import Plan
from tools.reading.guess import Answer
from tools.reading.wanted_sort import is_other_sort
from tools.reading.weighing import Floats, Weighing, key_words
from tools.search.word_match import coverage

# Candidates weighed for a question: chains' ends, what stands close, what structure names, what whole passages say.
_WEIGHED = 26
_CLOSE = 8
_AGAIN = 4
_STATED = 6
_KEYED = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may answer, the chain that leads to it, if one does, and its vector, shape (len(FEATURES),)."""

    found: Found
    chain: Chain | None
    features: Floats


def gather(
    question: str,
    plan: Plan,
    evidence: Evidence,
    chains: Sequence[Chain],
    target: str,
    answers: Sequence[Answer],
    close: Sequence[Answer] = (),
    again: Sequence[Answer] = (),
    narrow: Sequence[Answer] = (),
) -> list[Candidate]:
    """Every distinct span that a chain or the reading offers, in the order in which they offer them.

    `answers` are what was read in whole passages, `close` in the sentences closest to the question, `again` what the
    second reader found in passages, `narrow` in single sentences; best first.
    """
    chained: dict[str, tuple[Found, Chain]] = {}
    for chain in chains:
        found = chain.bound.get(target)
        if found is not None:
            chained.setdefault(fold(found.text), (found, chain))
    stated = _stated(key_words(question), frozenset(content_stems(question)), evidence)
    read: dict[str, Found] = {}
    offered = (*close[:_CLOSE], *again[:_AGAIN], *narrow[:_AGAIN])
    for found in (*(one.found for one in offered), *stated, *(one.found for one in answers)):
        read.setdefault(fold(found.text), found)
    between = chains[0].between(target) if chains else []
    weighing = Weighing(
        question, plan, evidence, chains, list(chained.values()), answers, between, close, again, narrow
    )
    made = []
    for key in list(dict.fromkeys((*chained, *read)))[:_WEIGHED]:
        best, way = chained.get(key) or (read[key], None)
        if not is_other_sort(question, best.text) and not is_question(best.sentence):
            made.append(Candidate(best, way, weighing.features(best, way)))
    return made


def _stated(keys: frozenset[str], asked: frozenset[str], evidence: Evidence) -> list[Found]:
    """Values that structure names with a word of the question, those first of which it names the subject as well."""
    scored = []
    for doc in evidence.docs:
        for line, value in doc.stated:
            key = coverage(frozenset(content_stems(value.relation)), keys)
            if key >= _KEYED:
                known = coverage(frozenset(content_stems(line.subject)), asked)
                scored.append((-key * (1 + known), doc.rank, value.start, doc.found(value.start, value.end, 0.0)))
    return [one[3] for one in sorted(scored, key=lambda one: one[:3])[:_STATED]]
