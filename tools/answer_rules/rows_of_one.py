"""What rows tell of one person or thing in other words than those of their headers: whether somebody has paid, what he
ordered, who lives in a flat, from whom a thing was got that another one ordered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.answer_rules.asked_claims import NOT
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.read_tables import is_of_people, tables_of
from tools.answer_rules.recorded_rows import find_recorded
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.row_states import PAID, TO_PAY
from tools.answer_rules.table_columns import BY, NO, YES, Column, Grid
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

STATED = 0.84
"""How sure it is that the one row that there is tells it."""
_LONGEST = 300
_NAME = r"[A-Z][\w'’-]*(?<!['’]s)(?: [A-Z][\w'’-]*(?<!['’]s)){0,3}"
_HAS_PAID = re.compile(
    rf"\W*(?i:has|have|did) (?P<name>{_NAME}) (?i:already |now |not )?(?:paid|pay|settled)"
    r"(?: (?:up|yet|already|(?:the|his|her|their|any) [\w-]+))*\W*"
)
_LIVES_IN = re.compile(
    r"\W*who (?:lives|lived|is|stays|sits|works) (?:in|at) (?P<what>[a-z]{3,}) (?:no\.? |number )?"
    r"(?P<number>\d{1,5}[a-z]?)\W*",
    re.I,
)
_WHAT_DID = re.compile(rf"\W*(?i:what) (?:did|has|have|does) (?P<name>{_NAME}) (?P<verb>[a-z]{{3,}})\W*")
_FROM_WHOM = re.compile(r"\W*(?:from whom|from which [\w-]+|who\b.*\bfrom\W*$|which [\w-]+\b.*\bfrom\W*$)", re.I)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a row that a question names, with the columns of its table."""

    grid: Grid
    column: Column
    at: int

    @property
    def found(self) -> Found:
        return self.column.cells[self.at]


def asks_of_one(question: str) -> bool:
    """Whether a question may ask what a row tells of one person or flat."""
    text = _line(question)
    return any(asks.fullmatch(text) for asks in (_HAS_PAID, _LIVES_IN, _WHAT_DID))


def find_of_one(question: str, evidence: Evidence) -> Recorded | None:
    """Whether somebody has paid, what he did to the things of a table, or who lives in a flat; None where no row says
    so or several may be meant. All rows of the tables have to be in the evidence.
    """
    text = _line(question)
    if paid := _HAS_PAID.fullmatch(text):
        return None if NOT.search(text) else _has_paid(paid["name"], evidence)
    if lives := _LIVES_IN.fullmatch(text):
        return _lives_in(lives["what"], lives["number"], evidence)
    did = _WHAT_DID.fullmatch(text)
    return _done_by(did["name"], did["verb"], evidence) if did else None


def find_source(question: str, evidence: Evidence) -> Recorded | None:
    """From whom a thing was got, where its row tells who ordered it as well: only one of them is asked for."""
    text = _line(question)
    told = find_recorded(text, evidence, lacking=0) if _FROM_WHOM.match(text) else None
    line = told.doc.line_at(told.start) if told else None
    if told is None or line is None or not any(BY.search(one.relation) for one in line.values):
        return None
    value = told.doc.value_at(told.start)
    return None if value is None or BY.search(value.relation) else Recorded(told.text, (told,), STATED)


def _line(question: str) -> str:
    return " ".join(question[:_LONGEST].split())


def _cells_with(said: Stems, evidence: Evidence) -> Iterator[_Cell]:
    """The cells that have all of some words."""
    for table in tables_of(evidence):
        grid = Grid.of(table)
        for column in grid.columns:
            yield from (_Cell(grid, column, at) for at, words in column.said.items() if said and said <= words)


def _has_paid(name: str, evidence: Evidence) -> Recorded | None:
    cells = [one for one in _cells_with(frozenset(content_stems(name)), evidence) if _paid(one.grid)]
    if len(cells) != 1:
        return None
    (cell,) = cells
    paid, to_pay = _paid(cell.grid), [one for one in cell.grid.columns if one.is_amounts and one.header & TO_PAY - PAID]
    (column,) = paid if len(paid) == 1 else (None,)
    if column is None or cell.at not in column.cells:
        return None
    told, places = column.cells[cell.at].text.strip(" *"), (cell.found, column.cells[cell.at])
    if column.is_marks:
        verdict = "yes" if YES.fullmatch(told) else "no" if NO.fullmatch(told) else ""
    else:
        amount, due = column.value(cell.at), max((one.value(cell.at) for one in to_pay), default=0.0)
        is_told = any(letter.isdigit() for letter in told) and (not to_pay or due > 0)  # "in full", and nothing is due
        verdict = "" if not is_told else "no" if not amount else "" if amount < due else "yes"  # a part is both
    return Recorded(verdict, places, STATED) if verdict else None


def _paid(grid: Grid) -> list[Column]:
    """The columns that say whether or how much somebody has paid."""
    return [one for one in grid.columns if one.header and one.header <= PAID and (one.is_amounts or one.is_marks)]


def _lives_in(what: str, number: str, evidence: Evidence) -> Recorded | None:
    header = frozenset(content_stems(what))
    cells = [
        one
        for one in _cells_with(frozenset(content_stems(number)), evidence)
        if one.column.header == header and one.found.text.strip(" *#").lower() == number.lower()
    ]
    if len(cells) != 1 or not is_of_people(cells[0].grid.table):
        return None
    key = cells[0].grid.table.rows[cells[0].at].key()
    return Recorded(key.text, (key, cells[0].found), STATED)


def _done_by(name: str, verb: str, evidence: Evidence) -> Recorded | None:
    does = frozenset(content_stems(verb))
    cells = [
        one
        for one in _cells_with(frozenset(content_stems(name)), evidence)
        if BY.search(one.column.label) and one.column.header == does
    ]
    if not cells or len({id(one.column) for one in cells}) != 1 or len({one.found.text for one in cells}) != 1:
        return None
    things = _things(cells[0].grid)
    told = [things.cells[one.at] for one in cells if things and one.at in things.cells]
    if len(told) != len(cells):
        return None
    return Recorded(", ".join(dict.fromkeys(one.text for one in told)), tuple(told), STATED)


def _things(grid: Grid) -> Column | None:
    """The first column that names the rows: of words, and of nobody who did something."""
    columns = (one for one in grid.columns if not (one.is_amounts or one.is_days or one.is_marks or one.is_numbering))
    return next((one for one in columns if not BY.search(one.label)), None)
