"""Questions for the most of something among the rows of a table: "Which supplier have we been with the longest?",
"What is the most expensive instrument to rent?".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tools.answer_rules.asked_rows import asks_who
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.read_tables import Row, Table, is_of_people, people_column, tables_of
from tools.answer_rules.recorded_rows import DENIES, named_words
from tools.answer_rules.recorded_sides import Measure, Recorded, amount_of, asked_measures
from tools.answer_rules.text import content_stems
from tools.planning.lexicon import singular
from tools.planning.possessed import is_personal

Stems = frozenset[str]

STATED = 0.8
"""How sure it is that the column is the one that is meant."""

_LONGEST = 300
_LEAST = 0.8
"""Share of the cells of a column that are values to compare; half of the rows asked about have one."""
_ASKS = re.compile(r"^\W*(?:(?:and|so|please)\s+)?(?:which|what|who|name)\b", re.I)
_MOST = re.compile(
    r"\b(?:worth (?:the )?)?(?:most|least)(?: \w+)?|\b(?:[a-z]{2,}est|best|worst)\b|(?<=[a-z] )(?:first|last)$", re.I
)
_STAYED = re.compile(r"\b(?:been|worked|served|sung|played|lived)\b", re.I)
# Another than the first is meant, or something is asked of the row: "the price of the cheapest".
_OTHERS = re.compile(
    r"\b(?:second|third|fourth|fifth|last(?!$)|next|other|else|but|almost|nearly|after|before|two|three|four|five|ten|\d+)\b"
    r"|\d(?:st|nd|rd|th)\b|\bof the (?:\w+ ){0,2}(?:\w+est|most|least)\b",
    re.I,
)
_WHICH = re.compile(r"\b(?:which|what) ([a-z][\w-]+)", re.I)
_WHAT = re.compile(r"\W*(?:(?:and|so)\s+)?what(?:['’]s|\s+(?:is|was|are|were))\b", re.I)
_AMOUNT = re.compile(
    r"\W*(?:(?:and|so)\s+)?what(?:['’]s|\s+(?:is|was|were)) the "
    r"(?P<most>highest|largest|biggest|greatest|lowest|smallest) (?:number|amount|count|quantity) of "
    r"(?P<things>.+?)(?: (?:on|in|at) (?:any|one|a|a single|any one) [\w-]+)?",
    re.I,
)
_KIND = re.compile(
    r"\b(?:which|what|of (?:all )?(?:our|my|the)|\w+est|(?:most|least) \w+)\s+(?!the\b|is\b)([a-z][\w-]+)\b", re.I
)
_CLOCK = re.compile(r"\d{1,2}(?::\d\d(?:\s*[ap]m)?|(?:\.\d\d)?\s*[ap]m)$", re.I)
_ASIDE = frozenset(("what", "who", "which", "where")) | frozenset(
    content_stems(
        "name one our us we my you have has been get is are was were the most least all there with thing item piece "
        "kind sort type in of at on for to by from list so far ever now currently today"
    )
)
"""The first four are what is left of "what's"."""
_PLACES = {"first": 1, "next": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": 0}
_PLACED = re.compile(
    r"\W*(?:(?:and|so) )?(?:who|what|which \w+)(?:['’]s| is| comes| are) (?:the )?"
    rf"(?P<place>{'|'.join(_PLACES)})(?: one)?(?: in line)? (?:on|in|of) (?:the|our|this) "
    r"(?P<table>(?:[\w-]+ )?(?:list|queue|rota|order|row|line|table))\W*",
    re.I,
)
_COUNTING = frozenset(content_stems("place number no nr rank position order pos num"))
_EXTREMES = frozenset(content_stems("highest lowest biggest largest smallest most least fewest"))
_BILLS = frozenset(
    content_stems("invoice bill payment expense donation gift order purchase fine debt loan grant cost receipt")
)
_PAYS = frozenset(content_stems("give gave given pay paid spend spent owe owed owes earn earned donate donated"))
_MONEY = frozenset(
    content_stems("amount donation price cost total sum value gift eur gbp usd chf euro euros pounds dollars")
)
_IDS = frozenset(("id",))
_DIGITS = 6
"""Of the last place of a list."""
_NUMBER = re.compile(r"[\d.,\s]+")
_DAY = frozenset(content_stems("day date"))
_ADDED = frozenset(content_stems("most least fewest"))
_OF_PEOPLE = frozenset(content_stems("age born birth"))
_OF_AGE = re.compile(r"\b(?:old|young|new)", re.I)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: the stems of its words, of the kinds of thing that it may ask for, and of its names; what the words
    for the most may measure, and the stems of the word before them, and of the one behind "which"; whether it asks who.
    """

    words: Stems
    kinds: Stems
    names: Stems
    measures: tuple[Measure, ...]
    before: Stems
    which: Stems
    is_who: bool = False


