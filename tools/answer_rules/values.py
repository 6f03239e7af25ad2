"""Dates and numbers in running text, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kb.documents.plaintext import MONTHS

_MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_ERA = r"(?:\s?(?P<era{0}>BCE?|B\.C\.(?:E\.)?|AD|CE|A\.D\.)(?![\w]))?"
_DATE = re.compile(
    r"(?<![\w.,])(?:"
    r"(?P<iso>\d{4}-\d{2}-\d{2})(?!\w)"
    r"|(?P<in_figures>\d{1,2}(?P<sign>[./])\d{1,2}(?P=sign)\d{4})(?![\w/])"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s*(?P<m1>{_MONTH})(?!\w),?\s*(?P<y1>\d{{3,4}})(?!\w)"
    + _ERA.format(1)
    + rf"|(?P<m2>{_MONTH})\s*(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|\s+)(?P<y2>\d{{3,4}})(?!\w)" + _ERA.format(2)
    + rf"|(?P<m3>{_MONTH}),?\s+(?P<y3>\d{{3,4}})(?!\w)" + _ERA.format(3)
    + rf"|(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\s(?P<m4>{_MONTH})(?!\w)"
    rf"|(?P<m5>{_MONTH})\s(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?(?![\w,]*\d)"
    r"|(?P<c6>\d{1,2})(?:st|nd|rd|th)[\s-]century" + _ERA.format(6)
    + r"|(?P<y7>\d{3,4})(?P<s7>s)?(?![\w%])(?![,.]\d)" + _ERA.format(7)
    + r"|(?P<y8>\d{1,2})\s?(?P<era8>BCE?|B\.C\.(?:E\.)?|AD|CE|A\.D\.)(?!\w)"
    r")"
)  # fmt: skip

_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/\d{4}")
_MONTHS = len(MONTHS)
WEEKDAYS = "mon tue wed thu fri sat sun".split()
_MONTH_NUMBERS = {month[:3].casefold(): number for number, month in enumerate(MONTHS, 1)}

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "once": 1, "twice": 2, "thrice": 3, "dozen": 12,
}  # fmt: skip
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>[$£€¥]\s?)?(?:(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)|(?P<word>"
    + "|".join(_UNITS)
    + r"))(?P<scale>[\s-](?:hundred|thousand|million|billion|trillion))?(?P<unit>\s?(?:%|percent|per cent"
    r"|km²|km2|km|kilometres|kilometers|miles|metres|meters|feet|ft|acres|hectares|inches|seats)(?!\w))?(?![\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date as it stands in a text at [start, end); years BC are negative, an unknown month or day is 0.

    `whole` is false for what is no single day, month or year: a decade or a century.
    """

    start: int
    end: int
    text: str
    year: int
    month: int = 0
    day: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands in a text at [start, end), with its unit where it has one."""

    start: int
    end: int
    text: str
    value: float


_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PART_OF_DAY = r"(?: (?:morning|afternoon|evening|night))?"
_COUNTED = (
    r"\b(?:ago|yesterday|today|tonight|tomorrow|(?:last|next|this|past|coming|previous) (?:\w+ )?"
    r"(?:week|month|year|weekend|night|summer|winter|spring|autumn|fall|\w+day))\b"
)
_RELATIVE = re.compile(rf"{_COUNTED}|^(?:on )?{_WEEKDAY}{_PART_OF_DAY}$", re.IGNORECASE)
_RELATIVE_WITHIN = re.compile(
    rf"\b\w+ (?:day|week|month|year)s? ago\b|\bthe day (?:before yesterday|after tomorrow)\b|{_COUNTED}"
    rf"|\bon {_WEEKDAY}{_PART_OF_DAY}\b",
    re.IGNORECASE,
)


def is_relative_time(text: str) -> bool:
    """Whether a time is counted from a day that it does not name: "yesterday", "two days ago", "last month"."""
    return bool(_RELATIVE.search(text)) and not re.search(r"\d{4}", text)


def relative_times(text: str) -> list[tuple[int, int]]:
    """Where a sentence has times that are counted from a day that they do not name."""
    return [found.span() for found in _RELATIVE_WITHIN.finditer(text)]


def find_dates(text: str) -> list[Date]:
    """The dates of a text in order, years alone (100..2199) among them; a day and month without a year has year 0."""
    dates: list[Date] = []
    for match in _DATE.finditer(text):
        date = _read_date(match)
        if date is not None:
            dates.append(date)
    return dates


def _read_date(match: re.Match[str]) -> Date | None:
    part = match.groupdict()
    start, end, text = match.start(), match.end(), match.group()
    if part["iso"]:
        year, month, day = (int(piece) for piece in part["iso"].split("-"))
        return Date(start, end, text, year, month, day) if month <= 12 and day <= 31 else None
    if part["in_figures"]:
        return _in_figures(start, end, text, part["sign"])
    if part["c6"]:
        century = int(part["c6"])
        return Date(start, end, text, _signed(century * 100 - 99, part["era6"]), whole=False)
    for form in ("1", "2", "3", "4", "5", "7", "8"):
        if part.get(f"y{form}") or part.get(f"m{form}"):
            year = _signed(int(part.get(f"y{form}") or 0), part.get(f"era{form}"))
            month, day = month_number(part.get(f"m{form}") or ""), int(part.get(f"d{form}") or 0)
            plausible = day <= 31 and (form in "45" or year < 2200)
            return Date(start, end, text, year, month, day, whole=not part.get(f"s{form}")) if plausible else None
    return None


def _in_figures(start: int, end: int, text: str, sign: str, *, is_day_first: bool = False) -> Date | None:
    """A date as "30.03.2026" or "30/3/2026"; its year alone where it is unsaid which of two figures is the month."""
    first, second, year = (int(piece) for piece in text.split(sign))
    is_day_first = is_day_first or sign == "." or first > _MONTHS or first == second
    if not is_day_first and second <= _MONTHS:
        return Date(start, end, text, year)
    day, month = (first, second) if is_day_first else (second, first)
    return Date(start, end, text, year, month, day) if 1 <= month <= _MONTHS and 1 <= day <= 31 else None


def day_in_figures(cell: str) -> Date | None:
    """The date of a cell like "06/01/2026", of a table whose others begin with the day; None for any other cell."""
    match = _SLASHED.fullmatch(cell)
    return _in_figures(0, len(cell), cell, "/", is_day_first=True) if match else None


def begins_with_day(cells: Iterable[str]) -> bool:
    """Whether dates like "13/01/2026" among the cells begin with the day and none with the month."""
    pairs = [(int(match[1]), int(match[2])) for cell in cells if (match := _SLASHED.fullmatch(cell))]
    return any(first > _MONTHS for first, _ in pairs) and all(second <= _MONTHS for _, second in pairs)


def _signed(year: int, era: str | None) -> int:
    return -year if era and era.upper().startswith("B") else year


def month_number(name: str) -> int:
    """The number of a month by its name or the first letters of that; 0 for none."""
    return _MONTH_NUMBERS.get(name.casefold()[:3], 0)


def date_order(first: Date, second: Date) -> int:
    """-1 where the first is earlier, 1 where it is later, 0 where what both say does not tell."""
    for mine, other in ((first.year, second.year), (first.month, second.month), (first.day, second.day)):
        if mine != other:
            return 0 if 0 in (mine, other) else (-1 if mine < other else 1)
    return 0


# What each unit measures, and how many metres, kilograms or seconds it is.
_MEASURES: dict[str, tuple[str, float]] = {
    unit: (measure, size)
    for measure, sizes in {
        "length": {
            "mm millimetre millimeter": 1e-3, "cm centimetre centimeter": 1e-2, "m metre meter": 1.0,
            "km kilometre kilometer": 1e3, "inch": 0.0254, "ft feet foot": 0.3048, "mi mile": 1609.344,
        },
        "area": {"ha hectare": 1e4, "acre": 4046.8564224},
        "mass": {"g gram gramme": 1e-3, "kg kilo kilogram": 1.0, "t ton tonne": 1e3, "lb": 0.45359237},
        "time": {
            "s sec second": 1.0, "min minute": 60.0, "h hour": 3600.0, "day": 86_400.0, "week": 604_800.0,
            "month": 2_629_746.0, "year": 31_556_952.0,
        },
    }.items()
    for units, size in sizes.items()
    for unit in units.split()
}  # fmt: skip
_WORD = re.compile(r"[\s-]*([^\W\d_]+)")


def measured(text: str, number: Number) -> tuple[str, float]:
    """What a number of `text` measures ("length", "area", "mass", "time"), and its value in metres, square metres,
    kilograms or seconds.

    "" and the value as it stands where no unit that is known is in it or behind it.
    """
    figures = re.search(r"[^\W\d_]+$", number.text)
    word = figures if figures and figures.start() else _WORD.match(text, number.end)
    unit = word.group().strip(" -").casefold() if word else ""
    measure, size = (
        _MEASURES.get(unit)
        or _MEASURES.get(unit.removesuffix("es"))
        or _MEASURES.get(unit.removesuffix("s"), ("", 1.0))
    )
    return measure, number.value * size


def find_numbers(text: str) -> list[Number]:
    """The numbers of a text in order, in digits or words ("6,960", "1.5 million", "twelve")."""
    return [_read_number(match) for match in _NUMBER.finditer(text)]


def _read_number(match: re.Match[str]) -> Number:
    digits, word, scale = match.group("digits"), match.group("word"), match.group("scale")
    value = float(digits.replace(",", "")) if digits else float(_UNITS[word.casefold()])
    if scale:
        value *= _SCALES[scale[1:].casefold()]
    return Number(match.start(), match.end(), match.group().strip(), value)
