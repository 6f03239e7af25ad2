"""Personalised PageRank by hand and against networkx, and the walk from a question."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from graphs import linked, make_graph, slow_links
from numpy.typing import NDArray

from kb.graph.passage_graph import Graph
from kb.store.knowledge_base import KnowledgeBase
from tools.graph_walk import WalkParams, graph_walk, pagerank, title_rows, walk_scores

PARAMS = WalkParams()


def reference(graph: Graph, reset: NDArray[np.float64]) -> list[float]:
    """networkx on the same weights, backward ones included; a dangling passage's probability goes back to the seeds."""
    weighted: nx.DiGraph[int] = nx.DiGraph()
    weighted.add_nodes_from(range(len(graph.passages)))
    links = slow_links(graph)
    for a, b in {*links, *((b, a) for a, b in links)}:
        weighted.add_edge(a, b, weight=links.get((a, b), 0.0) + PARAMS.backward * links.get((b, a), 0.0))
    seeds = {at: float(value) for at, value in enumerate(reset) if value}
    found = nx.pagerank(
        weighted,
        alpha=1 - PARAMS.reset,
        personalization=seeds,
        dangling=seeds,
        weight="weight",
        tol=1e-12,
        max_iter=1000,
    )
    return [found[at] for at in range(len(graph.passages))]