@dataclass(frozen=True, slots=True)
class _Ordered:
    """What the row that comes first is called, the values of a column that put it there, how much they are together,
    and how many words of the question the table has.
    """

    first: Found
    values: tuple[Found, ...]
    amount: float
    said: int
    column: Stems


def find_most(question: str, evidence: Evidence) -> Recorded | None:
    """The first cell of the one row that has the most or the least of what a column measures, or how much that is.

    All rows of the tables have to be in the evidence. None where no column is meant or more than one table has it, two
    rows share the place, or too few have a value; and where something is asked of that row rather than which it is.
    """
    text = " ".join(question.split()).strip(" ?.!")
    amount = _AMOUNT.fullmatch(text) if len(text) <= _LONGEST else None
    asked = _read(f"which has the {amount['most']} {amount['things']}" if amount else text)
    if asked is None:
        return None
    told = [(table, one) for table in tables_of(evidence) if (one := _first(asked, table))]
    people = [one for table, one in told if is_of_people(table)] if asks_who(text) else []
    found = people or [one for _, one in told]
    most = max((one.said for one in found), default=0)
    best = [one for one in found if one.said == most]
    if len(best) != 1 or (most == 0 and not asked.kinds):
        return None
    values = best[0].values
    key = best[0].first
    if amount or (_WHAT.match(text) and asked.kinds and asked.kinds <= best[0].column):
        return Recorded(values[0].text, (*values, key), STATED) if len(values) == 1 else None
    if frozenset(content_stems(key.text)) <= asked.words:
        return None
    return Recorded(key.text, (key, *values), STATED)


def _named(row: Row, kinds: Stems, column: Stems, *, is_of_days: bool) -> Found:
    """What a row is called beside its value in a column: its day where days are asked for, what stands in the one
    column of the kind that is, which is no mere number, else its first cell.
    """
    days = [place for place, _ in row.days()] if is_of_days else []
    is_first = bool(row.cells[0][0] & kinds)
    others = [] if is_first else [header for header, _, _ in row.cells[1:] if header != column and not header & _IDS]
    named = [header for header in others if header & kinds]
    cell = row.cell(named[0]) if len(named) == 1 else None
    start, end = (cell.start, cell.end) if cell and not _NUMBER.fullmatch(cell.text) else row.place
    return row.doc.found(*(days[0] if days else (start, end)), STATED)


def find_placed(question: str, evidence: Evidence) -> Recorded | None:
    """The first cell of the row at a place of the one table that is called so: "Who is next on the waiting list?", by
    the column that counts the rows, else by their order. None for none, and where two tables are called so.
    """
    match = _PLACED.fullmatch(" ".join(question[:_LONGEST].split()))
    called = frozenset(content_stems(match["table"])) if match else frozenset()
    if match is None or not called:
        return None
    tables = [table for table in tables_of(evidence) if called <= table.called]
    if len(tables) != 1:
        return None
    rows, place = tables[0].rows, _PLACES[match["place"].lower()]
    counted = {int(cell.text.strip(" .")): (row, cell) for row in rows for cell in _counting(row)}
    if sorted(counted) == list(range(1, len(rows) + 1)):
        row, cell = counted[place or len(rows)] if place <= len(rows) else (None, None)
        return Recorded(row.name, (row.key(), cell), STATED) if row and cell else None
    if counted or place > len(rows):
        return None
    row = rows[place - 1]
    return Recorded(row.name, (row.key(),), STATED)


def _counting(row: Row) -> list[Found]:
    """The cell that says which place a row has."""
    found = (row.doc.found(start, end, STATED) for header, start, end in row.cells if header & _COUNTING)
    return [one for one in found if one.text.strip(" .").isdecimal() and len(one.text) <= _DIGITS][:1]


def _read(text: str) -> _Asked | None:
    if len(text) > _LONGEST or not _ASKS.match(text) or DENIES.search(text) or _OTHERS.search(text):
        return None
    stayed = "been " if _STAYED.search(text) else ""
    phrases = [(one, tuple(asked_measures(stayed + one[0]))) for one in _MOST.finditer(text)]
    phrases = [(one, measures) for one, measures in phrases if measures]
    if len(phrases) != 1:
        return None
    phrase, measures = phrases[0]
    kinds = _KIND.findall(text)
    if _OF_AGE.match(phrase[0]) and (text[:3].lower() == "who" or any(is_personal(singular(one)) for one in kinds)):
        measures = tuple(Measure(one.columns & _OF_PEOPLE, one.is_larger, one.said) for one in measures)
    before = text[: phrase.start()].lower().removesuffix("the ").split()
    return _Asked(
        frozenset(content_stems(text)) - _ASIDE,
        frozenset(content_stems(" ".join(kinds))),
        named_words(text),
        measures,
        frozenset(content_stems(before[-1])) if before else frozenset(),
        frozenset(content_stems(which[1])) if (which := _WHICH.search(text)) else frozenset(),
        asks_who(text),
    )


