"""Questions for several things that the rows of a table answer: which rows, and what of them is asked for.

"Which drugs do we get from Halden & Roy?" is told by the rows that have this supplier, "What are the desserts in week
14?" by a column of such rows, "How many hives are there?" by all rows of the table of hives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kb.documents.structure import Line
from tools.answer_rules.docs import Doc, Evidence, EvidencePassage, Found
from tools.answer_rules.recorded_rows import DENIES, named_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.values import Date, begins_with_day, day_in_figures, find_dates, find_numbers
from tools.planning.lexicon import singular
from tools.planning.possessed import is_personal

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the rows found are the ones asked for."""

_LONGEST = 300
"""Characters of a question that is looked at."""
_HAS = re.compile(
    r"\b(?:(?:take|takes|took|taking) care of|(?:look|looks|looked|looking) after|in charge of|responsible for)\b", re.I
)
_HAVING = frozenset(content_stems("take care look after charge responsible"))
"""What a question says for having something in one's charge, which the cell with one's name tells."""
_DIGITS = re.compile(r"(\d{1,18})")
_LOST = 2
"""Words of a question that its table need not have: verbs mostly."""
_WORDS = 6
"""Words of the longest cell that is looked for in a question."""

_DETERMINER = r"(?:all|the|of|every|each|our|my|your|these|those|are|were|there|me|us)\s+"
_WORD = r"(?:(?!(?:of|in|on|at|by|for|from|to|with|has|have|had|does|do|did|was|is|are|were|died|and|or)\b)[\w'’-]+)"
_KIND = re.compile(
    rf"\b(?:which|what|how many|who (?:are|were)|list|name|show|give)\s+(?:{_DETERMINER})*"
    rf"(?P<kind>(?:{_WORD}\s+){{0,2}}?{_WORD}(?<!s)(?:s|(?<=people)|(?<=men)|(?<=children)|(?<=staff)|(?<=equipment)))\b",
    re.I,
)
_SINGLE = re.compile(
    r"\b(?:which|what) (?!(?:is|are|was|were|do|does|did|has|have|had|of)\b)(?P<kind>[a-z][\w-]+)"
    r"|\b(?:what|who)(?:['’]s| is| was) .{1,60}?['’]s (?:[\w-]+ ){0,2}(?P<owned>[a-z][\w-]+)$",
    re.I,
)
_IS_ONE = re.compile(r"\W*(?:(?:and|so)\s+)?what(?:['’]s| is| was) (?:the|our|my|your)\b(?! .*['’]s\b)", re.I)
"""Asks for one thing, and lists none."""
_ASKS = re.compile(
    r"^\W*(?:(?:and|so|please)\s+)?(?:(?:in|on|at|from|for)\s+)?(?:which|what|who|how many|list|name|show|give)\b", re.I
)
_ASKS_WHICH = re.compile(r"\W*(?:(?:and|so)\s+)?(?:(?:in|on|at)\s+)?(?:which|what|who)\b", re.I)
_ASKS_WHO = re.compile(r"\W*(?:(?:and|so)\s+)?who\b", re.I)
_ASIDE = frozenset(
    content_stems(
        "have get need do use please tell name named called many much current currently we our us my you your list "
        "show give all every each everything there any altogether total"
    )
)
_THINGS = frozenset(content_stems("thing things item items stuff ones entry entries row rows record"))
_PEOPLE = frozenset(content_stems("people person persons staff colleagues members employees men women"))
_ROLES = frozenset(content_stems("donor volunteer sponsor mechanic client customer subscriber buyer"))
_FULL_NAME = re.compile(r"[A-Z][\w'’.-]*(?:\s+(?:(?:de|van|von|der|la|al|bin|O')\s+)*[A-Z][\w'’.-]*)+")
_NAMED = frozenset(("name", "full name", "called", "who"))
_LABELS = frozenset(content_stems("name thing title item what description subject called"))
_BEYOND = re.compile(r"\b(?:after|before|since|until|till|from|by)\s+(?:the\s+)?$", re.I)
_IS_IN = re.compile(r"what (?:is|do we (?:keep|have)) (?:\w+ed |kept )?(?:in|inside|on|under|at)\s", re.I)
_PLACES = frozenset(content_stems("where place location kept stored storage box shelf drawer room cupboard locker bin"))
_SUMMED = frozenset(("total", "totals", "sum", "overall", "subtotal", "grand total"))
_OF_ROWS = re.compile(r"\W*(?:(?:and|so)\s+)?how many (?:\w+ )?(?:entries|rows|records|lines)\b", re.I)
_OF_THEM = re.compile(r"\bhow many (?:[\w-]+ ){1,4}?(?:does|do|did)\b", re.I)
"""What asks for things that the rows have, and not for rows: "How many seats does a Mirabel have?"."""
_UNIT = frozenset(content_stems("unit units measure"))
_QUANTITY = frozenset(content_stems("quantity number count qty amount stock copies total"))


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


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Rows that answer, what of them is told, how much speaks for this table, and whether its own words name the kind
    of thing that is asked for.
    """

    found: tuple[Found, ...]
    rows: tuple[Row, ...]
    score: tuple[int, int, int]
    is_column: bool
    is_known: bool


def asks_of_rows(question: str) -> bool:
    """Whether a question may ask for rows of a table, or how many there are."""
    return bool(_ASKS.match(question[:_LONGEST])) and not DENIES.search(question[:_LONGEST])


def find_row(question: str, evidence: Evidence) -> Recorded | None:
    """The first cell of the one row that a question singles out by other cells of it: "Who was on call in week 12?".

    The question names the column of the first cells, or asks what is in a place that a cell tells, and says nothing
    that is not of this row. None where no row or more than one is meant.
    """
    text = re.sub(r"(?<=\bwhat)['’]s\b", " is", " ".join(question.split()).strip(" ?.!"), flags=re.I)
    if len(question) > _LONGEST or not _ASKS_WHICH.match(text) or DENIES.search(text):
        return None
    day = asked_day(text)
    text = f"{text[: day.start]} {text[day.end :]}" if day else text
    about, asked = frozenset(content_stems(text)), f" {' '.join(words(text))} "
    found = [
        (row, told)
        for table in tables_of(evidence)
        for row in (on_day(table.rows, day) if day else table.rows)
        if (told := list(_named_cells(row, asked, about))) and _is_asked_for(row, told, text, about, table)
        if about <= row.cells[0][0] | table.called | frozenset[str]().union(*(cell.said | cell.header for cell in told))
    ]
    if len(found) != 1:
        return None
    row, told = found[0]
    places = (row.place, *((cell.start, cell.end) for cell in told))
    key, *others = (row.doc.found(start, end, STATED) for start, end in places)
    return Recorded(key.text, (key, *others), STATED)


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


def _is_asked_for(row: Row, told: Sequence[_Named], question: str, about: Stems, table: Table) -> bool:
    """Whether a question that has these cells of a row asks for its first one: by its header, as who is told, or as
    what is there.
    """
    header = row.cells[0][0]
    if (header and header <= about) or (asks_who(question) and is_of_people(table)):
        return True
    return bool(_IS_IN.match(question) and any(one.header & _PLACES for one in told))


def find_rows(question: str, evidence: Evidence) -> list[Found]:
    """What the rows of the one table that fits name, in their order: two or more. [] where none fits, two fit as well,
    or the question denies something.
    """
    chosen = _choose(question, evidence)
    return list(chosen.found) if chosen and len(chosen.found) > 1 else []


def count_rows(question: str, evidence: Evidence) -> list[Found]:
    """The rows that a question for how many counts; [] as in `find_rows`, and where rows tell themselves how many."""
    chosen = _choose(question, evidence)
    if chosen is None or len(chosen.rows) < 2 or (not chosen.is_known and _OF_THEM.search(question)):
        return []
    if chosen.is_column:
        is_words = all(any(letter.isalpha() for letter in one.text) for one in chosen.found)
        return list(chosen.found) if is_words else []
    if _is_told_another(question, len(chosen.rows), evidence):
        return []
    headers = {header for row in chosen.rows for header, _, _ in row.cells}
    # Amounts each in its own unit are of the things, and no number of them.
    is_told = any(header & _QUANTITY for header in headers) and not any(header & _UNIT for header in headers)
    return [] if is_told and not _OF_ROWS.match(question) else [row.key() for row in chosen.rows]


def _is_told_another(question: str, rows: int, evidence: Evidence) -> bool:
    """Whether a sentence tells another number of what is counted: "There are 48 plots", of which a table has three."""
    match = _KIND.search(question)
    thing = re.escape(match["kind"].split()[-1]) if match else ""
    told = re.compile(rf"\bthere (?:is|are|were) (?P<number>[\w-]+) (?:[\w-]+ )?{thing}\b", re.I)
    found = [found for doc in evidence.docs for found in told.finditer(doc.text)] if thing else []
    numbers = {one.value for found in found for one in find_numbers(found["number"])}
    return bool(numbers - {float(rows)})


def _choose(question: str, evidence: Evidence) -> _Chosen | None:
    text = " ".join(question.split()).strip(" ?.!")
    if len(question) > _LONGEST or not asks_of_rows(text):
        return None
    all_tables = tables_of(evidence)
    called = frozenset[str]().union(*(table.called for table in all_tables), *(_above(doc) for doc in evidence.docs))
    tables = [found for table in all_tables if (found := _fitting(text, table, called))]
    tables.sort(key=lambda one: one.score, reverse=True)
    if not tables or (len(tables) > 1 and tables[0].score == tables[1].score):
        return None
    return tables[0]


def tables_of(evidence: Evidence) -> list[Table]:
    """The tables of passages, in the order of their files, each with the rows that there are, in theirs."""
    made: dict[tuple[str, tuple[str, ...]], dict[Stems, Table]] = {}
    for doc in sorted(evidence.docs, key=lambda doc: _order(doc.passage)):
        lines = [line for line in doc.lines if line.kind == "row"]
        title = doc.passage.title if len(lines) > 1 else ""  # that of a row by itself is its own
        for line in lines:
            cells, above = _cells(doc, line), doc.headings(line.start)
            file = re.sub(r"[_-]", " ", doc.passage.source.rpartition("/")[2].rpartition(".")[0])
            called = cells[0][0] | frozenset(content_stems(f"{title} {file} {' '.join(above)}"))
            parts = made.setdefault((doc.passage.source, above), {})
            table = parts.setdefault(cells[0][0], Table(called))
            table.headers |= frozenset[str]().union(*(header for header, _, _ in cells))
            row = Row(doc, line, frozenset(content_stems(doc.text[line.start : line.end])), cells)
            is_total = row.name.strip(" *:").lower() in _SUMMED
            (table.totals if is_total else table.rows).append(row)
    tables = [table for parts in made.values() for table in _joined(list(parts.values())) if table.rows]
    for table in tables:
        if begins_with_day(row.doc.text[start:end].strip() for row in table.rows for _, start, end in row.cells):
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


def _fitting(question: str, table: Table, called: Stems) -> _Chosen | None:
    """The rows of a table that say what a question says, if it can mean this table; `called` is what others are."""
    match = _KIND.search(question)
    kind = frozenset(content_stems(match["kind"])) - _ASIDE if match else frozenset()
    head = frozenset(content_stems(match["kind"].split()[-1])) if match else frozenset()
    vocabulary = table.called | table.headers
    if match is None and _IS_ONE.match(question):
        return None
    single = None if match else _SINGLE.search(question)
    if single and not frozenset(content_stems(single["kind"] or single["owned"])) <= vocabulary | _THINGS:
        return None
    about = frozenset(content_stems(question)) - _ASIDE - _THINGS
    inside = about & (vocabulary | frozenset[str]().union(*(row.said for row in table.rows)))
    unsaid = about - inside - head
    lost = unsaid - (_HAVING if _HAS.search(question) else frozenset())
    names = named_words(question)
    of_people = asks_who(question) or bool(head & _PEOPLE)
    is_kind = match is not None and singular(match["kind"].lower()) != match["kind"].lower()
    of_kind = _of_kind(table, head) if is_kind and not head & (vocabulary | _THINGS | _PEOPLE) else []
    is_known = bool(head & (vocabulary | _THINGS) or of_kind) or (of_people and is_of_people(table))
    if of_people and (not is_known or len(lost) > 1):
        return None  # who does something that no row tells is none of those rows
    if lost & names or len(lost) > _LOST or (not is_known and head & called):
        return None
    asked = _with_full_names(words(question), table) if is_known else f" {' '.join(words(question))} "
    wanted = inside - vocabulary - (head if is_known else frozenset())
    rows = [row for row in of_kind or table.rows if wanted <= row.said]
    quotes = {row: found for row in rows if (found := _quotes(row, asked, kind, about))}
    below = [row for row in rows if any(one.header & inside for one in _named_cells(row, asked, about))]
    quoted = below or [row for row in rows if row in quotes] or (rows if of_kind else [])
    is_of_all = bool(head & table.called) or (of_people and bool(inside & table.called))
    column = _column(table, kind, head, about)
    if quoted and lost and not is_known and not any(one & names for one in quotes.values()):
        return None
    if quoted:
        rows = quoted
    elif unsaid or not is_known or (not wanted and not column and not is_of_all):
        return None
    if not rows or (not wanted and not quoted and inside - head - table.called - (column or head)):
        return None
    distinct: dict[str, Found] = {}
    for one in (one for row in rows for one in _told(row, column)):
        distinct.setdefault(one.text, one)
    score = (len(inside), int(bool(quoted)), int(is_known))
    told = tuple(distinct.values())
    return _Chosen(told, tuple(rows), score, column is not None, is_known) if distinct else None


def _with_full_names(asked: Sequence[str], table: Table) -> str:
    """The words of a question, and behind them the full names of those whom it calls by a first name that one alone
    has in this table.
    """
    called: dict[str, set[str]] = {}
    for row in table.rows:
        for _, start, end in row.cells[1:]:
            if _FULL_NAME.fullmatch(cell := row.doc.text[start:end]) and content_stems(words(cell)[0]):
                called.setdefault(words(cell)[0], set()).add(" ".join(words(cell)))
    full = [one for first in asked for one in called.get(first, ()) if len(called[first]) == 1]
    return f" {' '.join([*asked, *full])} "


def asks_who(question: str) -> bool:
    """Whether a question asks who."""
    return bool(_ASKS_WHO.match(question))


def is_of_people(table: Table) -> bool:
    """Whether the rows of a table are people: its first header names some, or says nothing and most have two names."""
    row = table.rows[0]
    header = row.doc.text[row.line.start : row.place[0]].rpartition(";")[2].strip(" :").lower()
    if header and header not in _NAMED:
        return any(is_personal(singular(word)) for word in words(header)) or bool(row.cells[0][0] & (_PEOPLE | _ROLES))
    keys = [one.name for one in table.rows]
    return header == "name" or sum(_FULL_NAME.fullmatch(key) is not None for key in keys) > len(keys) / 2


def people_column(table: Table) -> Stems:
    """The first column beside that of the first cells whose header names people: "Mechanic"; none for none."""
    for value in (value for row in table.rows for value in row.line.values):
        header = frozenset(content_stems(value.relation))
        if header & (_PEOPLE | _ROLES) or any(is_personal(singular(word)) for word in words(value.relation)):
            return header
    return Stems()


def _quotes(row: Row, asked: str, kind: Stems, about: Stems) -> Stems:
    """What a question has of a row in whole cells, beside the first and what names the kind of thing asked for."""
    named = (cell.said for cell in _named_cells(row, asked, about) if not cell.said <= kind)
    return frozenset[str]().union(*named)


class _Named(NamedTuple):
    """A cell that a question names: the stems of its header and of itself, and where it stands."""

    header: Stems
    said: Stems
    start: int
    end: int


def _named_cells(row: Row, asked: str, about: Stems) -> Iterator[_Named]:
    """The cells beside the first that a question has whole; a number alone only where its header is asked for, too."""
    for header, start, end in row.cells[1:]:
        cell = words(row.doc.text[start:end])
        said = frozenset(content_stems(" ".join(cell)))
        is_number = not any(letter.isalpha() for one in cell for letter in one)
        is_asked = f" {' '.join(cell)} " in asked or (len(cell) == 1 and said <= about)
        if 0 < len(cell) <= _WORDS and said and is_asked and (not is_number or header & about):
            yield _Named(header, said, start, end)


def _of_kind(table: Table, head: Stems) -> list[Row]:
    """The rows that are each of a kind by a cell beside the first that says nothing else: "rabbits" by "rabbit"."""
    said = [(row, [frozenset(content_stems(row.doc.text[start:end])) for _, start, end in row.cells[1:]])
            for row in table.rows]  # fmt: skip
    return [row for row, cells in said if head and head in cells]


def _above(doc: Doc) -> Stems:
    """What stands above the lines of a passage."""
    return frozenset(content_stems(" ".join(doc.subjects)))


def _column(table: Table, kind: Stems, head: Stems, about: Stems) -> Stems | None:
    """The headers of the column that is asked for, None for that of the first cells."""
    for header in table.columns:
        if header and head & header and header <= kind | about | head:
            return header
    label = next((header for header in table.columns if header & _LABELS), None)
    key = table.rows[0].name
    return label if label and not any(letter.isalpha() for letter in key) else None


def _told(row: Row, column: Stems | None) -> list[Found]:
    if column is None:
        return [row.key()]
    return [row.doc.found(start, end, STATED) for header, start, end in row.cells[1:] if header == column]
