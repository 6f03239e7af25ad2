"""Which rows lie in a month or on a day of the week."""

from __future__ import annotations

import pytest
from answer_evidence import blind, evidence, passages

from tools.answer_rules.time_rows import days_of, find_in_time
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, answer_question

STAFF = (
    "Staff",
    "Name: Ann Lee; Room: Loft; Days: Mon-Fri; Birthday: 14 March\n"
    "Name: Bo Day; Room: Loft; Days: Tue and Sat; Birthday: 2 July\n"
    "Name: Cy Fox; Room: Hall; Days: Mon, Wed; Birthday: 30 March",
)
LICENCES = (
    "Licences",
    "Licence: Radio; Cost: £600; Started: 11 August 2018; Valid until: 11 August 2028\n"
    "Licence: Music; Cost: £1,146; Started: 1 January 2025; Valid until: 31 December 2025\n"
    "Licence: Texts; Cost: £980; Started: 1 December 2024; Valid until: 31 December 2026\n"
    "Licence: Site; Cost: £20; Started: 3 May 2020; Valid until: rolling",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Whose birthday is in March?", "Ann Lee, Cy Fox"),
        ("Whose birthdays are in July?", "Bo Day"),
        ("Who has a birthday in March?", "Ann Lee, Cy Fox"),
        ("How many people have their birthday in March?", "2"),
        ("Who works on Saturdays?", "Bo Day"),
        ("Who is in on Mondays?", "Ann Lee, Cy Fox"),
        ("Who works in the loft on Tuesday?", "Ann Lee, Bo Day"),
        ("How many people work on Fridays?", "1"),
        ("Which licences need renewing at the end of December?", "Music, Texts"),  # by the end, not by the start
        ("Which licences run out in December 2026?", "Texts"),
        ("which of our licences started in December", "Texts"),
        ("How many licences expire in August 2028?", "1"),
        # nobody has one then
        ("Whose birthday is in June?", None),
        ("Who works on Sundays?", None),
        # it is asked of something else, or denied, or of a day or of two months
        ("Who swims on Mondays?", None),
        ("Whose dog is in March?", None),
        ("Which ferries run out in December?", None),
        ("Who does not work on Mondays?", None),
        ("Which licences were there in December?", None),  # at its start or at its end
        ("Whose birthday is on 14 March?", None),
        ("Whose birthday is in March or in July?", None),
        ("Is Ann in on Mondays?", None),
        ("", None),
    ],
)
def test_the_rows_of_a_month_or_a_day_of_the_week(question: str, told: str | None) -> None:
    found = find_in_time(question, evidence(STAFF, LICENCES))
    assert (found.text if found else None) == told


def test_two_tables_that_fit_tell_nothing() -> None:
    other = ("Volunteers", "Name: Di Orr; Days: Mon\nName: Eve Ash; Days: Sat, Sun")
    apart = [EvidencePassage(i, *text, 1.0, "", f"{i}.csv") for i, text in enumerate((STAFF, other))]
    assert find_in_time("Who works on Saturdays?", type(evidence())(apart)) is None
    assert find_in_time("Who works on Saturdays?", type(evidence())(apart[:1])) is not None


@pytest.mark.parametrize(
    ("cell", "days"),
    [
        ("Mon-Fri", {0, 1, 2, 3, 4}),
        ("Tue – Thurs.", {1, 2, 3}),
        ("Fri to Mon", {0, 4, 5, 6}),
        ("Monday and Thursday", {0, 3}),
        ("Mon, Wed & Sat", {0, 2, 5}),
        ("daily", set(range(7))),
        ("Mon-Thu. Island office", set()),
        ("Never Tuesdays", set()),
        ("monthly", set()),
        ("", set()),
    ],
)
def test_the_days_of_a_cell(cell: str, days: set[int]) -> None:
    assert days_of(cell) == days


def test_they_are_told_each_with_the_cell_that_says_so() -> None:
    question = "Whose birthday is in March?"
    rows = passages(STAFF)
    answer = answer_question(question, plan_question(question), rows, read=blind, beside=[])
    assert answer.text == "Ann Lee, Cy Fox"
    assert [line.split(";")[0] for _, line in answer.stated] == ["Name: Ann Lee", "Name: Cy Fox"]
    # whoever has not all rows does not know whose it is
    assert answer_question(question, plan_question(question), rows, read=blind).text != "Ann Lee, Cy Fox"