def _first(asked: _Asked, table: Table) -> _Ordered | None:
    """The row that comes first by the one column that is meant, of those that say all else that is asked."""
    if is_of_days := bool(asked.kinds & _DAY) and all(any(row.days()) for row in table.rows):
        asked = replace(asked, words=asked.words - _DAY, kinds=asked.kinds - _DAY)
    headers = {header for row in table.rows for header, _, _ in row.cells[1:]}
    if asked.which in headers and all(one.said & _ADDED and not one.columns for one in asked.measures):
        asked = replace(asked, words=asked.words - asked.which)  # which of that column is asked, and not for its value
    meant = [(column, measure) for measure in asked.measures if (column := _column(headers, measure, asked.words))]
    if len({column for column, _ in meant}) != 1:
        return None
    column, measure = meant[0]
    if asked.words & frozenset[str]().union(*headers - {column}) - column - table.called - _cells_of(table):
        return None  # of another column something is asked as well: "the service on the oldest host"
    others = asked.words - column - measure.columns - measure.said - table.called
    rows = [(row, others - _values(row)) for row in table.rows]
    least = min(len(lacks) for _, lacks in rows)
    lost = next(lacks for _, lacks in rows if len(lacks) == least)
    if lost & (asked.names | frozenset[str]().union(*headers)) or not _is_let_pass(lost, asked, measure, table):
        return None
    said = len(asked.words & (table.called | column)) + len(others) - least
    said += bool(asked.words & _PAYS and column & _MONEY)
    kinds = people_column(table) if asked.is_who and not is_of_people(table) else asked.kinds
    named = {id(row): _named(row, kinds, column, is_of_days=is_of_days) for row, _ in rows}
    if asked.is_who and any(not any(one.isalpha() for one in name.text) for name in named.values()):
        return None  # a day is nobody
    return _ordered([(row, named[id(row)]) for row, lacks in rows if lacks <= lost], column, measure, said)


def _column(headers: Collection[Stems], measure: Measure, asked: Stems) -> Stems | None:
    """The one column that a measure means: by its name, or, as "the most cars", by the question's own word for it."""
    called = [header for header in headers if header & measure.columns]
    if not called and asked & (_BILLS | _PAYS) and measure.said & _EXTREMES:
        called = [header for header in headers if header & _MONEY]
    offered = called or (headers if measure.said & _EXTREMES else [])
    told = [header for header in offered if header & asked and not header & _IDS] or called
    return told[0] if len(told) == 1 else None


def _is_let_pass(lost: Stems, asked: _Asked, measure: Measure, table: Table) -> bool:
    """Whether what no row says may be a verb ("takes the most cars"), or the table's own kind in another word."""
    if not measure.said & _EXTREMES or lost & asked.kinds:
        verb = asked.before if measure.said & _EXTREMES else frozenset[str]()
        return lost <= asked.kinds | verb and not (lost and asked.words & table.called)
    return lost <= asked.before


def _values(row: Row) -> Stems:
    return frozenset(content_stems(" ".join(row.doc.text[start:end] for _, start, end in row.cells)))


def _cells_of(table: Table) -> Stems:
    return frozenset[str]().union(*map(_values, table.rows))


def _ordered(rows: Sequence[tuple[Row, Found]], column: Stems, measure: Measure, said: int) -> _Ordered | None:
    """The first of rows, each with what it is called."""
    cells = [(name, row.doc.found(start, end, STATED)) for row, name in rows
             for header, start, end in row.cells[1:] if header == column]  # fmt: skip
    measured = [
        (*amount, name, value)
        for name, value in cells
        if not _CLOCK.match(value.text) and (amount := amount_of(value.text))
    ]
    is_sparse = 2 * len(cells) < len(rows) or len(measured) < _LEAST * len(cells)
    if len(measured) < 2 or is_sparse or len({kind for kind, _, _, _ in measured}) != 1:
        return None
    # Of one that has several rows "the most hours" are those of all of them, "the longest" is one row's.
    groups: dict[str, _Ordered] = {}
    for place, (_, size, name, value) in enumerate(measured):
        key = name.text if measure.said & _ADDED else str(place)
        before = groups.get(key, _Ordered(name, (), 0.0, said, column))
        groups[key] = _Ordered(before.first, (*before.values, value), before.amount + size, said, column)
    ordered = sorted(groups.values(), key=lambda one: one.amount, reverse=measure.is_larger)
    return ordered[0] if len(ordered) > 1 and ordered[0].amount != ordered[1].amount else None
