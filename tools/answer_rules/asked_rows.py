"""Questions for several things that the rows of a table answer: which rows, and what of them is asked for.

"Which drugs do we get from Halden & Roy?" is told by the rows that have this supplier, "What are the desserts in week
14?" by a column of such rows, "How many hives are there?" by all rows of the table of hives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.read_tables import (
    FULL_NAME,
    PEOPLE,
    STATED,
    Row,
    Table,
    asked_day,
    is_of_people,
    on_day,
    tables_of,
)
from tools.answer_rules.recorded_rows import DENIES, named_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.row_states import FILLER
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.values import find_numbers
from tools.planning.lexicon import singular

Stems = frozenset[str]


_LONGEST = 300
"""Characters of a question that is looked at."""
_HAS = re.compile(
    r"\b(?:(?:take|takes|took|taking) care of|(?:look|looks|looked|looking) after|in charge of|responsible for)\b", re.I
)
_HAVING = frozenset(content_stems("take care look after charge responsible"))
"""What a question says for having something in one's charge, which the cell with one's name tells."""
_HAVE = frozenset(content_stems("have has had got hold holds held carry carries carried belong belongs"))
"""What a question says of him whose cell a row has, that no header need say."""
_LOST = 2
"""Words of a question that its table need not have: verbs mostly."""
_SAID_OF_COUNTED = 2
"""Words that a sentence has to share with a question for how many: what is counted, and what is said of it."""
_SINCE = re.compile(r"\b(?:since|until|till|before|after)\b", re.I)
"""What a question says whose number is of a time, which a sentence may tell of another."""
_WORDS = 6
"""Words of the longest cell that is looked for in a question."""

_DETERMINER = r"(?:all|the|of|every|each|our|my|your|these|those|are|were|there|me|us)\s+"
_WORD = r"(?:(?!(?:of|in|on|at|by|for|from|to|with|has|have|had|does|do|did|was|is|are|were|died|and|or)\b)[\w'’-]+)"
_KIND = re.compile(
    rf"\b(?:which|what|how many|who (?:are|were)|list|name|show|give)\s+(?:{_DETERMINER})*"
    rf"(?P<kind>(?:{_WORD}\s+){{0,2}}?{_WORD}(?<!s)(?:s|(?<=people)|(?<=men)|(?<=children)|(?<=staff)|(?<=equipment)))\b(?!['’])(?<!['’]s)",
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
_LABELS = frozenset(content_stems("name thing title item what description subject called"))
_IS_IN = re.compile(r"what (?:is|do we (?:keep|have)) (?:\w+ed |kept )?(?:in|inside|on|under|at)\s", re.I)
_PLACES = frozenset(content_stems("where place location kept stored storage box shelf drawer room cupboard locker bin"))
_OF_ROWS = re.compile(r"\W*(?:(?:and|so)\s+)?how many (?:\w+ )?(?:entries|rows|records|lines)\b", re.I)
_OF_THEM = re.compile(r"\bhow many (?:[\w-]+ ){1,4}?(?:does|do|did)\b", re.I)
"""What asks for things that the rows have, and not for rows: "How many seats does a Mirabel have?"."""
_UNIT = frozenset(content_stems("unit units measure"))
_ANY_KIND = frozenset(
    content_stems("device machine thing item article product sort kind equipment appliance tool good part")
)
"""What the things of any table may be called."""
_PARTS = tuple(
    (frozenset(content_stems(verbs)), frozenset(content_stems(headers)))
    for verbs, headers in (
        (
            "deliver supply sell sold buy bought get got come came order stock make made provide bring brought",
            "supplier supplied bought dealer mill source came vendor seller shop maker delivered ordered",
        ),
        (
            "responsible mind look after care charge keep own manage run",
            "minder responsible owner keeper lead carer looks charge manager",
        ),
    )
)
"""What somebody does with the things of a table, and the columns that tell who."""
_WHAT_FROM = re.compile(
    r"what (?:do|did|have) (?:we|you|they|i) (?:\w+ )?(?:buy|bought|get|got|order|ordered)\b.* from\b", re.I
)
_QUANTITY = frozenset(content_stems("quantity number count qty amount stock copies total"))


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Rows that answer, what of them is told, how much speaks for this table, and whether its own words name the kind
    of thing that is asked for.
    """

    found: tuple[Found, ...]
    rows: tuple[Row, ...]
    score: tuple[int, int, int, int]
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
    return bool(numbers - {float(rows)}) or is_counted_by_sentence(question, rows, evidence)


def is_counted_by_sentence(question: str, rows: int, evidence: Evidence) -> bool:
    """Whether a sentence of prose says all that a question for how many asks, with another number before what is
    counted: "We analysed the gut contents of 312 crabs", of which a table has two.
    """
    match = _KIND.search(question)
    wanted = frozenset(content_stems(question)) - _ASIDE
    if match is None or len(wanted) < _SAID_OF_COUNTED or _SINCE.search(question):
        return False
    told = re.compile(rf"\b(?:[\w,-]+ ){{1,2}}{re.escape(match['kind'])}\b", re.I)
    for doc in evidence.docs:
        if not wanted <= doc.stems:
            continue
        for index, (start, end) in enumerate(doc.sentences):
            if doc.kind_at(start) != "row" and wanted <= doc.sentence_stems[index]:
                found = told.search(doc.text, start, end)
                numbers = {one.value for one in find_numbers(found[0])} if found else set()
                if numbers - {float(rows)}:
                    return True
    return False


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


