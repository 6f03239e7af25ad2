"""The columns of a table, and what stands in them: amounts, money, codes, days, or yes and no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tools.answer_rules.docs import Found
from tools.answer_rules.read_tables import Table
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
        cells: dict[Stems, dict[int, Found]] = {table.rows[0].cells[0][0]: {}}
        for at, row in enumerate(table.rows):
            first = row.cells[0][0]
            for header in dict.fromkeys(header for header, _, _ in row.cells):
                found = row.key() if header == first else row.cell(header)
                if found and found.text.strip():
                    cells.setdefault(header, {})[at] = found
        labels = _labels(table)
        return cls(table, tuple(Column(header, found, labels[header]) for header, found in cells.items() if found))

    @property
    def rows(self) -> range:
        """The places of all rows."""
        return range(len(self.table.rows))


def _labels(table: Table) -> dict[Stems, str]:
    """The headers as they are written."""
    told: dict[Stems, str] = {}
    for row in table.rows:
        text = row.doc.text
        told.setdefault(row.cells[0][0], text[row.line.start : row.line.key[0]].strip(" :-*"))
        for value in row.line.values:
            told.setdefault(frozenset(content_stems(value.relation)), value.relation)
    return told
