"""The row of a table that has the most or the least of what is asked for."""

from __future__ import annotations

import time

import pytest
from answer_evidence import evidence, passages

from tools.answer_rules.asked_most import STATED, find_most
from tools.planning.plan import Plan
from tools.reading.answering import answer_question

VESSELS = (
    "Vessels",
    "Vessel: Guillemot; Type: car ferry; Built: 1994; Speed kn: 11.5; Cars: 18; Docked: 2025-10-06\n"
    "Vessel: Petrel; Type: car ferry; Built: 2009; Speed kn: 12.0; Cars: 12; Docked: 2026-02-09\n"
    "Vessel: Aurelia; Type: launch; Built: 2017; Speed kn: 18.0; Cars: 0; Docked: 2025-05-12",
)
PRICES = ("Prices", "Room: Mill Loft; Rent eur: 120; Deposit eur: 40\nRoom: Attic; Rent eur: 90; Deposit eur: 40")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which vessel is the oldest?", "Guillemot"),
        ("What is the newest vessel?", "Aurelia"),
        ("Which one of our boats is the fastest?", "Aurelia"),
        ("Which car ferry is the newest?", "Petrel"),
        ("Which car ferry is the fastest?", "Petrel"),
        ("Which vessel takes the most cars?", "Guillemot"),
        ("What's the most expensive room to rent?", "Mill Loft"),
        ("which room has the lowest rent", "Attic"),
        # Two rows share the place, two columns are meant, no column is.
        ("Which room has the highest deposit?", None),
        ("Which room is the cheapest?", None),
        ("Which vessel is the heaviest?", None),
        # Something is asked of that row, of another thing, of no kind, of what no row says, or denied.
        ("What is the speed of the oldest vessel?", None),
        ("Which crew has the oldest vessel?", None),
        ("Who is the fastest?", None),
        ("Which vessel of Harrow Weir is the fastest?", None),
        ("Which vessel is not the fastest?", None),
        ("Is the Petrel the fastest?", None),
        ("Who is the best captain?", None),
        ("", None),
    ],
)
def test_the_one_row_that_comes_first(question: str, name: str | None) -> None:
    found = find_most(question, evidence(VESSELS, PRICES))
    assert (found.text if found else None) == name


def test_too_few_values_are_no_order() -> None:
    rows = ("Vessels", "Vessel: A; Speed: 11\nVessel: B; Speed: 12\nVessel: C; Speed: unknown")
    assert find_most("Which vessel is the fastest?", evidence(rows)) is None


def test_it_is_told_with_its_value_and_only_where_all_rows_are_at_hand() -> None:
    found = passages(VESSELS)
    question = "Which vessel is the fastest?"
    answer = answer_question(question, Plan(()), found, {}, lambda pairs: [], None, ())
    assert (answer.text, answer.confidence, answer.support) == ("Aurelia", STATED, (1,))
    assert answer.stated[0][1].startswith("Vessel: Aurelia; Type: launch; Built: 2017; Speed kn: 18.0")


def test_hostile_text_takes_no_long_time() -> None:
    began = time.process_time()
    find_most("which " + "longest " * 37, evidence(("t", "\n".join(f"A: {n}; Length: {n}" for n in range(2000)))))
    assert time.process_time() - began < 5
