"""Tables as they stand in the evidence: the rows of one place with the same headers, whatever format they came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kb.documents.structure import Line
from tools.answer_rules.docs import Doc, Evidence, EvidencePassage, Found
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.values import Date, begins_with_day, day_in_figures, find_dates
from tools.planning.lexicon import singular
from tools.planning.possessed import is_personal

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the rows found are the ones asked for."""
_DIGITS = re.compile(r"(\d{1,18})")
ROLES = frozenset(content_stems("guide donor volunteer sponsor mechanic client customer subscriber buyer"))
FULL_NAME = re.compile(r"[A-Z][\w'’.-]*(?:\s+(?:(?:de|van|von|der|la|al|bin|O')\s+)*[A-Z][\w'’.-]*)+")
_NAMED = frozenset(("name", "full name", "called", "who"))
_NAMES_IN_PARTS = frozenset(("surname", "last name", "family name", "first name", "forename"))
_BEYOND = re.compile(r"\b(?:after|before|since|until|till|from|by)\s+(?:the\s+)?$", re.I)
_SUMMED = frozenset(("total", "totals", "sum", "overall", "subtotal", "grand total"))
PEOPLE = frozenset(content_stems("people person persons staff colleagues members employees men women"))


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its line, the stems of what it says, and its cells by the stems of their headers; `is_day_first` says that
    "06/01/2026" is the sixth of January in its table.
    """

    doc: Doc
    line: Line
    said: Stems
    cells: tuple[tuple[Stems, int, int], ...]
    is_day_first: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where its first cell stands."""
        return self.cells[0][1:]

    @property
    def name(self) -> str:
        """What its first cell says."""
        return self.doc.text[slice(*self.place)]

    def key(self) -> Found:
        """Its first cell."""
        return self.doc.found(*self.place, STATED)

    def days(self) -> Iterator[tuple[tuple[int, int], Date]]:
        """The cells that are a day and no more, and where they stand."""
        for _, start, end in self.cells:
            cell = self.doc.text[start:end].strip()
            dates = find_dates(cell)
            if self.is_day_first and (told := day_in_figures(cell)):
                dates = [told]
            found = [one for one in dates if one.month and one.day]
            if len(found) == 1 and found[0].end - found[0].start == len(cell):
                yield (start, end), found[0]

    def cell(self, header: Stems) -> Found | None:
        """The whole of the cell below a header beside the first, of which a list of names is several."""
        places = [(start, end) for own, start, end in self.cells[1:] if own == header]
        return self.doc.found(places[0][0], places[-1][1], STATED) if places else None


@dataclass(slots=True)
class Table:
    """Rows with the same headers of one file, and beside them those that sum them up; `called` are the stems of its
    file and that file's title, its headings and its first header.
    """

    called: Stems
    headers: Stems = frozenset()
    rows: list[Row] = field(default_factory=list)
    totals: list[Row] = field(default_factory=list)

    @property
    def columns(self) -> list[Stems]:
        """The headers beside the first, in their order."""
        return list(dict.fromkeys(header for row in self.rows for header, _, _ in row.cells[1:]))


def asked_day(text: str) -> Date | None:
    """The one day that a question names."""
    days = [one for one in find_dates(text) if one.month and one.day]
    return days[0] if len(days) == 1 and not _BEYOND.search(text, 0, days[0].start) else None


def on_day(rows: Sequence[Row], day: Date) -> list[Row]:
    """The rows with a cell that is this day; a year that is not told is any."""
    return [row for row in rows if any(is_same_day(found, day) for _, found in row.days())]


def is_same_day(one: Date, other: Date) -> bool:
    """Whether two days are one; a year that is not told is any."""
    years = {one.year, other.year} - {0}
    return (one.month, one.day) == (other.month, other.day) and len(years) <= 1