def _fitting(question: str, table: Table, called: Stems) -> _Chosen | None:
    """The rows of a table that say what a question says, if it can mean this table; `called` is what others are."""
    vocabulary = table.called | table.headers
    question = _as_one_word(question, vocabulary)
    match = _KIND.search(question)
    kind = frozenset(content_stems(match["kind"])) - _ASIDE if match else frozenset()
    head = frozenset(content_stems(match["kind"].split()[-1])) if match else frozenset()
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
    if match is None and lost - _HAVE:
        return None  # what somebody's mother said, or what he eats, is not told by the rows that he stands in
    of_people = asks_who(question) or bool(head & PEOPLE)
    is_kind = match is not None and singular(match["kind"].lower()) != match["kind"].lower()
    of_kind = _of_kind(table, head) if is_kind and not head & (vocabulary | _THINGS | PEOPLE) else []
    is_known = bool(head & (vocabulary | _THINGS) or of_kind) or (of_people and is_of_people(table))
    if not is_known and (by_part := _by_part(question, table, head, about)):
        keys = {key.text: key for key in reversed([row.key() for row in by_part])}
        return _Chosen(tuple(reversed(keys.values())), tuple(by_part), (len(about), 1, 1, 0), False, True)
    if of_people and (not is_known or len(lost) > 1):
        return None  # who does something that no row tells is none of those rows
    if lost & names or len(lost) > _LOST or (not is_known and head & called):
        return None
    asked = _with_full_names(words(question), table) if is_known else f" {' '.join(words(question))} "
    wanted = inside - vocabulary - (head if is_known else frozenset())
    rows = [row for row in of_kind or table.rows if wanted <= row.said]
    whole = _of_kind(table, kind - head - vocabulary)
    rows = [row for row in rows if row in whole] or rows
    quotes = {row: found for row in rows if (found := _quotes(row, asked, kind, about))}
    below = [row for row in rows if any(one.header & inside for one in _named_cells(row, asked, about))]
    quoted = below or [row for row in rows if row in quotes] or (rows if of_kind else [])
    is_of_all = bool(head & table.called) or (of_people and bool(inside & table.called))
    column = _column(table, kind, head, about)
    if quoted and lost and not is_known and (lost - FILLER or not any(one & names for one in quotes.values())):
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
    score = (len(inside), int(bool(quoted)), int(is_known), int(bool(head & _right_above(table))))
    told = tuple(distinct.values())
    return _Chosen(told, tuple(rows), score, column is not None, is_known) if distinct else None


def _right_above(table: Table) -> Stems:
    """The stems of the heading that a table stands under, which its file's name may share with others."""
    row = table.rows[0]
    return frozenset(content_stems((row.doc.headings(row.line.start) or ("",))[-1]))


def _by_part(question: str, table: Table, head: Stems, about: Stems) -> list[Row]:
    """The rows of things that somebody supplied or minds: "Which of our devices did Quillon deliver?" by the cells
    "Quillon Office" below "Bought from"; [] where the question says anything else.
    """
    if not (head and head <= _ANY_KIND) and not _WHAT_FROM.match(question):
        return []
    asked = _with_full_names(words(question), table)
    for verbs, headers in _PARTS:
        if not about & verbs:
            continue
        told = {row: [cell for cell in _named_cells(row, asked, about) if cell.header & headers] for row in table.rows}
        rows = [row for row, cells in told.items() if cells]
        said = frozenset[str]().union(*(cell.said for cells in told.values() for cell in cells))
        if rows and about <= verbs | head | said:
            return rows
    return []


def _as_one_word(question: str, vocabulary: Stems) -> str:
    """The question with two words as one where the table has them so: "glove box" for "glovebox"."""
    for one, other in pairwise(words(question)):
        if frozenset(content_stems(one + other)) & vocabulary:
            question = re.sub(rf"\b{re.escape(one)}[ -]{re.escape(other)}\b", one + other, question, flags=re.I)
    return question


def _with_full_names(asked: Sequence[str], table: Table) -> str:
    """The words of a question, and behind them the full names of those whom it calls by a first name that one alone
    has in this table.
    """
    called: dict[str, set[str]] = {}
    for row in table.rows:
        for _, start, end in row.cells[1:]:
            if FULL_NAME.fullmatch(cell := row.doc.text[start:end]) and content_stems(words(cell)[0]):
                called.setdefault(words(cell)[0], set()).add(" ".join(words(cell)))
    full = [one for first in asked for one in called.get(first, ()) if len(called[first]) == 1]
    return f" {' '.join([*asked, *full])} "


def asks_who(question: str) -> bool:
    """Whether a question asks who."""
    return bool(_ASKS_WHO.match(question))


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
