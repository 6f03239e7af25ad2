"""Questions about what they describe, answered by two lines of different passages that share a name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.agent.offline.two_steps import asks_one_thing
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.docs import Evidence
from tools.linked.line_pool import LinePool, lines_of
from tools.linked.pairing import COMMON, linked_pairs, near_names
from tools.linked.together import ToldTogether, told_together
from tools.planning.described import described, describes
from tools.planning.plan import Constraint, Plan
from tools.reading.abbreviated import Read
from tools.reading.answering import EvidencePassage, FoundAnswer, Hop
from tools.reading.considering import is_of_articles
from tools.search.passage_search import fused_ranking
from tools.types import Hit

DESCRIBED = "what the question describes"
"""The subject of the first hop, where no form tells which words of the question describe it."""

SMALL = 400
"""Passages of a file up to which all its lines are looked at."""

SEARCHED = 60
"""Of a larger one, passages that a search finds whose lines are looked at besides those that were found."""

NAMES = 40
"""Names in the lines closest to the question of which every line is looked at, where few passages have them."""


def answer_together(
    kb: KnowledgeBase, question: str, plan: Plan, hits: Sequence[Hit], read_linked: Read, read_again: Read
) -> FoundAnswer | None:
    """What `told_by_lines` tells, as an answer."""
    told = told_by_lines(kb, question, plan, hits, read_linked, read_again)
    return _found(question, told) if told else None


def told_by_lines(
    kb: KnowledgeBase, question: str, plan: Plan, hits: Sequence[Hit], read_linked: Read, read_again: Read
) -> ToldTogether | None:
    """The likeliest answer that two lines say together, with these. None where none do, for a question that describes
    nothing or asks for more than one thing, and over an encyclopaedia, where names link nearly everything.
    """
    if not (describes(question) and asks_one_thing(question)):
        return None
    if hits and is_of_articles(Evidence([EvidencePassage.of(hit.passage, hit.score) for hit in hits])):
        return None
    lines = lines_near(kb, question, hits)
    pairs = linked_pairs(lines, question, _cosines(kb, question, lines))
    return told_together(question, plan, lines, pairs, read_linked, read_again)


def lines_near(kb: KnowledgeBase, question: str, hits: Sequence[Hit]) -> LinePool:
    """The lines that may answer together: all of a small file, else of what was found, what a search finds, and what
    says the names in the closest of these.
    """
    if kb.passage_count <= SMALL:
        return kb.once(
            "lines", lambda: _lines(kb, [one for key, *_ in kb.documents() for one in kb.document_passages(key)])
        )
    known = {hit.passage.id: hit.passage for hit in hits}
    known |= {one.id: one for one in kb.passages([one for one, _ in fused_ranking(kb, question)][:SEARCHED])}
    lines = _lines(kb, list(known.values()))
    for name in near_names(lines, question, _cosines(kb, question, lines))[:NAMES]:
        saying = listing.passages_saying(kb, [name], limit=COMMON + 1)
        known |= {one.id: one for one in saying if len(saying) <= COMMON}
    return _lines(kb, list(known.values()))


def _lines(kb: KnowledgeBase, passages: Sequence[Passage]) -> LinePool:
    return lines_of(passages, kb.passage_sentences([one.id for one in passages]))


def _cosines(kb: KnowledgeBase, question: str, lines: LinePool) -> NDArray[np.float32]:
    """How close the sentence of each line comes to the question, shape (lines,)."""
    rows = [one.sentence for one in lines.lines]
    if not rows:
        return np.zeros(0, dtype=np.float32)
    cosines: NDArray[np.float32] = kb.sentence_vectors.cosines(rows, kb.embed([question])).max(axis=1)
    return cosines


def _found(question: str, told: ToldTogether) -> FoundAnswer:
    """The answer in two hops: what the question describes is what the lines share, and what it asks of that."""
    leading, telling = told.leading, told.telling
    parts = described(question)
    words, asked = (parts.words, parts.about("…")) if parts and parts.asked else (DESCRIBED, question)
    hops = (
        Hop(Constraint(words, "is", "?x"), told.link, leading.passage, leading.text, told.confidence),
        Hop(Constraint("?x", asked.rstrip("?"), "?it"), told.text, telling.passage, telling.text, told.confidence),
    )
    support = tuple(dict.fromkeys((leading.passage, telling.passage)))
    return FoundAnswer(told.text, hops, support, round(told.confidence, 4), "", "")
