"""The sentences closest to a question, for the reader of a question that has no answer."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.agent.short_text import clip
from assistant.agent.workspace import ClosestSentence, Workspace
from kb.documents.structure import is_heading
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.reading.told import Sentence

MOST = 3
"""Sentences that are shown: more is a list of passages, which there is beside it."""

PASSAGES = 10
"""Passages looked into, best first."""

LEAST = 0.3
"""Cosine with the question from which a sentence is worth showing. Of questions about what the example documents do not
speak of at all, the closest has 0.1 to 0.27; of those about something in them, from 0.34 on.
"""

WORDS = 4
"""That a sentence has at least: what has fewer is mostly a heading."""

CHARACTERS = 400
"""Of a sentence; what is longer is mostly a list."""


def closest_sentences(kb: KnowledgeBase, workspace: Workspace, passages: Sequence[int]) -> tuple[ClosestSentence, ...]:
    """Up to three sentences of the first of these passages that come closest to the question, the closest first.

    Only passages in the Workspace count, which have a number to be cited by. What was read and not thought certain
    enough comes first: `workspace.closest`. None where no sentence is close enough; of two of which one is part of the
    other the first.
    """
    read = [one for one in workspace.closest if workspace.of_passage(one.passage)]
    known = [evidence.passage for one in passages if (evidence := workspace.of_passage(one))][:PASSAGES]
    near = sorted(near_sentences(kb, workspace.standalone, known), key=lambda one: (-one.cosine, one.passage))
    close = [ClosestSentence(one.passage, clip(one.text, CHARACTERS)) for one in near if one.cosine >= LEAST]
    found: dict[str, ClosestSentence] = {}
    for one in (*read, *(one for one in close if len(one.sentence.split()) >= WORDS)):
        sentence = clip(one.sentence, CHARACTERS)
        if not any(sentence in other or other in sentence for other in found):
            found[sentence] = one
    return tuple(found.values())[:MOST]


def near_sentences(kb: KnowledgeBase, question: str, passages: Sequence[Passage]) -> list[Sentence]:
    """The sentences of passages, given best first, each with its cosine to the question; none for no passages."""
    known = {passage.id: (rank, passage) for rank, passage in enumerate(passages)}
    rows = kb.passage_sentences(list(known))
    if not rows:
        return []
    cosines = kb.sentence_vectors.cosines([row[3] for row in rows], kb.embed([question])).max(axis=1)
    made = []
    for cosine, (passage_id, start, end, _) in zip(cosines.round(6).tolist(), rows, strict=True):
        rank, passage = known[passage_id]
        text = " ".join(passage.text[start:end].split())
        if text and not is_heading(text):
            made.append(Sentence(passage_id, passage.title, text, start, rank, cosine))
    return made