def tables_of(evidence: Evidence) -> list[Table]:
    """The tables of passages, in the order of their files, each with the rows that there are, in theirs."""
    made: dict[tuple[str, tuple[str, ...]], dict[Stems, Table]] = {}
    for doc in sorted(evidence.docs, key=lambda doc: _order(doc.passage)):
        lines = [line for line in doc.lines if line.kind == "row"]
        title = doc.passage.title if len(lines) > 1 else ""  # that of a row by itself is its own
        for line in lines:
            cells, above = _cells(doc, line), doc.headings(line.start)
            called = cells[0][0] | frozenset(content_stems(f"{title} {doc.file_words} {' '.join(above)}"))
            parts = made.setdefault((doc.passage.source, above), {})
            table = parts.setdefault(cells[0][0], Table(called))
            table.headers |= frozenset[str]().union(*(header for header, _, _ in cells))
            row = Row(doc, line, frozenset(content_stems(doc.text[line.start : line.end])), cells)
            is_total = row.name.strip(" *:").lower() in _SUMMED
            (table.totals if is_total else table.rows).append(row)
    tables = [table for parts in made.values() for table in _joined(list(parts.values())) if table.rows]
    for table in tables:
        slashed = [row for row in table.rows if "/" in row.doc.text[row.line.start : row.line.end]]
        if begins_with_day(row.doc.text[start:end].strip() for row in slashed for _, start, end in row.cells):
            table.rows = [replace(row, is_day_first=True) for row in table.rows]
    return tables


def _joined(parts: list[Table]) -> list[Table]:
    """Tables of one place, those as one whose rows are of one table and begin with different cells of it, as where a
    row lacks the cell that names the others.
    """
    kept: list[Table] = []
    for part in sorted(parts, key=lambda one: -len(one.rows)):
        first = part.rows[0].cells[0][0] if part.rows else Stems()
        whole = next((one for one in kept if first in one.columns and part.headers <= one.headers), None)
        if whole is None:
            kept.append(part)
            continue
        leading = whole.rows[0].cells[0][0]
        whole.rows = sorted([*whole.rows, *(_led(row, leading) for row in part.rows)], key=_row_order)
        whole.totals += part.totals
    known = set(map(id, kept))
    return [table for table in parts if id(table) in known]


def _row_order(row: Row) -> tuple[object, ...]:
    return (*_order(row.doc.passage), row.line.start)


def _led(row: Row, leading: Stems) -> Row:
    """The row with the cell below this header first, where it has one."""
    found = [cell for cell in row.cells if cell[0] == leading]
    return replace(row, cells=(*found, *(cell for cell in row.cells if cell[0] != leading)))


def _order(passage: EvidencePassage) -> tuple[str, list[tuple[int, str]], int, str, int]:
    """By file, then as its rows are numbered: "10" comes behind "9"."""
    key, ordinal = passage.place
    numbered = [(int(one), "") if one.isdecimal() else (0, one) for one in _DIGITS.split(key)]
    return passage.source, numbered, ordinal, passage.title, passage.id


def _cells(doc: Doc, line: Line) -> tuple[tuple[Stems, int, int], ...]:
    """The cells of a row, the first one first, each with the stems of its header; a list of names is one cell each."""
    first = frozenset(content_stems(doc.text[line.start : line.key[0]]))
    others = ((frozenset(content_stems(one.relation)), one.start, one.end) for one in line.values)
    return ((first, *line.key), *others)


def is_of_people(table: Table) -> bool:
    """Whether the rows of a table are people: its first header names some, or says nothing and most have two names."""
    row = table.rows[0]
    header = row.doc.text[row.line.start : row.place[0]].rpartition(";")[2].strip(" :").lower()
    if header in _NAMES_IN_PARTS:
        return True
    if header and header not in _NAMED:
        return any(is_personal(singular(word)) for word in words(header)) or bool(row.cells[0][0] & (PEOPLE | ROLES))
    keys = [one.name for one in table.rows]
    return header == "name" or sum(FULL_NAME.fullmatch(key) is not None for key in keys) > len(keys) / 2


def people_column(table: Table) -> Stems:
    """The first column beside that of the first cells whose header names people: "Mechanic"; none for none."""
    for value in (value for row in table.rows for value in row.line.values):
        header = frozenset(content_stems(value.relation))
        if header & (PEOPLE | ROLES) or any(is_personal(singular(word)) for word in words(value.relation)):
            return header
    return Stems()
