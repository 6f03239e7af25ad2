"""Times counted from the day of a text."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from kb.records import Passage
from tools.reading.times import counted_from, day_of, days_told

MONDAY = date(2023, 5, 8)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("yesterday", "7 May 2023"),
        ("late last night", "7 May 2023"),
        ("Tomorrow", "9 May 2023"),
        ("two days ago", "6 May 2023"),
        ("10 years ago", "2013"),
        ("a month ago", "April 2023"),
        ("last month", "April 2023"),
        ("next year", "2024"),
        ("last Friday", "5 May 2023"),
        ("last Monday", "1 May 2023"),
        ("this Monday", "8 May 2023"),
        ("next Monday", "15 May 2023"),
        ("next Friday at ten", "12 May 2023"),
        ("last December", "December 2022"),
        ("last week", "the week before 8 May 2023"),
        ("three weeks ago", "3 weeks before 8 May 2023"),
        ("last weekend", "the weekend of 6 May 2023"),
        ("this weekend", "the weekend of 13 May 2023"),
        ("in the evening", ""),
        ("last someday", ""),
        ("the day before yesterday", "6 May 2023"),
        ("the day after tomorrow", "10 May 2023"),
        ("1,000 years ago", ""),
        ("twenty-one days ago", ""),
        ("half a year ago", ""),
        ("Friday", "5 May 2023"),
        ("on Monday morning", "1 May 2023"),
        ("", ""),
    ],
)
def test_a_time_is_counted_from_the_day(said: str, meant: str) -> None:
    assert counted_from(said, MONDAY) == meant


def test_a_weekday_alone_may_be_ahead() -> None:
    assert counted_from("on Friday", MONDAY, is_past=False) == "12 May 2023"


def test_months_are_counted_over_the_turn_of_the_year() -> None:
    assert counted_from("last month", date(2023, 1, 31)) == "December 2022"
    assert counted_from("14 months ago", date(2023, 1, 31)) == "November 2021"


def test_the_day_of_a_text_is_the_first_whole_date() -> None:
    assert day_of("John and Maria, 1:17 pm on 28 January, 2023", "", "d.md") == date(2023, 1, 28)
    assert day_of("Minutes", "May 2025", "minutes/2025-05-06-members.md") == date(2025, 5, 6)
    assert day_of("Minutes of 1999", "", "31 February 2020") is None


@pytest.mark.parametrize(
    ("said", "day"),
    [("tomorrow", date(9999, 12, 31)), ("yesterday", date(1, 1, 1)), ("10 years ago", date(5, 1, 1))],
)
def test_before_and_behind_the_calendar_is_no_time(said: str, day: date) -> None:
    assert counted_from(said, day) == ""


def test_what_a_passage_tells_from_its_day() -> None:
    text = "Ida came yesterday.\n\n## 3 June 2024\n\nShe leaves on Friday. It was so."
    passage = Passage(1, "plan.md", "Plan", text, "2024-05-06-plan.md", 0, 0, len(text), None)
    assert days_told(passage) == ["5 May 2024", "31 May 2024", "7 June 2024"]
    assert days_told(replace(passage, source="plan.md", text="Ida came yesterday.")) == []
