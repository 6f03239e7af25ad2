"""Questions that were put into the prompt together."""

from __future__ import annotations

import pytest

from assistant.conversations.several import separate_questions


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("who is our vet?\nwhere did she study?\n\n  what is the rent?\n", 3),
        ("1. Who is our vet?\n2) And the treasurer?\n- Really?", 3),
        ("Who is our vet\nWho was it before\nhow much is the rent\nwhat's the code of the shed", 4),
        ("who is our vet?\nwho was it before\nwhen did that change", 3),
        ("Where was the director\nof Metropolis born?", 1),
        ("Who is the man\nwho was the director of Metropolis", 1),
        ("what is the name of the town\nwhere the composer was born", 1),
        ("Our vet is Hannah.\nWhere did she study?", 1),
        ("Where did she study?\nThe vet, I mean.", 1),
        ("- who is our vet?", 1),
        ("one\ntwo", 1),
    ],
)
def test_lines_that_each_ask_are_questions_of_their_own(text: str, questions: int) -> None:
    assert len(separate_questions(text)) == questions


def test_what_numbers_a_question_is_no_part_of_it() -> None:
    assert separate_questions("1. Who came?\n 2. Why?") == ["Who came?", "Why?"]
    assert separate_questions("1. Who came,\n 2. and why?") == ["1. Who came,\n 2. and why?"]
