"""Which sentences of the passages found a language model is shown, when there is not room for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.agent.workspace import Evidence, Workspace
from kb.records import Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.reading.answering import Hop

FACTS = 2
"""Facts of a resolved step whose sentences are never left out: further ones say the same or something else."""

RANK_COST = 0.05
"""Closeness that a place in the ranking is worth. With it and OPENING nine in ten of the sentences that MuSiQue's
questions need are among 3,000 characters of ten passages, whose whole text is twice that; with neither, eight.
"""

OPENING = 0.2
"""Closeness that a passage's first sentence has before others: it says what the passage is about."""

FENCE_CHARACTERS = 50
"""What the fence around a passage takes besides its title."""

LONGEST = 400
"""Characters of a sentence on which no step rests; what is longer is mostly a list."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch `start:end` of a passage's text. `closeness` is its cosine with the nearest of what is asked, and more
    for a first sentence; `states` says whether a step of the plan rests on it.
    """

    start: int
    end: int
    closeness: float = 0.0
    states: bool = False

    @property
    def size(self) -> int:
        """Characters of it that are shown."""
        return self.end - self.start if self.states else min(self.end - self.start, LONGEST)


Sentences = Mapping[int, Sequence[Sentence]]
"""By the id of the passage, in the order of its text."""


@dataclass(frozen=True, slots=True)
class Focus:
    """What sentences are weighed by: texts that they should be close to, and what steps of the plan rest on: sentences
    by their ids, and by their passage's id and words.
    """

    asked: tuple[str, ...]
    stating: frozenset[int] = frozenset()
    quoted: frozenset[tuple[int, str]] = frozenset()


def focus_of(
    workspace: Workspace, asked: Sequence[str] = (), hops: Sequence[Hop] = (), told: Sequence[Triple] = ()
) -> Focus:
    """What is `asked`, else the question and its steps with the names found for them; and what the steps, and the facts
    that are `told`, rest on.
    """
    steps = [workspace.bound(place).text() for place in range(len(workspace.states))]
    resolved = [state for state in workspace.states if state.status == "resolved"]
    rest_on = [scored.triple for state in resolved for scored in state.triples[:FACTS]]
    facts = frozenset(one.sentence_id for one in (*rest_on, *told))
    quoted = frozenset((hop.passage, hop.sentence) for hop in hops if hop.passage is not None and hop.sentence)
    texts = tuple(asked) or (workspace.standalone, *steps)
    return Focus(tuple(dict.fromkeys(text for text in texts if text.strip())), facts, quoted)


def weigh_sentences(kb: KnowledgeBase, focus: Focus, passages: Sequence[Passage]) -> dict[int, list[Sentence]]:
    """The sentences of each passage; a passage without any is one sentence."""
    rows = kb.passage_sentences([passage.id for passage in passages])
    texts = {passage.id: passage.text for passage in passages}
    closeness = kb.sentence_vectors.cosines([row[3] for row in rows], kb.embed(focus.asked)).max(axis=1, initial=-1.0)
    found: dict[int, list[Sentence]] = {}
    for (passage, start, end, sentence), value in zip(rows, closeness.tolist(), strict=True):
        text = texts[passage][start:end]
        quoted = any(where == passage and (words in text or text in words) for where, words in focus.quoted)
        of_passage = found.setdefault(passage, [])
        worth = round(value, 6) + (0.0 if of_passage else OPENING)
        of_passage.append(Sentence(start, end, worth, sentence in focus.stating or quoted))
    for one in passages:
        found.setdefault(one.id, [Sentence(0, len(one.text))])
    return found


def choose_sentences(
    found: Sequence[Evidence], sentences: Sequence[Sequence[Sentence]], limit: int
) -> list[list[Sentence]]:
    """Of the sentences of each passage those to show in about `limit` characters, in the order of the text.

    What a step of the plan rests on comes first, whatever it takes; then what is closest to what is asked, that of a
    better ranked passage before that of another.
    """
    candidates = [(at, sentence) for at, of_one in enumerate(sentences) for sentence in of_one]
    candidates.sort(key=lambda one: (not one[1].states, RANK_COST * one[0] - one[1].closeness, one[0], one[1].start))
    chosen: dict[int, list[Sentence]] = {}
    left = limit
    for at, sentence in candidates:
        opening = 0 if at in chosen else FENCE_CHARACTERS + len(found[at].passage.title)
        cost = sentence.size + opening
        if sentence.states or cost <= left:
            chosen.setdefault(at, []).append(sentence)
            left -= cost
    return [sorted(chosen.get(at, ()), key=lambda one: one.start) for at in range(len(found))]
