"""Rows whose value lies within what a question bounds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence, passages
from linear import is_linear

from tools.answer_rules.whole_tables import find_chosen
from tools.planning.plan import Plan
from tools.reading.answering import answer_question
from tools.reading.spans import Reading

BOATS = (
    "Boats",
    "Boat: Kestrel; Seats: 4; Length: 12.1 m; Bought: 2014; Price: £9,400\n"
    "Boat: Puffin; Seats: 1; Length: 820 cm; Bought: May 2019; Price: £3,150\n"
    "Boat: Old Marge; Seats: 8; Length: 17.6 m; Bought: 1998; Price: £14,800",
)
TREES = (
    "Trees",
    "Species: Oak; Tree: T1; Height m: 18; Planted: 1921\n"
    "Species: Ash; Tree: T2; Height m: 22; Planted: 1934\n"
    "Species: Ash; Tree: T3; Height m: 25; Planted: 1888",
)
TRIP = (
    "Expenses",
    "Payer: Lena; Bought: Ferry; Amount (EUR): 128.40\n"
    "Payer: Tom; Bought: Bread; Amount (EUR): 23.10\n"
    "Payer: Lena; Bought: Dinner; Amount (EUR): 112.00",
)


def named(question: str, *texts: tuple[str, str]) -> list[str]:
    found = find_chosen(question, evidence(*texts))
    return [one.text for one in found.named] if found else []


def counted(question: str, *texts: tuple[str, str]) -> list[str]:
    found = find_chosen(question, evidence(*texts))
    return [one.text for one in found.counted] if found else []


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which boats are longer than 9 m?", ["Kestrel", "Old Marge"]),
        ("Which boats are longer than 800 cm?", ["Kestrel", "Puffin", "Old Marge"]),
        ("Which boats have at least 4 seats?", ["Kestrel", "Old Marge"]),
        ("Which boats have more than 4 seats?", ["Old Marge"]),
        ("How many boats have fewer than 5 seats?", ["Kestrel", "Puffin"]),
        ("Which boats cost less than £9,400?", ["Puffin"]),
        ("Which boats are longer than 9 m and shorter than 15 m?", ["Kestrel"]),
        ("Which boats have between 2 and 8 seats?", ["Kestrel", "Old Marge"]),
        ("Which boats are between 9 and 15 m long?", ["Kestrel"]),
        ("Which boats cost over £9,000?", ["Kestrel", "Old Marge"]),
        ("Which boats were bought after 2014?", ["Puffin"]),
        ("Which boats were bought since 2014?", ["Kestrel", "Puffin"]),
        ("Which boats were bought before 2014?", ["Old Marge"]),
        # two are of one species: the column that the question names tells them apart
        ("Which trees are taller than 20 m?", ["T2", "T3"]),
        ("Which ash trees were planted before 1900?", ["T3"]),
        ("What was more than 100 EUR?", ["Ferry", "Dinner"]),
    ],
)
def test_rows_beyond_a_number(question: str, rows: Sequence[str]) -> None:
    assert named(question, BOATS, TREES, TRIP) == rows


HERD = (
    "Herd",
    "Name: Bella; Born: 2019-04-02; Weight: 430 kg\nName: Dora; Born: 2018-11-20; Weight: 610 kg\n"
    "Name: Fenja; Born: 2021-05-30; Weight: 512 kg",
)


def test_what_the_things_are_nobody_need_have_written_above_them() -> None:
    assert named("Which cows weigh more than 500 kg?", HERD, BOATS) == ["Dora", "Fenja"]
    assert len(counted("How many cows were born after 1 January 2019?", HERD, BOATS)) == 2


DUE = (
    "Invoices",
    "Client: Museum; Invoice: 2025-016; Amount EUR: 960.50; Due: 2025-04-20\n"
    "Client: Tilde; Invoice: 2025-015; Amount EUR: 3800.00; Due: 2025-04-15\n"
    "Client: Tilde; Invoice: 2025-017; Amount EUR: 410.00; Due: 2 May 2025",
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which invoices are due after 20 April?", ["2025-017"]),
        ("Which invoices are due since 20 April?", ["2025-016", "2025-017"]),
        ("Which invoices are due before 20 April 2025?", ["2025-015"]),
        ("Which invoices are due before 20 April 2024?", []),
        ("Which invoices are over 500 euros?", ["2025-016", "2025-015"]),
        ("Which invoices are over €500?", ["2025-016", "2025-015"]),
        ("Which invoices are over 500 pounds?", []),
        ("Which clients have an invoice over 100 euros?", ["Museum", "Tilde"]),
        # the row of the total is none of them, and nobody says which currency the price is in
        ("Which tickets have a price over £5?", ["Adult"]),
        ("Which tickets were sold more than 20 times?", ["Child"]),
        ("Which tickets have more than 20 sold?", ["Child"]),
    ],
)
def test_days_and_currencies(question: str, rows: Sequence[str]) -> None:
    sold = "Ticket: Adult; Price: 9; Sold: 12\nTicket: Child; Price: 4; Sold: 30\nTicket: Total; Price: -; Sold: 42"
    tickets = ("Fair", sold)
    assert named(question, DUE, tickets) == rows


@pytest.mark.parametrize(
    "question",
    [
        "Which boats are heavier than 9 kg?",
        "Which boats are longer than 30 m?",
        "Which ships are faster than 9 knots?",
        "Which boats are not longer than 9 m?",
        "Which boats were bought after 3 May?",
        "Which boats of Ravi cost less than £9,400?",
        "Which payers cost less than £9,400?",
        "Which boats are longer than the Puffin?",
        "How long is the Kestrel?",
        "",
    ],
)
def test_nothing_where_no_row_or_no_column_is_meant(question: str) -> None:
    assert find_chosen(question, evidence(BOATS, TREES, TRIP)) is None


RELEASES = (
    "Stewards",
    "Company: Datadog; Person: Bryan; Release Date: 2022-Jan-10\n"
    "Company: NearForm; Person: Rafael; Release Date: 2023-Jun-20\n"
    "Company: NodeSource; Person: Rafael; Release Date: 2024-Feb-14\n"
    "Company: NodeSource; Person: Rafael; Release Date: 2025-Jan-21\n"
    "Company: NodeSource; Person: Rafael; Release Date: 2025-Mar-04",
)


def test_every_row_counts_though_several_are_called_alike() -> None:
    question = "How many releases did Rafael do after 2022?"
    assert counted(question, RELEASES) == ["NearForm", *["NodeSource"] * 3]
    assert named("Which company did a release after 2023?", RELEASES) == ["NodeSource"]


def test_rows_that_have_the_number_are_not_counted_in_the_place_of_those_beyond() -> None:
    def count(question: str) -> str:
        read = passages(RELEASES)
        return answer_question(question, Plan(()), read, {}, lambda pairs: [Reading() for _ in pairs], None, ()).text

    assert count("How many releases did Rafael do after 2022?") == "4"
    assert count("How many releases did Rafael do in 2025?") == "2"
    assert count("How many releases did Rafael do after 2025?") != "2"


def test_a_bare_number_that_something_costs_is_a_price() -> None:
    shop = ("Shop", "Item: Bolt; Price: 0.40; Stock: 900\nItem: Nut; Price: 0.20; Stock: 1200\nItem: Pin; Price: 0.30")
    assert named("Which items cost more than 0.25?", shop) == ["Bolt", "Pin"]
    assert find_chosen("Which items weigh more than 0.25?", evidence(shop)) is None


def test_no_table() -> None:
    assert find_chosen("Which boats are longer than 9 m?", evidence(("Ferry", "The ferry is 12 m long."))) is None


@pytest.mark.parametrize("letters", [270, 100_000])  # a question is read up to 300
@pytest.mark.parametrize(
    ("begin", "unit", "end"), [("", "which ", ""), ("", "more than 5 ", ""), ("which boats are longer ", "than ", "9")]
)
def test_a_hundred_thousand_characters_take_linear_time(begin: str, unit: str, end: str, letters: int) -> None:
    def find(size: int) -> None:
        assert find_chosen(begin + unit * (size // len(unit)) + end, evidence(BOATS)) is None

    assert is_linear(find, letters)


LENT = (
    "Loans",
    "Borrower: Ann; Book: Atlas; Due: 2026-02-28; Fine: €3\nBorrower: Bo E; Book: Moths; Due: 2026-03-01; Fine: €12\n"
    "Borrower: Cy Orr; Book: Birds; Due: 2026-03-31; Fine: €9",
)
WORKS = ("Works", "Work: Slates; Cost: €20\nWork: Gutter; Cost: €4")


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which books were due before March?", ["Atlas"]),
        ("Which books are due after February 2026?", ["Moths", "Birds"]),
        ("Which books are due after March?", []),
        ("Which books were due since March 2026?", ["Moths", "Birds"]),
        # Works cost more than that as well, but who owes something is somebody.
        ("Who owes more than €8?", ["Bo E", "Cy Orr"]),
    ],
)
def test_months_and_people(question: str, rows: list[str]) -> None:
    found = find_chosen(question, evidence(LENT, WORKS))
    assert ([one.text for one in found.named] if found else []) == rows


def test_figures_in_some_names_are_no_column_to_compare() -> None:
    gear = ("Gear", "Item: drum kit 4 pc; Insured for crowns: 3100\nItem: desk 16 ch; Insured for crowns: 900\n"
            "Item: harmonium; Insured for crowns: 4200\nItem: saw; Insured for crowns: 80\n"
            "Item: bass; Insured for crowns: 750")  # fmt: skip
    assert counted("How many items are insured for more than 1000 crowns?", gear) == ["drum kit 4 pc", "harmonium"]


def test_no_names_of_rows_are_told_where_an_amount_is_asked_for() -> None:
    went = ("Members", "Name: Ann Lee; Leuven?: y\nName: Bo Day; Leuven?: y\nName: Cy Fox; Leuven?: n")
    assert find_chosen("What did each of us pay in total for Leuven?", evidence(went)) is None
    who = find_chosen("Who went to Leuven?", evidence(went))
    assert who is not None
    assert [one.text for one in who.named] == ["Ann Lee", "Bo Day"]
