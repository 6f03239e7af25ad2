from __future__ import annotations

import numpy as np
import pytest

from assistant.evaluation.hub_bias import HubSigns
from kb.store.knowledge_base import KnowledgeBase


def test_signs_from_the_degrees_of_the_entities_named(small: KnowledgeBase) -> None:
    signs, graph = HubSigns(small), small.fact_graph
    degrees = graph.adjacency.sum(axis=1)[: len(graph.entities)]
    # Fewer than 200 entities, so that one in a hundred is a single one: the first of the most joined.
    assert len(graph.entities) < 200
    hub = int(np.argmax(degrees))
    (passage,) = small.document_passages("valdis")
    row = int(graph.passage_rows([passage.id])[0])
    named = [int(entity) for entity, at in graph.contexts.tolist() if at == row]
    assert len(named) > 1
    found = signs.of_passages([passage.id, passage.id])
    assert found == signs.of_documents(["valdis", "valdis"])
    assert found is not None
    assert found[0] == pytest.approx(sum(float(degrees[one]) for one in named) / len(named))
    assert found[1] == pytest.approx((hub in named) / len(named))


def test_an_entity_counts_once_for_each_passage_that_names_it(small: KnowledgeBase) -> None:
    signs = HubSigns(small)
    parts = [signs.of_documents([key]) for key in ("valdis", "oskar")]
    both = signs.of_documents(["valdis", "oskar"])
    counts = [small.fact_graph.contexts[:, 1].tolist().count(_row(small, key)) for key in ("valdis", "oskar")]
    assert both is not None
    strengths = [part[0] * count for part, count in zip(parts, counts, strict=True) if part]
    assert both[0] == pytest.approx(sum(strengths) / sum(counts))


def test_passages_that_are_not_there(small: KnowledgeBase) -> None:
    signs = HubSigns(small)
    (passage,) = small.document_passages("valdis")
    assert signs.unknown([passage.id, 3, 4]) == 2
    assert signs.unknown([]) == 0
    assert signs.of_passages([]) is None
    assert signs.of_documents(["no such document"]) is None


def _row(kb: KnowledgeBase, key: str) -> int:
    return int(kb.fact_graph.passage_rows([kb.document_passages(key)[0].id])[0])
