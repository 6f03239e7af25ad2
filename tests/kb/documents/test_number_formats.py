from __future__ import annotations

import datetime

import pytest

from kb.documents.number_formats import shown_number, shown_time


@pytest.mark.parametrize(
    ("value", "code", "said"),
    [
        (0.25, "0%", "25%"),
        (0.25, "0.00%", "25.00%"),
        (7, "000", "007"),
        (1.5, "0.00", "1.50"),
        (1.005, "0.00", "1.01"),
        (1234567.5, "#,##0.00", "1,234,567.50"),
        (1234.5, "#,##0.##", "1,234.5"),
        (1234.5, '[$€-407] #,##0.00;[Red]"-"#,##0.00', "€ 1,234.50"),
        (1234.5, '_-"£"* #,##0.00_-', "£1,234.50"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "-1,234.50"),
        (-0.5, "0.0;[Red]0.0", "-0.5"),
        (-0.001, "0.0", "0.0"),
        (-0.001, "0.00_);(0.00)", "0.00"),
        (-0.001, "0.00;[Red]-0.00", "0.00"),
        (True, "0", "1"),
        (12, '0" kg"', "12 kg"),
        (2_500_000, '0.0,,"M"', "2.5M"),
        (123456789, "000-00-0000", "123-45-6789"),
        (0.5, "# ?/?", "0.5"),
        (1e5, "0.00E+00", "100000"),
        (5, "[>4]0;0.00", "5"),
        (5, ";;;", "5"),
        (5, "@", "5"),
        (1 / 3, "0." + "0" * 30, "0." + "3" * 16 + "0" * 14),
        (1e300, "0" * 200, "1e+300"),
        (float("nan"), "0.0", "nan"),
    ],
)  # fmt: skip
def test_numbers_are_told_as_a_workbook_shows_them(value: float, code: str, said: str) -> None:
    assert shown_number(value, code) == said


@pytest.mark.parametrize(
    ("value", "code", "said"),
    [
        (datetime.datetime(2025, 4, 3), "dd/mm/yyyy", "2025-04-03"),
        (datetime.datetime(2025, 4, 3, 9, 30), "dd/mm/yyyy hh:mm", "2025-04-03 09:30"),
        (datetime.datetime(2025, 4, 1), "mmm yy", "April 2025"),
        (datetime.datetime(2025, 1, 1), "yyyy", "2025"),
        (datetime.time(9, 30), "hh:mm", "09:30"),
        (datetime.timedelta(hours=26, minutes=5), "[h]:mm", "26:05"),
    ],
)
def test_days_and_times_are_told_without_what_a_workbook_does_not_show(
    value: datetime.datetime | datetime.time | datetime.timedelta, code: str, said: str
) -> None:
    assert shown_time(value, code) == said
