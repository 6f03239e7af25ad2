"""Questions for several things, and the members that stand beside each other."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.reading.guess import Answer
from tools.reading.lists import asks_for_list, members


@pytest.mark.parametrize(
    "question",
    [
        "Which suppliers are in Ghent?",
        "What colours does it have?",
        "Name everybody who came.",
        "List all open tickets",
        "Please list the rooms.",
        "Who were the founders of Alder?",
        "Who all was there?",
    ],
)
def test_all_of_a_kind_are_asked_for(question: str) -> None:
    assert asks_for_list(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is his address?",
        "Which address is his?",
        "Which bus goes to Karsk?",
        "What bus does Ana take?",
        "What gas does the stove use?",
        "Which lens was broken?",
        "Which series was first?",
        "What does this mean?",
        "Which of the two is older?",
        "Name the composer of Stalker",
        "Name James's wife",
        "Who is Ana?",
        "",
    ],
)
def test_one_thing_is_asked_for(question: str) -> None:
    assert not asks_for_list(question)


def listed(text: str, name: str, *others: tuple[str, float]) -> list[str]:
    """The members of the list that a name stands in; `others` are what the reading offers besides, with its scores."""
    doc = evidence(("Notes", text)).docs[0]
    at = doc.text.index(name)
    places = [(doc.text.index(one), one, score) for one, score in others]
    answers = [Answer(doc.found(start, start + len(one), 1.0), score, score) for start, one, score in places]
    return [one for one, _ in members(doc.found(at, at + len(name), 1.0), answers)]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Ann Lee, Bob Day and Cy Fox came.", "Bob Day", ["Ann Lee", "Bob Day", "Cy Fox"]),
        ("We met Ann Lee, Bob Day, and Cy Fox there.", "Cy Fox", ["Ann Lee", "Bob Day", "Cy Fox"]),
        ("It is made by Smith & Jones in Ghent.", "Smith", ["Smith", "Jones"]),
        ("They sell red, green and blue paint.", "green", ["green"]),
        ("The lead is Ann Lee.", "Ann Lee", ["Ann Lee"]),
        ("Ann Lee, who came, met Bob.", "Ann Lee", ["Ann Lee"]),
        ("Name: Ilse; Days: Tue, Fri; Birthday: 3 May", "Tue", ["Tue", "Fri"]),  # not the name of the next cell
        ("Name: Ilse Orr; Part: B2; Days: Fri", "Ilse Orr", ["Ilse Orr"]),
    ],
)
def test_names_beside_a_name_belong_to_its_list(text: str, name: str, found: list[str]) -> None:
    assert listed(text, name) == found


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Present were Ann Lee and Bob Day. Cy Fox was ill.", "Ann Lee", ["Ann Lee", "Bob Day"]),
        ("Ports: Antwerp; Ghent; Karsk.", "Ghent", ["Antwerp", "Ghent", "Karsk"]),
    ],
)
def test_a_list_ends_with_its_sentence(text: str, name: str, found: list[str]) -> None:
    assert listed(text, name) == found


def test_what_the_reading_offers_besides_belongs_to_it_where_it_is_near_the_best() -> None:
    text = "Ann Lee fixed the pump. Bob Day fixed the lamp. Cy Fox slept."
    assert listed(text, "Ann Lee", ("Ann Lee", 0.9), ("Bob Day", 0.6), ("Cy Fox", 0.5)) == ["Ann Lee", "Bob Day"]
    assert listed(text, "Ann Lee", ("Ann Lee", 0.5), ("Bob Day", 0.4)) == ["Ann Lee"]


def test_a_member_is_told_once_and_no_more_than_twelve() -> None:
    assert listed("Ann Lee came, then Ann Lee left.", "Ann Lee", ("Ann Lee", 0.9)) == ["Ann Lee"]
    many = [f"Port{letter}" for letter in "abcdefghijklmnop"]
    assert len(listed(f"We saw {', '.join(many)}.", "Porta")) == 12
