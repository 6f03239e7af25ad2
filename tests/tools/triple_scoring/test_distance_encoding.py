from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kb.graph.fact_graph import FactGraph
from tools.triple_scoring.distance_encoding import encode_distances


def graph(entities: int, facts: Sequence[tuple[int, int]]) -> FactGraph:
    """A graph of facts (head, tail) over the entities 0, 1, ..., whose ids are ten times their rows."""
    pairs = np.array(facts, dtype=np.int64).reshape(-1, 2)
    none = np.zeros(0, dtype=np.int64)
    return FactGraph(
        entities=10 * np.arange(entities, dtype=np.int64),
        passages=none,
        facts=np.arange(len(pairs), dtype=np.int64),
        heads=pairs[:, 0],
        tails=pairs[:, 1],
        fact_passages=np.zeros(len(pairs), dtype=np.int64),
        fact_sentences=np.arange(len(pairs), dtype=np.int64),
        synonyms=none.reshape(0, 2),
        similarities=np.zeros(0, dtype=np.float32),
        contexts=none.reshape(0, 2),
        abouts=none.reshape(0, 2),
        named=none,
        name_vectors=np.zeros((0, 0), dtype=np.float32),
    )


def slow(graph: FactGraph, sources: set[int], rounds: int) -> list[list[float]]:
    """The definition, entity by entity."""
    facts = list(zip(graph.heads.tolist(), graph.tails.tolist(), strict=True))
    mark = [float(one in sources) for one in graph.entities.tolist()]
    columns = [mark]
    for pairs in (facts, [(tail, head) for head, tail in facts]):
        values = mark
        for _ in range(rounds):
            arriving = [[values[start] for start, end in pairs if end == row] for row in range(len(mark))]
            values = [sum(some) / len(some) if some else 0.0 for some in arriving]
            columns.append(values)
    return [list(row) for row in zip(*columns, strict=True)]


def test_a_chain_tells_how_far_and_in_which_direction() -> None:
    # 0 -> 1 -> 2 -> 3, source 1: 2 is one hop on, 3 two hops on, 0 one hop back.
    found = encode_distances(graph(4, [(0, 1), (1, 2), (2, 3)]), [10])
    assert found.tolist() == [
        [0, 0, 0, 1, 0],
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
    ]


def test_an_entity_gets_the_mean_of_what_leads_to_it() -> None:
    # Three facts end at 3: from the source 0, from 1, from 2, so 1/3. Two facts 0 -> 4 and one 1 -> 4: 2/3.
    found = encode_distances(graph(5, [(0, 3), (1, 3), (2, 3), (0, 4), (0, 4), (1, 4)]), [0])
    np.testing.assert_allclose(found[3], [0, 1 / 3, 0, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(found[4], [0, 2 / 3, 0, 0, 0], rtol=1e-6)


def test_a_hub_dilutes_what_passes_through_it() -> None:
    # A hundred entities point to the hub 0, one of them the source 1; the hub points to 101.
    found = encode_distances(graph(102, [*((one, 0) for one in range(1, 101)), (0, 101)]), [10])
    np.testing.assert_allclose(found[0], [0, 0.01, 0, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(found[101], [0, 0, 0.01, 0, 0], rtol=1e-6)
    assert not found[2:101].any()


def test_a_fact_of_an_entity_with_itself_keeps_the_mark_there() -> None:
    # 0 -> 0 and 0 -> 1: the mark stays on 0 in both directions; against it, 0's tails are 0 and 1: 1/2, then 1/4.
    found = encode_distances(graph(2, [(0, 0), (0, 1)]), [0])
    np.testing.assert_allclose(found[0], [1, 1, 1, 0.5, 0.25])
    np.testing.assert_allclose(found[1], [0, 1, 1, 0, 0])


def test_what_no_fact_joins_to_the_source_stays_at_zero() -> None:
    found = encode_distances(graph(4, [(0, 1), (2, 3)]), [0])
    assert not found[2:].any()


@pytest.mark.parametrize("sources", [[], [5], [-1, 999]])
def test_unknown_sources_mark_nothing(sources: list[int]) -> None:
    assert not encode_distances(graph(3, [(0, 1), (1, 2)]), sources).any()


def test_an_unknown_source_beside_a_known_one_is_left_out() -> None:
    some = graph(3, [(0, 1), (1, 2)])
    np.testing.assert_array_equal(encode_distances(some, [0, 7]), encode_distances(some, [0]))


def test_a_graph_without_facts_or_entities() -> None:
    assert encode_distances(graph(0, []), [0]).shape == (0, 5)
    assert encode_distances(graph(2, []), [0]).tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_random_graphs_agree_with_the_definition(rounds: int) -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        some = graph(8, [tuple(pair) for pair in random.integers(0, 8, (12, 2)).tolist()])
        found = encode_distances(some, {0, 30}, rounds)
        np.testing.assert_allclose(found, slow(some, {0, 30}, rounds), rtol=1e-5, atol=1e-7)
        assert found.shape == (8, 1 + 2 * rounds)
        assert 0 <= found.min() <= found.max() <= 1
