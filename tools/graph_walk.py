"""Personalised PageRank over passages that point to each other by naming each other's titles (HippoRAG, CatRAG).

In HippoRAG 2's graph an entity spreads its probability over every passage that mentions it; here it goes to the passage
that the entity is about, which is nearly always the next step of a chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.graph.passage_graph import Graph
from kb.store.knowledge_base import KnowledgeBase
from tools.search.entity_lookup import named_in
from tools.search.passage_search import fused_ranking
from tools.types import Hit

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WalkParams:
    """How the walk is seeded and how far it goes."""

    reset: float = 0.5
    """Probability of going back to a seed at each step, 0..1 (CatRAG and HippoRAG 2: damping 0.5)."""
    backward: float = 0.3
    """Weight of following a link against its direction: who names a passage matters less than what it names."""
    text_seeds: int = 10
    """Passages from the fused text search that seed the walk."""
    steps: int = 20
    """Power iterations; at a reset of 0.5 the rest is below 1e-6."""


def graph_walk(
    kb: KnowledgeBase, question: str, seeds: Sequence[str] = (), k: int = 10, params: WalkParams | None = None
) -> list[Hit]:
    """The k passages with the highest PageRank from the question's text search and the titles that it names.

    Ties go by id. `seeds` are names to start from besides those in the question. Nothing matches an empty question
    without seeds.
    """
    probabilities = walk_scores(kb, question, seeds, params or WalkParams())
    graph = kb.graph
    order = np.lexsort((graph.passages, -probabilities))[: max(k, 0)]
    order = order[probabilities[order] > 0]
    passages = kb.passages([int(graph.passages[row]) for row in order])
    return [Hit(passage, float(probabilities[row])) for passage, row in zip(passages, order, strict=True)]


def walk_scores(kb: KnowledgeBase, question: str, seeds: Sequence[str], params: WalkParams) -> Floats:
    """The PageRank of every passage, shape (passages,), in the order of `kb.graph`; zeros where nothing seeds the
    walk.
    """
    graph = kb.graph
    reset = np.zeros(len(graph.passages))
    if question.strip():
        ranked = fused_ranking(kb, question)[: params.text_seeds]
        reset[graph.passage_rows([one for one, _ in ranked])] += [score for _, score in ranked]
    named = [entity for text in (question, *seeds) for span in named_in(kb, text) for entity in span.entities]
    for row in title_rows(graph, named):
        reset[row] += 1.0
    return pagerank(graph, reset, params)


def title_rows(graph: Graph, entities: Sequence[int]) -> list[int]:
    """Rows of the first passages of the documents that the entities are the titles of, each once."""
    wanted = graph.entity_rows(sorted(set(entities)))
    about = graph.abouts[np.isin(graph.abouts[:, 0], wanted)]
    rows = np.unique(about[:, 1])
    return [int(row) for row in rows if graph.ordinals[row] == 0]


def pagerank(graph: Graph, reset: Floats, params: WalkParams) -> Floats:
    """Personalised PageRank by power iteration; `reset`, shape (passages,), need not be normalised. Zeros for zeros."""
    total = reset.sum()
    if not total:
        return reset
    reset = reset / total
    links = graph.links
    leaving = np.asarray(links.sum(axis=1)).ravel() + params.backward * np.asarray(links.sum(axis=0)).ravel()
    scale = 1.0 / np.where(leaving > 0, leaving, 1.0)
    transposed = links.T.tocsr()
    rank = reset.copy()
    for _ in range(params.steps):
        outgoing = rank * scale
        moved = transposed @ outgoing + params.backward * (links @ outgoing)
        # What stands on a passage without links goes back to the seeds.
        rank = (1 - params.reset) * moved + (1 - (1 - params.reset) * moved.sum()) * reset
    return np.asarray(rank)
