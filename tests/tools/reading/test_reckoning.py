"""Questions for numbers that have to be worked out."""

from __future__ import annotations

import pytest

from tools.planning.planner import plan_question
from tools.reading import reckoning
from tools.reading.answering import EvidencePassage, FoundAnswer, answer_question
from tools.reading.reckoning import RECKONED, asks_to_reckon, chance_of_reckoning, is_reckoned, question_words


def test_a_question_is_judged_by_its_words_and_their_pairs() -> None:
    assert question_words("What do 3 seals cost Jo?") == {
        "what", "do", "#", "seals", "cost", "<name>",
        "<first> what", "what do", "do #", "# seals", "seals cost", "cost <name>", "<name> <last>",
    }  # fmt: skip
    assert question_words("") == {"<first> <last>"}
    assert question_words("£12’s") == {"#", "s", "<first> #", "# #", "# s", "s <last>"}


def test_the_chance_is_that_of_the_weights_of_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    # -1 + 2 + 0.5 = 1.5; 1 / (1 + exp(-1.5)) = 0.8176. Without known words: 1 / (1 + exp(1)) = 0.2689.
    monkeypatch.setattr(reckoning, "_load", lambda: ({"altogether": 2.0, "come to": 0.5}, -1.0))
    assert chance_of_reckoning("What do they come to altogether?") == pytest.approx(0.8176, abs=1e-4)
    assert chance_of_reckoning("") == pytest.approx(0.2689, abs=1e-4)


@pytest.mark.parametrize(
    "question",
    [
        "What do the missing valves come to altogether?",
        "How much of the repair had to come out of our own money?",
        "how much more did we spend than the year before",
        "What have we spent on the hall up to now, all of it together?",
    ],
)
def test_what_has_to_be_worked_out_is_not_read_off_a_line(question: str) -> None:
    assert chance_of_reckoning(question) >= RECKONED
    assert is_reckoned(question, "£18.50", "valves £18.50 each")
    assert not is_reckoned(question, "£55.50", "Valves in total: £55.50")
    assert not is_reckoned(question, "the valves", "the valves are missing")
    assert not is_reckoned(question, "£55.50", "Money. £55.50 in the bank.")
    assert is_reckoned(question, "£55.50", "£55.50 on the bank of the river")
    line = "3 May: the council gave £18.50 for the valves, the trust £14"
    assert is_reckoned(f"After the sale, {question}", "£55.50", "£55.50 in the bank.")
    assert is_reckoned(question, line, line)
    assert not is_reckoned(question, "14 January 2025, 19:00", "Next meeting: 14 January 2025, 19:00")


@pytest.mark.parametrize(
    "question",
    [
        "What does a valve cost?",
        "How old is the boiler?",
        "How many metres of net are we allowed?",
        "At what temperature does the alarm go off?",
        "How long does the freezer hold when it is full?",
    ],
)
def test_what_a_line_tells_is_read(question: str) -> None:
    assert not is_reckoned(question, "12", "12 each")


def test_the_longest_question_is_judged_by_its_beginning() -> None:
    assert question_words("word " * 10_000) == {"word", "<first> word", "word word", "word <last>"}


def test_no_sentence_is_quoted_for_what_has_to_be_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The council gave £500 for the repair, the trust £400, the rest came from our own reserve."
    passages = [EvidencePassage(1, "Repair", text, 1.0)]
    question = "How much of the repair had to come out of our own reserve?"

    def told(most: float) -> FoundAnswer:
        monkeypatch.setattr(reckoning, "RECKONED", most)
        return answer_question(question, plan_question(question), passages)

    assert told(RECKONED).quote is None
    unheeded = told(1.1)
    assert unheeded.quote or unheeded.confidence > 0.6


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("What do three new pairs of crutches cost together?", True),
        ("If 150 people come to the concert, what is our share?", True),
        ("What would his share cost him plus what a year came to, all together?", True),
        ("What is the membership on top of the course?", False),
        ("What does a new pair of crutches cost?", False),
        ("What do the three of us have in common?", False),
        ("If the boiler shows E4, what do I do?", False),
        ("", False),
    ],
)
def test_what_says_outright_that_it_has_to_be_worked_out(question: str, is_asked: bool) -> None:
    assert asks_to_reckon(question, "A pair costs 16.80.") is is_asked


def test_what_is_left_is_told_by_what_speaks_of_it() -> None:
    for question in (
        "By how much did we go over?",
        "How much does he still have to pay?",
        "What is left after the deposit?",
        "How many cubic metres more did we use last summer than the summer before?",
    ):
        assert asks_to_reckon(question, "Kitchen: 4740.00")
        assert not asks_to_reckon(question, "That leaves a balance of 134.00 over the plan.")
