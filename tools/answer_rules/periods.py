"""The month or the year that a question asks about, and the rows of a table that lie in it: "How much was spent in
March 2024?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.documents.plaintext import MONTHS
from tools.answer_rules.read_tables import Row
from tools.answer_rules.values import Date, find_dates, month_number

_IN_MONTH = re.compile(
    rf"\b(?:in|during|for|of|over|all(?: (?:the|our))?)\s+(?P<month>{'|'.join(MONTHS)})\b(?!\s*\d)", re.I
)
_IN = re.compile(r"\b(?:in|during|for|of|over|throughout)\s+(?:the (?:month|year) (?:of )?)?$", re.I)


@dataclass(frozen=True, slots=True)
class Period:
    """A month, of the one year that there is where `year` is 0, or a year, whose `month` is 0; and the question without
    it.
    """

    year: int
    month: int
    rest: str

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """The rows with a day in the period; [] where some have none, or it is unsaid which year is meant."""
        dated = [(row, days) for row in rows if (days := list(row.days()))]
        held = [(row, day) for row, days in dated for _, day in days[:1] if self.holds(day)]
        if len(dated) < len(rows) or (not self.year and len({day.year for _, day in held}) > 1):
            return []
        return [row for row, _ in held]

    def holds(self, day: Date) -> bool:
        """Whether a day lies in the period."""
        return self.month in (0, day.month) and self.year in (0, day.year)


def asked_period(text: str) -> Period | None:
    """The one month or year that a question asks about; None for none, and where a day or another time is told."""
    dates = find_dates(text)
    if len(dates) == 1 and dates[0].whole and not dates[0].day and (before := _IN.search(text, 0, dates[0].start)):
        return Period(dates[0].year, dates[0].month, f"{text[: before.start()]} {text[dates[0].end :]}".strip())
    months = list(_IN_MONTH.finditer(text)) if not dates else []
    if len(months) != 1:
        return None
    found = months[0]
    return Period(0, month_number(found["month"]), f"{text[: found.start()]} {text[found.end() :]}".strip())
