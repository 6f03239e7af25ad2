"""The tiers, the seeds and the walk on a graph with changed rows by hand; the whole against a slow
reference; and Marie Curie's advisor (CatRAG, section 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from knowledge_bases import build_file, passage_id
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kb.graph.fact_graph import FactGraph
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.edge_scoring import (
    EdgeScoringParams,
    EdgeScoringResult,
    Tier,
    _Steering,
    pagerank,
    seed_weights,
    tier_of,
    walk_scored_edges,
)
from tools.judgements.judge import Edge
from tools.judgements.offline_judge import OfflineJudge
from tools.presets import preset
from tools.search.entity_lookup import named_in
from tools.triple_scoring.triple_scorer import score_triples

CURIE = {
    "Marie Curie": "Marie Curie's doctoral advisor was Gabriel Lippmann. She worked on radioactivity in Paris.",
    "Gabriel Lippmann": "Gabriel Lippmann attended a university, the École Normale Supérieure.",
    "Radioactivity": "Radioactivity is the decay of nuclei. Marie Curie coined the word.",
    "Henri Becquerel": "Henri Becquerel discovered radioactivity. Marie Curie shared his prize.",
    "Polonium": "Polonium shows radioactivity. Marie Curie discovered it.",
    "Radium": "Radium shows radioactivity. Marie Curie discovered it too.",
    "Pierre Curie": "Pierre Curie worked on radioactivity. He married Marie Curie.",
    "Thorium": "Thorium shows radioactivity, as Marie Curie found.",
    "Lake Skarn": "Lake Skarn lies in the north.",
}
CURIE_FACTS = {
    "Marie Curie": [
        ("Marie Curie", "doctoral advisor", "Gabriel Lippmann"),
        ("Marie Curie", "worked on", "Radioactivity"),
    ],
    "Gabriel Lippmann": [("Gabriel Lippmann", "attended university", "École Normale Supérieure")],
    "Radioactivity": [("Marie Curie", "coined the word", "Radioactivity")],
    "Henri Becquerel": [
        ("Henri Becquerel", "discovered", "Radioactivity"),
        ("Marie Curie", "shared the prize of", "Henri Becquerel"),
    ],
    "Polonium": [("Polonium", "shows", "Radioactivity"), ("Marie Curie", "discovered", "Polonium")],
    "Radium": [("Radium", "shows", "Radioactivity"), ("Marie Curie", "discovered", "Radium")],
    "Pierre Curie": [("Pierre Curie", "worked on", "Radioactivity"), ("Pierre Curie", "married", "Marie Curie")],
    "Thorium": [("Thorium", "shows", "Radioactivity"), ("Marie Curie", "found", "Radioactivity")],
    "Lake Skarn": [("Lake Skarn", "lies in", "north")],
}
"""Marie Curie has nine facts, three of them with the hub, one with her advisor."""
QUESTION = "Which university did Marie Curie's doctoral advisor attend?"
PUBLISHED = preset("edge_scoring", "published")
STATIC = preset("edge_scoring", "hipporag2")


@pytest.fixture(scope="module")
def curie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("curie"), CURIE, CURIE_FACTS)) as kb:
        yield kb


class ScriptedJudge(OfflineJudge):
    """Keeps the facts whose relation has the word, scores edges by their relations, 1 for the rest."""

    def __init__(self, kb: KnowledgeBase, keeps: str = "", scores: Mapping[str, float] | None = None) -> None:
        super().__init__(kb)
        self.keeps = keeps
        self.scores = scores or {}
        self.asked: list[Edge] = []
        self.trusted: list[Triple] = []

    def filter_facts(self, question: str, facts: Sequence[Triple]) -> tuple[int, ...]:
        return tuple(fact.id for fact in facts if self.keeps in fact.relation)

    def score_edges(self, question: str, edges: Sequence[Edge], facts: Sequence[Triple] = ()) -> tuple[float, ...]:
        self.asked += edges
        self.trusted += facts
        return tuple(max(self.scores.get(fact.relation, 1.0) for fact in edge.facts) for edge in edges)


def advisor_judge(kb: KnowledgeBase) -> ScriptedJudge:
    return ScriptedJudge(kb, "advisor", {"doctoral advisor": 9.0, "attended university": 10.0})


def make_graph(facts: Sequence[tuple[int, int, int]], contexts: Sequence[tuple[int, int]]) -> FactGraph:
    """A graph from (head, tail, passage) and (entity, passage) rows, whose ids are the rows."""
    table = np.array(facts, dtype=np.int64).reshape(-1, 3)
    pairs = np.array(sorted(contexts), dtype=np.int64).reshape(-1, 2)
    none = np.zeros((0, 2), dtype=np.int64)
    return FactGraph(
        entities=np.arange(pairs[:, 0].max() + 1),
        passages=np.arange(pairs[:, 1].max() + 1),
        facts=np.arange(len(table)),
        heads=table[:, 0],
        tails=table[:, 1],
        fact_passages=table[:, 2],
        fact_sentences=np.arange(len(table)),
        synonyms=none,
        similarities=np.zeros(0, dtype=np.float32),
        contexts=pairs,
        abouts=none,
        named=np.zeros(0, dtype=np.int64),
        name_vectors=np.zeros((0, 0), dtype=np.float32),
    )


def probability(kb: KnowledgeBase, result: EdgeScoringResult, name: str) -> float:
    """Of an entity."""
    row = kb.fact_graph.entity_rows([kb.find_entities(name, 1)[0].entity.id])[0]
    return float(result.probabilities[row])


def documents(result: EdgeScoringResult) -> list[str]:
    return [hit.passage.document for hit in result.hits]


# -- tiers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "tier", "weight"),
    [
        (0, "irrelevant", 0.0), (3, "irrelevant", 0.0), (3.4, "irrelevant", 0.0),
        (3.5, "weak", 0.2), (4, "weak", 0.2), (5, "weak", 0.25), (6, "weak", 0.3),
        (6.5, "high", 2.0), (7, "high", 2.0), (8, "high", 2.5), (9, "high", 3.0), (9.4, "high", 3.0),
        (9.5, "direct", 5.0), (10, "direct", 5.0), (-1, "irrelevant", 0.0), (99, "direct", 5.0),
    ],
)  # fmt: skip
def test_phi(score: float, tier: Tier, weight: float) -> None:
    assert tier_of(score) == (tier, weight)


# -- seeds ------------------------------------------------------------------------------------------------------------


def test_seed_weights_by_hand() -> None:
    # Entity 0 is in facts of 0.8 and 0.4 and in 3 passages: 0.6 / 3. Entity 1: 0.8 / 1. Entity 2: 0.4 / 2.
    graph = make_graph([(0, 1, 0), (2, 0, 1)], [(0, 0), (0, 1), (0, 2), (1, 0), (2, 1), (2, 3)])
    weights = seed_weights(graph, np.array([0, 1]), np.array([0.8, 0.4]), 5)
    assert weights == pytest.approx({1: 0.8, 0: 0.2, 2: 0.2})
    assert list(weights) == [1, 0, 2]  # ties by id
    assert list(seed_weights(graph, np.array([0, 1]), np.array([0.8, 0.4]), 2)) == [1, 0]


def test_a_fact_of_an_entity_with_itself_counts_once() -> None:
    graph = make_graph([(0, 0, 0)], [(0, 0)])
    assert seed_weights(graph, np.array([0]), np.array([0.5]), 5) == {0: 0.5}


def test_no_facts_give_no_seeds() -> None:
    graph = make_graph([(0, 1, 0)], [(0, 0), (1, 0)])
    assert seed_weights(graph, np.zeros(0, dtype=np.int64), np.zeros(0), 5) == {}


# -- the walk on a matrix with changed rows ---------------------------------------------------------------------------


def test_pagerank_by_hand() -> None:
    # 0 points to 1 with 1 and to 2 with 3, which lead nowhere; all starts at 0, half goes on. What stands at 1 and 2
    # goes back to 0: x1 = x0 / 8, x2 = 3 x0 / 8, so x0 = 2 / 3.
    base = csr_array(np.array([[0, 1, 3], [0, 0, 0], [0, 0, 0]], dtype=np.float64))
    reset = np.array([2.0, 0, 0])
    assert pagerank(base, {}, reset, 0.5) == pytest.approx([2 / 3, 1 / 12, 1 / 4], abs=1e-8)
    # With the row changed to 3 and 1, the shares change places.
    assert pagerank(base, {0: {1: 3.0, 2: 1.0}}, reset, 0.5) == pytest.approx([2 / 3, 1 / 4, 1 / 12], abs=1e-8)
    # With a row that leads nowhere, all stays at the start.
    assert pagerank(base, {0: {1: 0.0}}, reset, 0.5) == pytest.approx([1, 0, 0], abs=1e-8)
    assert pagerank(base, {0: {}}, reset, 0.5) == pytest.approx([1, 0, 0], abs=1e-8)


def test_pagerank_of_nothing() -> None:
    base = csr_array(np.ones((2, 2)))
    assert pagerank(base, {}, np.zeros(2), 0.5).tolist() == [0, 0]


def reference_pagerank(matrix: NDArray[np.float64], reset: NDArray[np.float64], damping: float) -> list[float]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(matrix)))
    for a, b in zip(*np.nonzero(matrix), strict=True):
        graph.add_edge(int(a), int(b), weight=float(matrix[a, b]))
    start = {at: float(one) for at, one in enumerate(reset)}
    found = nx.pagerank(graph, damping, start, 1000, 1e-13, dangling=start)
    return [found[at] for at in range(len(matrix))]


@pytest.mark.parametrize("seed", range(12))
def test_pagerank_matches_networkx(seed: int) -> None:
    """Symmetric and not, disconnected, dangling, with a hub; rows changed or emptied."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 15))
    matrix = random.random((count, count)) * (random.random((count, count)) < 0.2)
    matrix[0] = 1.0 if seed % 3 == 0 else matrix[0]
    changed = random.choice(count, int(random.integers(0, count + 1)), replace=False).tolist()
    replaced = {row: {} if row % 3 == 1 else dict(enumerate(random.random(count).tolist())) for row in changed}
    reset = random.random(count) * (random.random(count) < 0.5)
    reset[0] += 0.1
    whole = matrix.copy()
    for row, weights in replaced.items():
        whole[row] = [weights.get(column, 0.0) for column in range(count)]
    found = pagerank(csr_array(matrix), replaced, reset, 0.5)
    assert found == pytest.approx(reference_pagerank(whole, reset, 0.5), abs=1e-6)
    assert found.sum() == pytest.approx(1)


