"""Questions for the most of something among the rows of a table: "Which supplier have we been with the longest?",
"What is the most expensive instrument to rent?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.answer_rules.asked_rows import DENIES, Row, Table, tables_of
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.recorded_sides import Measure, Recorded, amount_of, asked_measures
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

STATED = 0.8
"""How sure it is that the column is the one that is meant."""

_LONGEST = 300
_LOST = 1
"""Words of a question that its table need not have: a verb mostly."""
_LEAST = 0.8
"""Share of the rows asked about that have a value to compare."""
_ASKS = re.compile(r"^\W*(?:(?:and|so|please)\s+)?(?:which|what|who|name)\b", re.I)
_NAME = re.compile(r"(?<!^)\b(?:[A-Z][\w'’-]*|\w*\d\w*)")
_MOST = re.compile(r"\b(?:[a-z]{2,}(?:est)|most|least|fewest)\b(?!\s+(?:of|likely|often|recently|people)\b)", re.I)
# Something is asked of the row: "the price of the cheapest", "the phone number of the oldest".
_OF_IT = re.compile(r"\bof the (?:\w+ ){0,2}(?:\w+est|most|least)\b", re.I)
_KIND = re.compile(r"\b(?:which|what|of (?:all )?(?:our|my|the)|\w+est|(?:most|least) \w+)\s+([a-z][\w-]+)\b", re.I)
_ASIDE = frozenset(("what", "who", "which", "where")) | frozenset(
    content_stems(
        "name one our us we my you have has been get is are was were the most least all there with thing item kind "
        "sort in of at on for to by from list so far ever now currently today"
    )
)
"""The first four are what is left of "what's"."""


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Rows of one table by a column: the first and the value that puts it there."""

    first: Row
    value: Found
    said: int


def find_most(question: str, evidence: Evidence) -> Recorded | None:
    """The first cell of the one row that has the most or the least of what a column measures.

    All rows of the tables have to be in the evidence. None where no column is meant or more than one table has it, two
    rows share the place, or too few have a value; and where something is asked of that row rather than which it is.
    """
    text = " ".join(question.split()).strip(" ?.!")
    if len(text) > _LONGEST or not _ASKS.match(text) or not _MOST.search(text) or DENIES.search(text):
        return None
    measures = asked_measures(text)
    if not measures or _OF_IT.search(text):
        return None
    asked = frozenset(content_stems(text)) - _ASIDE - frozenset(content_stems(" ".join(_MOST.findall(text))))
    kinds = frozenset(content_stems(" ".join(_KIND.findall(text))))
    names = frozenset(content_stems(" ".join(_NAME.findall(text))))
    tables = tables_of(evidence)
    found = [one for table in tables if (one := _first(asked, kinds, names, measures, table))]
    most = max((one.said for one in found), default=0)
    best = [one for one in found if one.said == most]
    is_about_nothing = most == 0 and re.match(r"\W*who\b", text, re.I) is not None
    if len(best) != 1 or is_about_nothing:
        return None
    row, value = best[0].first, best[0].value
    key = row.doc.found(*row.line.key, STATED)
    if frozenset(content_stems(key.text)) <= asked:
        return None
    return Recorded(key.text, (key, value), STATED)


def _first(asked: Stems, kinds: Stems, names: Stems, measures: Sequence[Measure], table: Table) -> _Ordered | None:
    """The row that comes first by the one column that is meant, of those that say all else that is asked."""
    headers = {header for row in table.rows for header, _, _ in row.cells[1:]}
    for measure in measures:
        meant = [header for header in headers if header & measure.columns] or list(headers)
        told = [header for header in meant if header & asked] or (meant if len(meant) < len(headers) else [])
        if len(told) != 1:
            continue
        others = asked - told[0] - measure.columns - measure.said - table.called
        rows = [(row, others - _values(row)) for row in table.rows]
        least = min((len(lacks) for _, lacks in rows), default=0)
        lost = next(lacks for _, lacks in rows if len(lacks) == least)
        if lost & (names | frozenset[str]().union(*headers)) or not _is_let_pass(lost, kinds, asked, table):
            return None
        said = len(asked & table.called) + len(others) - least
        return _ordered([row for row, lacks in rows if lacks <= lost], told[0], measure, said)
    return None


def _is_let_pass(lost: Stems, kinds: Stems, asked: Stems, table: Table) -> bool:
    """Whether what no row says may be a verb ("takes"), or the table's kind of thing in another word ("boats")."""
    if asked & table.called:
        return len(lost - kinds) <= _LOST and not lost & kinds
    return lost <= kinds


def _values(row: Row) -> Stems:
    return frozenset(content_stems(" ".join(row.doc.text[start:end] for _, start, end in row.cells)))


def _ordered(rows: Sequence[Row], column: Stems, measure: Measure, said: int) -> _Ordered | None:
    measured = [
        (*amount, row, row.doc.found(start, end, STATED))
        for row in rows
        for header, start, end in row.cells[1:]
        if header == column and (amount := amount_of(row.doc.text[start:end]))
    ]
    if len(rows) < 2 or len(measured) < _LEAST * len(rows) or len({kind for kind, _, _, _ in measured}) != 1:
        return None
    measured.sort(key=lambda one: one[1], reverse=measure.is_larger)
    if len(measured) < 2 or measured[0][1] == measured[1][1]:
        return None
    return _Ordered(measured[0][2], measured[0][3], said)
