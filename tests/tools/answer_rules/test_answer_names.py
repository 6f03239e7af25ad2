from __future__ import annotations

import pytest

from tools.answer_rules.names import find_names, find_quoted, names_after
from tools.answer_rules.text import tokenize


def names(text: str) -> list[str]:
    return [text[span.start : span.end] for span in find_names(text, tokenize(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("then B. Reeves Eason left", ["B. Reeves Eason"]),
        ("with Ludwig van Beethoven and Marie de la Tour", ["Ludwig van Beethoven", "Marie de la Tour"]),
        ("to Jerome, 4th Count of Salis, he said", ["Jerome, 4th Count of Salis"]),
        ("by Jean-Marc Vale and O'Brien", ["Jean-Marc Vale", "O'Brien"]),
        ("from St. John's, Newfoundland", ["St. John's", "Newfoundland"]),
        ("aboard Apollo 13 in July 1970", ["Apollo 13", "July"]),
        ("Anna's mother", ["Anna"]),
        ("In Paris he met al-Husayn", ["Paris", "al-Husayn"]),
        ("no name here", []),
        ("", []),
    ],
)
def test_find_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_the_core_of_a_name_ends_before_its_title() -> None:
    text = "Otto, Duke of Parma"
    (span,) = find_names(text, tokenize(text))
    assert (text[span.start : span.core], text[span.start : span.end]) == ("Otto", "Otto, Duke of Parma")


def test_quoted_titles_lose_the_space_inside() -> None:
    text = 'the film" Last Train ", and “Home”'
    assert [text[span.start : span.end] for span in find_quoted(text)] == ["Last Train", "Home"]


def after(text: str, phrase: str) -> list[str]:
    spans = names_after(text, find_names(text, tokenize(text)), text.index(phrase) + len(phrase))
    return [text[span.start : span.end] for span in spans]


def test_names_after_skips_descriptions_and_reads_lists() -> None:
    text = "sung by American producer Dan Francis and French DJ Max Snake in Rome"
    assert after(text, "by") == ["Dan Francis", "Max Snake"]
    assert after("married Nordic Music head Tom Motta, who", "married") == ["Tom Motta"]
    assert after("published by the American Chess Association in 1990", "by") == ["American Chess Association"]


def test_names_after_stops_where_the_sentence_turns() -> None:
    assert after("directed by and in Rome", "by") == []
    assert after("directed by Ann Lee and starring Bob Day", "by") == ["Ann Lee"]
    assert after("directed by Ann Lee. Bob Day played", "by") == ["Ann Lee"]
