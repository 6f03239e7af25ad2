"""What a table of ranges tells of a number that lies in one of them: "Until when may a ten-year-old rehearse?" by the
row of "9 to 12", "What does a parcel of 3 kg cost?" by that of "2-5 kg".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.answer_rules.docs import Evidence
from tools.answer_rules.money import MONEY
from tools.answer_rules.read_tables import Row, Table, tables_of
from tools.answer_rules.recorded_rows import DENIES, named_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Number, find_numbers, measured

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the column of the ranges, and the one that is told, are those that are meant."""

_LONGEST = 300
_RANGES = 2
"""Rows with a range that a table has at least."""
_ALIKE = 6
"""First letters of stems that tell the same: to rehearse, and a rehearsal."""
_CELL = 40
"""Characters of the longest cell that is read as a range."""
_ASKS = re.compile(
    r"\W*(?:(?:and|so)\s+)?(?:(?:(?:un)?til|from|since|by|at|in|for|on|to)\s+)?(?:what|which|how|when|where|who)\b",
    re.I,
)
_GLUED = re.compile(r"(?<=\d)(?=(?:kg|g|km|m|cm|mm|lb|h|min|s|years?|yrs?)\b)", re.I)
_BETWEEN = re.compile(r"[^\W\d_]*\s*(?:to|-|–|—|until|till|and|bis|up to)\s*", re.I)
_BELOW = re.compile(r"(?:(?:under|below|less than|fewer than|younger than|lighter than|shorter than)|<)\s*$", re.I)
_AT_MOST = re.compile(r"(?:up to|at most|max(?:imum|\.)?|until|till|no more than|≤|<=)(?: and including)?\s*$", re.I)
_ABOVE = re.compile(r"(?:over|above|more than|older than|heavier than|longer than|>)\s*$", re.I)
_AT_LEAST = re.compile(r"(?:from|at least|min(?:imum|\.)?|≥|>=)\s*$", re.I)
_OR_LESS = re.compile(r"[\s-]*(?:[^\W\d_]+\s+)?(?:and|or) (?:less|fewer|under|younger|below|lighter)\b", re.I)
_OR_MORE = re.compile(
    r"\s*\+|[\s-]*(?:[^\W\d_]+\s+)?(?:(?:and|or) (?:more|over|above|older|up(?:wards)?|heavier)\b|upwards\b)", re.I
)
_AGE = re.compile(r"(?:[\s-]*years?)?[\s-]*olds?\b|\s*years? of age\b", re.I)
_YEARS = re.compile(r"[\s-]*years?\b", re.I)
_AGED = re.compile(r"\b(?:aged?|age of|turned|turns)\s*$", re.I)
_WHEN = re.compile(r"\bwhen\b|\bwhat time\b|\bhow (?:late|early)\b", re.I)
_TIME = re.compile(r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s*(?:am|pm|o'clock)\b", re.I)
_PRICES = re.compile(
    r"\bcosts?\b|\bpay\b|\bpays\b|\bprice\b|\bcharge[ds]?\b|\bfee\b|\bhow much (?:is|are|does|do|for)\b", re.I
)
_PRICED = MONEY | frozenset(content_stems("rate charge postage ticket"))
_AGES = frozenset(content_stems("age ages aged year years old"))
_ASIDE = frozenset(content_stems("what which how when where who until from since much many old year years long is are"))


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number that is asked about: what it measures ("mass", "age"), "" for a count of `things`; its value in units of
    that; and of a time in years, which may be an age, how many.
    """

    measure: str
    value: float
    things: Stems = frozenset()
    years: float = float("nan")

    def as_in(self, measure: str) -> float:
        """Its value where ranges are of a measure."""
        return self.years if measure == "age" else self.value


@dataclass(frozen=True, slots=True)
class _Range:
    """From `low` to `high`, in units of what it measures; the ends belong to it where they are said to."""

    measure: str
    low: float
    high: float
    has_low: bool = True
    has_high: bool = True

    def holds(self, value: float) -> bool:
        above = value > self.low or (self.has_low and value == self.low)
        return above and (value < self.high or (self.has_high and value == self.high))


def asks_in_range(question: str) -> bool:
    """Whether a question may ask what a table of ranges tells of a number."""
    text = question[:_LONGEST]
    return bool(_ASKS.match(text) and find_numbers(_GLUED.sub(" ", text)))


def find_in_range(question: str, evidence: Evidence) -> Recorded | None:
    """The cell that a question asks for of the one row in whose range a number of the question lies.

    All rows of the tables have to be there. None where no range or more than one holds the number, nothing says which
    column is asked for, or the question names what the table does not.
    """
    text = _GLUED.sub(" ", " ".join(question.split()).strip(" ?.!"))
    if len(text) > _LONGEST or not _ASKS.match(text) or DENIES.search(text):
        return None
    quantities = list(_quantities(text))
    if len(quantities) != 1:
        return None
    told = [one for table in tables_of(evidence) if (one := _told(text, quantities[0], table))]
    return told[0] if len(told) == 1 else None


def _quantities(text: str) -> Iterator[_Quantity]:
    for number in find_numbers(text):
        measure, value = measured(text, number)
        if _AGE.match(text, number.end) or _AGED.search(text, 0, number.start):
            yield _Quantity("age", number.value, years=number.value)
        elif measure:
            years = number.value if _YEARS.match(text, number.end) else float("nan")
            yield _Quantity(measure, value, years=years)
        else:
            behind = re.match(r"\s+([^\W\d_]+)", text[number.end :])
            yield _Quantity("", number.value, frozenset(content_stems(behind[1])) if behind else frozenset())


def _told(question: str, asked: _Quantity, table: Table) -> Recorded | None:
    known = table.called | table.headers | frozenset[str]().union(*(row.said for row in table.rows))
    numbers = frozenset(content_stems(" ".join(one.text for one in find_numbers(question))))
    about = frozenset(content_stems(question)) - _ASIDE - asked.things - numbers
    names = named_words(question)
    if names - known - numbers:
        return None
    for header in _headers(table):
        ranged = [(row, found) for row in table.rows if (found := _range_of(row, header))]
        if len(ranged) < _RANGES or not all(_is_meant(asked, found, header) for _, found in ranged):
            continue
        column = _column(question, about, table, header)
        held = [row for row, found in ranged if found.holds(asked.as_in(found.measure))]
        if column is None or len(held) != 1:
            return None
        value, within = _cell(held[0], column), _cell(held[0], header)
        if value is None or within is None:
            return None
        places = tuple(held[0].doc.found(start, end, STATED) for start, end in (value, within))
        return Recorded(places[0].text, places, STATED)
    return None


def _headers(table: Table) -> list[Stems]:
    return list(dict.fromkeys(header for row in table.rows for header, _, _ in row.cells))


def _cell(row: Row, header: Stems) -> tuple[int, int] | None:
    """Where the only cell below a header stands."""
    cells = [(start, end) for own, start, end in row.cells if own == header]
    return cells[0] if len(cells) == 1 else None


def _range_of(row: Row, header: Stems) -> _Range | None:
    place = _cell(row, header)
    return _read_range(row.doc.text[slice(*place)], header) if place else None


def _read_range(cell: str, header: Stems) -> _Range | None:
    """The range that a cell tells; its unit may stand in the header."""
    cell = _GLUED.sub(" ", cell.strip())
    if len(cell) > _CELL or re.search(r"\d:\d\d\b", cell):
        return None
    numbers = find_numbers(cell)
    if not 1 <= len(numbers) <= 2:
        return None
    measure, size = _unit(cell, numbers[-1], header)
    values = [number.value * size for number in numbers]
    before, behind = cell[: numbers[0].start], cell[numbers[-1].end :]
    if len(numbers) == 2:
        is_range = _BETWEEN.fullmatch(cell[numbers[0].end : numbers[1].start].strip() or " ") and values[0] < values[1]
        return _Range(measure, values[0], values[1]) if is_range else None
    value = values[0]
    if _BELOW.search(before):
        return _Range(measure, float("-inf"), value, has_high=False)
    if _AT_MOST.search(before) or _OR_LESS.match(behind):
        return _Range(measure, float("-inf"), value)
    if _ABOVE.search(before):
        return _Range(measure, value, float("inf"), has_low=False)
    return _Range(measure, value, float("inf")) if _AT_LEAST.search(before) or _OR_MORE.match(behind) else None


def _unit(cell: str, number: Number, header: Stems) -> tuple[str, float]:
    """What a number of a cell measures, and how much one of its unit is."""
    if header & _AGES:
        return "age", 1.0
    measure, value = measured(cell, number)
    if measure:
        return measure, value / number.value if number.value else 1.0
    units = (measured(f"1 {word}", Number(0, 1, "1", 1.0)) for word in sorted(header))
    return next((one for one in units if one[0]), ("", 1.0))


def _is_meant(asked: _Quantity, found: _Range, header: Stems) -> bool:
    """Whether a range is of what is asked about: the same measure, or things that the header names."""
    if found.measure == "age":
        return asked.years > 0
    return asked.measure == found.measure and (bool(asked.measure) or bool(asked.things & header))


def _column(question: str, about: Stems, table: Table, ranged: Stems) -> Stems | None:
    """The header of what is asked for: the one with most of the question's words, the only price, the only time."""
    others = [header for header in _headers(table) if header != ranged]
    known = {one[:_ALIKE] for one in table.called | table.headers}
    is_about = any(one[:_ALIKE] in known for one in about)
    if _WHEN.search(question):
        others = [header for header in others if any(_is_time(row, header) for row in table.rows)]
        return others[0] if len(others) == 1 and is_about else None
    most = max((len(header & about) for header in others), default=0)
    best = [header for header in others if len(header & about) == most]
    if most == 0 and _PRICES.search(question):
        best = [header for header in others if header & _PRICED]
        is_about = True
    return best[0] if len(best) == 1 and is_about else None


def _is_time(row: Row, header: Stems) -> bool:
    place = _cell(row, header)
    return bool(place and _TIME.search(row.doc.text, *place))
