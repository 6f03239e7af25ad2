"""A knowledge base of which only the graph of facts around a question is read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph, load_subgraph
from kb.graph.passage_graph import Graph, SentenceVectors
from kb.graph.stored_vectors import unit_rows
from kb.store.dense import KeptCodes
from kb.store.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from kb.store.embeddings import Embedder
    from kb.store.engine import PassageVectors
    from kb.store.passage_links import PassageLinks

Floats = NDArray[np.float32]


class SubgraphBase(KnowledgeBase):
    """The same file, whose `fact_graph` is that of some passages alone, and whose `sentence_vectors.all` are those of
    its facts. Everything else is looked up in the whole, as before; it ends with the whole, and is not closed itself.
    """

    def __init__(self, whole: KnowledgeBase, passages: Callable[[], Sequence[int]]) -> None:
        """`passages` gives ids, which must be known; it is called when the graph is first asked for."""
        super().__init__(whole._engine, whole._meta)
        self._of = whole
        self._around = passages
        self._vectors = whole._vectors
        self._state = whole._state
        self.passage_count = whole.passage_count

    @property
    def whole(self) -> KnowledgeBase:
        """What this is a part of."""
        return self._of

    def part(self, key: Hashable, make: Callable[[], KnowledgeBase]) -> KnowledgeBase:
        """This."""
        return self

    @cached_property
    def fact_graph(self) -> FactGraph:
        """The graph of facts of the passages around the question."""
        ids = sorted(set(self._around()))
        rows = self._engine.graph_rows
        return self._whole(lambda _: load_subgraph(self._by_ids, ids, rows.facts_and_mentions(ids), self._names))

    @cached_property
    def sentence_vectors(self) -> SentenceVectors:
        """The vectors of sentences; `all` of those that carry the facts of the graph."""
        of = self._of.sentence_vectors
        return SentenceVectors(
            self._sentence_rows, lambda: of.some(self.fact_graph.fact_sentences), self.dimension, self._sound
        )

    @property
    def links(self) -> PassageLinks:
        """Those of the whole."""
        return self._of.links

    @property
    def graph(self) -> Graph:
        """That of the whole."""
        return self._of.graph

    def close(self) -> None:
        """Does nothing."""

    def _names(self, entities: Sequence[int]) -> tuple[NDArray[np.int64], Floats]:
        codes = self._engine.codes_of("entity", entities, self.dimension)
        ids = np.array(sorted(codes), dtype=np.int64)
        rows = np.frombuffer(b"".join(codes[one] for one in ids.tolist()), dtype=np.int8)
        return ids, unit_rows(rows.reshape(-1, self.dimension))

    @property
    def _codes(self) -> PassageVectors:
        return self._of._codes

    @property
    def _embedder(self) -> Embedder:
        return self._of._embedder

    @property
    def _sentences_read(self) -> KeptCodes:
        return self._of._sentences_read
