from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from knowledge_bases import build_file
from path_graphs import GivenCloseness, closeness, make_fact_graph
from test_path_search import FILM_FACTS, FILMS, QUESTION

from kb.graph.fact_graph import FactGraph
from kb.store.knowledge_base import KnowledgeBase
from tools.path_resurrection import (
    ResurrectionParams,
    ResurrectionResult,
    _bridge,
    _fused,
    _normalised,
    _PathScorer,
    _pool,
    _votes,
    resurrect_paths,
)
from tools.path_search import Path, PathParams, PathResult, search_paths
from tools.search.passage_search import similar_passages
from tools.types import Hit

PUBLISHED = ResurrectionParams(shared_votes=False, path_votes=0.0)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("films"), FILMS, FILM_FACTS)) as kb:
        yield kb


def path(*entities: int, facts: Sequence[int] = (), score: float = 0.5) -> Path:
    return Path(entities, tuple(facts), score)


def found(paths: Sequence[Path], visited: Sequence[Path], seeds: Sequence[int] = ()) -> PathResult:
    return PathResult(tuple(seeds), tuple(paths), {one.entities[-1]: one for one in visited}, ())


def scorer(
    graph: FactGraph, given: GivenCloseness, seeds: Sequence[int], named: Sequence[int], params: ResurrectionParams
) -> _PathScorer:
    return _PathScorer(graph, cast(Any, given), seeds, named, params)


# -- text to graph ----------------------------------------------------------------------------------------------------


def test_a_path_is_worth_its_mean_similarity_with_degrees_and_seeds() -> None:
    # 0 = 1 - 2, the first pair joined by two facts: degrees 2, 3 and 1; relation degrees 2 and 1.
    graph = make_fact_graph([(0, 1), (1, 0), (1, 2)])
    given = closeness(graph, {0: 0.5, 1: 0.4, 2: 0.6}, facts=[0.3, 0.1, 0.2])
    walked = path(0, 1, 2, facts=(100, 102))
    # (0.5 * 1.02 + 0.4 * 1.03 + 0.6 * 1.01 + 0.3 * 1.02 + 0.2 * 1.01) / 5 = 2.036 / 5
    plain = 2.036 / 5
    params = ResurrectionParams()
    assert scorer(graph, given, [], [], params).base(walked) == pytest.approx(plain)
    assert scorer(graph, given, [0], [], params).base(walked) == pytest.approx(plain)
    # Two seeds over two hops: 1 + 0.4 * 2 / 2.
    assert scorer(graph, given, [0, 2], [], params).base(walked) == pytest.approx(plain * 1.4)
    # Epsilon, 0.4, for each of the entities that a passage names.
    assert scorer(graph, given, [], [1, 2, 9], params).confirmed(walked).score == pytest.approx(plain + 0.8)
    off = ResurrectionParams(confirmation=0.0, density=0.0, degree=0.0)
    assert scorer(graph, given, [0, 2], [1], off).confirmed(walked).score == pytest.approx(2.0 / 5)


def test_a_hub_counts_as_many_facts_as_the_search_looks_at() -> None:
    graph = make_fact_graph([(0, at) for at in range(1, 101)])
    given = closeness(graph, {0: 1.0})
    assert scorer(graph, given, [], [], ResurrectionParams()).base(path(0)) == pytest.approx(1.3)
    assert scorer(graph, given, [], [], ResurrectionParams(most_degree=100)).base(path(0)) == pytest.approx(2.0)


def test_orphans_get_their_stored_path_back() -> None:
    # The text names 1 (kept), 3 (pruned), 7 (never seen) and 0 (a seed, whose path leads nowhere).
    kept, pruned = path(0, 1, facts=[100]), path(0, 2, 3, facts=[101, 102])
    search = found([kept], [path(0), kept, path(0, 2, facts=[101]), pruned])
    assert _bridge(search, [7, 3, 1]) == ((3, 7), (pruned,))
    assert _bridge(found([], [path(0)]), [0]) == ((0,), ())
    assert _bridge(search, []) == ((), ())


# -- graph to text ----------------------------------------------------------------------------------------------------


