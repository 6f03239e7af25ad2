"""Passages in the order in which a reader says that they answer, with what speaks for them before they are read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tools.answer_rules.docs import EvidencePassage
from tools.reading.reading_order import Before, reading_order
from tools.reading.spans import Reading

PASSAGES = [
    EvidencePassage(at, f"{name}.md", f"The {name}.", 0.0) for at, name in enumerate(("cellar", "roof", "yard"))
]


def order(
    said: Sequence[Reading],
    priors: list[float],
    question: str = "Where do we dry wood?",
    kept: int = 3,
    always: frozenset[int] = frozenset(),
) -> list[int]:
    asked: list[tuple[str, str, str]] = []

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return list(said)

    places = reading_order(question, PASSAGES[: len(said)], Before(priors, kept, always), read)
    assert [text for _, _, text in asked] == [one.text for one in PASSAGES[: len(said)]]
    return places


def test_what_answers_comes_first() -> None:
    assert order([Reading(answered=0.1), Reading(answered=0.2), Reading(answered=0.9)], [0, 0, 0]) == [2, 1, 0]
    assert order([], []) == []


def test_yes_and_no_answer_too() -> None:
    """0.4 + 0.3 is more than 0.6."""
    said = [Reading(answered=0.6), Reading(answered=0.2, yes=0.4, no=0.1), Reading(yes=0.1)]
    assert order(said, [0, 0, 0], "Do we dry wood here?") == [1, 0, 2]


def test_of_equals_the_first_comes_first() -> None:
    assert order([Reading(), Reading(), Reading()], [1, 2, 1]) == [1, 0, 2]


@pytest.mark.parametrize(("prior", "first"), [(2.1, 0), (2.3, 1)])
def test_what_speaks_for_a_passage_before_counts_in_logits(prior: float, first: int) -> None:
    """0.9 against 0.5 is log 9 - log 1 = 2.197, with what keeps 0 and 1 finite 2.196."""
    assert order([Reading(answered=0.9), Reading(answered=0.5)], [0, prior])[0] == first


def test_so_many_are_kept_and_what_is_named_behind_them() -> None:
    said = [Reading(answered=0.1), Reading(answered=0.2), Reading(answered=0.9)]
    assert order(said, [0, 0, 0], kept=1) == [2]
    assert order(said, [0, 0, 0], kept=1, always=frozenset({0, 2})) == [2, 0]
