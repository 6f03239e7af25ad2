from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import networkx
import numpy as np
import pytest
from knowledge_bases import build_file, titles
from numpy.typing import NDArray
from path_graphs import GivenCloseness, closeness, make_fact_graph

from kb.graph.fact_graph import FactGraph
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.path_search import Path, PathParams, PathResult, _Scores, _Search, facts_near, path_texts, search_paths

QUESTION = "Which actress had roles in the movies 'Janie Jones' and 'Signs'?"
FILMS = {
    "Janie Jones": "Janie Jones is a drama film starring Abigail Breslin and Alessandro Nivola.",
    "Signs": "Signs is a film starring Mel Gibson and Abigail Breslin. It is set on a farm.",
    "Abigail Breslin": "She was born in New York.",
    "Caro Jones": "Caro Jones was a casting director for movies and actresses.",
    "Shirley Jones": "Shirley Jones is an actress who had roles in many movies.",
    "Madison Jones": "Madison Jones was a novelist.",
}
FILM_FACTS = {
    "Janie Jones": [("Janie Jones", "cast", "Abigail Breslin"), ("Janie Jones", "cast", "Alessandro Nivola")],
    "Signs": [("Signs", "cast", "Mel Gibson"), ("Signs", "cast", "Abigail Breslin"), ("Signs", "set on", "farm")],
    "Abigail Breslin": [("Abigail Breslin", "born in", "New York")],
    "Caro Jones": [("Caro Jones", "occupation", "casting director")],
    "Shirley Jones": [("Shirley Jones", "occupation", "actress")],
    "Madison Jones": [("Madison Jones", "occupation", "novelist")],
}
"""The paper's case study (appendix D): text search falls for the name, the graph finds who joins the two films."""


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("films"), FILMS, FILM_FACTS)) as kb:
        yield kb


def run(graph: FactGraph, given: GivenCloseness, seeds: list[int], **params: Any) -> tuple[list[Path], dict[int, Path]]:
    kept, visited = _Search(graph, _Scores(given.entity_rows, given.fact_rows), PathParams(**params)).run(seeds)
    return list(kept), visited


def slow_search(
    graph: FactGraph, scores: list[float], seeds: list[int], width: int, depth: int
) -> tuple[list[tuple[int, ...]], dict[int, tuple[tuple[int, ...], float]]]:
    """Algorithm 1 as printed, over a networkx graph, with the paths kept at every depth, each in one direction."""
    joined = networkx.Graph(list(zip(graph.heads.tolist(), graph.tails.tolist(), strict=True)))
    joined.add_nodes_from(range(len(graph.entities)))
    current: list[tuple[int, ...]] = [(one,) for one in seeds]
    memory: dict[int, tuple[tuple[int, ...], float]] = {one: ((one,), 1.0) for one in seeds}
    kept: list[tuple[int, ...]] = []
    for _ in range(depth):
        candidates = []
        for path in current:
            for neighbour in sorted(joined[path[-1]], key=lambda one: (-scores[one], one)):
                if neighbour not in path:
                    candidates.append((*path, neighbour))
                    if neighbour not in memory or scores[neighbour] > memory[neighbour][1]:
                        memory[neighbour] = ((*path, neighbour), scores[neighbour])
        current = sorted(candidates, key=lambda path: (-scores[path[-1]], len(path), path))[:width]
        kept += current
    kept.sort(key=lambda path: (-scores[path[-1]], len(path), path))
    return [path for at, path in enumerate(kept) if path[::-1] not in kept[:at]], memory


