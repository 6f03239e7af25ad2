"""The numbers, months and days by which a question bounds what it asks for: "longer than 9 m", "since March", "between
10 and 20 kg", and which values of a column lie within.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kb.documents.plaintext import MONTHS
from tools.answer_rules.money import CURRENCIES, MONEY, SIGNS
from tools.answer_rules.recorded_sides import asked_measures
from tools.answer_rules.table_columns import Column, Grid
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Date, Number, find_dates, find_numbers, measured, month_number

Stems = frozenset[str]

_LONGEST = 300
"""Characters of a question that is looked at."""
_BEGUN = 3
"""Letters of the longest stem that is too short to be told from others."""
_COSTS = frozenset(content_stems("cost costs priced"))
"""What says of a bare number that it is a price."""
_ROWS = 2
"""Rows with a value to compare that a column has at least."""
_SIGN = r"(?P<sign>[$€£¥]\s?)?"
_VALUE = rf"{_SIGN}(?=\d|(?:{'|'.join(MONTHS)})\b)"
_NUMBER = r"(?=\s+(?:the )?[$€£¥]?\s?\d)"
_BEYOND = re.compile(
    rf"\b(?:(?P<than>\w+er|more|less)(?P<what>(?: \w+){{0,2}}?) than|(?P<more>(?:over|above|exceed(?:s|ing)?"
    rf"|at least){_NUMBER}|after|since)|(?P<less>(?:under|below|at most|up to){_NUMBER}|before|until|till|by|up to))\s+"
    rf"(?:the (?P<edge>beginning|start|end) of )?"
    rf"(?:the )?{_VALUE}",
    re.I,
)
_RANGE = re.compile(rf"\b(?:between|from|in(?= (?:{'|'.join(MONTHS)}) and ))\s+(?:the )?{_VALUE}", re.I)
_TO = re.compile(rf"\s*(?:and|to|until|till|through|-|–)\s*(?:the )?{_VALUE}", re.I)
_LARGER = frozenset("more greater higher larger bigger longer taller wider heavier deeper older later faster".split())
_SMALLER = frozenset("less fewer lower smaller shorter narrower lighter cheaper younger earlier slower".split())
_WITH_END = frozenset(("at least", "at most", "up to", "since", "until", "till", "by"))
_TIMES = frozenset(("after", "since", "before", "until", "till", "by", "up to"))
_EDGES = frozenset(("beginning", "start", "end"))
_LATE = frozenset(("after", "until", "till", "by", "up to", "end"))
"""What counts a month by its last day."""
_DATED = frozenset(content_stems("date day when"))
"""What the column is called that says of which day a row is, where another has days as well."""
_LAST_DAY = 31
_MEASURED = re.compile(r" (long|wide|high|tall|deep|old)\b", re.I)
_CLOCK = re.compile(r"\s*(?::\d\d|[ap]\.?m\b|o['’]clock)", re.I)
_MONTH = re.compile(rf"(?:{'|'.join(MONTHS)})\b", re.I)
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number of a question: what it measures ("length", "day", "" for a count), how much it is in units of that,
    the sign of its currency or "yearly" for a day of each year, where it ends, and the words of what is counted.
    """

    measure: str
    value: float
    of: str
    end: int
    things: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """Values on one side of a number, and how that is `said`; `columns` are the stems that name what is measured,
    "height" of "higher".
    """

    said: str
    is_larger: bool
    with_end: bool
    amount: _Amount
    columns: Stems = frozenset()

    @property
    def is_of_money(self) -> bool:
        """Whether the number is an amount of a currency."""
        return self.amount.of in SIGNS

    @property
    def is_bare(self) -> bool:
        """Whether the number is of no unit, currency or thing."""
        return not (self.amount.of or self.amount.measure or self.amount.things.strip())

    def holds(self, value: float) -> bool:
        """Whether a value, in units of the bound, lies within it."""
        if value == self.amount.value:
            return self.with_end
        return (value > self.amount.value) == self.is_larger

    def column(self, grid: Grid, about: Stems) -> tuple[Column, dict[int, float]] | None:
        """The one column that the words of a question name, or whose measure the comparing word is of, or the only one
        of money or of what is measured; with the values of its rows. None for none and for several.
        """
        told = {column: self._values(column) for column in grid.columns}
        # "drum kit 4 pc" among items is no column of numbers.
        values = {one: found for one, found in told.items() if len(found) >= max(_ROWS, len(one.cells) / 2)}
        named = [column for column in values if alike(column.header, about)]
        called = [column for column in values if column.header & self.columns]
        is_priced = self.is_of_money or (self.is_bare and bool(about & _COSTS))
        priced = [column for column in values if column.header & MONEY] if is_priced else []
        alone = list(values) if self.amount.of or self.amount.measure else []
        alone = [column for column in alone if column.header & _DATED] if len(alone) > 1 else alone
        meant = next((columns for columns in (named, called, priced, alone) if columns), [])
        return (meant[0], values[meant[0]]) if len(meant) == 1 else None

    def _values(self, column: Column) -> dict[int, float]:
        """The rows that have one number of what is asked about in a column, and that number in the bound's units."""
        asked = self.amount
        cells = column.plain
        if asked.measure == "year":
            years = {at: frozenset(_YEAR.findall(cell)) for at, cell in cells.items()}
            return {at: float(*found) for at, found in years.items() if len(found) == 1}
        if asked.measure == "day":
            dated = {at: day for at in cells if (day := column.day(at))}
            if asked.of == "yearly" and len({day.year for day in dated.values()}) > 1:
                return {}
            return {at: float(_day(replace(day, year=0) if asked.of else day)) for at, day in dated.items()}
        return self._amounts(column.header, cells)

    def _amounts(self, header: Stems, cells: dict[int, str]) -> dict[int, float]:
        asked = self.amount
        units = (measured(f"1 {word}", Number(0, 1, "1", 1.0)) for word in sorted(header))
        unit = next((one for one in units if one[0]), ("", 1.0))
        currencies = frozenset(CURRENCIES[word] for word in header if word in CURRENCIES)
        signs = any(sign in cell for sign in SIGNS for cell in cells.values())
        is_priced = asked.of in currencies or bool(header & MONEY and not currencies and not signs)
        told = {}
        for at, cell in cells.items():
            numbers = find_numbers(cell)
            if len(numbers) != 1 or (asked.of and asked.of not in cell and not is_priced):
                continue
            measure, value = measured(cell, numbers[0])
            if not measure:
                measure, value = unit[0], value * unit[1]
            if measure == asked.measure or not asked.measure:
                told[at] = value if asked.measure else numbers[0].value
        return told