# -- the whole, against a slow reference ------------------------------------------------------------------------------


def reference(
    kb: KnowledgeBase, question: str, result: EdgeScoringResult, params: EdgeScoringParams
) -> dict[int, float]:
    """Probability by passage id: networkx over a graph made edge by edge from the records, with the seeds, the verified
    facts and the edge weights that the result reports.
    """
    graph: nx.DiGraph[tuple[str, int]] = nx.DiGraph()
    passages = [passage for key, *_ in kb.documents() for passage in kb.document_passages(key)]
    triples = kb.passage_triples([passage.id for passage in passages])
    named = {(entity, passage) for passage, _, _, entity in kb.passage_mentions([one.id for one in passages])}
    named |= {(end, fact.passage) for fact in triples for end in (fact.head, fact.tail)}
    for entity, passage in named:
        graph.add_edge(("e", entity), ("p", passage), weight=1.0)
        graph.add_edge(("p", passage), ("e", entity), weight=1.0)
    scored = {(edge.source.id, edge.target.id): edge.weight for edge in result.edges}
    starts = {seed.entity.id for seed in result.seeds if not seed.is_anchor}
    for fact in triples:
        for a, b in ((fact.head, fact.tail), (fact.tail, fact.head)):
            static = 0.2 if params.weigh_edges and a in starts else 1.0
            if a != b and (a, b) not in scored:
                before = graph.get_edge_data(("e", a), ("e", b), {"weight": 0.0})["weight"]
                graph.add_edge(("e", a), ("e", b), weight=before + static)
    for (a, b), weight in scored.items():
        graph.add_edge(("e", a), ("e", b), weight=weight)
    rows = kb.fact_graph
    for pair, cosine in zip(rows.synonyms.tolist(), rows.similarities.tolist(), strict=True):
        for a, b in (pair, pair[::-1]):
            ends = ("e", int(rows.entities[a])), ("e", int(rows.entities[b]))
            before = graph.get_edge_data(*ends, {"weight": 0.0})["weight"]
            graph.add_edge(*ends, weight=before + 2.0 * cosine)
    for entity, row in rows.abouts.tolist():
        ends = ("e", int(rows.entities[entity])), ("p", int(rows.passages[row]))
        before = graph.get_edge_data(*ends, {"weight": 0.0})["weight"]
        graph.add_edge(*ends, weight=before + params.own_passage)
    boosted = {(end, fact.passage) for fact in result.facts for end in (fact.head, fact.tail) if end in starts}
    for entity, passage in boosted if params.key_facts else ():
        # The mention's edge of 1 becomes 3.5; the one to an entity's own passage stays as it is.
        graph[("e", entity)][("p", passage)]["weight"] += 2.5
    cosines = kb.passage_vectors([one.id for one in passages]) @ kb.embed([question])[0]
    normal = (cosines - cosines.min()) / (cosines.max() - cosines.min())
    reset = {
        ("p", one.id): 0.05 * float(x) ** params.passage_sharpness for one, x in zip(passages, normal, strict=True)
    }
    reset |= {("e", seed.entity.id): seed.weight for seed in result.seeds}
    found = nx.pagerank(graph, 0.5, reset, 1000, 1e-13, dangling=reset)
    return {one.id: found[("p", one.id)] for one in passages}


