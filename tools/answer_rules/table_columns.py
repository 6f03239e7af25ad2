"""The columns of a table, and what stands in them: amounts, money, codes, days, or yes and no."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tools.answer_rules.cell_figures import plain_cells
from tools.answer_rules.docs import Found
from tools.answer_rules.money import MONEY
from tools.answer_rules.read_tables import STATED, Row, Table
from tools.answer_rules.recorded_sides import amount_of
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Date, Number, day_in_figures, find_dates, find_numbers, measured

Stems = frozenset[str]

YES = re.compile(r"(?:yes|y|true|x|✓|✔|☑)", re.I)
NO = re.compile(r"(?:no|n|false|-|–|✗|☐)", re.I)
BY = re.compile(r"(?:^|\s)by$", re.I)
"""How a header ends of those who have done something to what the rows are of: "ordered by"."""
_AMOUNT = re.compile(r"[$€£¥]?\s?-?\d[\d,]*(?:\.\d+)?(?:\s?(?:%|[^\W\d_]{1,6}|[$€£¥]))?")
_FIGURE = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"[A-Z]{1,4}[-.]?\d{1,6}")
_SIGN = re.compile(r"[$€£¥]")
PLANNED = frozenset(content_stems("planned plan budget budgeted estimate estimated quoted allocated allowed forecast"))
_ONE = Number(0, 1, "1", 1.0)
_SIDE = re.compile(
    r"(?:paid |money )?(?:in|out)|debits?|credits?|income|incomings|outgoings|expen(?:ses?|diture)|receipts|payments",
    re.I,
)
_CASH = re.compile(rf"{_SIDE.pattern}|balance", re.I)
_BOTH = 0.1
"""Share of the rows that may have both."""
_DAYS_IN_FULL = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Thur": "Thursday",
    "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
_DAY_CUT = re.compile(rf"\b({'|'.join(_DAYS_IN_FULL)})\b")
_CENTS = re.compile(r"\.\d\d$")
_IDS = frozenset(("id",))
_WHICH_ONE = re.compile(r"(?:calendar )?(?:week|year|month|day)(?: (?:no|nr|number)\.?)?", re.I)
"""What a column is called that says in which week a row is, and not how many they are."""
_NUMBERED = 4
"""Rows that figures in their order number: three may be of that size by chance."""
_MOSTLY = 0.9
"""Share of the cells of a column of amounts that are some."""
_CLOCK = re.compile(r"\d{1,2}(?::\d\d(?:\s*[ap]m)?|(?:\.\d\d)?\s*[ap]m)$", re.I)
_COMPARED = 0.8
"""Share of the cells of a column that are values to compare."""
_MARKED = 0.8
"""Share of the cells of a column of yes and no that are one of these."""


@dataclass(frozen=True, eq=False)
class Column:
    """The cells below a header, by the places of their rows; a row without one has none of it. `label` is the header as
    it is written, "" where there is none; `is_day_first` says that "06/01/2026" is the sixth of January; `is_side` that
    it is one of two between which each row has an amount.
    """

    header: Stems
    cells: Mapping[int, Found]
    label: str = ""
    is_day_first: bool = False
    is_side: bool = False

    @cached_property
    def said(self) -> dict[int, Stems]:
        """The stems of each cell; a day of the week that is cut short counts in full, too: "Crest Sat"."""
        return {at: frozenset(content_stems(_days_in_full(cell.text))) for at, cell in self.cells.items()}

    @cached_property
    def is_amounts(self) -> bool:
        told = [bool(_AMOUNT.fullmatch(text)) for text in self.plain.values()]
        return len(told) > 1 and sum(told) >= _MOSTLY * len(told) and not self.is_numbering

    @cached_property
    def is_numbering(self) -> bool:
        """Whether figures number the rows, one after another as those of invoices do, or by their weeks: no amounts."""
        steps = {self.value(later) - self.value(earlier) for earlier, later in pairwise(self.cells)}
        is_counting = steps == {1.0} and len(self.cells) >= _NUMBERED and not self.header & MONEY
        is_named = bool(self.header & _IDS or _WHICH_ONE.fullmatch(self.label))
        return is_named or (is_counting and not any("." in text for text in self._texts))

    @cached_property
    def is_money(self) -> bool:
        return self.is_amounts and bool(self.header & MONEY or self.is_cash or any(map(_SIGN.search, self._texts)))

    @cached_property
    def is_cash(self) -> bool:
        """Whether it is what came in, or went out, of a cash book, of which every row has one."""
        cents = sum(map(bool, map(_CENTS.search, self._texts)))
        return bool(_CASH.fullmatch(self.label)) and (self.is_side or cents >= _MOSTLY * len(self.cells))

    @cached_property
    def is_marks(self) -> bool:
        """Whether it says yes or no of nearly every row that it tells something of."""
        told = [bool(YES.fullmatch(text) or NO.fullmatch(text)) for text in self._texts]
        return sum(told) >= _MARKED * len(told) > 0

    @cached_property
    def is_codes(self) -> bool:
        return all(map(_CODE.fullmatch, self._texts))

    @cached_property
    def is_days(self) -> bool:
        return all(any(one.month for one in find_dates(text)) for text in self._texts)

    @cached_property
    def measures(self) -> set[str]:
        """What the units in its cells measure."""
        return {measured(text, number)[0] for text in self._texts for number in find_numbers(text)} - {""}

    @cached_property
    def sizes(self) -> dict[int, float]:
        """What its cells are in figures, a day as years, where nearly all can be compared; {} where they cannot."""
        told = {at: amount for at, text in self.plain.items()
                if not _CLOCK.match(text) and (amount := amount_of(text))}  # fmt: skip
        is_one_kind = len({kind for kind, _ in told.values()}) == 1
        is_known = len(told) > 1 and len(told) >= _COMPARED * len(self.cells) and not self.header & _IDS
        return {at: size for at, (_, size) in told.items()} if is_one_kind and is_known else {}

    @cached_property
    def plain(self) -> dict[int, str]:
        """Its cells with their figures written plainly, "1234.50" for "1'234.50"."""
        return plain_cells({at: cell.text.strip(" *") for at, cell in self.cells.items()})

    def lacking(self, rows: Iterable[int], read: Container[int]) -> str:
        """That of some of these rows the figure cannot be read, as of "3-4 kg" or "1.2.3x"; "" where it can of all."""
        is_unread = any(at not in read and _DIGIT.search(self.plain[at]) for at in rows if at in self.plain)
        return f"Some of the rows have a {self.label} that cannot be compared." if is_unread else ""

    @property
    def _texts(self) -> list[str]:
        return [cell.text.strip(" *") for cell in self.cells.values()]

    def value(self, at: int) -> float:
        """The figure of a row's cell; 0 where it has none."""
        match = _FIGURE.search(self.plain[at]) if at in self.cells else None
        return float(match.group().replace(",", "")) if match else 0.0

    def day(self, at: int) -> Date | None:
        """The one day that a row's cell tells."""
        text = self.cells[at].text.strip(" *")
        told = day_in_figures(text) if self.is_day_first else None
        days = [told] if told else [one for one in find_dates(text) if one.month and one.day]
        return days[0] if len(days) == 1 else None