def is_bounded(question: str) -> bool:
    """Whether a question may bound what it asks for."""
    text = question[:_LONGEST]
    return bool(_BEYOND.search(text) or _RANGE.search(text))


def bounds_in(text: str) -> tuple[list[Bound], str] | None:
    """The bounds that a text tells, and the text without them; None where one is told of what cannot be compared.

    What is counted stays in the text: "seats" of "more seats than 4" and "at least 4 seats".
    """
    bounds: list[Bound] = []
    while match := _BEYOND.search(text) or _RANGE.search(text):
        read = _range(text, match) if match.re is _RANGE else _beyond(text, match)
        if read is None:
            return None
        found, things, end = read
        if told := _MEASURED.match(text, end):
            found, end = [replace(one, columns=_measured_by(f"{told[1]}er than")) for one in found], told.end()
        bounds += found
        text = " ".join(f"{text[: match.start()]} {things} {text[end:]}".split())
    return bounds, text


def _beyond(text: str, match: re.Match[str]) -> tuple[list[Bound], str, int] | None:
    word, side = (match["than"] or "").lower(), (match["more"] or match["less"] or "").lower()
    edge = (match["edge"] or side).lower()
    amount = _amount_at(text, match.end(), match["sign"] or "", edge if edge in _EDGES else side)
    if amount is None or (word and word not in _LARGER | _SMALLER):
        return None
    is_larger = bool(match["more"]) or word in _LARGER
    said = text[match.start() : amount.end]
    bound = Bound(said, is_larger, side in _WITH_END, amount, _measured_by(f"{word} than"))
    return [bound], f"{match['what'] or ''} {amount.things}", amount.end


