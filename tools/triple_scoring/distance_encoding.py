"""How far, and along which direction, each entity lies from a question's entities (directional distance encoding).

ReG's triple scorer (appendix E) takes it over from SubgraphRAG (Li et al. 2024): a mark on the question's entities is
handed along the facts, once with their direction and once against it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph, held_rows

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


ROUNDS = 2
"""Hops in each direction (SubgraphRAG's; questions of more hops are rare, and a third adds columns that hardly any
fact has)."""


def encode_distances(graph: FactGraph, sources: Collection[int], rounds: int = ROUNDS) -> Floats:
    """Shape (entities, 1 + 2 * rounds), each 0..1: the mark itself, after 1, 2, ... hops with the facts' direction,
    and after 1, 2, ... hops against it.

    The mark is 1 on the sources. Handed on, an entity gets the mean of what stands at the heads of the facts that it is
    the tail of (against the direction: at the tails of those that it is the head of); several facts between two
    entities count each, and a fact of an entity with itself counts like any other. So a column is above 0 exactly
    where a directed walk of that many facts leads from a source to the entity, and is the smaller, the more other
    facts end there. `sources` are entity ids; unknown ones are left out. Zeros where none is known.
    """
    mark = np.zeros(len(graph.entities), dtype=np.float32)
    mark[held_rows(graph.entities, sources)] = 1.0
    columns = [mark]
    for start, end in ((graph.heads, graph.tails), (graph.tails, graph.heads)):
        columns += _hand_on(mark, start, end, rounds)
    return np.stack(columns, axis=1)


def _hand_on(mark: Floats, start: Ids, end: Ids, rounds: int) -> list[Floats]:
    count = len(mark)
    arriving = np.maximum(np.bincount(end, minlength=count), 1)
    found: list[Floats] = []
    for _ in range(rounds):
        mark = (np.bincount(end, weights=mark[start], minlength=count) / arriving).astype(np.float32)
        found.append(mark)
    return found
