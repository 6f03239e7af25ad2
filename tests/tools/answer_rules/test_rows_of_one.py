"""What rows tell of one person or thing in other words than those of their headers."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.rows_of_one import asks_of_one, find_of_one, find_source

FEES = (
    "Fees",
    "Name: Ann Bell; Flat: 3; Due: 20; Paid: 20\nName: Cy Dorn; Flat: 4; Due: 20; Paid: 0\n"
    "Name: Eve Fox; Flat: 7; Due: 20; Paid: 10\nName: Sam Ray; Flat: 8; Due: 20; Paid: 20\n"
    "Name: Sam Orr; Flat: 8; Due: 20; Paid: 0",
)
ORDERS = (
    "Orders",
    "Date: 2023-01-12; Product: primers; Supplier: Metabion; Ordered by: Moyo\n"
    "Date: 2023-02-02; Product: gloves; Supplier: VWR; Ordered by: Bartek\n"
    "Date: 2023-11-05; Product: tips; Supplier: VWR; Ordered by: Moyo",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Has Ann paid?", "yes"),
        ("Did Cy Dorn pay the fee?", "no"),
        ("Has Eve paid?", None),  # a part
        ("Has Sam paid?", None),  # which one?
        ("Has Bob paid?", None),
        ("Has Ann not paid?", None),
        ("Who lives in flat 7?", "Eve Fox"),
        ("Who lives in flat 8?", None),
        ("Who lives in house 7?", None),
        ("What did Bartek order?", "gloves"),
        ("What did Moyo order?", "primers, tips"),
        ("What did Bartek eat?", None),
    ],
)
def test_what_rows_tell_of_one(question: str, answer: str | None) -> None:
    assert asks_of_one(question)
    found = find_of_one(question, evidence(FEES, ORDERS))
    assert (found.text if found else None) == answer


def test_a_thing_is_got_from_its_supplier_and_not_from_who_ordered_it() -> None:
    for question in ("From whom did we get the primers?", "Who do we get the primers from?"):
        found = find_source(question, evidence(ORDERS))
        assert found is not None
        assert found.text == "Metabion"
    assert find_source("Who ordered the primers?", evidence(ORDERS)) is None
    assert find_source("From whom did we get the goat?", evidence(ORDERS)) is None


@pytest.mark.parametrize(("paid", "verdict"), [("12", "yes"), ("0", "no"), ("in full", ""), ("n/a", "")])
def test_a_cell_without_a_figure_says_nothing_of_what_was_paid(paid: str, verdict: str) -> None:
    rows = "\n".join(
        f"Name: {name}; Paid: {sum}" for name, sum in (*((f"Ann{at}", 12) for at in range(9)), ("Eve", paid))
    )
    found = find_of_one("Has Eve paid?", evidence(("Fees", rows)))
    assert (found.text if found else "") == verdict
