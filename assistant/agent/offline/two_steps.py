"""Questions about what they only describe, or about what belongs to a name, answered in two steps: which one it is,
and what was asked of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.agent.offline.headed import passages_of_record
from assistant.agent.replying.closest import near_sentences
from assistant.agent.workspace import Workspace
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.docs import Evidence
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.whole_tables import asks_for_sum
from tools.planning.described import described
from tools.planning.in_full import in_full
from tools.planning.plan import Constraint, Plan
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, FoundAnswer, Hop, answer_question
from tools.reading.certainty import least_confidence, likelier
from tools.reading.choice import chance_of
from tools.reading.considering import is_of_articles
from tools.reading.guess import ReaderPair
from tools.reading.wanted_sort import is_named

STEPS = 3
"""Descriptions of one question that are followed, each inside the one before."""

READ, FIRST = 12, 3
"""Passages read for one step, and those of them that stay before the records of what it names."""

LIKELY = 0.3
"""Confidence from which what a description fits is looked further into."""

WAYS, HARDLY = 3, 0.08
"""Answers to the first step that are followed, and how likely they have to be."""

CLEAR = 0.6
"""Both steps together from which no other way is looked for."""

LIFT, AGREED = 4.5, 2.0
"""How much likelier, in odds, an answer in steps is right than all ways that lead to it say together, where the
question as a whole does not lead to it, and the logarithm of how much more where that does for certain: a wrong first
step hardly ever leads to a second that looks right. Fitted to 84 answers over people's own folders, where the odds
are 6 times as large; less is taken, as of further ones that were just likely by that half are wrong (docs/results.md).
"""
LIFT_OF_ARTICLES = 2.9
"""The same over an encyclopaedia, where more than one answer looks right: of MuSiQue's deep chains half are wrong."""
_MOST = 0.94
"""The most confidence in an answer in steps: below that of a sure one, at the risk that is taken by default."""

_SAID = 0.5
"""What the share of a question's words in a sentence counts beside its cosine to the question."""


_ASKS_ALSO = re.compile(
    r"[\w,] (?:and|or) (?:(?:in|at|from|on|by|to|until|since|for) )?(?:who|whose|what|which|when|where|how)\b",
    re.I,
)
"""A second thing that is asked for."""

