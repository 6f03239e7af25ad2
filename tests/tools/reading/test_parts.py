"""Two questions in one, and values in whole."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.values import is_relative_time
from tools.reading.parts import (
    all_named,
    lacks_number,
    split_question,
    standing_on,
    whole_value,
    whole_word,
    within_line,
)


def test_two_questions_are_split_and_one_is_not() -> None:
    assert split_question("Who directed it, and when was it released?") == ("Who directed it?", "when was it released?")
    assert split_question("Who is secretary and what is his number?") == ("Who is secretary?", "what is his number?")
    assert split_question("When does the lease end and whats the deposit?") == (
        "When does the lease end?",
        "whats the deposit?",
    )


def test_what_the_second_half_leaves_unsaid_is_that_of_the_first() -> None:
    assert split_question("how hot and how long does the juice need") == (
        "how hot does the juice need?",
        "how long does the juice need?",
    )
    assert split_question("who's the new one on Thursdays and from when") == (
        "who's the new one on Thursdays?",
        "from when is the new one on Thursdays?",
    )
    assert split_question("Who painted it, and when?") == ("Who painted it?", "when painted it?")
    assert split_question("Who wrote Pride and Prejudice?") is None
    assert split_question("Which film is older, The Pit and How Sweet It Is?") is None
    assert split_question("") is None


def test_the_second_half_stands_on_the_first() -> None:
    first = "Who directed Metropolis?"
    assert standing_on("when was it released?", first, "Fritz Lang") == "when was Metropolis released?"
    assert standing_on("where was he born?", first, "Fritz Lang") == "where was Fritz Lang born?"
    assert standing_on("what is his number?", "Who is secretary?", "Iwan") == "what is Iwan's number?"
    assert standing_on("who found Charon?", "Who discovered Triton?", "Lassell") == "who found Charon?"


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("It is release 4.1.2 now.", "4.1", "4.1.2"),
        ("We close at 13:00 on Saturday.", "13", "13:00"),
        ("It cost € 640 in all.", "640", "€ 640"),
        ("The mixer takes 60 kg of dough.", "60", "60 kg"),
        ("It is built with Python >= 3.6 and make.", "3.6", ">= 3.6"),
        ("It is built with make ≥4.1 or so.", "4.1", "≥4.1"),
        ("> 18 came.", "18", "18"),  # a quotation
        ("It was 1,104 pounds a month.", "1,104", "1,104 pounds"),
        ("At 29 degrees C it stops.", "29", "29 degrees C"),
        ("It has 8 stops.", "8", "8"),
        ("On 21 June 1951.", "21 June 1951", "21 June 1951"),
        ("He left in 1987.", "1987", "1987"),
        ("Ana Souza came.", "Ana", "Ana"),
    ],
)
def test_values_in_whole(text: str, part: str, whole: str) -> None:
    doc = evidence(("Notes", text)).docs[0]
    at = doc.text.index(part)
    start, end = whole_value(doc, at, at + len(part))
    assert doc.text[start:end] == whole


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("Add a link named 70-fonts.conf there.", "70-fonts", "70-fonts.conf"),
        ("See /etc/fonts/conf.d/70-no.conf.", "conf.d", "/etc/fonts/conf.d/70-no.conf"),
        ("Write to ana@example.org, please.", "example.org", "ana@example.org"),
        ("Run ./.bootstrap first.", "bootstrap", "./.bootstrap"),
        ("Pass --no-cache to it.", "cache", "--no-cache"),
        ("Set max_open_files here.", "open", "max_open_files"),
        ('The "log-readers" group owns them.', 'log-readers" group', "log-readers"),
        ('The group "readers" owns them.', 'group "readers', 'group "readers"'),
        ("The lamp (red) is on.", "lamp (red", "lamp (red)"),
        ("Red/blue, as in 1987.", "blue", "blue"),
        ("He left.Then it rained, e.g. here.", "it", "it"),
        ("A 14-year-old boy.", "14", "14"),
    ],
)
def test_names_of_files_and_the_like_in_whole(text: str, part: str, whole: str) -> None:
    doc = evidence(("Notes", text)).docs[0]
    at = doc.text.index(part)
    start, end = whole_word(doc, at, at + len(part))
    assert doc.text[start:end] == whole


def test_names_that_are_told_together() -> None:
    text = "It was made by Ann Lee, Bob\nvan Dyke, Theo de Raadt,\nand Cy Fox. Dot Ray and Eve Low came later."
    doc = evidence(("Notes", text)).docs[0]
    for part in ("Ann Lee", "Theo de Raadt", "Cy Fox"):
        at = doc.text.index(part)
        start, end = all_named(doc, at, at + len(part))
        assert " ".join(doc.text[start:end].split()) == "Ann Lee, Bob van Dyke, Theo de Raadt, and Cy Fox"
    at = doc.text.index("Dot Ray")
    assert all_named(doc, at, at + 7) == (at, at + 7)


def test_times_that_name_no_day() -> None:
    for text in ("yesterday", "two days ago", "last month", "this month", "next Friday", "a few years ago"):
        assert is_relative_time(text), text
    for text in ("13:00", "May 2023", "last month, in May 2023", "Monday to Saturday", "the first of July"):
        assert not is_relative_time(text), text


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("Who flew on STS-31?", False),
        ("Who flew on STS-93?", True),
        ("Who flew on sts31?", False),
        ("Who flew on 24 April 1990?", False),
        ("Who flew on 4 April?", False),
        ("Who flew in 1991?", True),
        ("Who flew with crew 7?", True),
        ("Who flew at 5?", False),
        ("Who flew?", False),
        ("", False),
        ("Who flew with 12 others?", False),
        ("Who flew on the 4th of April?", False),
        ("Who flew at 05:30am?", False),
        ("Who flew for 3km?", True),
        ("Who flew if they were 7?", False),
        ("Who flew when 7 had come?", True),
        ("Who flew if it was STS-93?", True),
        ("Are the 7 of St. Lorin flying?", True),
        ("There are 7 of us. Who flew?", False),
        ("There are 7 of us. Who flew with 9?", True),
        ("Who flew if it was in 1991?", True),
        ("When did no. 7 fly?", True),
    ],
)
def test_a_number_asked_about_that_the_passage_lacks(question: str, lacks: bool) -> None:
    doc = evidence(("STS-31", "Day: 1990-04-24\nDiscovery flew at 05:30 on the 04th with twelve others.")).docs[0]
    assert lacks_number(doc, question) is lacks


@pytest.mark.parametrize(
    ("text", "span", "kept"),
    [
        ("Work: Rehair; Price: 32 pounds\nWork: Crack; Price: 9 pounds", "32 pounds\nWork: Crack", "32 pounds"),
        ("Code: VN; Rent gbp: 40; Owned: 2", "gbp: 40", "40"),
        ("Service: Stamp; Team: Rentals", "Stamp; Team", "Stamp"),
        ("Present: Ana, Bob, Eva\nPlace: Pit", "Ana, Bob, Eva\nPlace", "Ana, Bob, Eva"),
        ("Extension: 130\n## Beatriz Lemos", "130\n## Beatriz", "130"),
        ("It is run by Ana\nSouza of Lima.", "Ana\nSouza", "Ana\nSouza"),
        ("$ cat memory.x\n/* Linker script */", "memory.x\n/* Linker", "memory.x"),
        ("It is run by\n#[entry]", "run by\n#[entry", "run by"),
        ("It takes 5\n% or so", "5\n%", "5\n%"),
    ],
)
def test_an_answer_ends_where_its_line_or_its_cell_ends(text: str, span: str, kept: str) -> None:
    at = text.index(span)
    start, end = within_line(evidence(("Notes", text)).docs[0], at, at + len(span))
    assert text[start:end] == kept
