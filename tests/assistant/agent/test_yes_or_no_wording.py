"""Questions for yes or no in the order in which people type them."""

from __future__ import annotations

import pytest

from assistant.agent.offline.yes_or_no_wording import asked_first
from tools.reading.yes_or_no import is_yesno


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("If I am ill, should I phone my own depot?", "should I phone my own depot if I am ill?"),
        ("When it rains, do we play?", "do we play when it rains?"),
        ("When it rains, who opens the gate?", "When it rains, who opens the gate?"),
        ("When was the engine put in, is it the first?", "When was the engine put in, is it the first?"),
        ("If I am ill, I ring", "If I am ill, I ring"),
        ("I have no voucher yet, can I come in anyway?", "can I come in anyway, I have no voucher yet?"),
        ("My daughter is six. Does she get in free?", "Does she get in free, My daughter is six?"),
        ("With fog, would the walk go ahead?", "would the walk go ahead, With fog?"),
        ("Ana, can you tell me when it is?", "Ana, can you tell me when it is?"),
        ("Who won, did Ana?", "Who won, did Ana?"),
        ("Was it Ben, or did Ana win?", "Was it Ben, or did Ana win?"),
        ("I know who came, did Ana win?", "I know who came, did Ana win?"),
        ("I'm 74 and send it on paper. will I get it back", "will I get it back, I'm 74 and send it on paper?"),
        ("if I type the bare command, does it go out as well", "does it go out as well if I type the bare command?"),
        ("got an N1, can i have 2.8?", "can i have 2.8, got an N1?"),
        ("after a power cut does the start survive?", "does the start survive, after a power cut?"),
        ("with 1.4 would it run without being capped?", "would it run without being capped, with 1.4?"),
        ("so could I go?", "so could I go?"),
        ("Ana left. Does Ben also have to?", "Does Ben also have to, Ana left?"),
        ("Someone rang, what is it?", "Someone rang, what is it?"),
        ("I rang. Is it the one which broke?", "I rang. Is it the one which broke?"),
        ("after Ana left who was it?", "after Ana left who was it?"),
        ("The police number, need it for the form?", "The police number, need it for the form?"),
        ("", ""),
    ],
)
def test_what_is_asked_behind_a_condition_is_asked_first(question: str, asked: str) -> None:
    assert asked_first(question) == asked


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("so the gate stays open all night?", "Is it true that the gate stays open all night?"),
        ("we still have to wash the plates?", "Is it true that we still have to wash the plates?"),
        ("the saw wore out, so i pay zero?", "Is it true that i pay zero, the saw wore out?"),
        ("my red kettle is in the shed?", "Is it true that my red kettle is in the shed?"),
        ("The pond is cleared in August, right?", "Is it true that The pond is cleared in August?"),
        ("Ana was there, wasn't she?", "Is it true that Ana was there?"),
        ("ok if i bring my dog?", "Is it ok if i bring my dog?"),
        ("48 degrees under tiles, allowed?", "Is it allowed, 48 degrees under tiles?"),
        ("soup in a jar ok?", "Is it ok, soup in a jar?"),
        ("it's minus 4 outside, ok to ride?", "Is it ok to ride, it's minus 4 outside?"),
        ("sofa 60 cm in front, far enough?", "Is it far enough, sofa 60 cm in front?"),
        ("any gales in november?", "Is there any gales in november?"),
        ("Mixed it this morning. Any good tonight?", "Is there Any good tonight, Mixed it this morning?"),
    ],
)
def test_what_is_asked_without_its_verb_first_is_asked_with_it(question: str, asked: str) -> None:
    assert asked_first(question) == asked
    assert is_yesno(asked)


@pytest.mark.parametrize(
    "question",
    [
        "the name of the boat?",
        "the notice period once that time is over?",
        "I left my coat after the show, where is it?",
        "Longest cable allowed?",
        "Space needed in the temp dir?",
        "fine if I am late?",
        "My badge number?",
        "I'm adding up: total of the auction in 2025?",
        "The term was meant to?",
        "the one who is in the shed?",
        "so which is it?",
        "so it is Ana or Ben?",
        "any idea?",
    ],
)
def test_what_asks_for_something_else_is_left_as_it_is(question: str) -> None:
    assert asked_first(question) == question


def test_a_long_text_is_left_as_it_is() -> None:
    told = "It rained. " * 50
    assert asked_first(f"{told[:396]}Is it open?").startswith("Is it open, It rained")
    assert asked_first(f"{told}Is it open?") == f"{told}Is it open?"
