"""Comparisons that a sentence makes outright."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.said_comparisons import asks_to_compare, find_comparison


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Who is older, Mary or Nick?", "Mary is two years older than Nick.", "Mary"),
        ("Who is younger, Mary or Nick?", "Mary is older than Nick.", "Nick"),
        ("Which boat is faster: the Alk or the Seal?", "The Seal is slower than the Alk.", "the Alk"),
        ("Which is dearer, the loft or the cellar?", "The loft is more expensive than the cellar.", "the loft"),
        ("Which is cheaper, the loft or the cellar?", "The loft is more expensive than the cellar.", "the cellar"),
        ("Who is older, Mary or Nick?", "Mary is not older than Nick.", None),
        ("Who is older, Mary or Nick?", "Mary is taller than Nick.", None),
        ("Who is older, Mary or Nick?", "Mary and Nick are older than Ann.", None),
        ("Who is older, Mary or Nick?", "Ann is older than Mary or Nick.", None),
        ("Who is older, Mary or Nick?", "Is Mary older than Nick?", None),
        ("Who is older, Mary or Nick?", "The brother of Mary is older than Nick.", None),
        ("Who is older, Mary or Nick?", "Mary thinks Tom is older than Nick.", None),
        ("Who is older, Mary or Nick?", "Mary was older than Nick thought.", None),
        ("Who is better at chess, Mary or Nick?", "Mary is better at tennis than Nick.", None),
        ("Who is better at chess, Mary or Nick?", "Mary is better at chess than Nick.", "Mary"),
        ("Which is dearer to heat, the hall or the barn?", "The hall is dearer to rent than the barn.", None),
        ("Who is older, Mary or Nick?", "That Mary is older than Nick is false.", None),
        ("Who is older, Mary or Nick?", "Mary is older than Nick. Later: Nick is older than Mary.", None),
    ],
)
def test_which_of_two_is_more_so(question: str, text: str, answer: str | None) -> None:
    found = find_comparison(question, evidence(("Notes", text)))
    assert (found.text if found else None) == answer


def test_other_questions_and_no_passages() -> None:
    assert not asks_to_compare("Who is older?")
    assert not asks_to_compare("Is Mary older than Nick?")
    assert find_comparison("Who is older, Mary or Nick?", evidence()) is None
