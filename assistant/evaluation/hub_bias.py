"""Signs of hub bias in what a run found: how much of it stands on entities that everything is joined to.

CatRAG (section 6.1) weighs entities by where its random walk ends. A line of a run keeps ranked passages and no walk,
so here the entities are those that the passages name, each weighing as many of the passages as name it: the same two
figures over another weight, to be compared between runs and with the gold passages, not with the paper's.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.store.knowledge_base import KnowledgeBase

HUB_SHARE = 0.01
"""Hubs are the entities of the highest weighted degree: this share of them, as in CatRAG."""


class HubSigns:
    """The signs for the passages of one knowledge base; the degrees are worked out once."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._graph = kb.fact_graph

    def unknown(self, passages: Collection[int]) -> int:
        """How many of these passage ids this knowledge base does not have."""
        return int((~np.isin(np.array(sorted(passages), dtype=np.int64), self._graph.passages)).sum())

    def of_passages(self, ids: Sequence[int]) -> tuple[float, float] | None:
        """Strength and hub share of passages by their ids, all known; None where they name no entity.

        Strength is the mean weighted degree of the entities that they name, 0 or more; hub share, 0..1, is how much of
        that naming falls to hubs. An entity counts once for each passage that names it (equation 4, with this count in
        place of the walk's probability).
        """
        rows = self._graph.passage_rows(sorted(set(ids))).tolist()
        of_each = [self._entities[self._starts[row] : self._starts[row + 1]] for row in rows]
        named = np.concatenate([*of_each, self._entities[:0]])
        if not len(named):
            return None
        return float(self._degrees[named].mean()), float(self._is_hub[named].mean())

    def of_documents(self, keys: Sequence[str]) -> tuple[float, float] | None:
        """The same for all passages of documents by their keys; None where none is known."""
        ids = [passage.id for key in dict.fromkeys(keys) for passage in self._kb.document_passages(key)]
        return self.of_passages(ids) if ids else None

    @cached_property
    def _degrees(self) -> Any:
        return self._graph.adjacency.sum(axis=1)[: len(self._graph.entities)].astype(np.float64)

    @cached_property
    def _is_hub(self) -> NDArray[np.bool_]:
        """One entity at least; ties go by row."""
        count = len(self._degrees)
        hubs = np.lexsort((np.arange(count), -self._degrees))[: max(int(HUB_SHARE * count), 1)]
        return np.isin(np.arange(count), hubs)

    @cached_property
    def _entities(self) -> Any:
        """The entity rows that passages name, passage by passage; `_starts` says where each one's begin."""
        contexts = self._graph.contexts
        return contexts[np.lexsort((contexts[:, 0], contexts[:, 1])), 0]

    @cached_property
    def _starts(self) -> Any:
        counts = np.bincount(self._graph.contexts[:, 1], minlength=len(self._graph.passages))
        return np.concatenate([[0], np.cumsum(counts)])
