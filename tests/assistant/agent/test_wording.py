from __future__ import annotations

from pathlib import Path

import pytest

from assistant.agent.offline.wording import (
    as_known,
    of_its_maker,
    spelled_out,
    unaddressed,
    with_its_verb,
    with_months,
)
from assistant.conversations.session import answer
from kb.store.knowledge_base import KnowledgeBase


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("where was irena valdis born", "where was Irena Valdis born"),
        ("who directed the glass harbour?", "who directed The Glass Harbour?"),
        ("who directed seven lanterns", "who directed Seven Lanterns"),
        ("when was brandel born?", "when was Brandel born?"),
        ("irena valdis's father", "Irena Valdis's father"),
        ("Where was Irena valdis born?", "Where was Irena Valdis born?"),
    ],
)
def test_known_names_get_their_capitals(small: KnowledgeBase, question: str, known: str) -> None:
    assert as_known(small, question) == (known, ())


@pytest.mark.parametrize(
    "question",
    [
        "Where was Irena Valdis born?",
        "which ships have been painted?",
        "Which film was shot in two weeks?",
        "how are water mills lost?",
        "",
        "?!",
        "word " * 500,
    ],
)
def test_what_is_known_or_ordinary_stays(small: KnowledgeBase, question: str) -> None:
    assert as_known(small, question)[0].casefold() == question.casefold()
    assert as_known(small, question)[1] == ()


@pytest.mark.parametrize(
    ("question", "known", "note"),
    [
        ("Where was Irena Valdiss born?", "Where was Irena Valdis born?", "read “Valdiss” as “Valdis”"),
        ("where was tomas brandell born", "where was Tomas Brandel born", "read “brandell” as “Brandel”"),
        (
            "Who painted RMS valdiss with Oskar valdiss?",
            "Who painted RMS valdiss with Oskar Valdis?",
            "read “valdiss” as “Valdis”",
        ),
        ("What is Lindhlom known for?", "What is Lindholm known for?", "read “Lindhlom” as “Lindholm”"),
    ],
)
def test_misspelt_names_are_corrected_with_a_note(small: KnowledgeBase, question: str, known: str, note: str) -> None:
    assert as_known(small, question) == (known, (note,))


@pytest.mark.parametrize(
    "question",
    [
        "Where was Henry Valdiss born?",  # no name here has both words
        "Where is Kaskr?",  # two letters away
        "What is the mill of Odre?",  # too short
        "Did Zworykin teach Tomas Brandell?",  # another name that is known in no spelling
        "Where was Maria Curie born?",
    ],
)
def test_other_names_are_not(small: KnowledgeBase, question: str) -> None:
    assert as_known(small, question) == (question, ())


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Stalker composer birthplace", "What is the birthplace of the composer of Stalker?"),
        ("Stalker composer", "Who is the composer of Stalker?"),
        ("birthplace of Stalker composer", "What is the birthplace of the composer of Stalker?"),
        ("Birthplace of the composer of Stalker", "What is the birthplace of the composer of Stalker?"),
        ("Ralph Fowler's father-in-law birthplace", "What is the birthplace of the father-in-law of Ralph Fowler?"),
        ("composer of Stalker birthplace", "What is the birthplace of the composer of Stalker?"),
        ("Stalker place of birth", "What is the place of birth of Stalker?"),
        ("Who composed Stalker?", "Who composed Stalker?"),
        ("Stalker", "Stalker"),
        ("Stalker bananas", "Stalker bananas"),
        ("composer birthplace", "composer birthplace"),
        ("", ""),
    ],
)
def test_a_row_of_nouns_is_a_question(said: str, asked: str) -> None:
    assert spelled_out(said) == asked


def test_who_made_the_music_is_the_composer() -> None:
    assert of_its_maker("who wrote the score of Vertigo?") == "Who is the composer of Vertigo?"
    assert of_its_maker("Who wrote Vertigo?") == "Who wrote Vertigo?"


def test_a_question_in_haste_is_answered(small_file: Path) -> None:
    reply = answer(small_file, "glass harbour director birthplace")
    assert reply.answer == "Tarnow Bay"
    assert reply.notes == ("read as “What is the birthplace of the director of Glass Harbour?”",)
    assert reply.question == "glass harbour director birthplace"


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("who is on duty on 11 may", "who is on duty on 11 May"),
        ("what happened in march, and since april 3rd?", "what happened in March, and since April 3rd?"),
        ("the 2nd may meeting", "the 2nd May meeting"),
        ("may i march in", "may i march in"),
        ("Who may come in May?", "Who may come in May?"),
        ("what may be in may be lost", "what may be in may be lost"),
        ("", ""),
    ],
)
def test_months_get_their_capitals(question: str, written: str) -> None:
    assert with_months(question) == written


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("Which mooring's ours?", "Which mooring is ours?"),
        ("and how long’s the roof guaranteed for", "and how long is the roof guaranteed for"),
        ("Which ship's captain is Ana?", "Which ship's captain is Ana?"),
        ("What's in the box?", "What's in the box?"),
        ("Ask which one's ours", "Ask which one's ours"),
        ("", ""),
    ],
)
def test_a_verb_that_is_joined_to_what_is_asked_for_stands_by_itself(question: str, written: str) -> None:
    assert with_its_verb(question) == written


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("hey, who has the key?", "who has the key?"),
        ("hey who has the key?", "who has the key?"),
        ("Hi all - quick question: is the van insured?", "is the van insured?"),
        ("Can you tell me when the bus goes?", "when the bus goes?"),
        ("remind me again, who was it?", "who was it?"),
        ("Remind me: is the van insured?", "is the van insured?"),
        ("Tell me about Ana", "Tell me about Ana"),
        ("Can you tell me who Gareth is?", "who is Gareth?"),
        ("remind me what colour the walls in the hall were", "what colour were the walls in the hall?"),
        ("tell me which of them is the oldest", "which of them is the oldest"),
        ("do you know who is on duty when Ana is away?", "who is on duty when Ana is away?"),
        ("Can you look this up: what did they ask, please?", "what did they ask?"),
        ("Who paid, thanks!", "Who paid!"),
        ("Who says well, who came?", "Who says well, who came?"),
        ("Does anyone know the bus times?", "Does anyone know the bus times?"),
        ("Well dug by Ana?", "Well dug by Ana?"),
        ("hello", "hello"),
        ("", ""),
    ],
)
def test_what_one_calls_out_before_a_question_is_not_asked(question: str, asked: str) -> None:
    assert unaddressed(question) == asked