_ANYBODY = frozenset(content_stems("person people someone somebody thing"))
"""What a description may call anybody or anything, which no passage has to say."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """What the steps come to, None for a question that is none of these; and what was asked at each, in order."""

    found: FoundAnswer | None = None
    asked: tuple[str, ...] = ()


def answer_in_steps(
    kb: KnowledgeBase,
    workspace: Workspace,
    question: str,
    readers: ReaderPair,
    direct: Sequence[tuple[str, float]] = (),
    steps: int = STEPS,
    needed: float | None = None,
) -> Stepped:
    """Answer a question about what it describes or what belongs to a name, from all passages found so far; `direct`
    are the answers to it as it stands, each with its probability (0..1). No way is followed that cannot lead to a
    confidence that is `needed` (0..1), by default that from which answers are given at the workspace's risk.
    """
    needed = least_confidence(workspace.risk) if needed is None else needed
    parts = described(question) if steps and asks_one_thing(question) else None
    if parts is None:
        return Stepped()
    is_alike = is_of_articles(Evidence(nearest_passages(kb, workspace, question)))
    lift, direct = (LIFT_OF_ARTICLES, ()) if is_alike else (LIFT, direct)
    together = _least_together(needed, lift, direct) if parts.asked else needed
    first, asked = _resolved(kb, workspace, parts.fits, readers, steps - 1, together)
    is_known = first.confidence >= LIKELY
    missing = "" if is_known or _is_told(kb, workspace, parts.words) else f"who or what is {parts.words}"
    nothing = replace(first, text="", confidence=0.0, missing=missing)
    if not parts.asked:
        return Stepped(first if is_known else nothing, asked)
    ways: list[tuple[FoundAnswer, FoundAnswer]] = []
    possible = _ways(first)
    for at, one in enumerate(possible):
        others = max(_together(ways), default=0.0) + sum(later.confidence for later in possible[at + 1 :])
        lacking = max(0.0, together - others)
        if lacking > one.confidence:
            break
        least = lacking / (one.confidence or 1.0)
        second, asked_then = _resolved(kb, workspace, parts.about(one.text), readers, steps - 1, least)
        asked = (*asked, *asked_then)
        # What the question names, or what the description fits, is not what is asked of it.
        is_other = second.text and not is_named(question, second.text) and words(second.text) != words(one.text)
        if is_other and not second.is_doubtful:
            ways.append((one, second))
        if one.confidence * second.confidence >= CLEAR:
            break
    if not ways:
        return Stepped(nothing, asked)
    found = _likeliest(parts.words, ways, direct, lift)
    is_open = bool(missing) and found.confidence < least_confidence(workspace.risk)
    return Stepped(replace(found, missing=missing) if is_open else found, asked)


def asks_one_thing(question: str) -> bool:
    """Whether one step may lead to what is asked: not to one of the numbers that something is worked out from, nor to
    one half of it.
    """
    return not (asks_for_sum(in_full(question)) or _ASKS_ALSO.search(question))


def _ways(first: FoundAnswer) -> list[FoundAnswer]:
    """What a description may fit, likeliest first: the answer and its rivals."""
    rivals = [
        FoundAnswer(one.text, (), (one.passage,), one.confidence, "", "", ((one.passage, one.sentence),))
        for one in first.rivals
        if one.confidence >= HARDLY
    ]
    return [one for one in (first, *rivals) if one.text][:WAYS]


def _likeliest(
    words: str, ways: Sequence[tuple[FoundAnswer, FoundAnswer]], direct: Sequence[tuple[str, float]], lift: float
) -> FoundAnswer:
    """What the ways lead to that is likeliest, all that lead to the same together; there is at least one."""
    together = _together(ways)
    best = max(range(len(ways)), key=lambda at: (together[at], ways[at][0].confidence * ways[at][1].confidence, -at))
    agreed = chance_of(ways[best][1].text, direct)
    confidence = min(_MOST, likelier(together[best], lift * math.exp(AGREED * agreed)))
    return replace(_joined(words, *ways[best]), confidence=round(confidence, 4))


def _together(ways: Sequence[tuple[FoundAnswer, FoundAnswer]]) -> list[float]:
    """For each way, how likely all of them are that lead to the same."""
    chances = [(second.text, first.confidence * second.confidence) for first, second in ways]
    return [chance_of(text, chances) for text, _ in chances]


def _least_together(needed: float, lift: float, direct: Sequence[tuple[str, float]]) -> float:
    """What ways that lead to the same have to come to, so that it may reach the confidence needed; over 1 where none
    can.
    """
    if needed > _MOST:
        return math.inf
    agreed = min(1.0, sum(chance for _, chance in direct))
    return likelier(needed, 1 / (lift * math.exp(AGREED * agreed)))


def _resolved(
    kb: KnowledgeBase, workspace: Workspace, question: str, readers: ReaderPair, steps: int, needed: float
) -> tuple[FoundAnswer, tuple[str, ...]]:
    """The answer to a part, as it stands or in steps of its own where that is surer and as sure as it needs to be, and
    all that was asked for it.
    """
    plan = plan_question(question)
    found = answer_question(question, plan, nearest_passages(kb, workspace, question, plan), {}, *readers)
    if found.text and found.confidence >= least_confidence(workspace.risk):
        return found, (question,)
    needed = max(needed, found.confidence)
    stepped = answer_in_steps(kb, workspace, question, readers, found.chances, steps, needed)
    is_surer = stepped.found is not None and stepped.found.confidence > found.confidence
    return (stepped.found if is_surer and stepped.found else found), (*stepped.asked, question)


def _is_told(kb: KnowledgeBase, workspace: Workspace, words: str) -> bool:
    """Whether a passage has all words of a description: then it may well say which one that is."""
    wanted = frozenset(content_stems(words)) - _ANYBODY
    near = nearest_passages(kb, workspace, words)
    return any(wanted <= frozenset(content_stems(f"{one.title} {one.section} {one.text}")) for one in near)


def nearest_passages(
    kb: KnowledgeBase, workspace: Workspace, question: str, plan: Plan | None = None
) -> list[EvidencePassage]:
    """The passages found so far whose sentences come closest to a question, by meaning and by its words, best first;
    behind the first of them those with a record of what its plan names, found or not.
    """
    records = {one.id: one for one in passages_of_record(kb, plan)}
    known = {one.passage.id: one.passage for one in workspace.evidence} | records
    near: dict[int, list[tuple[int, float]]] = {}
    scores = dict.fromkeys(known, 0.0)
    wanted = frozenset(content_stems(question))
    for one in near_sentences(kb, question, list(known.values())):
        near.setdefault(one.passage, []).append((one.start, one.cosine))
        said = len(wanted & _stems_of(f"{one.title} {one.text}")) / (len(wanted) or 1)
        scores[one.passage] = max(scores[one.passage], one.cosine + _SAID * said)
    best = sorted(known, key=lambda key: (-scores[key], key))[:READ]
    kept = dict.fromkeys((*best[:FIRST], *records, *best[FIRST:]))
    return [EvidencePassage.of(known[key], scores[key], near.get(key, ())) for key in kept]


@lru_cache(maxsize=8_192)  # each step is held against the same sentences
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))


def _joined(words: str, first: FoundAnswer, second: FoundAnswer) -> FoundAnswer:
    return FoundAnswer(
        second.text,
        (*_hops(words, first), *_hops(second.asked or "asked", second)),
        tuple(dict.fromkeys((*first.support, *second.support))),
        first.confidence * second.confidence,
        second.missing,
        " ".join(filter(None, (first.reason, second.reason))),
        (*first.stated, *second.stated),
        second.asked,
    )


def _hops(words: str, found: FoundAnswer) -> Sequence[Hop]:
    """The steps of an answer; one with its sentence where it was read without any."""
    if found.leading and all(hop.value for hop in found.leading):
        return found.leading
    passage, sentence = next(iter(found.stated), (None, ""))
    return (Hop(Constraint(words, "is", "?it"), found.text, passage, sentence, found.confidence),)
