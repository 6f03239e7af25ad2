"""The documents that the facts of a chain bring in by their entities (TGS-RAG, section 4.1.4, equation 4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kb.name_keys import name_key
from kb.store.knowledge_base import KnowledgeBase


class Provenance:
    """Which documents of one knowledge base name an entity; each name is looked up once."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._known: dict[str, frozenset[str]] = {}

    def documents(self, names: Iterable[str]) -> frozenset[str]:
        """The keys of all documents that name one of these; none for names that the file does not know."""
        return frozenset[str]().union(*map(self._of_name, {name_key(name) for name in names} - {""}))

    def _of_name(self, key: str) -> frozenset[str]:
        if key not in self._known:
            graph = self._kb.fact_graph
            meant = [one for ids in self._kb.named([key]).values() for one in ids]
            rows = np.flatnonzero(np.isin(graph.entities, np.array(meant, dtype=np.int64)))
            passages = graph.passages[np.unique(graph.contexts[np.isin(graph.contexts[:, 0], rows), 1])]
            self._known[key] = frozenset(one.document for one in self._kb.passages(passages.tolist()))
        return self._known[key]
