"""What the one row of a day tells: "How many visitors came on 12 September?" by the row of 2026-09-12."""

from __future__ import annotations

import re

from kb.documents.structure import Value
from tools.answer_rules.asked_claims import NOT
from tools.answer_rules.asked_rows import asks_who
from tools.answer_rules.docs import Evidence
from tools.answer_rules.read_tables import Row, Table, asked_day, is_same_day, on_day, tables_of
from tools.answer_rules.recorded_rows import named_words
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import Date

Stems = frozenset[str]

STATED = 0.86
"""How sure it is that the table and the column are the ones that are meant."""

_LONGEST = 300
_DAYS = 2
"""Rows with a day that a table has at least."""
_LOST = 2
"""Words of a question that neither the row nor its table has: verbs mostly."""
_ASKS = re.compile(
    r"\W*(?:(?:and|so)\s+)?(?:(?:at|in|from|on|with)\s+)?(?:what|which|how (?:many|much)|who|where)\b", re.I
)
_PRICES = frozenset(content_stems("cost costs price"))
_DOES = re.compile(r"\bwhat (?:did|does) .+ do\b", re.I)
_DONE = frozenset(content_stems("task activity work job done duty"))
_ASIDE = frozenset(content_stems("what which how many much who where come came there have had take took place"))


def find_on_day(question: str, evidence: Evidence) -> Recorded | None:
    """The cell that a question with a day in it asks for, of the one row of that day.

    All rows of the tables have to be there. None where no row or more than one is of the day, no column has more of the
    question's words than the others, or the question names what the table does not.
    """
    text = " ".join(question.split()).strip(" ?.!")
    if len(text) > _LONGEST or not _ASKS.match(text):
        return None
    day = asked_day(text)
    if day is None:
        return None
    rest = f"{text[: day.start]} {text[day.end :]}"
    told = [one for table in tables_of(evidence) if (one := _told(rest, day, table))]
    return told[0] if len(told) == 1 else None


def _told(rest: str, day: Date, table: Table) -> Recorded | None:
    about = frozenset(content_stems(rest)) - _ASIDE
    rows = on_day(table.rows, day)
    if len(rows) > 1:
        said = frozenset[str]().union(*(row.said for row in rows)) - table.headers
        rows = [row for row in rows if about & said <= row.said]
    if len(rows) != 1 or sum(any(row.days()) for row in table.rows) < _DAYS:
        return None
    row = rows[0]
    start, end = next(place for place, found in row.days() if is_same_day(found, day))
    asked = about | (_PRICES if about & _PRICES else frozenset()) | (_DONE if _DOES.search(rest) else frozenset())
    value = _asked(rest, asked, row, start) or _first(asked, row, start)
    known = table.called | table.headers | row.said
    names = named_words(rest)
    is_number = value is not None and not any(one.isalpha() for one in row.doc.text[value.start : value.end])
    if value is None or (is_number and asks_who(rest)) or names - known or len(about - known) > _LOST:
        return None
    places = (row.doc.found(value.start, value.end, STATED), row.doc.found(start, end, STATED))
    return Recorded(places[0].text, places, STATED)


def _first(about: Stems, row: Row, day: int) -> Value | None:
    """The first cell, where its header is asked for and it is not the day itself."""
    header, start, end = row.cells[0]
    return Value("", start, end) if header and header <= about and start != day else None


def _asked(rest: str, about: Stems, row: Row, day: int) -> Value | None:
    """The cell whose header has the most of the question's words, denied as the question is."""
    is_denied = bool(NOT.search(rest))
    scored = [
        (len(frozenset(content_stems(one.relation)) & about), one)
        for one in row.line.values
        if one.start != day and bool(NOT.search(one.relation)) == is_denied
    ]
    most = max((score for score, _ in scored), default=0)
    best = [one for score, one in scored if score == most]
    return best[0] if most and len(best) == 1 else None
