"""The passages of people's own documents in the order in which the first reader says that they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assistant.agent.offline.copies import without_copies
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.reading.abbreviated import Read
from tools.reading.considering import is_of_articles
from tools.reading.lists import asks_for_list
from tools.reading.reading_order import reading_order
from tools.search.passage_search import fused_ranking
from tools.types import Hit

AMONG = 24
"""Passages that are read to be put in order: of a question in other words than the text's the passage that answers is
among the first 12 of the ranking for 70 of 100, among these for 96 (docs/results.md).
"""

_EARLY = 10
_RANKED, _SEARCHED = 2.0, 2.0
"""What the first place of the ranking counts, and that of the search by meaning and words, in logits; the tenth half of
it.
"""


class Pool(NamedTuple):
    """Passages that may answer, what speaks for each before it is read, in logits, and how many are to be kept; without
    that the passages stay as they are.
    """

    hits: list[Hit]
    priors: list[float]
    kept: int


def pool_of(kb: KnowledgeBase, question: str, hits: Sequence[Hit]) -> Pool:
    """The passages that were ranked and others that a search finds, up to so many; those of an encyclopaedia, which
    answer together, and those for a list as they are.
    """
    evidence = Evidence([EvidencePassage.of(hit.passage, hit.score) for hit in hits])
    if not hits or asks_for_list(question) or is_of_articles(evidence):
        return Pool(list(hits), [], len(hits))
    searched = [one for one, _ in fused_ranking(kb, question)]
    known = {hit.passage.id for hit in hits}
    others = [one for one in searched if one not in known][: max(0, AMONG - len(hits))]
    pool = without_copies([*hits, *(Hit(passage, 0.0) for passage in kb.passages(others))])
    ranked = {hit.passage.id: place for place, hit in enumerate(hits)}
    found = {one: place for place, one in enumerate(searched)}
    priors = [
        _share(ranked.get(hit.passage.id), _RANKED) + _share(found.get(hit.passage.id), _SEARCHED) for hit in pool
    ]
    return Pool(pool, priors, len(hits))


def by_reading(question: str, pool: Pool, read: Read) -> list[Hit]:
    """As many passages of the pool as are to be kept, those first that most likely answer. `read` is the first reader,
    which is asked what it will be asked for the answer.
    """
    if not pool.priors:
        return pool.hits
    passages = [EvidencePassage.of(hit.passage, hit.score) for hit in pool.hits]
    order = reading_order(question, passages, pool.priors, read)
    return [pool.hits[at] for at in order[: pool.kept]]


def _share(place: int | None, most: float) -> float:
    return 0.0 if place is None else most * _EARLY / (_EARLY + place)
