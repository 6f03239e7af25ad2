"""Questions about what they only describe, or about what belongs to a name, answered in two steps: which one it is,
and what was asked of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.agent.replying.closest import near_sentences
from assistant.agent.workspace import Workspace
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.text import content_stems, says, words
from tools.answer_rules.whole_tables import asks_for_sum
from tools.planning.described import described
from tools.planning.in_full import in_full
from tools.planning.plan import Constraint
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, FoundAnswer, Hop, answer_question
from tools.reading.certainty import least_confidence
from tools.reading.guess import ReaderPair

STEPS = 3
"""Descriptions of one question that are followed, each inside the one before."""

READ = 12
"""Passages read for one step."""

LIKELY = 0.3
"""Confidence from which what a description fits is looked further into."""

_LIFT = 2.9
"""How much likelier, in odds, an answer in two steps is right than both its steps say together, each alone: a wrong
first step hardly ever leads to a second that looks right. Of 74 such answers over six collections it is 3.9; less is
taken, as of the deep chains of MuSiQue half are wrong (docs/results.md).
"""
_MOST = 0.94
"""The most confidence in an answer in steps: below that of a sure one, at the risk that is taken by default."""

_SAID = 0.5
"""What the share of a question's words in a sentence counts beside its cosine to the question."""


_ANYBODY = frozenset(content_stems("person people someone somebody thing"))
"""What a description may call anybody or anything, which no passage has to say."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """What the steps come to, None for a question that is none of these; and what was asked at each, in order."""

    found: FoundAnswer | None = None
    asked: tuple[str, ...] = ()


def answer_in_steps(
    kb: KnowledgeBase, workspace: Workspace, question: str, readers: ReaderPair, steps: int = STEPS
) -> Stepped:
    """Answer a question about what it describes or what belongs to a name, from all passages found so far."""
    is_sum = asks_for_sum(in_full(question))  # of several rows, of which a step would lead to one
    parts = described(question) if steps and not is_sum else None
    if parts is None:
        return Stepped()
    first, asked = _resolved(kb, workspace, parts.fits, readers, steps - 1)
    if not first.text or first.confidence < LIKELY:
        is_told = _is_told(kb, workspace, parts.words)
        missing = "" if is_told else f"who or what is {parts.words}"
        return Stepped(replace(first, text="", confidence=0.0, missing=missing), asked)
    if not parts.asked:
        return Stepped(first, asked)
    following = parts.about(first.text)
    second, asked_then = _resolved(kb, workspace, following, readers, steps - 1)
    found = _joined(parts.words, first, second)
    if says(question, found.text) or words(found.text) == words(first.text):
        # What the question names, or what the description fits, is not what is asked of it.
        found = replace(found, text="", confidence=0.0)
    return Stepped(found, (*asked, *asked_then))


def _resolved(
    kb: KnowledgeBase, workspace: Workspace, question: str, readers: ReaderPair, steps: int
) -> tuple[FoundAnswer, tuple[str, ...]]:
    """The answer to a part, as it stands or in steps of its own where that is surer, and all that was asked for it."""
    found = answer_question(question, plan_question(question), nearest_passages(kb, workspace, question), {}, *readers)
    if found.text and found.confidence >= least_confidence(workspace.risk):
        return found, (question,)
    stepped = answer_in_steps(kb, workspace, question, readers, steps)
    is_surer = stepped.found is not None and stepped.found.confidence > found.confidence
    return (stepped.found if is_surer and stepped.found else found), (*stepped.asked, question)


def _is_told(kb: KnowledgeBase, workspace: Workspace, words: str) -> bool:
    """Whether a passage has all words of a description: then it may well say which one that is."""
    wanted = frozenset(content_stems(words)) - _ANYBODY
    near = nearest_passages(kb, workspace, words)
    return any(wanted <= frozenset(content_stems(f"{one.title} {one.section} {one.text}")) for one in near)


def nearest_passages(kb: KnowledgeBase, workspace: Workspace, question: str) -> list[EvidencePassage]:
    """The passages found so far whose sentences come closest to a question, by meaning and by its words, best first."""
    known = {one.passage.id: one.passage for one in workspace.evidence}
    near: dict[int, list[tuple[int, float]]] = {}
    scores = dict.fromkeys(known, 0.0)
    wanted = frozenset(content_stems(question))
    for one in near_sentences(kb, question, list(known.values())):
        near.setdefault(one.passage, []).append((one.start, one.cosine))
        said = len(wanted & _stems_of(f"{one.title} {one.text}")) / (len(wanted) or 1)
        scores[one.passage] = max(scores[one.passage], one.cosine + _SAID * said)
    best = sorted(known, key=lambda key: (-scores[key], key))[:READ]
    return [EvidencePassage.of(known[key], scores[key], near.get(key, ())) for key in best]


@lru_cache(maxsize=8_192)  # each step is held against the same sentences
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))


def _joined(words: str, first: FoundAnswer, second: FoundAnswer) -> FoundAnswer:
    return FoundAnswer(
        second.text,
        (*_hops(words, first), *_hops(second.asked or "asked", second)),
        tuple(dict.fromkeys((*first.support, *second.support))),
        _together(first.confidence, second.confidence),
        second.missing,
        " ".join(filter(None, (first.reason, second.reason))),
        (*first.stated, *second.stated),
        second.asked,
    )


def _together(first: float, second: float) -> float:
    """The confidence in two steps (0..1) of which each has its own."""
    both = first * second
    return round(min(_MOST, _LIFT * both / (1 + (_LIFT - 1) * both)), 4)


def _hops(words: str, found: FoundAnswer) -> Sequence[Hop]:
    """The steps of an answer; one with its sentence where it was read without any."""
    if found.hops and all(hop.value for hop in found.hops):
        return found.hops
    passage, sentence = next(iter(found.stated), (None, ""))
    return (Hop(Constraint(words, "is", "?it"), found.text, passage, sentence, found.confidence),)