@dataclass(frozen=True)
class Grid:
    """A table by its columns, the first one first."""

    table: Table
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, table: Table) -> Grid:
        cells: dict[str, dict[int, Found]] = {}
        for at, row in enumerate(table.rows):
            for label, found in _cells(row):
                cells.setdefault(label, {})[at] = found
        first = next(iter(cells), "")
        is_day_first = any(row.is_day_first for row in table.rows)
        sides = _sides(cells)
        return cls(
            table,
            tuple(
                Column(_stems(label, first, table), found, label, is_day_first, label in sides)
                for label, found in cells.items()
            ),
        )

    def only_amounts(self, called: Stems) -> Column | None:
        """The one column of amounts that is called so."""
        found = [one for one in self.columns[1:] if one.header & called and one.is_amounts]
        return found[0] if len(found) == 1 else None

    def measured(self, unit: str) -> list[Column]:
        """The columns of amounts of what a unit measures: of areas for "hectares"."""
        asked = measured(f"1 {unit}", _ONE)[0]
        return [one for one in self.columns if one.is_amounts and asked and asked in one.measures]

    @property
    def rows(self) -> range:
        """The places of all rows."""
        return range(len(self.table.rows))


def _sides(cells: Mapping[str, Mapping[int, Found]]) -> frozenset[str]:
    """The two columns of a cash book for what came in and what went out: hardly a row has both."""
    sides = {label: set(at) for label, at in cells.items() if _SIDE.fullmatch(label)}
    if len(sides) != 2:
        return frozenset()
    one, other = sides.values()
    return frozenset(sides) if len(one & other) <= _BOTH * len(one | other) else frozenset()


def _days_in_full(text: str) -> str:
    """A text with each day of the week that is cut short in full behind it."""
    return _DAY_CUT.sub(lambda cut: f"{cut[0]} {_DAYS_IN_FULL[cut[1]]}", text)


def _cells(row: Row) -> Iterator[tuple[str, Found]]:
    """The cells of a row that say something, the first one first, each with its header as it is written: two headers
    may have the same stems ("paid", "paid on"). A list of names is one cell.
    """
    leading, places = row.cells[0][0], dict[str, tuple[int, int]]()
    text = row.doc.text
    own = text[row.line.start : row.line.key[0]].strip(" :-*")
    every = [(own, *row.line.key), *((one.relation, one.start, one.end) for one in row.line.values)]
    for label, start, end in every:
        places[label] = (places[label][0] if label in places else start, end)
    for label, (start, end) in sorted(places.items(), key=lambda one: frozenset(content_stems(one[0])) != leading):
        if text[start:end].strip():
            yield label, row.doc.found(start, end, STATED)


def _stems(label: str, first: str, table: Table) -> Stems:
    """The stems of a header; those of the first are the table's own word for it."""
    return table.rows[0].cells[0][0] if label == first else frozenset(content_stems(label))
