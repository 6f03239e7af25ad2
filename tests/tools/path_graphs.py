"""Small graphs of facts whose closeness to the question is given, for the beam search's tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph


@dataclass(frozen=True)
class GivenCloseness:
    """Stands in for tools.search.closeness.Closeness."""

    entity_rows: NDArray[np.float32]
    fact_rows: NDArray[np.float32]


def make_fact_graph(
    facts: Sequence[tuple[int, int]], contexts: Sequence[tuple[int, int]] = (), entities: int = 0, passages: int = 1
) -> FactGraph:
    """Entity and passage ids are their rows; fact i joins `facts[i]`, has id 100 + i, and comes from passage 0."""
    pairs = np.array(facts, dtype=np.int64).reshape(-1, 2)
    count = max([entities, *(one + 1 for pair in facts for one in pair)])
    nothing = np.zeros((0, 2), dtype=np.int64)
    return FactGraph(
        entities=np.arange(count),
        passages=np.arange(passages),
        facts=100 + np.arange(len(pairs)),
        heads=pairs[:, 0],
        tails=pairs[:, 1],
        fact_passages=np.zeros(len(pairs), dtype=np.int64),
        fact_sentences=np.arange(len(pairs)),
        synonyms=nothing,
        similarities=np.zeros(0, dtype=np.float32),
        contexts=np.array(sorted(contexts), dtype=np.int64).reshape(-1, 2),
        abouts=nothing,
        named=np.zeros(0, dtype=np.int64),
        name_vectors=np.zeros((0, 0), dtype=np.float32),
    )


def closeness(graph: FactGraph, entities: Mapping[int, float], facts: Sequence[float] = ()) -> GivenCloseness:
    """The closeness of entities by row, 0 for the rest, and of facts, 0.5 where none are given."""
    rows = np.zeros(len(graph.entities), dtype=np.float32)
    for row, value in entities.items():
        rows[row] = value
    given = np.array(facts, dtype=np.float32) if len(facts) else np.full(len(graph.facts), 0.5, dtype=np.float32)
    return GivenCloseness(rows, given)
