"""Stems, coverage, names in texts and margins, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.search.word_match import best_coverage, coverage, margins, plain, said_in, stems


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


WORDS = st.frozensets(st.sampled_from("abcdef"))


@given(st.lists(WORDS), WORDS)
def test_the_way_that_is_said_best_is_that_of_all_coverages(ways: list[frozenset[str]], found: frozenset[str]) -> None:
    assert best_coverage(ways, found) == max([0.0, *(coverage(one, found) for one in ways)])


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Ada Moor", "a song by Ada Moor, sung", True),
        ("ada moor", "ADA MOOR!", True),
        ("Moor", "the moors", False),
        ("The Tower", "in the Tower of London", True),  # a leading article is no part of a name's key
        ("Crédit", "credit where it is due", True),
        ("", "anything", False),
        ("?", "anything?", False),
        ("x", "", False),
    ],
)
def test_names_in_texts(name: str, text: str, expected: bool) -> None:
    assert said_in(name, plain(text)) is expected


def test_a_plain_text_is_not_cut() -> None:
    assert said_in("Ada Moor", plain("word " * 500 + "Ada Moor"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], []), ([3.0], [0.0]), ([3.0, 1.0, 2.0], [1.0, -2.0, -1.0]), ([2.0, 2.0], [0.0, 0.0])],
)
def test_margins_above_the_best_of_the_others(values: list[float], expected: list[float]) -> None:
    assert margins(np.array(values)).tolist() == expected
