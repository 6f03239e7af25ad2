"""Recovery of an unresolved constraint from the text."""

from __future__ import annotations

import pytest

from kb.store import KnowledgeBase
from tools.passage_search import search_passages
from tools.plan import Constraint
from tools.rerank import score_passages
from tools.textual_recovery import CANDIDATES, recover_text

UNTIL = Constraint("Tower of London", "used as a prison until", "?year")


def test_the_passage_that_says_it_comes_first(cases: KnowledgeBase) -> None:
    hits = recover_text(cases, "Until when was the Tower of London a prison?", UNTIL)
    assert "used as a prison from 1100 until 1952" in hits[0].passage.text
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_best_five_of_eight_by_search_reranked(cases: KnowledgeBase) -> None:
    question = "Until when was it a prison?"
    found = [hit.passage for hit in search_passages(cases, UNTIL.text(), CANDIDATES)]
    scores = score_passages(cases, f"{UNTIL.text()}. {question}", found)
    expected = sorted(zip(scores, found, strict=True), key=lambda one: (-one[0], one[1].id))[:5]
    assert [(hit.score, hit.passage) for hit in recover_text(cases, question, UNTIL)] == expected


def test_more_may_be_asked_for_than_the_paper_keeps(cases: KnowledgeBase) -> None:
    assert len(recover_text(cases, "?", UNTIL, 12)) == 12
    assert len(recover_text(cases, "?", UNTIL, 1)) == 1


def test_it_says_what_it_was_recovered_for_and_binds_nothing(cases: KnowledgeBase) -> None:
    for hit in recover_text(cases, "", UNTIL):
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
