"""What stands around a question, and techniques that walk over its facts alone."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from knowledge_bases import titles

from kb.store.knowledge_base import KnowledgeBase
from kb.store.subgraph import SubgraphBase
from tools.anchor_grouping import group_anchors
from tools.edge_scoring import walk_scored_edges
from tools.evidence_chains import build_chains
from tools.evidence_expansion import expand_evidence
from tools.path_resurrection import resurrect_paths
from tools.path_search import search_paths
from tools.scorer_training.evidence_labels import KnownAnswer, Labeller
from tools.scorer_training.examples import example_of
from tools.search import surroundings as module
from tools.search.entity_lookup import named_in
from tools.search.passage_search import search_passages
from tools.search.surroundings import passages_around, surroundings
from tools.triple_scoring.triple_measures import TripleMeasures
from tools.triple_scoring.triple_model import MODEL, own_digest, scorer_of, use_scorer
from tools.triple_scoring.triple_scorer import OUTSIDE, candidate_triples, rank_triples, score_triples

QUESTION = "Where was the director of Silver Lanterns born?"
TECHNIQUES: dict[str, Callable[[KnowledgeBase], Any]] = {
    "edge_scoring": lambda kb: walk_scored_edges(kb, QUESTION),
    "path_search": lambda kb: search_paths(kb, QUESTION),
    "path_resurrection": lambda kb: resurrect_paths(kb, QUESTION),
    "triple_scorer": lambda kb: rank_triples(kb, QUESTION),
    "evidence_chains": lambda kb: build_chains(kb, QUESTION),
    "anchor_grouping": lambda kb: group_anchors(kb, QUESTION),
    "evidence_expansion": lambda kb: expand_evidence(kb, QUESTION),
}


def scores(found: Any) -> dict[int, float]:
    return {hit.passage.id: hit.score for hit in found.hits}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any file has too many passages for its graph to be read whole."""
    monkeypatch.setattr(module, "WHOLE", 0)


def test_a_file_that_is_not_large_is_read_whole(chain: KnowledgeBase) -> None:
    assert surroundings(chain, QUESTION) is chain


def test_around_a_question_stands_what_it_names_and_what_that_leads_to(
    chain: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DENSE", 1)
    monkeypatch.setattr(module, "_WORDS", 1)
    around = titles(chain, passages_around(chain, QUESTION))
    assert {"Silver Lanterns", "Tomas Brandel", "Lindholm"} <= set(around)  # two steps: director, birthplace
    assert passages_around(chain, " ") == []


def test_an_empty_file_has_nothing_around(empty: KnowledgeBase) -> None:
    assert passages_around(empty, QUESTION) == []


@pytest.mark.parametrize("name", TECHNIQUES)
def test_techniques_find_the_same_where_all_of_the_file_is_around(
    cases: KnowledgeBase, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = scores(TECHNIQUES[name](cases))
    assert whole
    monkeypatch.setattr(module, "WHOLE", 0)
    with KnowledgeBase.open(cases.path) as kb:
        # The last digits of a vector depend on what was embedded beside it.
        assert scores(TECHNIQUES[name](kb)) == pytest.approx(whole, abs=1e-4)
        assert "fact_graph" not in kb.__dict__, "the whole graph was read"
        part = surroundings(kb, QUESTION)
        assert part.fact_graph.passages.tolist() == cases.fact_graph.passages.tolist()
        assert surroundings(kb, QUESTION) is part
        assert surroundings(part, "Another question?") is part


def test_the_latest_few_graphs_are_kept_and_the_others_freed(cases: KnowledgeBase, large: None) -> None:
    with KnowledgeBase.open(cases.path) as kb:
        first = surroundings(kb, QUESTION)
        for at in range(4):
            other = surroundings(kb, f"Where was the director of film {at} born?")
            search_paths(other, QUESTION)
            assert surroundings(kb, QUESTION) is first, "it was used just before"
        alive = weakref.ref(other)
        del other
        gc.disable()
        try:
            for at in range(3):
                surroundings(kb, f"Question {at}?")
            assert alive() is None
        finally:
            gc.enable()
        assert surroundings(kb, QUESTION) is not first


def test_paths_of_another_questions_graph_are_searched_anew(cases: KnowledgeBase) -> None:
    found = search_paths(cases, QUESTION)
    assert found.paths
    inside = [hit.passage.id for hit in search_passages(cases, "Ada Moor", 1)]
    part = SubgraphBase(cases, lambda: inside)
    assert {hit.passage.id for hit in resurrect_paths(part, QUESTION, replace(found, visited={})).hits} <= set(inside)


def test_training_measures_facts_as_answering_does(cases: KnowledgeBase, large: None) -> None:
    sources = sorted({one for span in named_in(cases, QUESTION) for one in span.entities})
    triples, _ = candidate_triples(cases, QUESTION, sources)
    example = example_of(Labeller(cases), KnownAnswer(QUESTION, ("Lindholm",)))
    assert example is not None
    part = TripleMeasures(surroundings(cases, QUESTION), QUESTION, sources)
    assert example.measures == pytest.approx(part.measures(triples))


def test_each_name_is_looked_up_by_itself(cases: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that a thousand passages mention would leave none to the others."""
    asked: list[list[int]] = []
    mentioning = KnowledgeBase.mentioning

    def few(kb: KnowledgeBase, ids: list[int], limit: int = 1) -> list[tuple[int, int]]:
        asked.append(list(ids))
        return mentioning(kb, ids, limit)

    monkeypatch.setattr(KnowledgeBase, "mentioning", few)
    passages_around(cases, "Did Ada Moor ever see Lindholm?")
    assert len(asked) > 1
    assert all(len(ids) == 1 for ids in asked)


def test_a_files_own_scorer_scores_around_a_question_as_well(cases: KnowledgeBase, large: None) -> None:
    with KnowledgeBase.open(cases.path) as kb:
        use_scorer(kb, MODEL)
        part = surroundings(kb, QUESTION)
        assert scorer_of(part) is scorer_of(kb)
        assert own_digest(part) == own_digest(kb) != ""


@pytest.mark.parametrize("name", TECHNIQUES)
def test_techniques_stay_within_what_is_around(cases: KnowledgeBase, name: str) -> None:
    """What full text search and look-ups find elsewhere is in no graph, and no error."""
    inside = [hit.passage.id for hit in search_passages(cases, "Tomas Brandel Lindholm", 2)]
    found = TECHNIQUES[name](SubgraphBase(cases, lambda: inside))
    if name not in ("anchor_grouping", "evidence_expansion"):  # they rank what passage search finds beside anchors
        assert {hit.passage.id for hit in found.hits} <= set(inside)


def test_given_passages_and_facts_that_are_not_around_count_for_nothing(cases: KnowledgeBase) -> None:
    inside = [hit.passage.id for hit in search_passages(cases, "Tomas Brandel", 1)]
    part = SubgraphBase(cases, lambda: inside)
    hits = search_passages(cases, QUESTION, 10)
    assert {hit.passage.id for hit in resurrect_paths(part, QUESTION, text_hits=hits).hits} <= set(inside)
    facts = cases.passage_triples([hit.passage.id for hit in hits])
    scores = score_triples(part, QUESTION, facts, [])
    assert [score == OUTSIDE for score in scores] == [one.passage not in inside for one in facts]
