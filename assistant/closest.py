"""The sentences closest to a question, for the reader of a question that has no answer."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.evidence import clip
from assistant.workspace import ClosestSentence, Workspace
from kb.store import KnowledgeBase

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
    enough comes first: `workspace.closest`. None where no sentence is close enough; of the same words twice the first.
    """
    read = {one.sentence: one for one in workspace.closest if workspace.of_passage(one.passage)}
    known = [evidence.passage for one in passages if (evidence := workspace.of_passage(one))][:PASSAGES]
    rows = kb.passage_sentences([passage.id for passage in known])
    if not rows:
        return tuple(read.values())[:MOST]
    cosines = kb.sentence_vectors.cosines([row[3] for row in rows], kb.embed([workspace.standalone])).max(axis=1)
    texts = {passage.id: passage.text for passage in known}
    near = sorted(zip(cosines.round(6).tolist(), rows, strict=True), key=lambda one: (-one[0], one[1]))
    found = {clip(sentence, CHARACTERS): one for sentence, one in read.items()}
    for cosine, (passage, start, end, _) in near:
        sentence = clip(" ".join(texts[passage][start:end].split()), CHARACTERS)
        if cosine >= LEAST and len(sentence.split()) >= WORDS:
            found.setdefault(sentence, ClosestSentence(passage, sentence))
    return tuple(found.values())[:MOST]
