"""How close the things of a knowledge base are to a question, as cosines of the vectors that the file holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase

Floats = NDArray[np.float32]

_PART = 65_536
"""Sentences whose vectors are widened from eight bits at once: 100 MB."""


class Closeness:
    """Cosines of passages, facts and entities with one question; nothing is embedded but the question.

    An entity is as close as the closest of its name (where it has a vector: names that join documents do), the first
    passage of its own document, and the sentences of its facts. Names alone, as in the papers, tell little of what an
    entity has to do with a question ("Lindholm" is as far from "Where was he born?" as any other name).
    """

    @classmethod
    def of(cls, kb: KnowledgeBase, question: str) -> Closeness:
        """That of a question, the same for every technique that asks."""
        return kb.once(("closeness", question), lambda: cls(kb, question))

    def __init__(self, kb: KnowledgeBase, question: str) -> None:
        self._kb = kb
        self.vector: Floats = kb.embed([question])[0]

    @property
    def _graph(self) -> FactGraph:
        return self._kb.fact_graph

    def passages(self, ids: Sequence[int]) -> Floats:
        """Shape (len(ids),); the ids must be known."""
        return np.asarray(self._kb.passage_vectors(ids) @ self.vector)

    def triples(self, triples: Sequence[Triple]) -> Floats:
        """Shape (len(triples),): of the sentences that carry them."""
        return self._kb.sentence_vectors.cosines([one.sentence_id for one in triples], self.vector[None])[:, 0]

    def entities(self, ids: Sequence[int]) -> Floats:
        """Shape (len(ids),); the ids must be known."""
        return np.asarray(self.entity_rows[self._graph.entity_rows(ids)])

    @cached_property
    def fact_rows(self) -> Floats:
        """Shape (facts,): every fact of the file, in the order of `kb.fact_graph.facts`."""
        sentences = self._kb.sentence_vectors.all
        # Once for each sentence: one carries three or four facts.
        parts = range(0, len(sentences.rows), _PART)
        dots = [sentences.rows[at : at + _PART].astype(np.float32) @ self.vector for at in parts]
        cosines = np.concatenate([*dots, np.zeros(0, dtype=np.float32)]) / sentences.norms
        return np.asarray(cosines[self._kb.sentence_vectors.places(self._graph.fact_sentences)])

    @cached_property
    def entity_rows(self) -> Floats:
        """Shape (entities,): every entity of the file, in the order of `kb.fact_graph.entities`; 0 for one without
        facts, name vector and document.
        """
        graph = self._graph
        unknown = np.float32(-1.0)
        best: Floats = np.full(len(graph.entities), unknown, dtype=np.float32)
        for ends in (graph.heads, graph.tails):
            np.maximum.at(best, ends, self.fact_rows)
        if len(graph.named):
            np.maximum.at(best, graph.named, graph.name_vectors @ self.vector)
        if len(graph.abouts):
            own = self._kb.passage_vectors(graph.passages[graph.abouts[:, 1]]) @ self.vector
            np.maximum.at(best, graph.abouts[:, 0], own)
        return np.where(best == unknown, np.float32(0.0), best)