def test_every_visited_entity_votes_for_the_passages_that_name_it() -> None:
    # Entity 0 is named in passages 0, 1 and 2, entity 1 in 1, entity 2 (not visited) in 2.
    graph = make_fact_graph([(0, 1)], [(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)], entities=3, passages=4)
    search = found([], [path(0), path(0, 1, facts=[100])])
    assert _votes(graph, search, [], PUBLISHED).tolist() == [1.0, 2.0, 1.0, 0.0]
    # Shared out: a third each from 0, and all of 1's.
    shared = _votes(graph, search, [], ResurrectionParams(path_votes=0.0))
    assert shared.tolist() == pytest.approx([1 / 3, 4 / 3, 1 / 3, 0.0])


def test_kept_and_resurrected_paths_vote_for_the_passages_that_they_pass() -> None:
    graph = make_fact_graph([(0, 1)], [(0, 0), (0, 1), (1, 1)], entities=2, passages=3)
    kept = path(0, 1, facts=[100], score=0.8)
    # Shared votes 0.5, 1.5, 0, in parts of the largest 1/3, 1, 0; the path's fact comes from passage 0: 1, 0, 0.
    votes = _votes(graph, found([kept], [path(0), kept]), [], ResurrectionParams())
    assert votes.tolist() == pytest.approx([4 / 3, 1.0, 0.0])
    again = _votes(graph, found([], [path(0), kept]), [path(0, 1, facts=[100], score=9.0)], ResurrectionParams())
    assert again.tolist() == pytest.approx([4 / 3, 1.0, 0.0])


def test_similarity_and_votes_are_normalised_and_weighted() -> None:
    # Similarities 0.2, 0.6, 0.4 become 0, 1, 0.5; votes 3, 1, 1 become 1, 0, 0; half of each.
    similarities, votes = np.array([0.2, 0.6, 0.4]), np.array([3.0, 1.0, 1.0])
    assert _fused(similarities, votes, 0.5, PUBLISHED).tolist() == pytest.approx([0.5, 0.5, 0.25])
    assert _fused(similarities, votes, 0.9, PUBLISHED).tolist() == pytest.approx([0.1, 0.9, 0.45])
    off = ResurrectionParams(rerank=False)
    assert _fused(similarities, votes, 0.5, off).tolist() == pytest.approx([0.0, 1.0, 0.5])


def test_equal_values_normalise_to_one_or_nothing() -> None:
    assert _normalised(np.array([0.3])).tolist() == [1.0]
    assert _normalised(np.array([2, 2])).tolist() == [1.0, 1.0]
    assert _normalised(np.array([0.0, 0.0])).tolist() == [0.0, 0.0]
    assert _normalised(np.array([])).tolist() == []


def test_the_most_recommended_join_and_ties_go_by_id() -> None:
    votes = np.array([1.0, 5.0, 0.0, 2.0, 2.0, 9.0])
    pool, given = _pool(np.array([5, 0]), votes, ResurrectionParams(recommended=2))
    assert (pool.tolist(), given.tolist()) == ([5, 0, 1, 3], [9.0, 1.0, 5.0, 2.0])
    # A passage without a vote is not recommended.
    assert _pool(np.array([5]), votes, ResurrectionParams(recommended=9))[0].tolist() == [5, 1, 3, 4, 0]
    assert _pool(np.array([5]), votes, ResurrectionParams(rerank=False))[0].tolist() == [5]


# -- the whole --------------------------------------------------------------------------------------------------------


def test_janie_jones_and_signs_drive_out_the_other_joneses(films: KnowledgeBase) -> None:
    dense = [one for one, _ in films.search_dense(films.embed([QUESTION])[0], 4)]
    text = [Hit(passage, 1.0) for passage in films.passages(dense)]
    assert {"Caro Jones", "Shirley Jones"} & {hit.passage.title for hit in text}
    search = search_paths(films, QUESTION, seeds=["Janie Jones", "Signs"])
    # The passages come from vectors alone, so their cosines count, as in the paper.
    for params in (replace(PUBLISHED, given_order=0.0), ResurrectionParams(given_order=0.0)):
        result = resurrect_paths(films, QUESTION, search, text, params)
        ranked = [hit.passage.title for hit in result.hits]
        assert set(ranked[:2]) == {"Janie Jones", "Signs"}
        assert "Abigail Breslin" in ranked
    assert result.hits[2].passage.title == "Abigail Breslin"
    (actress,) = films.named(["abigail breslin"])["abigail breslin"]
    assert actress in result.paths[0].entities
    alone = resurrect_paths(films, QUESTION, search, text, ResurrectionParams(rerank=False))
    assert [hit.passage.id for hit in alone.hits] == dense


