"""Figures that no cell tells: sums of columns, and what was planned beside what was spent."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence, passages, pointing_at
from linear import is_linear

from tools.answer_rules.docs import Evidence
from tools.answer_rules.planned_spent import asks_beside_plan, find_beside_plan
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.whole_tables import asks_of_whole, find_whole, is_one_of_several
from tools.planning.plan import Constraint, Plan
from tools.reading.answering import FoundAnswer, answer_question
from tools.reading.considering import ALONE


def find_figure(question: str, rows: Evidence) -> Recorded | None:
    return find_beside_plan(question, rows) or find_whole(question, rows)


def asks_for_figure(question: str) -> bool:
    return asks_beside_plan(question) or asks_of_whole(question)


BUDGET = (
    "Budget",
    "Item: Roof; Planned: £11,200; Spent so far: £12,050\n"
    "Item: Electrics; Planned: £6,400; Spent so far: £4,100\n"
    "Item: Kitchen; Planned: £8,500; Spent so far: £8,320",
)
TRIP = (
    "Trip",
    "Payer: Lena; What: Ferry; Amount (EUR): 128.40; Category: Travel\n"
    "Payer: Tom; What: Breakfast; Amount (EUR): 23.10; Category: Food\n"
    "Payer: Lena; What: Two nights; Amount (EUR): 64.00; Category: Lodging\n"
    "Payer: Tom; What: Supermarket; Amount (EUR): 71.85; Category: Food",
)
FEES = (
    "Fees",
    "Group: Adults; Members: 46; Fee: £180\nGroup: Juniors; Members: 27; Fee: £70\nGroup: Total; Members: 73; Fee: -",
)
HOURS = ("Timesheet", "Week: 14; Volunteer: Agnes Toll; Hours: 6\nWeek: 15; Volunteer: Agnes Toll; Hours: 5.5")
LOANS = (
    "Instruments",
    "Instrument: violin; Size: 1/4; Owned: 420; On loan: 371\nInstrument: violin; Size: 1/2; Owned: 760; On loan: 688\n"
    "Instrument: cello; Size: 1/2; Owned: 190; On loan: 166",
)
MIXED = ("Stores", "Thing: Rope; Length: 20 m\nThing: Wire; Length: 3 kg")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # 12,050 + 4,100 + 8,320, and 11,200 + 6,400 + 8,500
        ("How much have we spent in total so far?", "£24,470"),
        ("What is the total budget?", "£26,100"),
        # 128.40 + 64.00, 23.10 + 71.85, and all four
        ("How much did Lena pay in total?", "192.40"),
        ("How much did Lena pay?", "192.40"),
        ("What did we spend on food?", "94.95"),
        ("What was the total amount?", "287.35"),
        # a row that is the sum of the others is told, not added to them
        ("How many members are there altogether?", "73"),
        ("How many hours did Agnes work in total?", "11.5"),
        # 287.35 of four rows, and 19,020 of two
        ("What was the average amount?", "71.84"),
        ("What was the average amount that Lena paid?", "96.20"),
        # 420 + 760 of the violins, and 190 cellos more
        ("How many violins do we own in total?", "1,180"),
        ("How many instruments are owned altogether?", "1,370"),
        # 12,050 - 11,200, 6,400 - 4,100, and 8,320 of 8,500
        ("How much over budget is the roof?", "£850"),
        ("How much is left of the budget for the electrics?", "£2,300"),
        ("How much over budget is the kitchen?", "£180 under"),
        ("Is the roof over budget?", "yes"),
        ("Is the kitchen over budget?", "no"),
        ("Was the kitchen within the budget?", "yes"),
        ("Which items are over budget?", "Roof"),
        ("Which items are under budget?", "Electrics, Kitchen"),
        ("Are we over budget?", "no"),
    ],
)
def test_what_rows_add_up_to(question: str, answer: str) -> None:
    assert asks_for_figure(question)
    found = find_figure(question, evidence(BUDGET, TRIP, FEES, HOURS, LOANS))
    assert found is not None
    assert found.text == answer


@pytest.mark.parametrize(
    "question",
    [
        "How much did Lena pay for the ferry?",  # one row tells it
        "How much did we spend?",  # of which table nobody says
        "How much did Carl pay in total?",
        "How much food did Lena get in total?",
        "What is the total fee?",  # the row of the total has none
        "Is the garage over budget?",
        "How much over budget are the roof and the kitchen?",
        "How much did Lena not pay in total?",
        "How long is the rope and the wire in total?",
        "What is the total length?",  # in metres and in kilograms
        "What is the roof made of?",
    ],
)
def test_nothing_where_not_one_column_and_its_rows_are_meant(question: str) -> None:
    assert find_figure(question, evidence(BUDGET, TRIP, FEES, HOURS, MIXED)) is None


LINES = (
    "Lines",
    "Line: Artists; Budget: 118000; Actual: 119200\nLine: Trackway; Budget: 9800; Actual: 13900\n"
    "Line: Security; Budget: 21000; Actual: 21050\nLine: Toilets; Budget: 6000; Actual: 5200\n"
    "Line: Contingency; Budget: 5000",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which budget line went over the most?", "Trackway"),  # 4,100 where the artists are 1,200
        ("Which line went under by the most?", None),  # nobody says what the contingency has cost
        ("On which budget lines did we go over by more than a hundred?", "Artists, Trackway"),  # and not security's 50
        ("Which lines went over by more than 2,000?", "Trackway"),
        ("Which lines went over?", "Artists, Trackway, Security"),
        ("Which lines went over by more than 9,000?", None),
    ],
)
def test_the_lines_that_went_over(question: str, answer: str | None) -> None:
    found = find_beside_plan(question, evidence(LINES))
    assert (found.text if found else None) == answer


def test_what_is_left_of_something_that_is_no_budget_is_not_told() -> None:
    """A table of costs below the heading "Donations" tells nothing of how much of these is left."""
    rows = "Work: Slates; Estimate: €5,100; Final cost: €4,950\nWork: Bell; Estimate: €90; Final cost: €99"
    costs = ("Donations", rows)
    assert find_figure("How much money is left of the donations?", evidence(costs)) is None


@pytest.mark.parametrize(
    ("question", "cells", "reason"),
    [
        (
            "How much did Lena pay in total?",
            ["128.40", "64.00"],
            "Amount (EUR) of rows with Payer: Lena. 128.40 + 64.00 = 192.40.",
        ),
        (
            "What was the average amount that Lena paid?",
            ["128.40", "64.00"],
            "Amount (EUR) of rows with Payer: Lena. 128.40 + 64.00 = 192.40, on average 96.20.",
        ),
        ("How much over budget is the roof?", ["£11,200", "£12,050"], "£12,050 - £11,200 = £850."),
        ("Is the roof over budget?", ["£11,200", "£12,050"], ""),
    ],
)
def test_every_row_that_is_added_is_shown_and_how(question: str, cells: Sequence[str], reason: str) -> None:
    found = find_figure(question, evidence(BUDGET, TRIP))
    assert found is not None
    assert ([place.text for place in found.places], found.reason) == (cells, reason)


def test_of_many_rows_it_is_told_how_many_they_are() -> None:
    rows = "\n".join(f"Thing: no {number}; Price: {number}" for number in range(1, 10))
    found = find_figure("What is the total price?", evidence(("Shop", rows)))
    assert found is not None
    assert (found.text, found.reason, len(found.places)) == ("45", "Added up: 45.", 9)
    many = "\n".join(f"Thing: no {number}; Price: {number}" for number in range(201))
    assert find_figure("What is the total price?", evidence(("Shop", many))) is None


MILK = (
    "Herd",
    "Name: Bella; Milk per day: 18 l; Born: 2019\nName: Dora; Milk per day: 27 l; Born: 2018\n"
    "Name: Mira; Milk per day: 25 l; Born: 2020",
)


def test_a_column_that_is_named_in_full_lets_two_words_pass() -> None:
    found = find_figure("How much milk do the cows give per day in total?", evidence(MILK))
    assert found is not None
    assert found.text == "70 l"


def test_one_of_several_rows_is_no_total() -> None:
    rows = passages(("Works", "Work: Weirs; Net cost: 12; Gross cost: 14\nWork: Weirs; Net cost: 12; Gross cost: 15"))
    plan = Plan((Constraint("weirs", "net cost", "?answer"),))

    def ask(question: str) -> FoundAnswer:
        return answer_question(question, plan, rows, {}, pointing_at("12"), pointing_at("12"))

    told = ask("What is the net cost of the weirs?")
    assert told.text == "12"
    assert ask("What is the net cost of the weirs in total?").confidence <= ALONE < told.confidence


def test_no_table_and_no_question() -> None:
    assert find_figure("How much have we spent in total?", evidence(("Ferry", "The ferry is blue."))) is None
    assert find_figure("", evidence(BUDGET)) is None
    assert not asks_for_figure("Who owns the ferry?")


@pytest.mark.parametrize("letters", [270, 100_000])  # a question is read up to 300
@pytest.mark.parametrize(
    ("begin", "unit", "end"), [("", "how much ", ""), ("", "in total ", ""), ("what did ", "a ", "pay")]
)
def test_a_hundred_thousand_characters_take_linear_time(begin: str, unit: str, end: str, letters: int) -> None:
    def find(size: int) -> None:
        question = begin + unit * (size // len(unit)) + end
        assert find_figure(question, evidence(BUDGET)) is None
        asks_for_figure(question)

    assert is_linear(find, letters)


LEDGER = (
    "Ledger",
    "Thing: bag of coal; Purpose: Hall; Amount: 12.00\nThing: tea; Purpose: Coal; Amount: 30.50\n"
    "Thing: stove; Purpose: Coal; Amount: 200.00\nThing: paint; Purpose: Hall; Amount: 20.00\n"
    "Thing: blue paint; Purpose: Hall; Amount: 25.00",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # 30.50 + 200.00 of the rows for "Coal", without the bag of it for the hall; both paints, in one column
        ("How much did we spend on coal in total?", "230.50"),
        ("How much did we spend on paint in total?", "45.00"),
    ],
)
def test_rows_are_those_of_the_column_that_says_it_alone(question: str, answer: str) -> None:
    found = find_figure(question, evidence(LEDGER))
    assert found is not None
    assert found.text == answer


def test_rows_of_a_table_that_begin_with_another_cell_are_added_as_well() -> None:
    """The second row lacks the cell that names the others: 10 + 5 + 20, and Hall has 10 + 20."""
    rows = (
        ("Tea", "Thing: Tea; Purpose: Hall; Amount: 10"),
        ("Yard", "Purpose: Yard; Amount: 5"),
        ("Nails", "Thing: Nails; Purpose: Hall; Amount: 20"),
    )
    found = [find_figure(f"What is the total amount{of}?", evidence(*rows)) for of in ("", " for Hall")]
    assert [one and one.text for one in found] == ["35", "30"]


VISITS = (
    "Visits",
    "Date: 2025-06-30; Visitors: 100; Children: 10\nDate: 2025-07-01; Visitors: 20; Children: 4\n"
    "Date: 2025-07-02; Visitors: 30; Children: 6\nDate: 2024-08-01; Visitors: 7; Children: 1",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # 20 + 30, 100 + 20 + 30, and four days: 157 / 4
        ("How many visitors came in July 2025?", "50"),
        ("How many visitors were there in July?", "50"),
        ("How many visitors did we have in 2025?", "150"),
        ("How many children came during July 2025 in total?", "10"),
        ("What was the average number of visitors per day?", "39.25"),
        ("What was the average number of visitors per day in July 2025?", "25.00"),
        # No day of the month or one, another time, not a row for each of these, another thing.
        ("How many visitors came in October 2025?", None),
        ("How many visitors came in June 2025?", None),
        ("How many visitors came since July 2025?", "50"),
        ("What was the average number of visitors per week?", None),
        ("How many dogs came in July 2025?", None),
        # What something was need not be what its rows add up to.
        ("What was the number of visitors in July 2025?", None),
        ("What was the total number of visitors in July 2025?", "50"),
    ],
)
def test_what_rows_of_a_month_or_a_year_add_up_to(question: str, answer: str | None) -> None:
    found = find_figure(question, evidence(VISITS))
    assert (found.text if found else None) == answer


def test_nothing_is_added_up_for_a_month_of_several_years_or_where_a_row_has_no_day() -> None:
    years = ("Visits", "Date: 2024-07-01; Visitors: 5\nDate: 2025-07-02; Visitors: 6")
    assert find_figure("How many visitors came in July?", evidence(years)) is None
    undated = ("Visits", "Date: 2024-07-01; Visitors: 5\nDate: 2024-07-03; Visitors: 5\nDate: soon; Visitors: 6")
    assert find_figure("How many visitors came in July 2024?", evidence(undated)) is None


FARM = ("Fields", "Field: Long Acre; Area: 4.2 ha; Crop: oats\nField: Mill Piece; Area: 2.8 ha; Crop: clover")
GIFTS = (
    "Appeal",
    "Donor: Ann; Gift: €75; Purpose: Bell\nDonor: Bo; Gift: €600; Purpose: Bell\nDonor: Cy; Gift: €40; Purpose: Roof",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many hectares do we farm in total?", "7 ha"),
        ("How much was given for the bell in total?", "€675"),
        ("How much did Ann donate in total?", None),  # one row alone is no sum
    ],
)
def test_measures_and_gifts(question: str, answer: str | None) -> None:
    found = find_figure(question, evidence(FARM, GIFTS))
    assert (found.text if found else None) == answer


def test_the_table_whose_column_is_named_goes_before_one_that_has_another_word() -> None:
    fines = ("Loans", "Borrower: Ann; Book: Atlas; Fine EUR: 3\nBorrower: Bo; Book: Moths; Fine EUR: 5")
    prices = ("Bought", "Title: Atlas; Price EUR: 64\nTitle: Moths; Price EUR: 16")
    found = find_figure("What is the average price of a book?", evidence(fines, prices))
    assert found is not None
    assert found.text == "40.00"


def test_what_numbers_the_rows_is_not_added_up() -> None:
    jobs = "\n".join(
        f"Car: {car}; Job no: {2600 + at}; In: {9 + at}.0{1 + at // 3}.2026; Total GBP: {price}"
        for at, (car, price) in enumerate(
            [("Golf", "80.00"), ("Kangoo", "119.50"), ("Corsa", "20.50"), ("Fabia", "9.00")]
        )
    )
    found = find_figure("How much is all January jobs added up?", evidence(("jobs", jobs)))
    assert found is not None
    assert found.text == "220.00"


def test_children_are_not_counted_by_what_each_of_them_pays() -> None:
    trips = ("trips", "Trip: Baths; Per child: £16.50\nTrip: Caves; Per child: £12.00\nTrip: Coast; Per child: £9.00")
    assert find_figure("How many children go altogether?", evidence(trips)) is None
    paid = ("gifts", "Giver: Ann; Euros: €16\nGiver: Tom; Euros: €12")
    found = find_figure("How many euros were given altogether?", evidence(paid))
    assert found is not None
    assert found.text == "€28"


def test_ids_are_not_added_up() -> None:
    loans = ("loans", "Borrower: Archive; Loan id: 2401; Fee eur: 250\nBorrower: Museum; Loan id: 2307; Fee eur: 120")
    found = find_figure("What do all fees in the loans table come to altogether?", evidence(loans))
    assert found is not None
    assert found.text == "370"


def test_amounts_in_several_currencies_are_not_added_up() -> None:
    spent = (
        "What: diesel; Amount: 68.20; Cur: GBP\n"
        "What: diesel; Amount: 54.75; Cur: {}\n"
        "What: tolls; Amount: 9.10; Cur: EUR"
    )
    question = "How much did we spend on diesel in total?"
    assert find_figure(question, evidence(("expenses", spent.format("EUR")))) is None
    found = find_figure(question, evidence(("expenses", spent.format("GBP"))))
    assert found is not None
    assert found.text == "122.95"


def test_a_likeness_of_a_word_is_no_column_to_add_up() -> None:
    things = evidence(("mothers_things", "Thing: lamp; Value guess: 150\nThing: chest; Value guess: 800"))
    assert find_figure("How much did the guests bring in altogether?", things) is None
    found = find_figure("How much is the value guess of the things altogether?", things)
    assert found is not None
    assert found.text == "950"


def test_all_in_is_a_total_with_its_question_mark_as_well() -> None:
    rows = evidence(("Costs", "Item: film; Paid: 12\nItem: stamps; Paid: 14"))
    doc = rows.docs[0]
    cell = doc.found(doc.text.index("12"), doc.text.index("12") + 2, 1.0)
    assert is_one_of_several("What has it cost me so far, all in?", cell)
    assert not is_one_of_several("What has the film cost me?", cell)


@pytest.mark.parametrize(
    "question",
    [
        "What is the net cost of the weirs a night?",
        "How many weirs are there at the net cost?",
        "By how much is the net cost of the weirs too high?",
        "If we built three weirs at the net cost, how much would that be?",
    ],
)
def test_a_figure_that_is_no_count_share_or_difference_is_held_back(question: str) -> None:
    rows = passages(
        ("Works", "Work: Weirs; Net cost: €12; Gross cost: €14\nWork: Slates; Net cost: €3; Gross cost: €4")
    )
    plan = Plan((Constraint("weirs", "net cost", "?answer"),))

    def ask(asked: str) -> FoundAnswer:
        return answer_question(asked, plan, rows, {}, pointing_at("€12"), pointing_at("€12"))

    assert ask("What is the net cost of the weirs?").confidence > ALONE >= ask(question).confidence


@pytest.mark.parametrize(
    ("cells", "total", "mean"),
    [
        # 19.5 + 8.25 + 120 = 147.75, a third of it 49.25: as their cells, a comma stands before the decimals
        (("19,50", "8,25", "120,00"), "147,75", "49,25"),
        # 1.234 + 2 + 5.5 = 8.734: where one comma can only be that, all are
        (("1,234", "2,000", "5,5"), "8,734", "2,911"),
        # 1,234 + 2,000 = 3,234
        (("1,234", "2,000"), "3,234", "1,617.00"),
        (("1,234.50", "0.50"), "1,235.00", "617.50"),
    ],
)
def test_a_comma_may_stand_before_the_decimals(cells: Sequence[str], total: str, mean: str) -> None:
    rows = "\n".join(f"Item: tool {at}; Price: {cell}" for at, cell in enumerate(cells))
    for question, answer in (("What is the total price?", total), ("What is the average price?", mean)):
        found = find_figure(question, evidence(("Tools", rows)))
        assert found is not None
        assert found.text == answer
