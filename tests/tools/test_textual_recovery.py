"""Recovery of an unresolved constraint from the text."""

from __future__ import annotations

import pytest

from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint
from tools.relations.alignment import Asked, ScoredTriple
from tools.relations.reranker import load_reranker
from tools.search.passage_search import search_passages, similar_passages
from tools.textual_recovery import CANDIDATES, TITLED, recover, recover_text, titled

UNTIL = Constraint("Tower of London", "used as a prison until", "?year")


def test_the_passage_that_says_it_comes_first(cases: KnowledgeBase) -> None:
    hits = recover_text(cases, "Until when was the Tower of London a prison?", UNTIL)
    assert "used as a prison from 1100 until 1952" in hits[0].passage.text
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def asked(constraint: Constraint, kb: KnowledgeBase) -> Asked:
    ids = frozenset(match.entity.id for match in kb.find_entities(constraint.head, 1))
    return Asked("Until when was it a prison?", constraint, constraint, constraint.head, ids)


def test_the_best_five_of_eight_by_search_and_by_title(cases: KnowledgeBase) -> None:
    found = [hit.passage.id for hit in search_passages(cases, UNTIL.text(), CANDIDATES)]
    recovered = recover(cases, asked(UNTIL, cases), load_reranker(), suggest=0)
    own = cases.document_passages("Tower of London")[0].id
    assert {hit.passage.id for hit in recovered.hits} == {*found, own}
    texts = recover_text(cases, "Until when was it a prison?", UNTIL)
    assert len(texts) == 5
    # Of the names that the file knows in these passages, one is a year.
    assert [one.other_name for one in recovered.values] == ["1078"]


def test_values_suggest_their_documents(cases: KnowledgeBase) -> None:
    director = Constraint("Silver Lanterns", "director", "?person", ("directed by",))
    with_values = recover(cases, asked(director, cases), load_reranker(), candidates=1, suggest=1)
    without = recover(cases, asked(director, cases), load_reranker(), candidates=1, suggest=0)
    assert [hit.passage.title for hit in without.hits] == ["Silver Lanterns"]
    assert {hit.passage.title for hit in with_values.hits} == {"Silver Lanterns", "Tomas Brandel"}


def test_facts_that_did_not_suffice_bring_their_passages(cases: KnowledgeBase) -> None:
    elsewhere = cases.triples_of([cases.find_entities("Leofric and Godiva", 1)[0].entity.id])
    known = [ScoredTriple(one, -3.0, one.tail_name) for one in elsewhere]
    found = recover(cases, asked(UNTIL, cases), load_reranker(), candidates=1, known=known, suggest=0)
    assert "Spalding Priory" in {hit.passage.title for hit in found.hits}


def test_a_name_with_many_documents_brings_a_few(cases: KnowledgeBase) -> None:
    every = frozenset(match.entity.id for title in ("Karsk", "Lindholm") for match in cases.find_entities(title, 1))
    assert [cases.passage(one).title for one in titled(cases, every)] == sorted(
        ("Karsk", "Lindholm"), key=lambda title: cases.document_passages(title)[0].id
    )
    assert titled(cases, frozenset()) == []
    assert titled(cases, frozenset({-5})) == []
    assert TITLED == 6


def test_more_may_be_asked_for_than_the_paper_keeps(cases: KnowledgeBase) -> None:
    assert len(recover_text(cases, "?", UNTIL, 12)) == 12
    assert len(recover_text(cases, "?", UNTIL, 1)) == 1


def test_it_says_what_it_was_recovered_for_and_binds_nothing(cases: KnowledgeBase) -> None:
    hits = recover_text(cases, "", UNTIL)
    assert hits
    for hit in hits:
        assert hit.why == "recovered for: Tower of London used as a prison until year"
        assert hit.after is None


@pytest.mark.parametrize("k", [0, -1])
def test_no_place_no_passage(cases: KnowledgeBase, k: int) -> None:
    assert recover_text(cases, "?", UNTIL, k) == []


def test_a_constraint_without_words_recovers_nothing(cases: KnowledgeBase) -> None:
    assert recover_text(cases, "Until when was it a prison?", Constraint("", "", "")) == []


def test_small_and_empty_files(single: KnowledgeBase, empty: KnowledgeBase) -> None:
    assert [hit.passage.title for hit in recover_text(single, "?", UNTIL)] == ["Skarn"]
    assert recover_text(empty, "?", UNTIL) == []


def test_by_vectors_the_closest_are_all_the_candidates(cases: KnowledgeBase) -> None:
    # As in the paper: neither words nor the title nor what states a fact adds one.
    known = [ScoredTriple(cases.triples(cases.fact_graph.facts.tolist())[0], 9.0, "x")]
    found = recover(cases, asked(UNTIL, cases), load_reranker(), 2, known, suggest=0, by_vectors=True)
    closest = [hit.passage.id for hit in similar_passages(cases, UNTIL.text(), 2)]
    assert {hit.passage.id for hit in found.hits} == set(closest)
    more = recover(cases, asked(UNTIL, cases), load_reranker(), 2, known, suggest=0)
    assert set(closest) < {hit.passage.id for hit in more.hits}
