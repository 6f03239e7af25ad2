"""Rows by a column of yes and no."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from answer_evidence import evidence

from tools.answer_rules.rows_marked import asks_marked, find_marked

INVOICES = (
    "Invoices",
    "Client: Harrow Bakery; Invoice: 2025-014; Paid: yes\nClient: Tilde; Invoice: 2025-015; Paid: no\n"
    "Client: Museum; Invoice: 2025-016; Paid: no\nClient: Harrow Bakery; Invoice: 2025-017; Paid: yes",
)
COURSE = (
    "First aid training",
    "Name: Femke Olde; Registered: yes; Vegetarian lunch: no\n"
    "Name: Jorge Pinto; Registered: no; Vegetarian lunch: yes\n"
    "Name: Aisha Bello; Registered: x; Vegetarian lunch: yes",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which invoices are unpaid?", ["2025-015", "2025-016"]),
        ("Which invoices have not been paid yet?", ["2025-015", "2025-016"]),
        ("Which invoices are paid?", ["2025-014", "2025-017"]),
        ("Which clients haven't paid?", ["Tilde", "Museum"]),
        ("Which clients have paid?", ["Harrow Bakery"]),
        ("Which invoices of the museum are unpaid?", ["2025-016"]),
        ("Who has not registered?", ["Jorge Pinto"]),
        ("Who isn't registered?", ["Jorge Pinto"]),
        ("Who has registered for first aid?", ["Femke Olde", "Aisha Bello"]),
        ("Who has a vegetarian lunch?", ["Jorge Pinto", "Aisha Bello"]),
        # nobody wrote that these are colleagues
        ("Which colleagues have not registered?", ["Jorge Pinto"]),
        # nothing is marked so, or nobody says of what
        ("Which invoices are cancelled?", []),
        ("Which invoices of Ravi are unpaid?", []),
        ("Who has registered for the regatta?", []),
        ("Has Femke registered?", []),
        ("What is an invoice?", []),
        ("", []),
    ],
)
def test_the_rows_that_are_marked(question: str, rows: Sequence[str]) -> None:
    found = find_marked(question, evidence(INVOICES, COURSE))
    assert [one.text for one in found.named] == rows if found else rows == []


def test_each_row_counts() -> None:
    for question in ("How many invoices are paid?", "How many invoices are unpaid?"):
        found = find_marked(question, evidence(INVOICES, COURSE))
        assert found is not None
        assert len(found.counted) == 2


def test_a_name_with_an_and_in_it_is_one() -> None:
    books = ("Loans", "Borrower: Ann; Book: Bread and Ashes; Returned: no\nBorrower: Ann; Book: Moths; Returned: no")
    found = find_marked("Which books have not been returned?", evidence(books))
    assert found is not None
    assert [one.text for one in found.named] == ["Bread and Ashes", "Moths"]


def test_a_column_of_other_values_marks_nothing() -> None:
    table = ("Boats", "Boat: Kestrel; Painted: 2014\nBoat: Puffin; Painted: no\nBoat: Skua; Painted: in May")
    assert find_marked("Which boats are not painted?", evidence(table)) is None


def test_a_hundred_thousand_characters_take_no_time() -> None:
    started = time.process_time()
    for question in ("which " * 16_000, "who has " * 12_000, "which invoices are " + "not " * 25_000 + "paid"):
        assert find_marked(question, evidence(INVOICES)) is None
        asks_marked(question)
    assert time.process_time() - started < 1
