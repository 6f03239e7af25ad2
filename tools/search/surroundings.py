"""The passages around a question, whose facts are the graph that techniques walk where a file has too many to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from kb.store.knowledge_base import KnowledgeBase
from kb.store.subgraph import SubgraphBase
from tools.search.entity_lookup import named_in

WHOLE = 10_000
"""Passages of a file up to which the graph of facts is read whole: a second or two, once."""

_DENSE, _WORDS = 400, 100
"""Passages that the question's vector and its words find."""
_NAMED = 100
"""Passages that mention what the question names, the closest of them."""
_SOURCES = 48
"""Passages that a step goes on from: the closest to the question of those reached so far."""
_STEPS = 2
_OUT, _BACK = 24, 8
"""Passages that a step goes on to from each, at most: along titles that it names; and along titles back, or rare names.
"""

Ids = NDArray[np.int64]


def surroundings(kb: KnowledgeBase, question: str) -> KnowledgeBase:
    """`kb` itself; or, of more than `WHOLE` passages, one that has the graph of facts of those around a question alone.

    Each technique that walks over facts asks for it first, so that all find the same graph for the same question.
    """
    if kb.passage_count <= WHOLE:
        return kb
    return kb.part(question, lambda: SubgraphBase(kb, lambda: passages_around(kb, question)))


def passages_around(kb: KnowledgeBase, question: str) -> list[int]:
    """Ids, ascending: what text search finds for the question, what mentions its names, and two steps on along titles
    and rare names, the closest to the question first. Empty for a blank question or an empty file.
    """
    if not question.strip():
        return []
    scan = kb.scan_of(question)

    def closest(groups: Iterable[Collection[int]], most: int) -> list[int]:
        """Of each group the closest to the question, best first, ties by id."""
        of = [sorted(one) for one in groups]
        at: Ids = np.array([one for ids in of for one in ids], dtype=np.int64)
        group = np.repeat(np.arange(len(of)), np.array([len(ids) for ids in of], dtype=np.int64))
        order = np.lexsort((at, -scan.about(at), group))
        place = np.arange(len(at)) - np.searchsorted(group, group)
        best: list[int] = at[order][place < most].tolist()
        return best

    names = {one for span in named_in(kb, question) for one in span.entities}
    mentioning = {passage for one in names for _, passage in kb.mentioning([one])}
    found = {one for one, _ in scan.nearest(_DENSE)} | {one for one, _ in kb.search_words(question, _WORDS)}
    found |= {*kb.links.titled(names), *closest([mentioning], _NAMED)}
    gone_on: set[int] = set()
    for _ in range(_STEPS):
        sources = closest([found - gone_on], _SOURCES)
        gone_on |= set(sources)
        inside = kb.links.names_in(sources)
        found.update(closest(kb.links.links_from(sources, inside).values(), _OUT))
        found.update(closest(kb.links.links_to(sources).values(), _BACK))
        found.update(closest(kb.links.rare_neighbours(sources, inside).values(), _BACK))
    return sorted(found)
