"""Things of a list that are told to be so, or not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.answer_rules.listed_states import find_listed

THESIS = (
    "Thesis",
    "# Chapters\n\n1. Introduction: done, 14 pages\n2. Literature: done, 31 pages\n3. Experiments: half, 22 pages\n"
    "4. Model: not begun\n5. Conclusions: not yet begun\n\n# Rooms\n\n- Hall: painted (white)\n- Loft: unpainted\n",
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which chapters are done?", ["Introduction", "Literature"]),
        ("Which chapters have not been begun yet?", ["Model", "Conclusions"]),
        ("Which of the chapters haven't been begun?", ["Model", "Conclusions"]),
        ("How many chapters are done?", ["Introduction", "Literature"]),
        ("Which rooms are painted?", ["Hall"]),
        ("Which rooms have not been painted?", ["Loft"]),
        ("Which rooms are unpainted?", ["Loft"]),
        # Nobody says so of any, another kind of thing, another question.
        ("Which chapters are printed?", []),
        ("Which books are done?", []),
        ("Which chapters have been begun?", []),
        ("Who has done the chapters?", []),
        ("", []),
    ],
)
def test_the_names_whose_text_begins_with_what_is_said(question: str, names: Sequence[str]) -> None:
    assert [one.text for one in find_listed(question, evidence(THESIS))] == names


def test_two_lists_and_one_thing_alone_tell_nothing_and_long_texts_are_quick() -> None:
    other = ("Book", "# Chapters\n\n- Start: done\n- End: open")
    assert find_listed("Which chapters are done?", evidence(THESIS, other)) == []
    assert find_listed("Which chapters are done?", evidence(("Book", "# Chapters\n\n- Start: done"))) == []

    def long(letters: int) -> tuple[str, str]:
        return "Long", "# Chapters\n\n" + "- A: done\n" * (letters // 21) + "- B: " + "done " * (letters // 10)

    assert is_linear(lambda letters: find_listed("Which chapters are done?", evidence(long(letters))), MAX_CHARS)
    ask = "Which " + "chapters " * 20_000
    assert all(
        is_linear(lambda letters: find_listed(ask[:letters], evidence(long(MAX_CHARS))), size)
        for size in (300, len(ask))
    )
