"""The passages of people's own documents in the order in which the first reader says that they answer."""

from __future__ import annotations

from typing import NamedTuple

from assistant.agent.offline.copies import without_copies
from assistant.agent.offline.what_is_read import ToRead
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.reading.abbreviated import Read
from tools.reading.considering import is_of_articles
from tools.reading.lists import asks_for_list
from tools.reading.reading_order import Before, reading_order
from tools.search.passage_search import fused_ranking
from tools.types import Hit

AMONG = 24
"""Passages that are read to be put in order: of a question in other words than the text's the passage that answers is
among the twelve of the ranking for 75 of 100, among these for 93 (docs/results.md).
"""

_EARLY = 10
_RANKED, _SEARCHED = 2.0, 2.0
"""What the first place of the ranking counts, and that of the search by meaning and words, in logits; the tenth half of
it.
"""


class Pool(NamedTuple):
    """Passages that may answer, and what is known of them before they are read; None where they stay as they are."""

    hits: list[Hit]
    before: Before | None = None


def pool_of(kb: KnowledgeBase, question: str, found: ToRead) -> Pool:
    """The passages that were ranked and others that a search finds, up to so many; those of an encyclopaedia, which
    answer together, and those for a list as they are.
    """
    hits = found.hits
    evidence = Evidence([EvidencePassage.of(hit.passage, hit.score) for hit in hits])
    if not hits or asks_for_list(question) or is_of_articles(evidence):
        return Pool(hits)
    searched = [one for one, _ in fused_ranking(kb, question)]
    ranked = {hit.passage.id: place for place, hit in enumerate(hits)}
    others = [one for one in searched if one not in ranked][: max(0, AMONG - len(hits))]
    pool = without_copies([*hits, *(Hit(passage, 0.0) for passage in kb.passages(others))])
    places = {one: place for place, one in enumerate(searched)}
    ids = [hit.passage.id for hit in pool]
    priors = [_share(ranked.get(one), _RANKED) + _share(places.get(one), _SEARCHED) for one in ids]
    always = frozenset(at for at, one in enumerate(ids) if one in found.named)
    return Pool(pool, Before(priors, len(hits), always))


def by_reading(question: str, pool: Pool, read: Read) -> list[Hit]:
    """The passages of a pool to keep, those first that most likely answer; `read` is the first reader."""
    if pool.before is None:
        return pool.hits
    passages = [EvidencePassage.of(hit.passage, hit.score) for hit in pool.hits]
    return [pool.hits[at] for at in reading_order(question, passages, pool.before, read)]


def _share(place: int | None, most: float) -> float:
    return 0.0 if place is None else most * _EARLY / (_EARLY + place)
