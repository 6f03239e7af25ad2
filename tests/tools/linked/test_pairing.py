"""Which two lines are read together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tools.linked.line_pool import Line, LinePool
from tools.linked.pairing import COMMON, EACH, NEAR, WEIGHTS, link, linked_pairs, measured_pairs, near_names

QUESTION = "What number do I ring about the gate?"
SOME = ("The gate is Olga's.", "Name: Olga; Tel: 12", "Name: Bert; Tel: 13", "Tea at four")


def lines(*texts: str) -> LinePool:
    return LinePool(tuple(Line(at, "", text) for at, text in enumerate(texts)))


def closeness(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def test_two_lines_that_share_a_name_are_a_pair_the_closer_one_first() -> None:
    pairs = linked_pairs(lines(*SOME), QUESTION, closeness(0.6, 0.2, 0.1, 0.0))
    assert pairs[0] == (0, 1)
    turned = linked_pairs(lines(*SOME), QUESTION, closeness(0.0, 0.9, 0.1, 0.0))
    assert turned[0] == (1, 0)


def test_what_speaks_for_a_pair_worked_out_by_hand() -> None:
    """Of the question's words, number, I, ring and gate, one line of four has one; two lines have "olga"."""
    some = lines(*SOME)
    _, _, measures = next(
        one for one in measured_pairs(some, QUESTION, closeness(0.6, 0.2, 0.1, 0)) if one[:2] == (0, 1)
    )
    unsaid, said = math.log(5 / 0.5), math.log(5 / 1.5)
    share = said / (said + 3 * unsaid)
    olga = math.log(5 / 2.5)
    assert measures == pytest.approx((0.6, 0.2, share, share, olga, olga), abs=1e-6)


def test_the_heaviest_pair_is_first() -> None:
    some, cosines = lines(*SOME), closeness(0.6, 0.2, 0.1, 0)
    weights = {one[:2]: float(np.array(one[2]) @ WEIGHTS) for one in measured_pairs(some, QUESTION, cosines)}
    assert linked_pairs(some, QUESTION, cosines) == sorted(weights, key=lambda pair: (-weights[pair], pair))


def test_what_the_question_says_itself_links_nothing() -> None:
    some = lines("The gate is green.", "The gate sticks in winter.")
    assert linked_pairs(some, QUESTION, closeness(0.6, 0.5)) == []


def test_a_word_that_many_lines_have_links_none() -> None:
    some = [f"Olga said {at}" for at in range(COMMON + 1)]
    assert linked_pairs(lines(*some), QUESTION, np.zeros(COMMON + 1, dtype=np.float32)) == []
    assert linked_pairs(lines(*some[:-1]), QUESTION, np.zeros(COMMON, dtype=np.float32), most=100)


def test_of_equal_pairs_the_first_by_place_is_first() -> None:
    some = lines("Olga came", "Olga went", "Olga stayed")
    pairs = linked_pairs(some, QUESTION, closeness(0, 0, 0))
    assert pairs == [(0, 1), (0, 2), (1, 2)]


def test_no_more_are_kept_than_wanted_and_no_more_looked_at_than_that() -> None:
    many = [f"Olga{at // 4} did thing{at}" for at in range(400)]
    some = lines(*many)
    cosines = np.linspace(1, 0, 400, dtype=np.float32)
    assert len(linked_pairs(some, QUESTION, cosines, most=3)) == 3
    assert len(measured_pairs(some, QUESTION, cosines)) <= NEAR * EACH


@pytest.mark.parametrize("texts", [(), ("Olga has it",), ("Olga has it", "Bert sleeps")])
def test_without_a_shared_name_there_is_no_pair(texts: tuple[str, ...]) -> None:
    assert linked_pairs(lines(*texts), QUESTION, np.zeros(len(texts), dtype=np.float32)) == []


def test_a_question_without_words_still_has_its_closest_lines() -> None:
    assert len(linked_pairs(lines(*SOME), "?", closeness(0.6, 0.2, 0.1, 0.0))) == 2


def test_names_come_in_the_order_of_how_close_their_lines_are() -> None:
    assert near_names(lines(*SOME), QUESTION, closeness(0.1, 0.0, 0.9, 0.0))[:3] == ["Name", "Bert", "Tel"]


def test_what_two_lines_share_is_told_as_the_first_has_it() -> None:
    some = lines("Chair: Yusuf van Dijk, Flat A3", "Yusuf van Dijk; Flat: A3", "Tea is cold", "Cold tea")
    assert link(some, QUESTION, 0, 1) == "Yusuf van Dijk"
    assert link(some, "Who is Yusuf van Dijk?", 0, 1) == "Flat A3"
    assert link(some, QUESTION, 2, 3) == "Tea"
    assert link(some, QUESTION, 0, 2) == ""


def test_a_name_is_told_without_the_words_around_it_that_are_shared_too() -> None:
    assert link(lines("they say Olga said no", "they say Olga said yes"), QUESTION, 0, 1) == "Olga"


def test_of_a_word_that_is_shared_in_part_all_is_told() -> None:
    assert link(lines("The truing-stand fell", "The stand is new"), QUESTION, 0, 1) == "truing-stand"