VARIANTS = {
    "default": EdgeScoringParams(),
    "published": PUBLISHED,
    "no anchors": replace(PUBLISHED, symbolic_anchors=False),
    "no weighting": replace(PUBLISHED, weigh_edges=False),
    "no key facts": replace(PUBLISHED, key_facts=False),
    "no filter": replace(PUBLISHED, filter_facts=False),
    "pruned": replace(PUBLISHED, scored_edges=2),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("at", range(3), ids=["curie", "town", "cases"])
def test_the_walk_matches_the_reference(
    curie: KnowledgeBase, town: KnowledgeBase, cases: KnowledgeBase, at: int, variant: str
) -> None:
    kb = (curie, town, cases)[at]
    question = QUESTION if kb is curie else "Where was the keeper of the Tower of London born?"
    judge = ScriptedJudge(kb, scores={"doctoral advisor": 9.0, "discovered": 5.0, "location": 10.0})
    result = walk_scored_edges(kb, question, 1000, VARIANTS[variant], judge)
    expected = reference(kb, question, result, VARIANTS[variant])
    assert result.probabilities.sum() == pytest.approx(1)
    assert result.probabilities[len(kb.fact_graph.entities) :].sum() == pytest.approx(sum(expected.values()), abs=1e-6)
    found = dict.fromkeys(expected, 0.0) | {hit.passage.id: hit.score for hit in result.hits}
    assert found == pytest.approx(expected, abs=1e-6)


# -- the parts of the result ------------------------------------------------------------------------------------------


def test_marie_curies_advisor(curie: KnowledgeBase) -> None:
    # Of her facts three lead to radioactivity and one to her advisor: unsteered the walk goes on to the hub. Scored 9
    # and 1, the one edge weighs 3 * 1 and the other 0 * 3; the advisor's to his university, scored 10, weighs 5 * 1.
    judge = advisor_judge(curie)
    static = walk_scored_edges(curie, QUESTION, params=STATIC, judge=judge)
    aware = walk_scored_edges(curie, QUESTION, params=PUBLISHED, judge=judge)
    assert static.edges == ()
    assert probability(curie, static, "Radioactivity") > probability(curie, static, "École Normale Supérieure")
    assert probability(curie, aware, "Radioactivity") < probability(curie, aware, "École Normale Supérieure")
    weights = {(edge.source.name, edge.target.name): (edge.tier, edge.weight) for edge in aware.edges}
    assert weights["Marie Curie", "Gabriel Lippmann"] == ("high", 3.0)
    assert weights["Marie Curie", "Radioactivity"] == ("irrelevant", 0.0)
    assert weights["Gabriel Lippmann", "École Normale Supérieure"] == ("direct", 5.0)
    assert set(documents(aware)[:2]) == {"Marie Curie", "Gabriel Lippmann"}


def test_the_steered_walk_leaves_the_hubs(curie: KnowledgeBase) -> None:
    judge = advisor_judge(curie)
    static = walk_scored_edges(curie, QUESTION, params=STATIC, judge=judge)
    aware = walk_scored_edges(curie, QUESTION, params=PUBLISHED, judge=judge)
    hub = int(np.argmax(curie.fact_graph.adjacency.sum(axis=1)))
    assert aware.probabilities[hub] < static.probabilities[hub]


def test_the_advisor_is_found_without_a_model(curie: KnowledgeBase) -> None:
    result = walk_scored_edges(curie, QUESTION)
    assert probability(curie, result, "Radioactivity") < probability(curie, result, "École Normale Supérieure")
    assert set(documents(result)[:3]) > {"Marie Curie", "Gabriel Lippmann"}
    assert documents(result)[0] == "Gabriel Lippmann"


def test_only_verified_facts_give_seeds(curie: KnowledgeBase) -> None:
    params = replace(PUBLISHED, symbolic_anchors=False)
    result = walk_scored_edges(curie, QUESTION, params=params, judge=ScriptedJudge(curie, "doctoral advisor"))
    assert [fact.text() for fact in result.facts] == ["Marie Curie doctoral advisor Gabriel Lippmann"]
    cosine = float((curie.sentence_vectors.cosines([result.facts[0].sentence_id], curie.embed([QUESTION])))[0, 0])
    # Two passages name Lippmann, seven Marie Curie.
    counts = {"Gabriel Lippmann": 2, "Marie Curie": 7}
    assert {seed.entity.name: seed.weight for seed in result.seeds} == pytest.approx(
        {name: cosine / count for name, count in counts.items()}, rel=1e-5
    )
    assert [seed.entity.name for seed in result.seeds] == ["Gabriel Lippmann", "Marie Curie"]
    assert {edge.source.name for edge in result.edges} == set(counts)


def test_a_judge_that_keeps_nothing_leaves_the_names_and_the_text(curie: KnowledgeBase) -> None:
    result = walk_scored_edges(curie, QUESTION, params=PUBLISHED, judge=ScriptedJudge(curie, "no such relation"))
    assert (result.facts, result.edges) == ((), ())
    # 0.2 over seven passages.
    assert [(seed.entity.name, seed.is_anchor) for seed in result.seeds] == [("Marie Curie", True)]
    assert result.seeds[0].weight == pytest.approx(0.2 / 7)
    assert documents(result)[0] == "Marie Curie"


def test_the_filter_can_be_switched_off(curie: KnowledgeBase) -> None:
    params = replace(PUBLISHED, filter_facts=False)
    result = walk_scored_edges(curie, QUESTION, params=params, judge=ScriptedJudge(curie, "no such relation"))
    assert len(result.facts) == 5


def test_anchors_can_be_switched_off(curie: KnowledgeBase) -> None:
    judge = ScriptedJudge(curie, "no such relation")
    assert walk_scored_edges(curie, QUESTION, params=STATIC, judge=judge).seeds == ()


def test_only_the_closest_neighbours_are_scored(curie: KnowledgeBase) -> None:
    judge = advisor_judge(curie)
    result = walk_scored_edges(curie, QUESTION, params=replace(PUBLISHED, scored_edges=2), judge=judge)
    of_curie = [edge.target.name for edge in judge.asked if edge.source.name == "Marie Curie"]
    assert len(of_curie) == 2
    assert "Gabriel Lippmann" in of_curie
    assert len(result.edges) == len(judge.asked)


def test_a_sparse_neighbour_is_judged_by_its_facts_and_a_dense_one_by_a_summary(curie: KnowledgeBase) -> None:
    judge = advisor_judge(curie)
    # A fact has three words at least, so that a summary of ten holds three of the hub's eight, at most.
    params = replace(PUBLISHED, dense_entity=3, summary_tokens=10)
    walk_scored_edges(curie, QUESTION, params=params, judge=judge)
    contexts = {edge.target.name: edge.context for edge in judge.asked if edge.source.name == "Marie Curie"}
    assert {fact.relation for fact in contexts["Polonium"]} == {"shows", "discovered"}
    hub = contexts["Radioactivity"]
    assert 1 <= len(hub) <= 3
    assert sum(len(fact.text().split()) for fact in hub) <= 10
    cosines = curie.sentence_vectors.cosines([fact.sentence_id for fact in hub], curie.embed([QUESTION]))[:, 0]
    assert cosines.tolist() == sorted(cosines.tolist(), reverse=True)


def test_key_facts_pull_towards_their_passage(curie: KnowledgeBase) -> None:
    judge = advisor_judge(curie)
    on = walk_scored_edges(curie, QUESTION, params=PUBLISHED, judge=judge)
    off = walk_scored_edges(curie, QUESTION, params=replace(PUBLISHED, key_facts=False), judge=judge)
    at = passage_id(curie, "Marie Curie")
    scores = [{hit.passage.id: hit.score for hit in one.hits}[at] for one in (on, off)]
    assert scores[0] > scores[1]
    assert on.hits[0].why == "Marie Curie doctoral advisor Gabriel Lippmann"


def test_a_key_fact_leaves_the_edge_to_the_own_passage_alone(curie: KnowledgeBase) -> None:
    # Marie Curie's advisor is told in her own document. Of her edges' weights there: the mention 1, times 3.5 for the
    # key fact, and 10 for the own passage: 13.5, not 3.5 * 11 = 38.5.
    params = replace(PUBLISHED, own_passage=10.0)
    steering = _Steering(curie, QUESTION, params, advisor_judge(curie))
    graph = curie.fact_graph
    (row,) = graph.entity_rows([curie.find_entities("Marie Curie", 1)[0].entity.id]).tolist()
    place = next(at for at, one in enumerate(curie.triples(graph.facts.tolist())) if one.relation == "doctoral advisor")
    replaced = steering._replaced(steering._base(), {row: 1.0}, [], np.array([place]))
    at = len(graph.entities) + int(graph.passage_rows([passage_id(curie, "Marie Curie")])[0])
    assert replaced[row][at] == pytest.approx(13.5)


def test_edges_are_judged_with_the_facts_that_were_verified(curie: KnowledgeBase) -> None:
    judge = advisor_judge(curie)
    result = walk_scored_edges(curie, QUESTION, params=PUBLISHED, judge=judge)
    assert [fact.text() for fact in judge.trusted] == ["Marie Curie doctoral advisor Gabriel Lippmann"]
    assert judge.trusted == list(result.facts)


def test_an_own_passage_gains_by_its_weight(curie: KnowledgeBase) -> None:
    judge = advisor_judge(curie)
    plain = walk_scored_edges(curie, QUESTION, params=PUBLISHED, judge=judge)
    own = walk_scored_edges(curie, QUESTION, params=replace(PUBLISHED, own_passage=30.0), judge=judge)
    at = passage_id(curie, "Gabriel Lippmann")
    scores = [{hit.passage.id: hit.score for hit in one.hits}[at] for one in (own, plain)]
    assert scores[0] > scores[1]


# -- edges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_finds_nothing(curie: KnowledgeBase, question: str) -> None:
    assert walk_scored_edges(curie, question) == EdgeScoringResult()


@pytest.mark.parametrize("question", ["zzz qqq", "?", "Marie Curie " * 300])
@pytest.mark.parametrize("params", [PUBLISHED, EdgeScoringParams()])
def test_an_odd_question_is_walked_all_the_same(curie: KnowledgeBase, question: str, params: EdgeScoringParams) -> None:
    result = walk_scored_edges(curie, question, params=params)
    assert (result.probabilities >= 0).all()
    assert result.probabilities.sum() == pytest.approx(1)
    assert all(seed.weight >= 0 for seed in result.seeds)


def test_an_empty_file_gives_nothing(empty: KnowledgeBase) -> None:
    assert walk_scored_edges(empty, QUESTION) == EdgeScoringResult()


def test_a_single_passage_is_found(single: KnowledgeBase) -> None:
    assert documents(walk_scored_edges(single, "Where does Skarn flow?")) == ["Skarn"]


@pytest.mark.parametrize("k", [-1, 0])
def test_no_passages_on_demand(curie: KnowledgeBase, k: int) -> None:
    assert walk_scored_edges(curie, QUESTION, k).hits == ()


def test_the_trained_scorer_picks_the_facts_to_start_from(curie: KnowledgeBase) -> None:
    params = replace(EdgeScoringParams(), filter_facts=False, facts=2)
    picked, closest = (walk_scored_edges(curie, QUESTION, params=replace(params, rescored=one)) for one in (40, 0))
    named = [entity for span in named_in(curie, "Marie Curie") for entity in span.entities]
    every = [fact for row in CURIE_FACTS for fact in curie.passage_triples([passage_id(curie, row)])]
    for result, values in (
        (picked, score_triples(curie, QUESTION, every, named)),
        (closest, curie.sentence_vectors.cosines([one.sentence_id for one in every], curie.embed([QUESTION]))[:, 0]),
    ):
        best = sorted(zip(values.tolist(), every, strict=True), key=lambda one: (-one[0], one[1].id))[:2]
        assert [fact.id for fact in result.facts] == [fact.id for _, fact in best]


def test_the_same_every_time(curie: KnowledgeBase) -> None:
    first, second = (walk_scored_edges(curie, QUESTION) for _ in range(2))
    assert first == second
    assert first.probabilities.tolist() == second.probabilities.tolist()


def test_nothing_is_scored_where_no_seed_or_edge_is_wanted(curie: KnowledgeBase) -> None:
    for params in (replace(PUBLISHED, seeds=0), replace(PUBLISHED, facts=0), replace(PUBLISHED, scored_edges=0)):
        judge = advisor_judge(curie)
        result = walk_scored_edges(curie, QUESTION, params=params, judge=judge)
        assert (result.edges, judge.asked) == ((), [])
        assert result.hits
