"""The search against an exhaustive one, the score by hand, what goes on, and the paper's examples."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import combinations

import networkx as nx
import pytest
from bubble_cases import (
    LOTHAIR,
    LOTHAIR_FACTS,
    LOTHAIR_QUESTION,
    MATRIX,
    MATRIX_CONCEPTS,
    MATRIX_FACTS,
    MATRIX_QUESTION,
    fact_id,
    facts,
    names,
)  # fmt: skip
from knowledge_bases import build_file

from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorGroup, group_anchors
from tools.bubble_expansion import (
    BubbleParams,
    BubbleResult,
    EvidenceGraph,
    Search,
    _covering,
    evidence_passages,
    evidence_score,
    expand_bubbles,
)  # fmt: skip
from tools.search.closeness import Closeness


@pytest.fixture(scope="module")
def lothair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("lothair"), LOTHAIR, LOTHAIR_FACTS)) as kb:
        yield kb


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("matrix"), MATRIX, MATRIX_FACTS)) as kb:
        yield kb


HUB = {f"Spoke {at:02d}": f"Spoke {at:02d} is a part of Wheel." for at in range(40)} | {"Wheel": "Wheel is round."}
HUB_FACTS = {title: [(title, "part of", "Wheel")] for title in HUB if title != "Wheel"} | {"Wheel": []}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("hub"), HUB, HUB_FACTS)) as kb:
        yield kb


def graph(mask: int, score: float, at: int = 0) -> EvidenceGraph:
    return EvidenceGraph((at,), (), mask, 0.5, 0.0, score)


def entity(kb: KnowledgeBase, name: str) -> int:
    return kb.find_entities(name, 1)[0].entity.id


def groups_of(kb: KnowledgeBase, *named: Sequence[str]) -> list[AnchorGroup]:
    weight = 1 / len(named)
    return [AnchorGroup((one[0],), weight, {entity(kb, name): 1.0 for name in one}) for one in named]


def search(nodes: nx.Graph, bits: dict[int, int], budget: int = 10**6, states: int = 10**6) -> Search:
    found = Search(
        lambda node: sorted(nodes[node]), lambda node: float(nodes.nodes[node]["cost"]), bits, budget, states
    )
    found.run()
    return found


def cost_of(nodes: nx.Graph, tree: frozenset[int]) -> float:
    return sum(float(nodes.nodes[one]["cost"]) for one in tree)


def mask_of(tree: frozenset[int], bits: dict[int, int]) -> int:
    mask = 0
    for node in tree:
        mask |= bits.get(node, 0)
    return mask


def path(*costs: float) -> nx.Graph:
    made = nx.path_graph(len(costs))
    nx.set_node_attributes(made, dict(enumerate(costs)), "cost")
    return made


# The search ----------------------------------------------------------------------------------------------------------


def slow_cheapest(nodes: nx.Graph, bits: dict[int, int], wanted: int) -> float:
    """The cost of the cheapest connected set of nodes that touches all wanted groups, by trying every set."""
    best = math.inf
    for size in range(1, len(nodes) + 1):
        for chosen in combinations(sorted(nodes), size):
            tree = frozenset(chosen)
            if mask_of(tree, bits) & wanted == wanted and nx.is_connected(nodes.subgraph(tree)):
                best = min(best, cost_of(nodes, tree))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_finds_the_cheapest_tree_of_all_groups(seed: int) -> None:
    draw = random.Random(seed)
    nodes = nx.gnp_random_graph(8, draw.choice([0.2, 0.35, 0.6]), seed=seed)
    nx.set_node_attributes(nodes, {one: draw.randint(1, 9) / 10 for one in sorted(nodes)}, "cost")
    groups = draw.choice([2, 3])
    bits = {one: draw.randrange(1, 1 << groups) for one in draw.sample(sorted(nodes), draw.randint(2, 5))}
    wanted = mask_of(frozenset(bits), bits)
    found = search(nodes, bits)
    costs = [cost_of(nodes, one) for one in found.joined if mask_of(one, bits) == wanted]
    if wanted.bit_count() > 1:
        assert min(costs, default=math.inf) == pytest.approx(slow_cheapest(nodes, bits, wanted))
    assert all(nx.is_connected(nodes.subgraph(one)) for one in found.joined)
    assert all(nx.is_tree(nx.minimum_spanning_tree(nodes.subgraph(one))) for one in found.joined)


def test_grows_through_the_cheap_region_not_the_short_way() -> None:
    # 0 and 3 are anchors: by 1 alone it is 0.1 + 0.9 + 0.1 = 1.1, by 4 and 5 it is 0.1 + 0.2 + 0.2 + 0.1 = 0.6.
    nodes = nx.Graph([(0, 1), (1, 3), (0, 4), (4, 5), (5, 3)])
    nx.set_node_attributes(nodes, {0: 0.1, 1: 0.9, 3: 0.1, 4: 0.2, 5: 0.2}, "cost")
    found = search(nodes, {0: 1, 3: 2})
    assert found.joined[0] == {0, 3, 4, 5}


def test_a_larger_tree_with_more_groups_takes_in_the_smaller() -> None:
    # 0 -- 1 -- 2: groups 1 and 2 meet first, and are within the tree of all three.
    assert search(path(0.1, 0.1, 0.5), {0: 1, 1: 2, 2: 4}).joined[-1] == {0, 1, 2}
    assert frozenset({0, 1}) not in search(path(0.1, 0.1, 0.5), {0: 1, 1: 2, 2: 4}).joined


def test_one_state_a_node_would_lose_a_path() -> None:
    # Group 2 reaches 1 at less cost than group 1 does; both paths are needed for the tree 0-1-2 with the third at 3.
    nodes = nx.Graph([(0, 1), (1, 2), (1, 3)])
    nx.set_node_attributes(nodes, {0: 0.9, 1: 0.1, 2: 0.1, 3: 0.8}, "cost")
    assert frozenset({0, 1, 2, 3}) in search(nodes, {0: 1, 2: 2, 3: 4}).joined


def test_a_node_of_two_groups_is_a_graph() -> None:
    assert search(path(0.1), {0: 3}).joined == [frozenset({0})]


def test_anchors_of_one_group_meet_apart() -> None:
    found = search(path(0.1, 0.2, 0.1), {0: 1, 2: 1})
    assert found.joined == []
    assert found.one_group == [frozenset({0, 1, 2})]


def test_disconnected_anchors_do_not_meet() -> None:
    nodes = nx.Graph()
    nodes.add_nodes_from([0, 1], cost=0.1)
    found = search(nodes, {0: 1, 1: 2})
    assert (found.joined, found.one_group, found.truncated) == ([], [], False)


def test_stops_at_the_budget_and_at_the_limit_of_states() -> None:
    # A star with ten anchors of two groups around node 10: many pairs meet there.
    nodes = nx.star_graph(10)
    nx.set_node_attributes(nodes, {one: 0.1 + one / 100 for one in nodes}, "cost")
    bits = {one: 1 + one % 2 for one in range(1, 11)}
    assert len(search(nodes, bits, budget=1).joined) == 1
    assert search(nodes, bits, budget=1).truncated
    assert search(nodes, bits, states=3).truncated
    assert not search(nodes, bits).truncated


def test_no_anchors_no_graphs() -> None:
    assert search(path(0.1, 0.1), {}).joined == []


# The score -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cost", "missing", "alpha", "expected"),
    [
        (0.5, 0.0, 1.0, 2.0),  # 1 / 0.5
        (0.5, 0.2, 1.0, 1.63746),  # 1 / (0.5 * e^0.2) = 2 / 1.22140
        (0.5, 0.8, 1.0, 0.89866),  # 2 / 2.22554
        (0.5, 0.8, 0.0, 2.0),  # OR: what is missing does not count
        (0.5, 0.2, 5.0, 0.73576),  # AND: 2 / e
        (0.25, 1.0, 1.0, 1.47152),  # 4 / e
    ],
)
def test_score_by_hand(cost: float, missing: float, alpha: float, expected: float) -> None:
    assert evidence_score(cost, missing, alpha, 0.0) == pytest.approx(expected, abs=1e-5)


def test_score_of_a_graph_that_costs_nothing_is_finite() -> None:
    assert evidence_score(0.0, 0.0, epsilon=0.01) == pytest.approx(100.0)


def test_alpha_turns_or_into_and() -> None:
    # A covers everything at 0.6, B misses 0.3 of the weight at 0.4: they tie at alpha = ln(1.5) / 0.3 = 1.35.
    def first(alpha: float) -> str:
        return "A" if evidence_score(0.6, 0.0, alpha) > evidence_score(0.4, 0.3, alpha) else "B"

    assert [first(alpha) for alpha in (0.0, 1.0, 1.3, 1.4, 5.0)] == ["B", "B", "B", "A", "A"]


def test_a_graph_is_scored_over_all_its_nodes(lothair: KnowledgeBase) -> None:
    subject, other = entity(lothair, "Lothar II"), entity(lothair, "Gisela")
    fact = fact_id(lothair, "Lothar II mother Gisela")
    groups = [
        AnchorGroup(("Lothair II",), 0.5, {subject: 1.0}),
        AnchorGroup(("mother",), 0.3, {}, {fact: 1.0}),
        AnchorGroup(("nowhere",), 0.2),
    ]
    close = Closeness(lothair, LOTHAIR_QUESTION)
    cosines = [*close.entities([subject, other]).tolist(), float(close.triples(lothair.triples([fact]))[0])]
    found = expand_bubbles(lothair, LOTHAIR_QUESTION, groups).graphs[0]
    assert (set(found.entities), found.facts, found.mask) == ({subject, other}, (fact,), 0b11)
    assert found.cost_sem == pytest.approx(sum(1 - one for one in cosines) / 3, abs=1e-5)
    assert found.r_miss == pytest.approx(0.2)
    assert found.score == pytest.approx(1 / (found.cost_sem * math.exp(0.2) + 1e-6))
    nodes_only = expand_bubbles(lothair, LOTHAIR_QUESTION, groups, BubbleParams(fact_costs=False)).graphs[0]
    assert nodes_only.cost_sem == pytest.approx(sum(1 - one for one in cosines[:2]) / 2, abs=1e-5)


# What goes on --------------------------------------------------------------------------------------------------------


def test_a_comparison_keeps_a_graph_of_each_candidate() -> None:
    graphs = [graph(0b01, 3.0, 0), graph(0b01, 2.9, 1), graph(0b01, 2.8, 2), graph(0b10, 1.0, 3)]
    assert [one.entities for one in _covering(graphs, 2, 2)] == [(0,), (3,)]
    assert [one.entities for one in _covering(graphs, 2, 3)] == [(0,), (1,), (3,)]
    assert [one.entities for one in _covering(graphs, 2, 9)] == [(0,), (1,), (2,), (3,)]
    assert _covering(graphs, 2, 0) == ()
    assert _covering([], 2, 5) == ()


def test_both_things_compared_are_found(lothair: KnowledgeBase) -> None:
    result = expand_bubbles(
        lothair, "Who died first, Adelheid or Gisela?", groups_of(lothair, ["Adelheid"], ["Gisela"])
    )
    assert {"Adelheid", "Gisela"} <= {hit.passage.title for hit in result.hits}


def test_without_ranking_graphs_stay_as_found(matrix: KnowledgeBase) -> None:
    groups = group_anchors(matrix, MATRIX_QUESTION, MATRIX_CONCEPTS).groups
    ranked = expand_bubbles(matrix, MATRIX_QUESTION, groups)
    found = expand_bubbles(matrix, MATRIX_QUESTION, groups, BubbleParams(rank=False))
    scores = [one.score for one in ranked.graphs]
    assert scores == sorted(scores, reverse=True)
    assert {one.entities for one in found.graphs} == {one.entities for one in ranked.graphs}
    assert [one.entities for one in found.graphs] != [one.entities for one in ranked.graphs]


def test_passages_of_facts_and_own_documents(lothair: KnowledgeBase) -> None:
    fact = fact_id(lothair, "Lothar II mother Gisela")
    subject, other = entity(lothair, "Lothar II"), entity(lothair, "Gisela")
    hits = evidence_passages(lothair, LOTHAIR_QUESTION, [EvidenceGraph((subject, other), (fact,), 1, 0.5, 0.0, 2.0)])
    close = Closeness(lothair, LOTHAIR_QUESTION)
    expected = {hit.passage.id: float(close.passages([hit.passage.id])[0]) for hit in hits}
    assert {hit.passage.title for hit in hits} == {"Lothar II", "Gisela"}
    assert all(hit.score == pytest.approx(expected[hit.passage.id], abs=1e-6) for hit in hits)
    # The fact's source alone counts three quarters.
    alone = evidence_passages(lothair, LOTHAIR_QUESTION, [EvidenceGraph((), (fact,), 1, 0.5, 0.0, 2.0)])
    assert [hit.passage.title for hit in alone] == ["Lothar II"]
    assert alone[0].score == pytest.approx(0.75 * expected[alone[0].passage.id], abs=1e-6)
    assert evidence_passages(lothair, LOTHAIR_QUESTION, []) == ()


# The paper's examples ------------------------------------------------------------------------------------------------


def test_lothairs_mother(lothair: KnowledgeBase) -> None:
    # Section 2.3, example 2: Lothair II -mother-> Gisela -died-> 860 AD.
    result = expand_bubbles(lothair, LOTHAIR_QUESTION)
    assert result.connected
    assert names(lothair, result.graphs[0].entities) == {"Lothar II", "Gisela", "860 AD"}
    assert facts(lothair, result.graphs[0].facts) == {"Lothar II mother Gisela", "Gisela died in 860 AD"}
    assert result.graphs[0].r_miss == pytest.approx(0.0)
    assert {hit.passage.title for hit in result.hits[:2]} == {"Lothar II", "Gisela"}


def test_the_matrix_not_john_wick(matrix: KnowledgeBase) -> None:
    # Figure 3: both actors and the movie are joined by The Matrix; John Wick 2 has only one of them.
    result = expand_bubbles(matrix, MATRIX_QUESTION, group_anchors(matrix, MATRIX_QUESTION, MATRIX_CONCEPTS).groups)
    best = names(matrix, result.graphs[0].entities)
    assert {"The Matrix", "K. Reeves", "Laurence Fishburne"} <= best
    assert "John Wick 2" not in best
    assert result.hits[0].passage.title == "The Matrix"


# Edges of the input --------------------------------------------------------------------------------------------------


def test_anchors_that_never_meet_stand_alone(lothair: KnowledgeBase) -> None:
    result = expand_bubbles(lothair, "x", groups_of(lothair, ["Lothar II"], ["Salt Road"]))
    assert not result.connected
    assert [names(lothair, one.entities) for one in result.graphs] in (
        [{"Lothar II"}, {"Salt Road"}], [{"Salt Road"}, {"Lothar II"}],
    )  # fmt: skip
    assert {hit.passage.title for hit in result.hits} == {"Lothar II", "Salt Road"}


def test_a_group_that_no_graph_touches_stands_alone(lothair: KnowledgeBase) -> None:
    result = expand_bubbles(lothair, "x", groups_of(lothair, ["Lothar II"], ["Gisela"], ["Salt Road"]))
    assert result.connected
    assert {"Salt Road"} in [names(lothair, one.entities) for one in result.graphs]


def test_hops_limit_how_far_anchors_may_be(lothair: KnowledgeBase) -> None:
    # Lotharingia and 860 AD are three facts apart; each goes one of them, and the fact between is in no one's reach.
    groups = groups_of(lothair, ["Lotharingia"], ["860 AD"])
    assert expand_bubbles(lothair, "x", groups).connected
    assert not expand_bubbles(lothair, "x", groups, BubbleParams(hops=1)).connected


def test_a_hub_is_bounded(hub: KnowledgeBase) -> None:
    groups = groups_of(hub, ["Spoke 03"], ["Spoke 31"])
    result = expand_bubbles(hub, "What are Spoke 03 and Spoke 31 parts of?", groups)
    assert {"Spoke 03", "Spoke 31", "Wheel"} in [names(hub, one.entities) for one in result.graphs]
    narrow = expand_bubbles(hub, "x", groups_of(hub, ["Wheel"], ["Spoke 39"]), BubbleParams(max_facts=2, max_states=50))
    # Of the hub's facts two are followed: no graph holds more than them, the hub and the other anchor.
    assert max(len(one.entities) for one in narrow.graphs) <= 4
    assert expand_bubbles(hub, "x", groups, BubbleParams(max_states=1)).truncated


@pytest.mark.parametrize("question", ["", "  ", "?", "zzyzx", "日本", "Who?", LOTHAIR_QUESTION])
def test_any_question_has_a_sane_result(lothair: KnowledgeBase, question: str) -> None:
    result = expand_bubbles(lothair, question)
    assert expand_bubbles(lothair, question) == result
    assert len({hit.passage.id for hit in result.hits}) == len(result.hits) <= 15
    # What names nothing and says nothing finds nothing; no question finds graphs without passages.
    assert bool(result.hits) >= bool(result.graphs)
    if not question.strip():
        assert result == BubbleResult((), (), False, False, ())


def test_an_empty_file(empty: KnowledgeBase) -> None:
    nothing = BubbleResult((), (), False, False, ())
    assert expand_bubbles(empty, "") == nothing
    assert expand_bubbles(empty, LOTHAIR_QUESTION).hits == ()
    assert expand_bubbles(empty, LOTHAIR_QUESTION, []).graphs == ()


def test_unknown_ids_are_left_out(lothair: KnowledgeBase) -> None:
    strangers = [AnchorGroup(("x",), 0.5, {1: 1.0}, {2: 1.0}), *groups_of(lothair, ["Gisela"])]
    result = expand_bubbles(lothair, "x", strangers)
    assert [names(lothair, one.entities) for one in result.graphs] == [{"Gisela"}]
    assert expand_bubbles(lothair, "x", strangers[:1]).graphs == ()
    assert evidence_passages(lothair, "x", [EvidenceGraph((1,), (2,), 1, 0.5, 0.0, 2.0)]) == ()


def test_an_answered_question_keeps_the_passages_found_first(lothair: KnowledgeBase) -> None:
    result = expand_bubbles(lothair, "When did Gisela die?")
    assert result.graphs == ()
    assert "Gisela" in {hit.passage.title for hit in result.hits}


# Ties ----------------------------------------------------------------------------------------------------------------


def test_graphs_of_one_cost_that_differ_in_one_end_are_one() -> None:
    # Groups: {0}, {1, 2, 3}, {5}. Node 0 joins 1, 2, 3 (0.2 each) and, over 4 (0.3), 5 (0.1): three ends that tie at
    # 0.1 + 0.2, and one graph over 4 that has no like.
    nodes = nx.Graph([(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)])
    nx.set_node_attributes(nodes, {0: 0.1, 1: 0.2, 2: 0.2, 3: 0.2, 4: 0.3, 5: 0.1}, "cost")
    bits = {0: 1, 1: 2, 2: 2, 3: 2, 5: 4}

    def joined(budget: int, fuse: bool) -> list[set[int]]:
        found = Search(
            lambda node: sorted(nodes[node]), lambda node: float(nodes.nodes[node]["cost"]), bits, budget, 1000, fuse
        )
        found.run()
        return [set(one) for one in found.joined]

    # As printed they take three of three places.
    assert joined(3, fuse=False) == [{0, 1}, {0, 2}, {0, 3}]
    # As one they take one, and leave room for what goes on to 5.
    fused = joined(2, fuse=True)
    assert fused[0] == {0, 1, 2, 3}
    assert {0, 4, 5} <= fused[1]


def test_graphs_that_share_nothing_or_cost_another_sum_stay_apart() -> None:
    # 0 - 1 and 2 - 3 tie and share no node; 0 - 4 shares one and costs more.
    nodes = nx.Graph([(0, 1), (2, 3), (0, 4)])
    nx.set_node_attributes(nodes, {0: 0.1, 1: 0.2, 2: 0.1, 3: 0.2, 4: 0.5}, "cost")
    found = Search(
        lambda node: sorted(nodes[node]), lambda node: float(nodes.nodes[node]["cost"]),
        {0: 1, 2: 1, 1: 2, 3: 2, 4: 2}, 10, 1000, True,
    )  # fmt: skip
    found.run()
    assert [set(one) for one in found.joined] == [{0, 1}, {2, 3}, {0, 4}]
