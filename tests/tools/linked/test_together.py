"""What two lines say together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from tools.linked.line_pool import Line, LinePool
from tools.linked.together import MOST, ToldTogether, joined, told_together
from tools.planning.planner import plan_question
from tools.reading.abbreviated import Read
from tools.reading.second_reader import read_again, read_linked
from tools.reading.spans import Reading, Span

QUESTION = "What number do I ring about the gate?"
GATE, OLGA, BERT = Line(1, "Week 3", "Olga mended the gate"), Line(2, "Staff", "Olga: 12"), Line(3, "Staff", "Bert: 13")
LINES = LinePool((GATE, OLGA, BERT))
BOTH = ((0, 1), (0, 2))


def reading(told: dict[str, float], answered: float = 1.0) -> Read:
    """A reader that finds these words, with these probabilities, wherever they stand."""

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [
            Reading(
                tuple(Span(at, at + len(one), chance) for one, chance in told.items() if (at := text.find(one)) >= 0),
                answered,
            )
            for _, _, text in pairs
        ]

    return read


def test_two_lines_stand_below_each_other_behind_their_titles() -> None:
    assert joined(GATE, OLGA) == "Week 3: Olga mended the gate\nStaff: Olga: 12"
    assert joined(Line(1, "", "a b"), OLGA) == "a b\nStaff: Olga: 12"


def told(
    read: Read, again: Read | None = None, pairs: Sequence[tuple[int, int]] = BOTH, question: str = QUESTION
) -> ToldTogether | None:
    return told_together(question, plan_question(question), LINES, pairs, read, again or reading({}))


def test_the_likeliest_words_answer_with_the_line_that_has_them_last() -> None:
    straight = told(reading({"12": 0.8, "13": 0.3}))
    assert straight is not None
    assert (straight.text, straight.leading, straight.telling, straight.link) == ("12", GATE, OLGA, "Olga")
    turned = told(reading({"gate": 0.8}), question="What did the one with number 12 mend?")
    assert turned is not None
    assert (turned.text, turned.leading, turned.telling) == ("gate", OLGA, GATE)


def test_what_speaks_for_an_answer_worked_out_by_hand() -> None:
    """0.5 that a pair answers at all, times 0.8: 0.4; the other comes to 0.15; read as a passage 0.5 x 0.2."""
    found = told(reading({"12": 0.8, "13": 0.3}, 0.5), reading({"12": 0.2, "13": 0.6}, 0.5))
    assert found is not None
    assert found.measures == pytest.approx((math.log(0.4 / 0.6), math.log(0.15 / 0.85), math.log(0.1 / 0.9)))


def test_the_likelier_the_words_and_the_less_likely_others_the_surer() -> None:
    low, high = told(reading({"12": 0.5, "13": 0.3})), told(reading({"12": 0.9, "13": 0.3}))
    alone, again = told(reading({"12": 0.9})), told(reading({"12": 0.9}), reading({"12": 0.9}))
    assert low is not None
    assert high is not None
    assert alone is not None
    assert again is not None
    assert low.confidence < high.confidence < alone.confidence < again.confidence <= MOST


def test_other_words_below_a_thousandth_all_count_the_same() -> None:
    rare, rarer = told(reading({"12": 0.9, "13": 0.001})), told(reading({"12": 0.9}))
    assert rare is not None
    assert rarer is not None
    assert rare.confidence == rarer.confidence


def test_what_the_question_names_is_no_answer() -> None:
    assert told(reading({"the gate": 0.9})) is None
    found = told(reading({"gate": 0.9, "12": 0.1}))
    assert found is not None
    assert found.text == "12"


def test_a_name_is_no_number() -> None:
    assert told(reading({"Olga": 0.9})) is None


def test_words_across_both_lines_and_none_at_all_are_no_answer() -> None:
    mended = "What did the one with number 12 mend?"
    assert told(reading({"gate\nStaff": 0.9}), question=mended) is None
    assert told(reading({"gate": 0.9}), question=mended) is not None
    assert told(reading({":": 0.9})) is None
    assert told(reading({"12": 0.9}), pairs=()) is None


def test_of_equals_the_pair_that_is_likelier_to_answer_counts() -> None:
    found = told(reading({"12": 0.5, "13": 0.5}), pairs=BOTH[::-1])
    assert found is not None
    assert found.telling is BERT
    assert told(reading({"12": 0.5, "13": 0.5}), pairs=BOTH[::-1]) == found


def test_the_reader_that_ships_reads_two_lines_and_not_those_of_somebody_else() -> None:
    question = "what's the number of whoever let the truing stand fall?"
    dropped = Line(1, "Notes April", "Maren dropped the truing stand on Friday and paid for half of it.")
    hers = Line(2, "Staff", "Name: Maren Ulvestad; Role: wheels; Tel: 5520 318; Since: 2016")
    his = Line(3, "Staff", "Name: Tobias Quell; Role: front desk; Tel: 5520 344; Since: 2021")
    right, wrong = read_linked([(question, "", joined(dropped, one)) for one in (hers, his)])
    best = right.spans[0]
    assert joined(dropped, hers)[best.start : best.end] == "5520 318"
    assert right.answered > 0.5 > wrong.answered


def test_how_passages_are_read_is_not_changed_by_it() -> None:
    asked = [("Who mended the gate?", "", "Olga mended the gate on Monday.")]
    before = read_again(asked)
    read_linked(asked)
    assert read_again(asked) == before
    assert read_linked([]) == []
