"""The columns of a table, and what stands in them: amounts, money, codes, days, or yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tools.answer_rules.docs import Found
from tools.answer_rules.read_tables import STATED, Row, Table
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import find_dates

Stems = frozenset[str]

YES = re.compile(r"(?:yes|y|true|x|✓|✔|☑)", re.I)
NO = re.compile(r"(?:no|n|false|-|–|✗|☐)", re.I)
_AMOUNT = re.compile(r"[$€£¥]?\s?-?\d[\d,]*(?:\.\d+)?(?:\s?(?:%|[^\W\d_]{1,6}|[$€£¥]))?")
_FIGURE = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_CODE = re.compile(r"[A-Z]{1,4}[-.]?\d{1,6}")
_SIGN = re.compile(r"[$€£¥]")
_MONEY = frozenset(
    content_stems(
        "amount cost total sum net gross price value gbp eur usd chf paid fee income takings "
        "revenue earnings turnover profit"
    )
)
_MOSTLY = 0.9
"""Share of the cells of a column of amounts that are some."""
_MARKS = 3
"""Ways in which a column says yes and no, at most."""


@dataclass(frozen=True, eq=False)
class Column:
    """The cells below a header, by the places of their rows; a row without one has none of it. `label` is the header as
    it is written, "" where there is none.
    """

    header: Stems
    cells: Mapping[int, Found]
    label: str = ""

    @cached_property
    def said(self) -> dict[int, Stems]:
        """The stems of each cell."""
        return {at: frozenset(content_stems(cell.text)) for at, cell in self.cells.items()}

    @cached_property
    def is_amounts(self) -> bool:
        told = [bool(_AMOUNT.fullmatch(text)) for text in self._texts]
        return len(told) > 1 and sum(told) >= _MOSTLY * len(told)

    @cached_property
    def is_money(self) -> bool:
        return self.is_amounts and bool(self.header & _MONEY or any(map(_SIGN.search, self._texts)))

    @cached_property
    def is_marks(self) -> bool:
        """Whether it says yes or no of every row."""
        marks = {text.lower() for text in self._texts}
        return 1 <= len(marks) <= _MARKS and all(YES.fullmatch(one) or NO.fullmatch(one) for one in marks)

    @cached_property
    def is_codes(self) -> bool:
        return all(map(_CODE.fullmatch, self._texts))

    @cached_property
    def is_days(self) -> bool:
        return all(any(one.month for one in find_dates(text)) for text in self._texts)

    @property
    def _texts(self) -> list[str]:
        return [cell.text.strip(" *") for cell in self.cells.values()]

    def value(self, at: int) -> float:
        """The figure of a row's cell; 0 where it has none."""
        match = _FIGURE.search(self.cells[at].text) if at in self.cells else None
        return float(match.group().replace(",", "")) if match else 0.0


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
        return cls(table, tuple(Column(_stems(label, first, table), found, label) for label, found in cells.items()))

    @property
    def rows(self) -> range:
        """The places of all rows."""
        return range(len(self.table.rows))


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
