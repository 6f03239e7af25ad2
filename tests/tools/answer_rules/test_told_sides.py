"""Two things compared by what prose tells of both."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.recorded_sides import decide_recorded
from tools.answer_rules.told_sides import APART, TOGETHER

TANKS = ("Boat", "There are two tanks: the forward one holds 180 l and the aft one 95 l. The mast is 14 m high.")
CLUBS = ("Town", "The fire brigade was founded in 1879; the brass band followed in 1886.")
RULES = ("Rules", "A shed may have 12 m². It needs a gutter.\nA greenhouse may have 8 m².")
WOOD = ("Wood", "Oak costs 50 EUR since 1 May 2020, pine costs 20 EUR since 3 May 2019.")
POST = ("Post", "Express takes 2 days, standard takes 5 days.")
TALK = ("Talk", "[09:10] Matteo: I come later.\n[11:20] Anneke: me too, bring the shoes.")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which tank is bigger, the forward one or the aft one?", "forward one"),
        ("Which tank is smaller, the forward one or the aft one?", "aft one"),
        ("What was founded first, the fire brigade or the brass band?", "fire brigade"),
        ("What was founded later, the fire brigade or the brass band?", "brass band"),
        ("What may be bigger, a shed or a greenhouse?", "shed"),
        ("Is the forward tank bigger than the aft tank?", "yes"),
        ("Which costs more before tax, oak or pine?", "oak"),
        # Slow or quick is of time and of speed: numbers alone do not tell.
        ("Which is faster, express or standard?", ""),
        # Of two measures, of times of the clock, of something else.
        ("Which is bigger, the aft tank or the mast?", ""),
        ("Who has the bigger shoes, Matteo or Anneke?", ""),
        ("Which is bigger, the aft tank or the keel?", ""),
    ],
)
def test_what_stands_beside_each_name_is_compared(question: str, answer: str) -> None:
    told = decide_recorded(question, evidence(TANKS, CLUBS, RULES, TALK, WOOD, POST))
    assert (told.text if told else "") == answer


def test_values_of_one_sentence_are_surer_than_those_of_two() -> None:
    one = decide_recorded("What was founded first, the fire brigade or the brass band?", evidence(CLUBS))
    two = decide_recorded("What may be bigger, a shed or a greenhouse?", evidence(RULES))
    assert one is not None
    assert two is not None
    assert (one.confidence, two.confidence) == (TOGETHER, APART)


def test_values_of_two_documents_are_not_compared() -> None:
    texts = (("A", "The shed has 12 m."), ("B", "The barn has 8 m."))
    assert decide_recorded("Which is bigger, the shed or the barn?", evidence(*texts)) is None
