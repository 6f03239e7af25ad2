"""Stems, coverage and the score of a passage, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knowledge_bases import passage_id

from kb.store import KnowledgeBase
from tools.rerank import coverage, score_passages, stems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("directed director directing directs", {"direct"}),
        ("was directed by the directors", {"direct"}),
        ("writer writes wrote", {"writ", "wrot"}),
        ("founded founder founding", {"found"}),
        ("cities city", {"cit"}),
        ("the of and was", set()),
        ("used", {"used"}),  # "us" is too short to tell words apart
        ("sea seas", {"sea"}),
        ("born in 1952", {"born", "1952"}),
        ("Crédit LYONNAIS", {"crédit", "lyonnai"}),
        ("", set()),
        ("?!", set()),
    ],
)
def test_stems(text: str, expected: set[str]) -> None:
    assert stems(text) == expected


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [("a b c d", "a b c d e", 1.0), ("a b c d", "c x", 0.25), ("a", "b", 0.0), ("", "a", 0.0), ("a", "", 0.0)],
)
def test_coverage(wanted: str, found: str, expected: float) -> None:
    assert coverage(frozenset(wanted.split()), frozenset(found.split())) == expected


@given(st.text(), st.text())
def test_coverage_is_a_share(a: str, b: str) -> None:
    assert 0.0 <= coverage(stems(a), stems(b)) <= 1.0
    assert coverage(stems(a), stems(a + " " + b)) == (1.0 if stems(a) else 0.0)


def test_a_passage_scores_the_mean_of_meaning_and_words(chain: KnowledgeBase) -> None:
    passage = chain.passage(passage_id(chain, "Silver Lanterns"))
    text = "director of a famous film"
    # Wanted are "direct", "famou" and "film"; the passage has two of them.
    assert stems(text) == {"direct", "famou", "film"}
    cosine = float(chain.passage_vectors([passage.id])[0] @ chain.embed([text])[0])
    assert score_passages(chain, text, [passage]) == [pytest.approx(0.5 * cosine + 0.5 * 2 / 3)]


def test_the_title_counts_as_text(chain: KnowledgeBase) -> None:
    titled, other = (chain.passage(passage_id(chain, title)) for title in ("Silver Lanterns", "Skarn"))
    first, second = score_passages(chain, "lanterns", [titled, other])
    assert first > second


def test_no_passages_no_scores(chain: KnowledgeBase) -> None:
    assert score_passages(chain, "anything", []) == []


def test_a_text_without_words_is_scored_by_meaning_alone(chain: KnowledgeBase) -> None:
    passage = chain.passage(passage_id(chain, "Skarn"))
    cosine = float(chain.passage_vectors([passage.id])[0] @ chain.embed(["?"])[0])
    assert score_passages(chain, "?", [passage]) == [pytest.approx(0.5 * cosine)]