def test_a_pruned_path_comes_back_when_the_text_names_its_end(films: KnowledgeBase) -> None:
    narrow = search_paths(films, QUESTION, seeds=["Signs"], params=PathParams(width=1, depth=1))
    held = {entity for one in narrow.paths for entity in one.entities}
    pruned = set(narrow.visited) - held
    assert pruned
    text = [Hit(passage, 1.0) for passage in films.document_passages("Signs")]
    result = resurrect_paths(films, QUESTION, narrow, text)
    assert {one.entities[-1] for one in result.resurrected} == pruned
    assert pruned <= set(result.orphans)
    stored = {one.entities[-1]: (one.entities, one.facts) for one in narrow.visited.values()}
    assert all((one.entities, one.facts) == stored[one.entities[-1]] for one in result.resurrected)
    assert set(result.resurrected) < set(result.paths)
    few = resurrect_paths(films, QUESTION, narrow, text, ResurrectionParams(bridged=1))
    assert few.resurrected == result.resurrected[:1]
    off = resurrect_paths(films, QUESTION, narrow, text, ResurrectionParams(bridging=False))
    assert (off.resurrected, off.orphans) == ((), ())


def test_resurrection_asks_the_file_for_nothing_but_the_passages_it_returns(films: KnowledgeBase) -> None:
    narrow = search_paths(films, QUESTION, seeds=["Signs"], params=PathParams(width=1, depth=1))
    text = [Hit(passage, 1.0) for passage in films.document_passages("Signs")]
    statements: list[str] = []
    films._engine.db.conn.set_trace_callback(statements.append)
    try:
        result = resurrect_paths(films, QUESTION, narrow, text)
        asked = list(statements)
        search_paths(films, QUESTION, seeds=["Signs"])
        searched = statements[len(asked) :]
    finally:
        films._engine.db.conn.set_trace_callback(None)
    assert result.resurrected
    assert len(asked) == 1
    assert "FROM passages p JOIN documents d" in asked[0]
    assert len(searched) > 1  # The trace does see what a new search asks.


def test_the_order_of_given_passages_counts_and_unknown_paths_do_not_matter(films: KnowledgeBase) -> None:
    text = [Hit(films.document_passages(one)[0], 0.1) for one in ("Madison Jones", "Caro Jones")]
    nothing = found([], [])
    result = resurrect_paths(films, QUESTION, nothing, text)
    # Without paths there are no votes: 0.7 of 1, and 0.7 of the second of two, 0.5, which min-max makes 0.
    assert [(hit.passage.title, hit.score) for hit in result.hits] == [("Madison Jones", 0.7), ("Caro Jones", 0.0)]
    assert result.paths == ()
    assert len(result.orphans) == 4


def test_no_passages_from_the_text_leave_those_of_the_graph(films: KnowledgeBase) -> None:
    result = resurrect_paths(films, QUESTION, text_hits=[])
    assert result.hits
    assert len(result.hits) <= ResurrectionParams().recommended
    assert result.orphans == ()
    assert resurrect_paths(films, QUESTION, found([], []), []).hits == ()


def test_on_its_own_it_makes_what_it_is_not_given(films: KnowledgeBase, single: KnowledgeBase) -> None:
    result = resurrect_paths(films, QUESTION)
    assert {"Janie Jones", "Signs"} <= {hit.passage.title for hit in result.hits[:3]}
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert all(0 <= hit.score <= 1 for hit in result.hits)
    assert resurrect_paths(films, QUESTION) == result
    assert [hit.score for hit in resurrect_paths(single, "Where does Skarn flow?").hits] == [1.0]


def test_an_empty_question_or_file_finds_nothing(films: KnowledgeBase, empty: KnowledgeBase) -> None:
    assert resurrect_paths(films, " ") == ResurrectionResult((), (), (), ())
    assert resurrect_paths(empty, QUESTION) == ResurrectionResult((), (), (), ())


def test_as_published_the_text_comes_by_vectors_alone(town: KnowledgeBase) -> None:
    question = "Where was the keeper of ravens Ada Moor born?"
    without_graph = ResurrectionParams(passages=3, rerank=False, by_vectors=True)
    found = resurrect_paths(town, question, params=without_graph)
    assert [hit.passage.id for hit in found.hits] == [hit.passage.id for hit in similar_passages(town, question, 3)]
