"""Graphs as arrays, made by hand or at random, without a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb.graph.passage_graph import Graph

Pairs = Sequence[tuple[int, int]]


def make_graph(documents: Sequence[int], mentions: Pairs, abouts: Pairs, entities: int = 0) -> Graph:
    """Passage i belongs to `documents[i]`; pairs are (passage, entity) and (entity, passage), each by row."""
    of = np.asarray(documents, dtype=np.int64).reshape(-1)
    width = max([entities, *(entity + 1 for _, entity in mentions), *(entity + 1 for entity, _ in abouts)])
    ordinals = [int((of[:at] == one).sum()) for at, one in enumerate(of)]
    return Graph(
        passages=np.arange(100, 100 + len(of), dtype=np.int64),
        entities=np.arange(500, 500 + width, dtype=np.int64),
        documents=of,
        ordinals=np.array(ordinals, dtype=np.int64),
        mentions=np.array(sorted(set(mentions)), dtype=np.int64).reshape(-1, 2),
        abouts=np.array(sorted(set(abouts)), dtype=np.int64).reshape(-1, 2),
        passage_vectors=np.eye(max(len(of), 1), dtype=np.float32)[: len(of)],
    )


def linked(count: int, links: Pairs) -> Graph:
    """One passage a document, entity i being the title of document i: link (a, b) is a mention of entity b in a."""
    return make_graph(range(count), [(a, b) for a, b in links], [(at, at) for at in range(count)], count)


def slow_links(graph: Graph) -> dict[tuple[int, int], float]:
    """What `Graph.links` holds, mention by mention."""
    found: dict[tuple[int, int], float] = {}
    for source, entity in graph.mentions.tolist():
        about = [row for one, row in graph.abouts.tolist() if one == entity]
        meanings = sum(graph.ordinals[row] == 0 for row in about)
        for target in about:
            if graph.documents[source] != graph.documents[target]:
                strength = 1 / (1 + int(graph.ordinals[target])) / max(meanings, 1)
                found[source, target] = found.get((source, target), 0.0) + strength
    return {pair: min(strength, 1.0) for pair, strength in found.items()}
