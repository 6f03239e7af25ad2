"""Questions in as few words as can be, written out."""

from __future__ import annotations

import pytest

from tools.planning.in_full import in_full


@pytest.mark.parametrize(
    ("question", "full"),
    [
        ("code of the gate", "What is the code of the gate?"),
        ("Deadline for our reply to Lisse?", "What is the deadline for our reply to Lisse?"),
        ("last four digits of the key", "What are the last four digits of the key?"),
        ("second teacher of the girl whose film broke", "Who is the second teacher of the girl whose film broke?"),
        ("our number with the bank", "What is our number with the bank?"),
        ("kitchen duty week beginning 27 April", "What is the kitchen duty week beginning 27 April?"),
        ("Jo's mobile number", "What is Jo's mobile number?"),
        ("number of boats from Hull", "How many boats from Hull?"),
        ("number for the vet", "What is the number for the vet?"),
        ("heaviest animal on the books?", "What is the heaviest animal?"),
        ("most expensive tool", "What is the most expensive tool?"),
        ("names of Edith Marlowe's animals", "Which animals does Edith Marlowe have?"),
        ("what are Tom's boats", "Which boats does Tom have?"),
        ("all January jobs added up, how much", "How much is all January jobs added up?"),
        ("welding the frame, cost?", "What does welding the frame cost?"),
        ("all suppliers together, what do they cost a year?", "What do all suppliers cost a year?"),
        ("paint colours we already bought", "Which paint colours have we already bought?"),
        ("how many of the listed boats leak", "How many the boats leak?"),
        ("Which tickets cost nothing?", "Which tickets are free?"),
        ("What costs nothing?", "What is free?"),
    ],
)  # fmt: skip
def test_what_is_asked_in_few_words_is_asked_in_full(question: str, full: str) -> None:
    assert in_full(question) == full


@pytest.mark.parametrize(
    "question",
    [
        "What is the code of the gate?",
        "who has the key of the shed",
        "Is the gate of the yard locked?",
        "Line 5 is in operation at present, right?",
        "The pond will be cleared in August, right?",
        "I'm at the gate of the yard, who has the key?",
        "too ill for the exam, when do they sit it instead",
        "island paper comes out which weekday",
        "My boat sank. What do I do with the rest of it?",
        "On the day of the fair, who minds the gate?",
        "tell me the code of the gate",
        "Stalker composer birthplace",
        "code of the gate" * 20,
        "?",
        "",
    ],
)
def test_what_is_asked_in_full_or_is_no_question_stays_as_it_is(question: str) -> None:
    assert in_full(question) == question
