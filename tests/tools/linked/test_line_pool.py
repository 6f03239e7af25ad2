"""Lines of passages, and how rare their words are."""

from __future__ import annotations

import math

import pytest

from kb.records import Passage
from tools.answer_rules.text import stem
from tools.linked.line_pool import LONG, MOST, Line, LinePool, lines_of, names_in, share_of


def passage(text: str, number: int = 1, document: str = "notes") -> Passage:
    return Passage(number, document, "Notes", text, "", 0, len(text), None, 0)


def lines(*texts: str) -> LinePool:
    return LinePool(tuple(Line(at, "", text) for at, text in enumerate(texts)))


def test_a_word_is_as_rare_as_few_lines_have_it() -> None:
    some = lines("The gate sticks", "The gate is green", "Olga has the key")
    assert some.rarity(stem("gate")) == pytest.approx(math.log(4 / 2.5))
    assert some.rarity("olga") == pytest.approx(math.log(4 / 1.5))
    assert some.rarity("unheard") == pytest.approx(math.log(4 / 0.5))


def test_rare_words_count_more_for_what_a_line_says_of_a_question() -> None:
    some = lines("The gate sticks", "The gate is green", "Olga has the key")
    gate, olga = math.log(4 / 2.5), math.log(4 / 1.5)
    assert share_of(some.rarities([stem("gate"), "olga"]), some.said[0]) == pytest.approx(gate / (gate + olga))
    assert share_of(some.rarities([stem("gate"), "olga"]), some.said[2]) == pytest.approx(olga / (gate + olga))
    assert share_of({}, some.said[0]) == 0


def test_a_title_is_said_by_each_of_its_lines_and_links_none() -> None:
    some = LinePool((Line(1, "Boiler", "It leaks again"),))
    assert stem("boiler") in some.said[0]
    assert stem("boiler") not in some.stems[0]


def test_names_have_a_capital_or_a_digit() -> None:
    assert names_in("ask Olga about room 14b, not the office") == ["Olga", "14b"]
    assert names_in("") == []


def test_sentences_become_lines_and_are_taken_once_of_a_document() -> None:
    one, other = passage("Olga has it.\nOlga has it."), passage("Olga has it.", 2, "letters")
    rows = [(1, 0, 12, 7), (1, 13, 25, 8), (2, 0, 12, 9)]
    assert lines_of([one, other], rows).lines == (
        Line(1, "Notes", "Olga has it.", 7),
        Line(2, "Notes", "Olga has it.", 9),
    )


def test_headings_and_single_words_are_no_lines() -> None:
    text = "# The gate\nOops.\nIt sticks."
    assert [one.text for one in lines_of([passage(text)], [(1, 0, 10, 0), (1, 11, 16, 1), (1, 17, 27, 2)]).lines] == [
        "It sticks."
    ]


def test_a_list_without_full_stops_is_taken_apart_and_a_sentence_that_runs_on_is_not() -> None:
    listed = "\n".join(f"Firm {at} heating 0770{at}" for at in range(LONG))
    assert len(lines_of([passage(listed)], [(1, 0, len(listed), 0)]).lines) == LONG
    short = "Olga has\nthe key."
    assert [one.text for one in lines_of([passage(short)], [(1, 0, len(short), 0)]).lines] == ["Olga has the key."]


def test_of_a_line_without_end_the_beginning_is_kept() -> None:
    text = "word " * 5000
    assert len(lines_of([passage(text)], [(1, 0, len(text), 0)]).lines[0].text.split()) == MOST


def test_of_nothing_there_are_no_lines() -> None:
    assert lines_of([], []).lines == ()
