"""Figures that people and programs write otherwise than plainly are read, added up and compared."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence

from tools.answer_rules.cell_figures import plain_cells
from tools.answer_rules.whole_tables import SURE, find_chosen, find_whole


@pytest.mark.parametrize(
    ("cells", "plain"),
    [
        (["1'234.50", "20.10"], ["1234.50", "20.10"]),
        (["1’234’567"], ["1234567"]),
        (["1 234,50 €", "20,10 €"], ["1234.50 €", "20.10 €"]),
        (["1.234,50", "1.234"], ["1234.50", "1234"]),
        (["1.5k", "2.3M", "12 bn"], ["1500", "2300000", "12000000000"]),
        (["£2.3m", "5 m", "4 kg"], ["£2300000", "5 m", "4 kg"]),
        (["1.250 kg", "2.5 kg", "12,5 kg"], ["1.250 kg", "2.5 kg", "12,5 kg"]),
        (["2B", "3M"], ["2B", "3M"]),
        (["1,234.50", "12 345 67", "3-4", "two"], ["1,234.50", "12 345 67", "3-4", "two"]),
    ],
)
def test_cells_with_their_figures_as_anybody_writes_them(cells: Sequence[str], plain: Sequence[str]) -> None:
    assert list(plain_cells(dict(enumerate(cells))).values()) == plain


def shop(name: str, *cells: str) -> tuple[str, str]:
    things = ("Anvil", "Bellows", "Chisel", "Drill")
    return "Shop", "\n".join(f"Item: {thing}; {name}: {cell}" for thing, cell in zip(things, cells, strict=False))


APOSTROPHES = shop("Price", "1'234.50", "999.99", "45.00", "20.10")
BLANKS = shop("Price", "1 234,50", "999,99", "45,00", "20,10")
LETTERS = shop("Visits", "1.5k", "999", "2.3M", "12k")
WEIGHTS = shop("Weight", "2 kg", "900 g", "1.2 kg", "50 g")
TIMES = shop("Duration", "90 min", "2 h", "45 min", "1 h")


@pytest.mark.parametrize(
    ("question", "table", "answer"),
    [
        ("Which item has the highest price?", APOSTROPHES, "Anvil"),
        ("How many items have a price over 500?", APOSTROPHES, "2"),
        ("What is the total price?", APOSTROPHES, "2'299.59"),
        ("Which item has the highest price?", BLANKS, "Anvil"),
        ("What is the total price?", BLANKS, "2 299,59"),
        ("Which item has the most visits?", LETTERS, "Chisel"),
        ("How many items have more than 5000 visits?", LETTERS, "2"),
        ("How many visits are there in total?", LETTERS, "2,314,499"),
        ("Which item has the highest weight?", WEIGHTS, "Anvil"),
        ("Which item has the lowest weight?", WEIGHTS, "Drill"),
        ("What is the total weight?", WEIGHTS, "4.15 kg"),
        ("What is the total duration?", TIMES, "5.25 h"),
        ("What is the total duration?", shop("Duration", "1 month", "3 days"), None),  # of how many days is unsaid
        ("What is the total weight?", shop("Weight", "1 kg", "3 m"), None),
    ],
)
def test_columns_of_several_ways_of_writing(question: str, table: tuple[str, str], answer: str | None) -> None:
    found = find_whole(question, evidence(table))
    assert (found.text if found else None) == answer


def test_it_is_told_that_a_cell_cannot_be_compared_and_nothing_is_as_sure_then() -> None:
    weights = shop("Weight", "2 kg", "3.1.2x", "1.2 kg", "1.5 kg")
    told = "Some of the rows have a Weight that cannot be compared."
    found = find_whole("How many items have a weight of more than 1 kg?", evidence(weights))
    assert found is not None
    assert (found.text, found.confidence < SURE, told in found.reason) == ("3", True, True)
    chosen = find_chosen("Which items have a weight of more than 1 kg?", evidence(weights))
    assert chosen is not None
    assert chosen.lacking == told