def random_graph(seed: int) -> Graph:
    """Up to 12 passages in documents of one to three, names with several meanings, names that mean nothing."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 13))
    documents = np.sort(random.integers(0, max(count // 2, 1) + 1, count)).tolist()
    entities = int(random.integers(1, 8))
    pairs = random.integers(0, (count, entities), (int(random.integers(0, 3 * count + 1)), 2)).tolist()
    titles = random.integers(0, entities, (2, max(documents) + 1)).tolist()  # a title and an alias
    abouts = [(one[document], row) for one in titles for row, document in enumerate(documents)]
    return make_graph(documents, [(a, b) for a, b in pairs], abouts, entities)


def test_two_passages_by_hand() -> None:
    # 0 links to 1; 1's only way out is back. x0 = 1/2 + x1/2 and x1 = x0/2, so 2/3 and 1/3.
    assert pagerank(linked(2, [(0, 1)]), np.array([1.0, 0.0]), PARAMS) == pytest.approx([2 / 3, 1 / 3], abs=1e-6)


def test_three_passages_by_hand() -> None:
    # 0 -> 1 -> 2, all from 0. Of what leaves 1, 10/13 goes on and 3/13 (0.3 of 1.3) goes back:
    # x0 = 1/2 + 3/26 x1, x1 = x0/2 + x2/2, x2 = 5/13 x1. So x1 = 13/21 x0, and x0 = 1/2 + x0/14 = 7/13.
    expected = [7 / 13, 1 / 3, 5 / 39]
    assert sum(expected) == pytest.approx(1)
    assert pagerank(linked(3, [(0, 1), (1, 2)]), np.array([1.0, 0, 0]), PARAMS) == pytest.approx(expected, abs=1e-6)


def test_a_name_with_two_meanings_gives_each_half() -> None:
    graph = make_graph([0, 1, 2], [(0, 0)], [(0, 1), (0, 2)])
    # x0 = 1/2 + (x1 + x2)/2 = 2/3 as above, the rest shared.
    assert pagerank(graph, np.array([1.0, 0, 0]), PARAMS) == pytest.approx([2 / 3, 1 / 6, 1 / 6], abs=1e-6)


def test_a_later_part_of_a_document_gets_less_and_a_document_does_not_link_to_itself() -> None:
    # Entity 0 is the title of the document with passages 1 and 2; passage 2 itself mentions it.
    graph = make_graph([0, 1, 1], [(0, 0), (2, 0)], [(0, 1), (0, 2)])
    assert graph.links.toarray().tolist() == [[0, 1, 0.5], [0, 0, 0], [0, 0, 0]]


def test_a_title_and_an_alias_link_no_stronger_than_one() -> None:
    graph = make_graph([0, 1], [(0, 0), (0, 1)], [(0, 1), (1, 1)])
    assert graph.links.toarray().tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("seed", range(40))
def test_links_agree_with_counting_mention_by_mention(seed: int) -> None:
    graph = random_graph(seed)
    expected = np.zeros((len(graph.passages),) * 2)
    for (a, b), strength in slow_links(graph).items():
        expected[a, b] = strength
    np.testing.assert_allclose(graph.links.toarray(), expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_pagerank_agrees_with_networkx(seed: int) -> None:
    graph = random_graph(seed)
    random = np.random.default_rng(1000 + seed)
    reset = random.random(len(graph.passages)) * (random.random(len(graph.passages)) < 0.5)
    reset[int(random.integers(len(reset)))] = 0.7
    found = pagerank(graph, reset, PARAMS)
    np.testing.assert_allclose(found, reference(graph, reset), atol=1e-6)
    assert found.sum() == pytest.approx(1)


SHAPES = {
    "a single passage": linked(1, []),
    "no links at all": linked(4, []),
    "disconnected": linked(6, [(0, 1), (1, 0), (3, 4), (4, 5)]),
    "a hub that all name": linked(9, [(at, 0) for at in range(1, 9)]),
    "a hub that names all": linked(9, [(0, at) for at in range(1, 9)]),
    "a circle": linked(5, [(at, (at + 1) % 5) for at in range(5)]),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_pagerank_agrees_with_networkx_on_odd_shapes(shape: str) -> None:
    graph = SHAPES[shape]
    for seed in range(len(graph.passages)):
        reset = np.zeros(len(graph.passages))
        reset[seed] = 3.0
        np.testing.assert_allclose(pagerank(graph, reset, PARAMS), reference(graph, reset), atol=1e-6)


def test_nothing_reaches_another_component() -> None:
    rank = pagerank(SHAPES["disconnected"], np.array([1.0, 0, 0, 0, 0, 0]), PARAMS)
    assert rank[2:].tolist() == [0, 0, 0, 0]


def test_the_scale_of_the_seeds_does_not_matter_and_equal_places_rank_alike() -> None:
    reset = np.array([0.2, 0.2, 0.2, 0.2, 0.2])
    rank = pagerank(SHAPES["a circle"], reset, PARAMS)
    np.testing.assert_allclose(rank, [0.2] * 5)
    np.testing.assert_allclose(pagerank(SHAPES["a circle"], 10 * reset, PARAMS), rank)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_without_seeds_all_is_zero(count: int) -> None:
    assert pagerank(linked(count, []), np.zeros(count), PARAMS).tolist() == [0] * count


def test_a_title_stands_for_the_first_passage_of_its_document() -> None:
    graph = make_graph([0, 0, 1, 2], [], [(0, 0), (0, 1), (1, 2), (2, 3), (1, 3)])
    assert title_rows(graph, [500]) == [0]
    assert title_rows(graph, [501, 501, 502]) == [2, 3]
    assert title_rows(graph, [499, 999]) == []
    assert title_rows(graph, []) == []


def test_the_walk_goes_on_to_what_a_passage_names(chain: KnowledgeBase) -> None:
    hits = graph_walk(chain, "", ["Silver Lanterns"])
    # The reset is on the first alone: each further one has less.
    assert [hit.passage.title for hit in hits] == ["Silver Lanterns", "Tomas Brandel", "Lindholm", "Skarn"]
    expected = reference(linked(4, [(0, 1), (1, 2), (2, 3)]), np.array([1.0, 0, 0, 0]))
    assert [hit.score for hit in hits] == pytest.approx(expected, abs=1e-6)


def test_names_in_the_question_seed_the_walk_besides_its_text(chain: KnowledgeBase) -> None:
    no_text = WalkParams(text_seeds=0)
    by_name = walk_scores(chain, "Who made Silver Lanterns?", (), no_text)
    np.testing.assert_allclose(by_name, walk_scores(chain, "", ("Silver Lanterns",), no_text))
    assert walk_scores(chain, "Who made it?", (), no_text).sum() == 0
    assert walk_scores(chain, "Who made it?", (), WalkParams()).sum() == pytest.approx(1)


@pytest.mark.parametrize("k", [0, -1])
def test_no_place_no_passage(chain: KnowledgeBase, k: int) -> None:
    assert graph_walk(chain, "Who made Silver Lanterns?", k=k) == []


def test_nothing_to_start_from(chain: KnowledgeBase, empty: KnowledgeBase) -> None:
    assert graph_walk(chain, "  ") == []
    assert graph_walk(chain, "", ["Zanzibar"]) == []
    assert graph_walk(empty, "Where is Skarn?") == []


def test_a_single_passage_keeps_all(single: KnowledgeBase) -> None:
    (hit,) = graph_walk(single, "Where does Skarn flow to?")
    assert hit.score == pytest.approx(1.0)