def _measured_by(compared: str) -> Stems:
    """The stems that name what comparing words are of: "height" of "higher than"."""
    return frozenset[str]().union(*(one.columns for one in asked_measures(compared)))


def _range(text: str, match: re.Match[str]) -> tuple[list[Bound], str, int] | None:
    """Both ends of a range; the first may lack the unit that the second has."""
    first = _amount_at(text, match.end(), match["sign"] or "", "since")
    to = _TO.match(text, first.end) if first else None
    last = _amount_at(text, to.end(), to["sign"] or match["sign"] or "", "until") if to else None
    if first is None or last is None:
        return None
    if to and (first.measure, first.of) != (last.measure, last.of):
        lower, upper = find_numbers(text[match.end() :])[0], find_numbers(text[to.end() :])[0]
        if not upper.value or "day" in (first.measure, last.measure):
            return None
        first = replace(last, value=lower.value * last.value / upper.value)
    said = text[match.start() : last.end]
    both = [Bound(said, is_larger, with_end=True, amount=end) for is_larger, end in ((True, first), (False, last))]
    return both, last.things, last.end


def _amount_at(text: str, at: int, sign: str, side: str) -> _Amount | None:
    """What is told at a place of a text, where it ends in that text."""
    told = _amount(text[at:], sign)
    if side in _TIMES | _EDGES and not (told and (told.measure or told.of)):
        told = _time(text[at:], side) or told
    return replace(told, end=told.end + at) if told and not _CLOCK.match(text, told.end + at) else None


def _time(text: str, side: str) -> _Amount | None:
    """The year, the month or the day that a text begins with; what is told without its year is one of each year. After
    or until a month is counted from its last day, before or since it from its first, and so are its end and beginning.
    """
    day = next((one for one in find_dates(text)[:1] if one.month and not one.start), None) or _month(text)
    if day:
        edge = day if day.day else replace(day, day=_LAST_DAY if side in _LATE else 1)
        return _Amount("day", float(_day(edge)), "yearly" if not day.year else "", day.end)
    year = _YEAR.match(text)
    return _Amount("year", float(year[0]), "", year.end()) if year else None


def _month(text: str) -> Date | None:
    """The month that a text begins with, without its year."""
    match = _MONTH.match(text)
    return Date(0, match.end(), match[0], 0, month_number(match[0])) if match else None


def _day(date: Date) -> int:
    return (date.year * 12 + date.month) * 31 + date.day


def _amount(text: str, sign: str) -> _Amount | None:
    """The number that a text begins with, in the units of what it measures, or the currency that it is of."""
    number = next((one for one in find_numbers(text)[:1] if not one.start), None)
    if number is None:
        return None
    measure, value = measured(text, number)
    unit = re.match(r"\s*([^\W\d_]+)", text[number.end :])
    money = sign.strip() or CURRENCIES.get(unit[1].lower() if unit else "", "")
    end = number.end + (unit.end() if unit and (measure or (money and not sign)) else 0)
    things = "" if measure else re.sub(r"[^a-z]+", " ", number.text, flags=re.I)
    return _Amount(measure, value if measure else number.value, money, end, things)


def alike(ones: Iterable[str], others: Stems) -> Stems:
    """The stems that are among others, or begin as one of them does: "weigh" and "weight"."""
    return frozenset(
        one
        for one in ones
        for other in others
        if one == other or (len(min(one, other, key=len)) > _BEGUN and (one.startswith(other) or other.startswith(one)))
    )
