"""Which rows and columns of a table the words of a question are about, and which of its words the table has not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from tools.answer_rules.bounds import alike, bounds_in
from tools.answer_rules.periods import Period, asked_period
from tools.answer_rules.read_tables import is_of_people, people_column
from tools.answer_rules.recorded_rows import compared
from tools.answer_rules.row_states import DENIES, FILLER, OWED, PAID, RowStates
from tools.answer_rules.table_columns import Column, Grid
from tools.answer_rules.text import content_stems, words

Stems = frozenset[str]

_VERB = (
    "are|is|were|was|can|could|have|has|had|still|do|does|did|that|which|who|in|on|at|for|of|from|by|with|we|i|you|they"
    "|the|altogether|weighs?|costs?|live|go|went|came|come|sit|stand|[a-z]+ed"
)
_HEAD = re.compile(
    r"\b(?:how (?:many|much)|add up|(?:total|average|mean)(?: number| amount)?|(?:most|fewest|least)) (?:of )?"
    r"(?:(?:the|our|my|these|those|all|different) )*"
    rf"(?!(?:{_VERB})\b)(?P<head>(?:[\w-]+ ){{0,2}}?[\w-]+?)(?= (?:{_VERB})\b|$)",
    re.I,
)
_UN = re.compile(r"\bun([a-z]{4,})\b", re.I)
_NUMBERED = re.compile(r"\b(?P<what>[a-z]{3,}) (?P<number>\d+[a-z]?)\b(?![.,:/-]\d)", re.I)
_CODES = re.compile(r"\b([A-Z]+\d+)s\b")
_CODE = re.compile(r"(?:[A-Z]{1,4}[-.]?0*)?(?P<number>\d{1,6}[a-z]?)")
_EITHER = re.compile(r"\b(\w+) (?:and|or|&) (?:the |our )?(\w+)", re.I)
_PART = re.compile(r"\b(?P<what>[a-z]{4,}) (?P<letter>[A-Z])\b(?!['’.])")
_SPENT = frozenset(content_stems("spent cost costs"))
_NOW = re.compile(r"\bthis (?:year|term|season|month|winter|spring|summer|autumn|quarter)(?:['’]s)?\b", re.I)
"""What all rows are of, mostly."""
TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\b\.? (?=[A-Z])")
"""What stands before a name that the table may tell without it."""
_SEASON = re.compile(r"\b(?:in|over|during|for|of) (?:the |all |our )?(?P<year>(?:19|20)\d\d) \w+", re.I)
"""A year that is told as that of something: "in the 2024 season"."""
_FREE = frozenset(content_stems("note notes remark remarks comment comments"))
"""Columns in which anything may be said: that a word stands there says nothing of the other rows."""


@dataclass
class TableWords(RowStates):
    """How a question is read over a table: `named` are the columns of which it says a word of the header, those of most
    words first, `rest` is the question without its periods and bounds, `bounded` the words that named a bound's column,
    `lacks_bound` says that a bound is of no column, and `lacking` that some cells of its column cannot be compared.
    """

    rest: str = ""
    named: list[Column] = field(default_factory=list)
    is_in_period: bool = False
    bounded: set[str] = field(default_factory=set)
    lacks_bound: bool = False
    lacking: str = ""

    @classmethod
    def of(cls, text: str, grid: Grid) -> TableWords:
        """Of a question in one line, over a table with rows."""
        said = cls(grid, list(grid.rows))
        text = said._as_written(text)
        text = said.rest = said._denied(said._in_period(said._in_bounds(text)))
        asked = frozenset(content_stems(text))
        said.found |= asked & grid.table.called
        said.found |= counted(text) if grid.measured(head_of(text)) else Stems()
        said._name_columns(asked, counted(text))
        said._choose_part(text)
        said._choose_numbered(text)
        asked -= said.bounded | said.choose_owing(text)
        marks = said.choose_marks(text, asked)
        left = asked - FILLER - marks - said.choose_denied(text) - said.done_with(text, marks)
        said._choose_values(left - said._choose_either(text, left))
        said.choose_states(text, asked)
        said.choose_short(text)
        return said

    @property
    def is_chosen(self) -> bool:
        """Whether some rows are left out, or could have been."""
        return len(self.rows) < len(self.grid.rows) or bool(self.chosen)

    @property
    def lacks_denial(self) -> bool:
        """Whether the question denies something of which no column tells."""
        return bool(DENIES.search(self.rest)) and not self.tells_denial

    @property
    def unsaid(self) -> Stems:
        """The words of the question that the table has not."""
        return frozenset(content_stems(TITLE.sub("", _NOW.sub(" ", self.rest)))) - self.found - FILLER

    def _as_written(self, text: str) -> str:
        """The question with the words of the table for its own: "kg" for "kilos", "cashbook" for "cash book"."""
        known = self.grid.table.called | self.grid.table.headers
        text = _CODES.sub(r"\1", text)
        for one, other in pairwise(words(text)):
            if frozenset(content_stems(one + other)) & known:
                text = re.sub(rf"\b{re.escape(one)}[ -]{re.escape(other)}\b", one + other, text, flags=re.I)
        same = {key: stem for stem in known for key in compared(stem)}
        for word in words(text):
            stems = frozenset(content_stems(word))
            if stems and not stems & known and (found := [same[one] for one in compared(word) if one in same]):
                text = re.sub(rf"\b{re.escape(word)}\b", found[0], text, flags=re.I)
        return text

    def _in_period(self, text: str) -> str:
        """Leave the rows of the month or year that is asked for; the question without it."""
        period = asked_period(text) or asked_period(_SEASON.sub(r"in \g<year>", text))
        if period and self._is_all_of(period):
            return " ".join(period.rest.split())
        kept = {id(self.grid.table.rows[at]) for at in self._held(period, text)} if period else set()
        self.lacks_bound |= period is not None and any(one.is_days for one in self.grid.columns) and not kept
        if period is None or not kept:
            return text
        self.is_in_period = True
        self.rows = [at for at in self.rows if id(self.grid.table.rows[at]) in kept]
        self.found |= set(content_stems(text)) - set(content_stems(period.rest))
        return " ".join(period.rest.split())

    def _is_all_of(self, period: Period) -> bool:
        """Whether the table is called by the year that is asked for, and none of its days is of another."""
        days = [day for row in self.grid.table.rows for _, day in row.days()]
        is_called = not period.month and str(period.year) in self.grid.table.called
        return is_called and bool(days) and all(day.year in (0, period.year) for day in days)

    def _held(self, period: Period, text: str) -> list[int]:
        """The rows in a period, by the day that the question names ("delivered in May"), else by their first one."""
        asked = frozenset(content_stems(period.rest))
        named = [one for one in self.grid.columns if one.is_days and one.header & asked]
        if len(named) == 1:
            days = {at: day for at in named[0].cells if (day := named[0].day(at))}
            return [at for at, day in days.items() if period.holds(day)]
        rows = self.grid.table.rows
        held = set(map(id, period.rows(rows)))
        return [at for at in self.grid.rows if id(rows[at]) in held]

    def _in_bounds(self, text: str) -> str:
        """Leave the rows within what the question bounds; the question without it."""
        told = bounds_in(text)
        if told is None:
            self.lacks_bound = True
            return text
        bounds, rest = told
        about = frozenset(content_stems(rest))
        for bound in bounds:
            found = bound.column(self.grid, about)
            if found is None:
                self.lacks_bound = True
                break
            column, values = found
            self.lacking = self.lacking or column.lacking(self.rows, values)
            within = [at for at, value in values.items() if bound.holds(value)]
            words = alike(about, column.header) | (about & (PAID | OWED) if bound.is_of_money else Stems())
            self.keep(column, within, words, f"{column.label} {bound.said}")
            self.bounded |= words
            self.is_told = True
        return rest

    def _denied(self, text: str) -> str:
        """The question with "not registered" for "unregistered", where a column says who is registered."""
        headers, known = self.grid.table.headers, self.grid.table.headers | OWED

        def parted(match: re.Match[str]) -> str:
            whole, part = frozenset(content_stems(match[0])), frozenset(content_stems(match[1]))
            return f"not {match[1]}" if part & headers and not whole & known else match[0]

        return _UN.sub(parted, text)

    def _name_columns(self, asked: Stems, head: Stems) -> None:
        wanted = (asked - FILLER) | asked & (PAID | _SPENT | head)
        shared = [(alike(wanted, one.header) if one.is_amounts else one.header & wanted, one)
                  for one in self.grid.columns]  # fmt: skip
        self.named = [one for words, one in sorted(shared, key=lambda pair: -len(pair[0])) if words]
        self.found.update(*(words for words, _ in shared))

    def _choose_part(self, text: str) -> None:
        """Rows by the letter that their codes begin with: "staircase B"."""
        for match in _PART.finditer(text):
            for column in self.grid.columns:
                at = [row for row, cell in column.cells.items() if cell.text.startswith(match["letter"])]
                if column.is_codes and 1 < len(at) < len(column.cells):
                    self.keep(column, at, content_stems(match.group()))
                    break

    def _choose_numbered(self, text: str) -> None:
        """Rows by a number behind the header that it is of: "week 16"."""
        for match in _NUMBERED.finditer(text):
            stems = frozenset(content_stems(match["what"]))
            for column in (one for one in self.grid.columns if one.header & stems):
                at = [row for row, cell in column.cells.items() if _is_numbered(cell.text, match["number"])]
                if at:
                    self.keep(column, at, content_stems(match.group()))
                    break

    def _choose_either(self, text: str, left: Stems) -> Stems:
        """Rows of one or the other of two that a column tells apart, and the words for them: "goats and sheep"."""
        for one, other in _EITHER.findall(text):
            first, second = frozenset(content_stems(one)), frozenset(content_stems(other))
            if not (first and second and first | second <= left):
                continue
            for column in (it for it in self.grid.columns if not (it.is_amounts or it.is_marks or it.header & _FREE)):
                rows = [[at for at in self.rows if words <= column.said.get(at, Stems())] for words in (first, second)]
                if all(rows) and not set(rows[0]) & set(rows[1]):
                    self.keep(column, [*rows[0], *rows[1]], first | second)
                    return first | second
        return Stems()

    def _choose_values(self, left: Stems) -> None:
        """Rows by what their cells say, the column first whose cells say most of the question."""
        while found := max(filter(None, (self._said_in(one, left) for one in self.grid.columns)), default=None):
            *_, place, words = found
            column = self.grid.columns[place]
            is_header = words <= self.found and any(words & one.header for one in self.named)
            if not is_header:
                self.keep(column, [row for row, said in column.said.items() if words <= said], words)
            left -= words

    def _said_in(self, column: Column, left: Stems) -> tuple[int, bool, bool, float, int, Stems] | None:
        """How many words a column's cells have, whether the question names it, whether it says whom the rows are of,
        which share of the cell the words are, its place, and the words; None for a column that has none, and where each
        of several cells has another.
        """
        if column.is_amounts or column.is_marks or column in self.chosen or column.header & _FREE:
            return None
        shared = {at: left & column.said[at] for at in self.rows if at in column.said}
        words = max(shared.values(), key=len, default=Stems())
        if not words or any(len(one) == len(words) and one != words for one in shared.values()):
            return None
        shortest = min(len(column.said[at]) for at, one in shared.items() if one == words)
        is_of_people = column.header == self._people
        return (
            len(words),
            column in self.named,
            is_of_people,
            len(words) / shortest,
            self.grid.columns.index(column),
            words,
        )

    @property
    def _people(self) -> Stems | None:
        """The header of whom the rows are of, or belong to."""
        table = self.grid.table
        return self.grid.columns[0].header if is_of_people(table) else people_column(table) or None


def _is_numbered(cell: str, number: str) -> bool:
    """Whether a cell is this number, or a code of letters and it: "B10" is barrel 10."""
    code = _CODE.fullmatch(cell.strip(" *#"))
    return code is not None and code["number"] == number


def head_of(text: str) -> str:
    """What a question for how many, how much, the total or the mean asks that of."""
    head = _HEAD.search(text)
    return head["head"] if head else ""


def counted(text: str) -> Stems:
    """The stems of that."""
    return frozenset(content_stems(head_of(text)))
