"""Questions about what they only describe, answered in two steps: which one it is, and what was asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.agent.replying.closest import near_sentences
from assistant.agent.workspace import Workspace
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.text import content_stems
from tools.planning.described import described
from tools.planning.plan import Constraint
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, FoundAnswer, Hop, answer_question
from tools.reading.guess import Readers

STEPS = 3
"""Descriptions of one question that are followed, each inside the one before."""

READ = 12
"""Passages read for one step."""

LIKELY = 0.3
"""Confidence from which what a description fits is looked further into."""

_SAID = 0.5
"""What the share of a question's words in a sentence counts beside its cosine to the question."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """What the steps come to, None for a question that is none of these; and what was asked at each, in order."""

    found: FoundAnswer | None = None
    asked: tuple[str, ...] = ()


def answer_in_steps(
    kb: KnowledgeBase, workspace: Workspace, question: str, readers: Readers, steps: int = STEPS
) -> Stepped:
    """Answer a question about what it describes, from all passages found so far; as likely right as all its steps."""
    parts = described(question) if steps else None
    if parts is None:
        return Stepped()
    inner = answer_in_steps(kb, workspace, parts.fits, readers, steps - 1)
    first = inner.found or _answered(kb, workspace, parts.fits, readers)
    asked = (*inner.asked, parts.fits)
    if not first.text or first.confidence < LIKELY:
        return Stepped(replace(first, text="", confidence=0.0, missing=f"who or what is {parts.words}"), asked)
    if not parts.asked:
        return Stepped(first, asked)
    following = parts.about(first.text)
    second = _answered(kb, workspace, following, readers)
    return Stepped(_joined(parts.words, first, second), (*asked, following))


def _answered(kb: KnowledgeBase, workspace: Workspace, question: str, readers: Readers) -> FoundAnswer:
    passages = nearest_passages(kb, workspace, question)
    return answer_question(question, plan_question(question), passages, {}, *readers)


def nearest_passages(kb: KnowledgeBase, workspace: Workspace, question: str) -> list[EvidencePassage]:
    """The passages found so far whose sentences come closest to a question, by meaning and by its words, best first."""
    known = {one.passage.id: one.passage for one in workspace.evidence}
    near: dict[int, list[tuple[int, float]]] = {}
    scores = dict.fromkeys(known, 0.0)
    wanted = frozenset(content_stems(question))
    for one in near_sentences(kb, question, list(known.values())):
        near.setdefault(one.passage, []).append((one.start, one.cosine))
        said = len(wanted & frozenset(content_stems(f"{one.title} {one.text}"))) / (len(wanted) or 1)
        scores[one.passage] = max(scores[one.passage], one.cosine + _SAID * said)
    best = sorted(known, key=lambda key: (-scores[key], key))[:READ]
    return [
        EvidencePassage(
            key, known[key].title, known[key].text, scores[key], known[key].section, known[key].source,
            tuple(sorted(near.get(key, ()))),
        )
        for key in best
    ]  # fmt: skip


def _joined(words: str, first: FoundAnswer, second: FoundAnswer) -> FoundAnswer:
    return FoundAnswer(
        second.text,
        (*_hops(words, first), *_hops(second.asked or "asked", second)),
        tuple(dict.fromkeys((*first.support, *second.support))),
        round(first.confidence * second.confidence, 4),
        second.missing,
        " ".join(filter(None, (first.reason, second.reason))),
        (*first.stated, *second.stated),
        second.asked,
    )


def _hops(words: str, found: FoundAnswer) -> Sequence[Hop]:
    """The steps of an answer; one with its sentence where it was read without any."""
    if found.hops and all(hop.value for hop in found.hops):
        return found.hops
    passage, sentence = next(iter(found.stated), (None, ""))
    return (Hop(Constraint(words, "is", "?it"), found.text, passage, sentence, found.confidence),)
