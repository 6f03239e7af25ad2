"""What the one row of a day tells."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.day_rows import find_on_day

VISITS = (
    "visits",
    "Date: 2026-08-08; Visitors: 31; Items brought: 34; Mended: 21; Not mended: 7\n"
    "Date: 2026-09-12; Visitors: 40; Items brought: 45; Mended: 30; Not mended: 10\n"
    "Date: 2026-10-10; Visitors: 35; Items brought: 38; Mended: 22; Not mended: 9",
)
ROTA = ("rota", "Name: Ann; Day: 4 May 2026; Shift: early\nName: Tom; Day: 4 May 2026; Shift: late")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many visitors came on 12 September?", "40"),
        ("how many visitors were there on 12 September 2026", "40"),
        ("How many things were mended on 8 August?", "21"),
        ("How many things could not be mended on 8 August?", "7"),
        ("How many items were brought on 10 October?", "38"),
        # No row of that day, of that year, no day, no such column, a name that is not there; two rows of a day.
        ("How many visitors came on 13 September?", None),
        ("How many visitors came on 12 September 2025?", None),
        ("How many visitors came in September?", None),
        ("How many cakes were eaten on 12 September?", None),
        ("How many visitors came to Ennis on 12 September?", None),
        ("How many visitors did not come on 12 September?", None),
        ("Which shift was on 4 May?", None),
        ("Did visitors come on 12 September?", None),
        ("How many visitors came after 12 September?", None),
        ("How many visitors came before the 12 September?", None),
        ("", None),
    ],
)
def test_the_cell_that_is_asked_for_of_the_row_of_a_day(question: str, answer: str | None) -> None:
    found = find_on_day(question, evidence(VISITS, ROTA))
    assert (found.text if found else None) == answer


def test_a_table_of_one_day_and_no_table_tell_nothing() -> None:
    single = ("visits", "Date: 2026-08-08; Visitors: 31")
    assert find_on_day("How many visitors came on 8 August?", evidence(single)) is None
    assert find_on_day("How many visitors came on 8 August?", evidence()) is None


SHEET = (
    "Timesheet",
    "Person: Irene; Day: 2025-03-04; Task: fencing; Hours: 6\nPerson: Moses; Day: 2025-03-04; Task: mowing; Hours: 5\n"
    "Person: Irene; Day: 2025-03-05; Task: pruning; Hours: 5\nPerson: Moses; Day: 2025-03-05; Task: fencing; Hours: 7",
)
FUEL = (
    "Fuel",
    "Date: 2025-04-02; Litres: 5; Price per litre: 1.71\nDate: 2025-04-11; Litres: 39; Price per litre: 1.66",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many hours did Irene work on 5 March 2025?", "5"),
        ("What did Moses do on 4 March 2025?", "mowing"),
        ("What does Irene do on 5 March?", "pruning"),
        # Two rows of the day, and none of hers.
        ("How many hours were worked on 5 March 2025?", None),
        ("How many hours did Petra work on 5 March 2025?", None),
    ],
)
def test_of_several_rows_of_a_day_the_one_that_the_question_names(question: str, answer: str | None) -> None:
    found = find_on_day(question, evidence(SHEET))
    assert (found.text if found else None) == answer


def test_what_a_thing_costs_is_its_price() -> None:
    found = find_on_day("What did a litre cost on 2 April 2025?", evidence(FUEL))
    assert found is not None
    assert found.text == "1.71"


def test_the_first_cell_of_the_row_of_a_day() -> None:
    rota = (
        "Rota",
        "Mechanic: Jo Amsel; Date: 2025-10-15; Repairs: 9\nMechanic: Wanda Pohl; Date: 2025-10-22; Repairs: 4",
    )
    found = find_on_day("Who was the mechanic on 15 October?", evidence(rota))
    assert found is not None
    assert found.text == "Jo Amsel"
    assert find_on_day("Who was the helper on 15 October?", evidence(rota)) is None


DUTIES = (
    "duties",
    "Week: 14; From: 30.03.2026; Waste: Tom; Kitchen: Ann\nWeek: 15; From: 06.04.2026; Waste: Ann; Kitchen: Mei",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who takes care of the waste in the week starting 6 April", "Ann"),
        ("What is the kitchen duty week beginning 6 April?", "Mei"),
        # A number is nobody.
        ("who is first the week of 6 April", None),
    ],
)
def test_a_week_is_told_by_the_day_on_which_it_begins(question: str, answer: str | None) -> None:
    found = find_on_day(question, evidence(DUTIES))
    assert (found.text if found else None) == answer


def test_days_in_figures_are_read_as_their_table_writes_them() -> None:
    jobs = ("jobs", "Job: brakes; In: 06/01/2026; Price: 80\nJob: clutch; In: 13/01/2026; Price: 610")
    found = find_on_day("What was the price on 6 January?", evidence(jobs))
    assert found is not None
    assert found.text == "80"
    unsaid = ("jobs", "Job: brakes; In: 06/01/2026; Price: 80\nJob: clutch; In: 07/01/2026; Price: 610")
    assert find_on_day("What was the price on 6 January?", evidence(unsaid)) is None