def test_a_beam_keeps_the_closest_ends_and_remembers_all() -> None:
    # 0 - 1 (0.9), 0 - 2 (0.1), 1 - 3 (0.2), 2 - 4 (0.8). A beam of one goes 0, 1, 3 and never sees 4; 2 is
    # pruned at the first hop but stays in the memory.
    graph = make_fact_graph([(0, 1), (2, 0), (1, 3), (2, 4)])
    kept, visited = run(graph, closeness(graph, {1: 0.9, 2: 0.1, 3: 0.2, 4: 0.8}), [0], width=1, depth=2)
    assert [(path.entities, path.facts) for path in kept] == [((0, 1), (100,)), ((0, 1, 3), (100, 102))]
    assert [path.score for path in kept] == pytest.approx([0.9, 0.2])
    assert {one: path.entities for one, path in visited.items()} == {0: (0,), 1: (0, 1), 2: (0, 2), 3: (0, 1, 3)}
    assert visited[0].score == 1.0
    assert 4 in run(graph, closeness(graph, {1: 0.9, 2: 0.1}), [0], width=2, depth=2)[1]


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_the_algorithm_as_printed(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(2, 12)
    facts = [(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(1, 25))]
    graph = make_fact_graph(facts, entities=count)
    # Facts that join a pair twice would put it first among neighbours, which only decides who is left out beyond 30.
    scores = [round(rng.random(), 1) for _ in range(count)]
    given = closeness(graph, dict(enumerate(scores)))
    seeds = rng.sample(range(count), min(2, count))
    scores = [float(one) for one in given.entity_rows]
    kept, visited = run(graph, given, seeds, width=4, depth=3)
    slow_kept, slow_memory = slow_search(graph, scores, seeds, 4, 3)
    assert [path.entities for path in kept] == (slow_kept or [(one,) for one in seeds])
    assert {one: path.score for one, path in visited.items()} == {one: score for one, (_, score) in slow_memory.items()}
    assert {one: path.hops for one, path in visited.items()} == {
        one: len(path) - 1 for one, (path, _) in slow_memory.items()
    }


def test_a_hub_shows_those_joined_by_most_facts_then_the_closest() -> None:
    # Entity 0 has 50 neighbours; 50 is joined to it by two facts, 1 to 3 are the closest.
    graph = make_fact_graph([*((0, at) for at in range(1, 51)), (50, 0)])
    _, visited = run(graph, closeness(graph, {1: 0.9, 2: 0.8, 3: 0.7}), [0], neighbours=3, depth=1)
    assert list(visited) == [0, 50, 1, 2]


def test_of_several_facts_that_join_a_pair_the_closest_is_on_the_path() -> None:
    graph = make_fact_graph([(0, 1), (1, 0), (0, 1)])
    kept, _ = run(graph, closeness(graph, {1: 0.5}, facts=[0.1, 0.7, 0.7]), [0])
    assert [path.facts for path in kept] == [(101,)]


def test_equal_scores_go_by_length_and_id_and_no_path_meets_itself() -> None:
    graph = make_fact_graph([(0, 1), (0, 2), (1, 2), (2, 2)])
    kept, _ = run(graph, closeness(graph, {1: 0.5, 2: 0.5}), [0])
    assert [path.entities for path in kept] == [(0, 1), (0, 2), (0, 1, 2), (0, 2, 1)]


def test_a_path_between_two_seeds_is_kept_in_one_direction() -> None:
    # 0 - 2 - 1, both ends seeds: found from either, and better from 0, for 1 is closer to the question (0.8) than 0.
    graph = make_fact_graph([(0, 2), (1, 2)])
    kept, visited = run(graph, closeness(graph, {0: 0.3, 1: 0.8, 2: 0.5}), [0, 1], depth=2)
    assert [path.entities for path in kept] == [(0, 2, 1), (0, 2), (1, 2)]
    assert [path.score for path in kept] == pytest.approx([0.8, 0.5, 0.5])
    # The memory forgets nothing by it.
    assert set(visited) == {0, 1, 2}


def test_seeds_without_facts_are_paths_of_their_own() -> None:
    graph = make_fact_graph([(1, 2)], entities=4)
    kept, visited = run(graph, closeness(graph, {}), [0, 3])
    assert [path.entities for path in kept] == [(0,), (3,)]
    assert list(visited) == [0, 3]


def test_janie_jones_and_signs_meet_in_their_actress(films: KnowledgeBase) -> None:
    found = search_paths(films, QUESTION, seeds=["Janie Jones", "Signs"])
    lines = path_texts(films, found.paths)
    # In one direction, the one whose end is closer to the question.
    both = (
        "Janie Jones -[cast]-> Abigail Breslin <-[cast]- Signs",
        "Signs -[cast]-> Abigail Breslin <-[cast]- Janie Jones",
    )
    assert [line in lines for line in both] == [False, True]
    assert "Signs -[cast]-> Abigail Breslin" in lines
    assert not any("Caro" in line or "Shirley" in line or "Madison" in line for line in lines)
    assert {hit.passage.title for hit in found.hits} == {"Janie Jones", "Signs", "Abigail Breslin"}


def test_without_seeds_it_starts_from_what_the_question_names(films: KnowledgeBase) -> None:
    found = search_paths(films, QUESTION, params=PathParams(fact_seeds=0))
    assert {entity.name for entity in films.entities(found.seeds)} == {"Janie Jones", "Signs"}
    more = search_paths(films, QUESTION)
    assert set(found.seeds) < set(more.seeds)
    assert len(search_paths(films, QUESTION, params=PathParams(seeds=1)).seeds) == 1


def test_hits_are_ordered_and_every_step_of_a_path_is_a_fact_between_its_ends(town: KnowledgeBase) -> None:
    found = search_paths(town, "Where was the keeper of ravens Ada Moor born?")
    assert found.paths
    facts = {
        one.id: {one.head, one.tail} for one in town.triples([fact for path in found.paths for fact in path.facts])
    }
    for path in (*found.paths, *found.visited.values()):
        assert len(set(path.entities)) == len(path.entities) == path.hops + 1
    for path in found.paths:
        assert [facts[one] for one in path.facts] == [set(pair) for pair in pairwise(path.entities)]
    assert [(-hit.score, hit.passage.id) for hit in found.hits] == sorted(
        (-hit.score, hit.passage.id) for hit in found.hits
    )
    assert titles(town, [hit.passage.id for hit in found.hits])[0]
    assert search_paths(town, "Where was the keeper of ravens Ada Moor born?") == found


def test_the_trained_scorer_has_its_share(films: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    def chances(_: KnowledgeBase, __: str, triples: list[Triple], ___: frozenset[int]) -> NDArray[np.float64]:
        # Log-odds 0 for the facts of the farm, none of a chance for the rest.
        return np.array([0.0 if one.tail_name == "farm" else -100.0 for one in triples])

    monkeypatch.setattr("tools.path_search.score_triples", chances)
    (farm,) = films.named(["farm"])["farm"]
    plain = search_paths(films, QUESTION, ["Signs"], PathParams(trained=0.0)).visited[farm]
    half = search_paths(films, QUESTION, ["Signs"]).visited[farm]
    assert half.score == pytest.approx(0.5 * plain.score + 0.5 * 0.5)
    assert search_paths(films, QUESTION, ["Signs"], PathParams(trained=1.0)).visited[farm].score == pytest.approx(0.5)


def test_facts_near_are_those_at_the_sources_one_step_on_and_the_closest_anywhere() -> None:
    # Row 0 - 1 - 2 - 3 - 4, and 5 - 6 apart. From 0: 100, then 101; anywhere: the closest fact, 104.
    graph = make_fact_graph([(0, 1), (1, 2), (2, 3), (3, 4), (5, 6)])
    given = cast(Any, closeness(graph, {}, facts=[0.1, 0.2, 0.3, 0.4, 0.5]))
    assert facts_near(graph, given, [0], 1) == [100, 101, 104]
    assert facts_near(graph, given, [0], 9) == [100, 101, 102, 103, 104]
    assert facts_near(graph, given, [], 1) == [104]


def test_nothing_to_start_from_finds_nothing(films: KnowledgeBase, empty: KnowledgeBase) -> None:
    nothing = PathResult((), (), {}, ())
    assert search_paths(films, "  ") == nothing
    assert search_paths(films, QUESTION, seeds=["Zxqvw"]) == nothing
    assert search_paths(empty, QUESTION) == nothing
    assert path_texts(films, []) == []


def test_a_file_of_one_document_is_enough(single: KnowledgeBase) -> None:
    found = search_paths(single, "Where does Skarn flow?")
    assert {hit.passage.title for hit in found.hits} == {"Skarn"}
