"""Rows by a column of yes and no."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.whole_tables import asks_of_chosen, find_chosen, find_whole

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
    found = find_chosen(question, evidence(INVOICES, COURSE))
    assert [one.text for one in found.named] == rows if found else rows == []


def test_a_word_for_nobody_is_no_member() -> None:
    plots = ("Plots", "Tenant: Ann Roe; Plot: 1; Paid: yes\nTenant: VACANT; Plot: 2; Paid: no\n"
             "Tenant: Cy Day; Plot: 3; Paid: no\nTenant: -; Plot: 4; Paid: no")  # fmt: skip
    found = find_chosen("Who hasn't paid?", evidence(plots))
    assert found is not None
    assert [one.text for one in found.named] == ["Cy Day"]
    doors = (
        "Doors",
        "Door: 1; Lock: none; Painted: yes\nDoor: 2; Lock: Yale; Painted: yes\nDoor: 3; Lock: Abus; Painted: no",
    )
    found = find_chosen("Which locks are painted?", evidence(doors))
    assert found is not None
    assert [one.text for one in found.named] == ["none", "Yale"], "a thing may be called so"


def test_each_row_counts() -> None:
    for question in ("How many invoices are paid?", "How many invoices are unpaid?"):
        found = find_chosen(question, evidence(INVOICES, COURSE))
        assert found is not None
        assert len(found.counted) == 2


def test_a_name_with_an_and_in_it_is_one() -> None:
    books = ("Loans", "Borrower: Ann; Book: Bread and Ashes; Returned: no\nBorrower: Ann; Book: Moths; Returned: no")
    found = find_chosen("Which books have not been returned?", evidence(books))
    assert found is not None
    assert [one.text for one in found.named] == ["Bread and Ashes", "Moths"]


def test_a_column_of_other_values_marks_nothing() -> None:
    table = ("Boats", "Boat: Kestrel; Painted: 2014\nBoat: Puffin; Painted: no\nBoat: Skua; Painted: in May")
    assert find_chosen("Which boats are not painted?", evidence(table)) is None


@pytest.mark.parametrize("letters", [270, 100_000])  # a question is read up to 300
@pytest.mark.parametrize(
    ("begin", "unit", "end"), [("", "which ", ""), ("", "who has ", ""), ("which invoices are ", "not ", "paid")]
)
def test_a_hundred_thousand_characters_take_linear_time(begin: str, unit: str, end: str, letters: int) -> None:
    def find(size: int) -> None:
        question = begin + unit * (size // len(unit)) + end
        assert find_chosen(question, evidence(INVOICES)) is None or size < 300
        asks_of_chosen(question)

    assert is_linear(find, letters)


PARTS = (
    "Parts",
    "Part: bed; Ordered: 2025-05-20; Arrived: 2025-07-01; Price: 6,400\n"
    "Part: motor; Ordered: 2025-06-10; Price: 2,200\n"
    "Part: gauges; Ordered: 2025-06-30; Arrived: 2025-08-18; Price: 2,750",
)
BOOKS = (
    "Books",
    "Title: Shields; Pages: 36; Read: yes\nTitle: Recking; Pages: 17; Read: no\nTitle: Parker; Pages: 41; Read: yes",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which parts have arrived?", ["bed", "gauges"]),
        ("Which parts have not arrived yet?", ["motor"]),
        ("Which part hasn't arrived?", ["motor"]),
        ("Which books have I not read yet?", ["Recking"]),
        ("Which books have we read?", ["Shields", "Parker"]),
        # Every part has been ordered: the column tells when, and not whether.
        ("Which parts have been ordered?", []),
    ],
)
def test_a_day_that_some_rows_lack_is_a_mark(question: str, rows: Sequence[str]) -> None:
    found = find_chosen(question, evidence(PARTS, BOOKS))
    assert ([one.text for one in found.named] if found else []) == rows


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # 36 + 41 of what is read, and 6,400 + 2,750 of what has come
        ("How many pages have I read in total?", "77"),
        ("What is the total price of the parts that have arrived?", "9,150"),
        ("How many pages are there in total?", "94"),
    ],
)
def test_only_rows_that_are_marked_are_added_up(question: str, answer: str) -> None:
    found = find_whole(question, evidence(PARTS, BOOKS))
    assert found is not None
    assert found.text == answer


def test_what_is_unpaid_is_added_up() -> None:
    bills = ("Bills", "Bill: a; Amount: 40; Paid: yes\nBill: b; Amount: 25; Paid: no\nBill: c; Amount: 7; Paid: no")
    found = find_whole("What is the total amount of unpaid bills?", evidence(bills))
    assert found is not None
    assert found.text == "32"


def test_what_is_asked_about_is_no_answer() -> None:
    lent = ("Lent", "Thing: chair; Owner: society; Back: yes\nThing: lamp; Owner: society; Back: yes")
    assert find_chosen("Who is back for the society?", evidence(lent)) is None


def test_all_rows_are_of_the_year_that_a_table_is_called_by() -> None:
    rows = "Name: Roe; Paid: 12; Date: 2023-02-03\nName: Lind; Paid: 0\nName: Day; Paid: 12; Date: 2023-01-15"
    this, last = ("Subscriptions 2023", rows), ("Subscriptions 2023", rows.replace("2023-01", "2022-01"))
    found = find_chosen("Who hasn't paid the subscription for 2023?", evidence(this))
    assert found is not None
    assert [one.text for one in found.named] == ["Lind"]
    assert find_chosen("Who hasn't paid the subscription for 2022?", evidence(this)) is None
    assert find_chosen("Who hasn't paid the subscription for 2023?", evidence(last)) is None
