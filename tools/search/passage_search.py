"""Passages by meaning and by words, fused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from kb.store.knowledge_base import KnowledgeBase
from tools.types import Hit

RANK_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack et al. 2009): larger flattens the advantage of the first ranks."""

_POOL = 50
"""Passages taken from each list before fusion: below rank 50 a list adds under 1 / 110 to a score."""


def search_passages(kb: KnowledgeBase, query: str, k: int = 10) -> list[Hit]:
    """The k passages best by dense and BM25 ranks together (reciprocal rank fusion), best first, ties by id.

    An empty query finds nothing.
    """
    if not query.strip() or k < 1:
        return []
    ranked = fused_ranking(kb, query, max(k, _POOL))[:k]
    passages = kb.passages([passage for passage, _ in ranked])
    return [Hit(passage, score) for passage, (_, score) in zip(passages, ranked, strict=True)]


def similar_passages(kb: KnowledgeBase, query: str, k: int = 10) -> list[Hit]:
    """The k passages whose vectors are closest to the query's, best first, with cosines; none for an empty one."""
    if not query.strip() or k < 1:
        return []
    ranked = kb.search_dense(kb.embed([query])[0], k)
    return [
        Hit(passage, score) for passage, (_, score) in zip(kb.passages([one for one, _ in ranked]), ranked, strict=True)
    ]


def fused_ranking(kb: KnowledgeBase, query: str, pool: int = _POOL) -> list[tuple[int, float]]:
    """(passage id, fused score in 0..1) of the union of both lists' best `pool`, best first, ties by id."""
    dense = _nearest(kb, query) if pool == _POOL else kb.search_dense(kb.embed([query])[0], pool)
    words = kb.search_words(query, pool)
    return fuse([[one for one, _ in dense], [one for one, _ in words]])


def search_together(kb: KnowledgeBase, queries: Iterable[str]) -> None:
    """Find the passages closest to each of the queries in one scan of all vectors, which takes hardly longer than for
    one, for the searches that follow.
    """
    wanted = [query for query in dict.fromkeys(queries) if query.strip()]
    if len(wanted) > 1:
        # Each embedded by itself, as a search for it alone does: beside others the last digits differ.
        scan = kb.scan(np.stack([kb.embed([query])[0] for query in wanted]))
        for at, query in enumerate(wanted):
            kb.whole.once((_nearest, query), partial(scan.nearest, _POOL, at))


def _nearest(kb: KnowledgeBase, query: str) -> list[tuple[int, float]]:
    return kb.whole.once((_nearest, query), lambda: kb.scan_of(query).nearest(_POOL))


def fuse(rankings: Iterable[Sequence[int]]) -> list[tuple[int, float]]:
    """Reciprocal rank fusion, scaled so that the first place in every list gives 1; ties by id.

    >>> fuse([[7, 8], [8]])
    [(8, 0.9919354838709677), (7, 0.5)]
    """
    lists = list(rankings)
    scores: dict[int, float] = {}
    for ranking in lists:
        for rank, one in enumerate(ranking, 1):
            scores[one] = scores.get(one, 0.0) + (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank) / len(lists)
    # Rounded, since the same gains added in another order differ in the last bit, and ties go by id.
    return sorted(scores.items(), key=lambda item: (-round(item[1], 12), item[0]))
