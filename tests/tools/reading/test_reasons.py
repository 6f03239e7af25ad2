"""Whose reason a sentence gives: of what is asked about, or of something else that is told beside it."""

from __future__ import annotations

import pytest
from answer_evidence import passages, pointing_at

from tools.planning.plan import Plan
from tools.reading.answering import answer_question
from tools.reading.considering import ALONE
from tools.reading.reasons import is_reason_of_another, is_without_reason

CAT = "Her cat is ill because it ate a lily."
BEN = "Ben did not leave because of the money but because of the boss."
FERRY = "Kim stayed at home because the ferry was full."


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Why was the trip called off?", FERRY),
        ("Why did Ben stay at home?", FERRY),  # another one did it
        ("Why did Kim sell her bike?", FERRY),  # she did another thing
        ("Why did Ruth leave?", CAT),
        ("Why did Tina hurt her arm?", "His sister hurt her arm because the steps were wet."),
        ("Why was the retreat put off?", "Moyo would drop it, because the crossing costs a fortune."),
        ("Why was the dinner cancelled?", "The picnic was cancelled due to rain."),
        ("Why did Ken buy the piano?", "We didn't buy the piano as it was too dear."),  # it is not so
        ("Why did the boiler fail?", "The bus stopped because the pump was blocked."),
        ("Why did Anna resign?", "Mrs Berg left because she was ill."),
        ("What was the reason for the fair's end?", "Because of the ice, the bus turned round."),
    ],
)
def test_a_reason_is_another_things(question: str, sentence: str) -> None:
    assert is_reason_of_another(question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Why did Kim stay at home?", FERRY),
        ("Why does the whole count have to be done again?", "Repeat all because of box 5."),  # nobody's name
        ("Why did the milk not come?", "Sorry about that - whole batch was pulled because the cold store tripped."),
        ("Why was the meeting put off?", "The meeting was postponed because the chairman was ill."),
        ("Why did Dennis step down?", "He stands down because of his heart."),  # "he" may well be Dennis
        ("Why did the bus stop?", "Because the road was icy, the bus stopped."),
        ("Why did Mark's brother move?", "His brother moved to Leeds because of a job."),
        ("Why was the picnic called off?", "The big picnic was cancelled due to rain."),
        ("Why didn't Ken buy the piano?", "We didn't buy the piano because it was too dear."),
        ("Why isn't Owen named?", 'Your father chose not to name Owen, "because Owen faints".'),
        ("Why was the trip called off?", "The ferry was full."),
        ("Who stayed at home?", FERRY),
        ("Why did the boiler fail?", "The heating stopped working because the pump was blocked."),
        ("Why did the boiler break down?", "The heating failed because the pump was blocked."),
        ("Why was the party moved?", "The summer fete was postponed because of rain."),
        ("Why did Ben leave?", BEN),
        ("Why is Ann leaving her post?", "My last day is Friday, due to maternity leave."),
    ],
)
def test_a_reason_may_be_of_what_is_asked(question: str, sentence: str) -> None:
    assert not is_reason_of_another(question, sentence)


def test_only_the_reason_that_answers_counts() -> None:
    sentence = "The fair was closed because of rain; Kim left because she was cold."
    assert not is_reason_of_another("Why was the fair closed?", sentence, "rain")
    assert is_reason_of_another("Why was the fair closed?", sentence, "she was cold")
    assert is_reason_of_another("Why did Ruth leave?", CAT, CAT.rstrip("."))
    assert is_reason_of_another("Why did Ben leave?", BEN, "the money")
    assert not is_reason_of_another("Why did Ben leave?", BEN, "the boss")


def test_a_sentence_that_says_the_question_again_is_no_reason() -> None:
    again = "The trip was cancelled."
    assert is_without_reason("Why was the trip cancelled?", [again])
    assert is_without_reason("Why was the trip cancelled?", [again, FERRY])
    assert not is_without_reason("Why was the trip cancelled?", [again, "The ferry was full."])


def test_another_things_reason_is_doubted() -> None:
    text = f"The trip was cancelled. {FERRY}"
    read = pointing_at("the ferry was full")
    asked = answer_question("Why was the trip called off?", Plan(()), passages(("Notes", text)), read=read)
    assert asked.text == "the ferry was full"
    assert asked.confidence <= ALONE
