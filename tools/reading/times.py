"""Times that are counted from the day of a text: "yesterday", "next Friday", "two weeks ago"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from kb.documents.plaintext import MONTHS, day_in_words
from kb.documents.structure import Outline, path_of
from kb.records import Passage
from tools.answer_rules.values import find_dates, month_number, relative_times

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_COUNTS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
} | {"a": 1, "an": 1}
_DAYS = {"yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0, "tomorrow": 1}
_NEAR = re.compile(
    r"\b(?P<which>last|previous|past|this|next|coming)\s+(?:(?P<weekday>\w+day)|(?P<unit>week(?:end)?|month|year)\b"
    rf"|(?P<month>{'|'.join(MONTHS)}))",
    re.IGNORECASE,
)
_AGO = re.compile(
    rf"(?<![\w,.-])(?<!half )(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})\s+(?P<unit>day|week|month|year)s?\s+ago\b",
    re.IGNORECASE,
)
_OVER_NEXT = re.compile(r"\bday (?:before yesterday|after tomorrow)\b")
_SHIFTS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "coming": 1}


def day_of(*places: str) -> date | None:
    """The first whole date in what tells of a text's day: its title, the headings above it, its file's name."""
    for place in places:
        for found in find_dates(place):
            if found.month and found.day and found.year > 0:
                try:
                    return date(found.year, found.month, found.day)
                except ValueError:
                    continue
    return None


def counted_from(said: str, day: date, *, is_past: bool = True) -> str:
    """What `said` means on `day`: a day ("7 May 2023"), a month, a year or the week of another; "" where it is no time,
    or none of the calendar's.

    A weekday alone is the last one where `is_past`, else the next.

    >>> counted_from("yesterday", date(2023, 5, 8)), counted_from("last month", date(2023, 5, 8))
    ('7 May 2023', 'April 2023')
    """
    text = " ".join(said.casefold().split())
    try:
        return _counted(text, day, is_past)
    except (OverflowError, ValueError):
        return ""


def days_told(passage: Passage) -> list[str]:
    """What the times mean that a passage counts from its own day, as if they were past and as if they were ahead."""
    outline = Outline(passage.text, path_of(passage.section))
    told = []
    for start, end in relative_times(passage.text):
        if day := day_of(*reversed(outline.path(start)), passage.title, passage.source):
            told += [counted_from(passage.text[start:end], day, is_past=past) for past in (True, False)]
    return [one for one in dict.fromkeys(told) if one]


def _counted(text: str, day: date, is_past: bool) -> str:
    if over := _OVER_NEXT.search(text):
        return day_in_words(day + timedelta(days=-2 if "before" in over.group() else 2))
    for words, shift in _DAYS.items():
        if re.search(rf"\b{words}\b", text):
            return day_in_words(day + timedelta(days=shift))
    if ago := _AGO.search(text):
        count = _COUNTS.get(ago["count"]) or int(ago["count"])
        return _shifted(day, ago["unit"].lower(), -count)
    near = _NEAR.search(text)
    if near is None:
        weekday = next((name for name in _WEEKDAYS if re.search(rf"\b{name}\b", text)), "")
        return _weekday(day, weekday, -1 if is_past else 1)
    shift = _SHIFTS[near["which"].lower()]
    if near["weekday"]:
        return _weekday(day, near["weekday"].lower(), shift)
    if near["month"]:
        month = month_number(near["month"])
        return f"{MONTHS[month - 1]} {_year_of(day, month, shift)}"
    return _shifted(day, near["unit"].lower(), shift)


def _weekday(day: date, name: str, shift: int) -> str:
    """The last or next such day; "this" is the one that is nearest ahead, the day itself included."""
    if name not in _WEEKDAYS:
        return ""
    ahead = (_WEEKDAYS.index(name) - day.weekday()) % 7
    if shift < 0:
        return day_in_words(day - timedelta(days=(7 - ahead) % 7 or 7))
    return day_in_words(day + timedelta(days=ahead if shift == 0 else ahead or 7))


def _year_of(day: date, month: int, shift: int) -> int:
    if shift < 0:
        return day.year if month < day.month else day.year - 1
    return day.year if month > day.month or (shift == 0 and month == day.month) else day.year + 1


def _shifted(day: date, unit: str, count: int) -> str:
    """So many days, weeks, months or years before or after, as exactly as people mean it."""
    if unit == "year":
        return str(day.replace(day=1, year=day.year + count).year)
    if unit == "month":
        months = day.year * 12 + day.month - 1 + count
        return f"{MONTHS[months % 12]} {months // 12}"
    if unit == "day":
        return day_in_words(day + timedelta(days=count))
    if unit == "weekend":
        monday = day - timedelta(days=day.weekday())
        return f"the weekend of {day_in_words(monday + timedelta(days=5 + 7 * count))}"
    if count == 0:
        return f"the week of {day_in_words(day)}"
    then = f"{'before' if count < 0 else 'after'} {day_in_words(day)}"
    return f"the week {then}" if abs(count) == 1 else f"{abs(count)} weeks {then}"
