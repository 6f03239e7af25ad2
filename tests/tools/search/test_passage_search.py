"""Reciprocal rank fusion by hand and against an obvious reference; the fused search against brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knowledge_bases import titles

from kb.store.knowledge_base import KnowledgeBase
from tools.search.passage_search import (
    fuse,
    fused_ranking,
    search_passages,
    search_together,
    similar_passages,
)

rankings = st.lists(st.lists(st.integers(1, 12), unique=True, max_size=8), max_size=2)


def slow_fusion(lists: list[list[int]]) -> list[int]:
    """Ids by the exact sum of 1 / (60 + rank), ties by id."""
    ids = {one for ranking in lists for one in ranking}
    score = {one: sum(Fraction(1, 60 + r.index(one) + 1) for r in lists if one in r) for one in ids}
    return sorted(ids, key=lambda one: (-score[one], one))


def test_fusion_adds_the_reciprocal_ranks() -> None:
    # Two lists, so a rank r is worth 61 / (60 + r) / 2: 0.5 for the first, 61/124 for the second, 61/126 for the third.
    found = fuse([[1, 2, 3], [2, 4]])
    assert [one for one, _ in found] == [2, 1, 4, 3]
    assert [score for _, score in found] == pytest.approx([0.5 + 61 / 124, 0.5, 61 / 124, 61 / 126])


def test_the_first_place_in_every_list_gives_one() -> None:
    ((one, score),) = fuse([[5], [5], [5]])
    assert (one, round(score, 12)) == (5, 1.0)


def test_equal_scores_are_ordered_by_id() -> None:
    assert [one for one, _ in fuse([[9, 3], [3, 9]])] == [3, 9]
    assert [one for one, _ in fuse([[9], [3], [5]])] == [3, 5, 9]


@pytest.mark.parametrize("lists", [[], [[]], [[], []]])
def test_nothing_fuses_to_nothing(lists: list[list[int]]) -> None:
    assert fuse(lists) == []


@given(rankings)
def test_fusion_agrees_with_exact_sums(lists: list[list[int]]) -> None:
    found = fuse(lists)
    # Two lists, as in a search: the sum of three would depend on its order in the last bit.
    assert [one for one, _ in found] == slow_fusion(lists)
    assert all(0 < score <= 1 + 1e-12 for _, score in found)


def test_the_fused_ranking_is_that_of_brute_force(town: KnowledgeBase) -> None:
    question = "Which bank was founded in Lyon?"
    cosines = town.graph.passage_vectors @ town.embed([question])[0]
    dense = [int(town.graph.passages[at]) for at in np.lexsort((town.graph.passages, -cosines))]
    words = [one for one, _ in town.search_words(question, 50)]
    assert [one for one, _ in fused_ranking(town, question)] == slow_fusion([dense, words])


def test_a_search_gives_the_best_first(town: KnowledgeBase) -> None:
    hits = search_passages(town, "Which bank was founded in Lyon?", 3)
    assert hits[0].passage.title == "Crédit Lyonnais"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(hits) == 3


def test_k_larger_than_the_file_gives_every_passage_once(chain: KnowledgeBase) -> None:
    hits = search_passages(chain, "a film", 1000)
    assert sorted(titles(chain, [hit.passage.id for hit in hits])) == [
        "Lindholm",
        "Silver Lanterns",
        "Skarn",
        "Tomas Brandel",
    ]


@pytest.mark.parametrize(("query", "k"), [("", 5), (" \n\t", 5), ("a film", 0), ("a film", -1)])
def test_an_empty_query_or_no_place_finds_nothing(chain: KnowledgeBase, query: str, k: int) -> None:
    assert search_passages(chain, query, k) == []


def test_words_that_stand_nowhere_still_find_the_nearest(chain: KnowledgeBase) -> None:
    assert len(search_passages(chain, "quixotic zymurgy", 2)) == 2


@pytest.mark.parametrize("query", ['"; DROP TABLE passages; --', "NEAR(a b) OR *", "film* AND title:", "'", "\x00"])
def test_query_syntax_is_only_words(chain: KnowledgeBase, query: str) -> None:
    assert len(search_passages(chain, query, 4)) <= 4


def test_a_single_passage_is_found_with_its_full_score(single: KnowledgeBase) -> None:
    (hit,) = search_passages(single, "Where does Skarn flow to?")
    assert (hit.passage.title, round(hit.score, 12)) == ("Skarn", 1.0)


def test_an_empty_file_has_nothing_to_find(empty: KnowledgeBase) -> None:
    assert search_passages(empty, "Skarn") == []


def test_similar_passages_are_those_of_the_closest_vectors(chain: KnowledgeBase) -> None:
    query = "a river that flows to the sea"
    found = similar_passages(chain, query, 3)
    ids = chain.graph.passages.tolist()
    cosines = dict(zip(ids, (chain.passage_vectors(ids) @ chain.embed([query])[0]).tolist(), strict=True))
    assert [hit.passage.id for hit in found] == sorted(ids, key=lambda one: -cosines[one])[:3]
    assert [hit.score for hit in found] == pytest.approx([cosines[hit.passage.id] for hit in found], abs=1e-3)
    assert found[0].passage.title == "Skarn"
    assert similar_passages(chain, " ") == similar_passages(chain, query, 0) == []


def test_queries_that_are_searched_together_find_what_each_finds_alone(
    town: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = ["Which bank was founded in Lyon?", "a river", "", "a river"]
    alone = [search_passages(town, query) for query in queries]
    town.forget()
    scans = list[int]()
    usual = town.scan
    monkeypatch.setattr(town, "scan", lambda vectors: scans.append(len(vectors)) or usual(vectors))
    search_together(town, queries)
    assert [search_passages(town, query) for query in queries] == alone
    assert scans == [2]


def test_words_that_several_techniques_search_for_are_searched_for_once(
    town: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = town.search_words("a bank in Lyon", 100)
    monkeypatch.setattr(town, "_made", {})
    assert [town.search_words("a bank in Lyon", k) for k in (50, 2)] == [expected[:50], expected[:2]]
    monkeypatch.setattr(town._engine, "best", None)
    assert town.search_words("A bank in LYON", 40) == expected[:40]
