from __future__ import annotations

import pytest

from tools.answer_rules.values import begins_with_day, date_order, day_in_figures, find_dates, find_numbers


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("12 May 1920", 1920, 5, 12),
        ("May 12, 1920", 1920, 5, 12),
        ("5th of May, 1920", 1920, 5, 5),
        ("Sept. 3, 1999", 1999, 9, 3),
        ("May 1920", 1920, 5, 0),
        ("1920", 1920, 0, 0),
        ("1920-05-12", 1920, 5, 12),
        ("44 BC", -44, 0, 0),
        ("489 AD", 489, 0, 0),
        ("26 December", 0, 12, 26),
        ("30.03.2026", 2026, 3, 30),
        ("5.4.2026", 2026, 4, 5),
        ("30/3/2026", 2026, 3, 30),
        ("3/30/2026", 2026, 3, 30),
        ("4/4/2026", 2026, 4, 4),
        # Unsaid which of the two is the month.
        ("06/01/2026", 2026, 0, 0),
    ],
)
def test_dates_in_their_usual_forms(text: str, year: int, month: int, day: int) -> None:
    (date,) = find_dates(f"on {text}.")
    assert (date.text.strip(), date.year, date.month, date.day) == (text, year, month, day)


def test_a_table_tells_which_figure_is_the_month() -> None:
    assert begins_with_day(["06/01/2026", "13/01/2026", "Ann"])
    assert not begins_with_day(["06/01/2026", "07/01/2026"])
    assert not begins_with_day(["13/01/2026", "01/13/2026"])
    told = day_in_figures("06/01/2026")
    assert told is not None
    assert (told.year, told.month, told.day) == (2026, 1, 6)
    assert day_in_figures("on 06/01/2026") is None


def test_a_decade_and_a_century_are_no_single_year() -> None:
    decade, century = find_dates("in the 1920s and the 19th century")
    assert (decade.year, decade.whole) == (1920, False)
    assert (century.year, century.whole) == (1801, False)


def test_numbers_that_are_no_dates() -> None:
    assert find_dates("12,500 people, 1920.5 km, room 99, 50%") == []
    assert find_dates("40.03.2026, 30.13.2026, 13/14/2026") == []
    assert find_dates("") == []


def order(first: str, second: str) -> int:
    return date_order(find_dates(first)[0], find_dates(second)[0])


def test_dates_compare_by_year_then_month_then_day() -> None:
    assert order("3 May 1920", "1 January 1921") == -1
    assert order("3 May 1920", "2 May 1920") == 1
    assert order("44 BC", "12 May 1920") == -1
    assert order("1920", "1920") == 0


def test_an_unknown_month_decides_nothing_within_a_year() -> None:
    assert order("1920", "3 May 1920") == 0
    assert order("1920", "3 May 1921") == -1


@pytest.mark.parametrize(
    ("text", "value"),
    [("6,960", 6960), ("1.5 million", 1.5e6), ("twelve", 12), ("$40 billion", 4e10), ("39.2%", 39.2), ("twice", 2)],
)
def test_numbers_in_digits_and_words(text: str, value: float) -> None:
    (number,) = find_numbers(f"about {text}, they say")
    assert (number.text, number.value) == (text, value)


def test_no_number_in_a_word_or_a_version() -> None:
    assert find_numbers("B52s and v1.2.3b") == []
