from __future__ import annotations

import pytest

from assistant.followup import standing_alone
from assistant.reply import Chain, Link, Reply

DIRECTOR = Link("The Glass Harbour", "director", "Irena Valdis")
BORN = Link("Irena Valdis", "place of birth", "Tarnow Bay")

WHERE_BORN = Reply("Where was the director of The Glass Harbour born?", "Tarnow Bay", chains=(Chain((DIRECTOR, BORN)),))
WHO = Reply("Who directed The Glass Harbour?", "Irena Valdis", chains=(Chain((DIRECTOR,)),))
WHEN = Reply(
    "When was Irena Valdis born?", "4 May 1899", chains=(Chain((Link("Irena Valdis", "date", "4 May 1899"),)),)
)


@pytest.mark.parametrize(
    ("question", "last", "alone"),
    [
        ("When did she die?", WHERE_BORN, "When did Irena Valdis die?"),
        ("And when did she die?", WHERE_BORN, "when did Irena Valdis die?"),
        ("When did she die?", WHO, "When did Irena Valdis die?"),
        ("Where did she die?", WHEN, "Where did Irena Valdis die?"),
        ("Who was her father?", WHO, "Who was Irena Valdis's father?"),
        ("Who taught her in school?", WHO, "Who taught Irena Valdis in school?"),
        ("Where is it?", WHERE_BORN, "Where is Tarnow Bay?"),
        ("And who wrote it?", WHERE_BORN, "who wrote The Glass Harbour?"),
        ("When was it filmed?", WHO, "When was The Glass Harbour filmed?"),
        ("When was it released?", WHO, "When was The Glass Harbour released?"),
        ("What is its population?", WHERE_BORN, "What is Tarnow Bay's population?"),
        ("And Seven Lanterns?", WHERE_BORN, "Where was the director of Seven Lanterns born?"),
        ("What about Seven Lanterns?", WHO, "Who directed Seven Lanterns?"),
    ],
)
def test_what_refers_to_the_last_turn_is_filled_in(question: str, last: Reply, alone: str) -> None:
    assert standing_alone(question, [WHEN, last]) == alone


@pytest.mark.parametrize(
    "question", ["When did Oskar Valdis find that it was her?", "How many bridges are there in Karsk?", "Why?", ""]
)
def test_what_names_something_or_refers_to_nothing_stays(question: str) -> None:
    assert standing_alone(question, [WHERE_BORN]) == question


def test_nothing_before_or_nothing_found_before() -> None:
    assert standing_alone("When did she die?", []) == "When did she die?"
    assert standing_alone("When did she die?", [Reply("Who?", "", found=False)]) == "When did she die?"


def test_a_turn_that_found_nothing_is_passed_over() -> None:
    assert standing_alone("When did she die?", [WHO, Reply("Who?", "", found=False)]) == "When did Irena Valdis die?"


def test_a_last_turn_without_a_chain() -> None:
    bare = Reply("Who was it?", "Irena Valdis")
    assert standing_alone("When did she die?", [bare]) == "When did Irena Valdis die?"
    assert standing_alone("And Seven Lanterns?", [bare]) == "And Seven Lanterns?"
