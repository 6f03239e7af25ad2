"""The row at a place of a list: "Who is next on the waiting list?"."""

from __future__ import annotations

import re

from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.read_tables import Row, tables_of
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems

STATED = 0.8
"""How sure it is that the list is the one that is meant."""
_LONGEST = 300
_PLACES = {"first": 1, "next": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": 0}
_PLACED = re.compile(
    r"\W*(?:(?:and|so) )?(?:who|what|which \w+)(?:['’]s| is| comes| are) (?:the )?"
    rf"(?P<place>{'|'.join(_PLACES)})(?: one)?(?: in line)? (?:on|in|of) (?:the|our|this) "
    r"(?P<table>(?:[\w-]+ )?(?:list|queue|rota|order|row|line|table))\W*",
    re.I,
)
_COUNTING = frozenset(content_stems("place number no nr rank position order pos num"))
_DIGITS = 6
"""Of the last place of a list."""


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
