"""Rows by a column of yes and no, or of days that some lack: "Who has not been thanked?", "Which invoices are unpaid?",
"Which parts have arrived?".
"""

from __future__ import annotations

import re

from tools.answer_rules.chosen_rows import ChosenRows, kind_asked, titled, words_above
from tools.answer_rules.docs import Evidence
from tools.answer_rules.read_tables import Row, Table, tables_of
from tools.answer_rules.recorded_rows import named_words
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

_LONGEST = 300
_LEAST = 0.8
"""Share of the rows that have yes or no."""
_IS = r"(?:is|are|was|were|has|have|had|did|do|does)"
_ASKS = re.compile(
    rf"\W*(?:(?:and|so)\s+)?(?:which|what|who|how many)\b(?:(?!\b{_IS}\b).){{0,80}}?\b{_IS}(?P<short>n['’]t)?\s+"
    r"(?:(?:i|we|you|they)\s+)?(?P<not>not\s+)?(?:(?:yet|been|already|still|all|an?|the)\s+)*(?P<said>[a-z]{3,})\b",
    re.I,
)
_YES = re.compile(r"(?:yes|y|true|done|x|✓|✔|☑)", re.I)
_NO = re.compile(r"(?:no|n|false|open|not yet|-|✗|☐)", re.I)
_DENIED = re.compile(r"un(?=[a-z]{4})", re.I)
_ASIDE = frozenset(
    content_stems(
        "which what who how many is are was were has have had did do does not yet been already still all the our their "
        "of us we i me my you your they so far by now for in any ones people an"
    )
) | frozenset(("what", "who", "which"))


def asks_marked(question: str) -> bool:
    """Whether a question may ask for the rows that are marked, or are not."""
    return bool(_ASKS.match(question[:_LONGEST]))


def find_marked(question: str, evidence: Evidence) -> ChosenRows | None:
    """The rows whose column of yes and no says what the question says of them.

    All rows of the tables have to be there. None where no such column is named or two tables have it, and where the
    question says what neither the table nor its rows do.
    """
    text = " ".join(question.split()).strip(" ?.!")
    match = _ASKS.match(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    tables, said = tables_of(evidence), match["said"].lower()
    unknown = kind_asked(text) - words_above(tables)
    about = frozenset(content_stems(re.sub(r"n['’]t\b", " not", text, flags=re.I))) - unknown
    about -= frozenset(content_stems(said))
    is_no = bool(match["short"] or match["not"])
    marks = {said: is_no} | ({said[2:]: not is_no} if _DENIED.match(said) else {})
    found = [
        ChosenRows(text, table, tuple(rows))
        for table in tables
        for word, is_no in marks.items()
        if (rows := _rows(word, about, named_words(text), table, is_no=is_no))
    ]
    return found[0] if len(found) == 1 else None


def _rows(word: str, about: Stems, names: Stems, table: Table, *, is_no: bool) -> list[Row]:
    """The rows of a table that are marked by the column of this word, or, with `is_no`, those that are not."""
    stems = frozenset(content_stems(word))
    columns = [header for header in table.columns if header & stems]
    if len(columns) != 1:
        return []
    column = columns[0]
    told = marked(table, column)
    wanted = about - _ASIDE - column - table.called - table.headers
    wanted |= about & names & frozenset[str]().union(*(row.said for row in table.rows))
    return [row for row, denies in told if denies == is_no and wanted <= row.said | titled(row)]


def marked(table: Table, column: Stems) -> list[tuple[Row, bool]]:
    """The rows that a column marks with yes or no, each with whether it is no; a day is as much as yes in a column that
    has nothing but days and that some rows lack, which is no. [] where it is neither.
    """
    if len(table.rows) < 2:
        return []
    cells = [(row, row.cell(column)) for row in table.rows]
    marks = [(row, cell.text.strip(" .*")) for row, cell in cells if cell]
    told = [(row, bool(_NO.fullmatch(mark))) for row, mark in marks if _NO.fullmatch(mark) or _YES.fullmatch(mark)]
    if len(told) >= max(2, _LEAST * len(table.rows)):
        return told
    days = [row for row, cell in cells if cell and any(place == (cell.start, cell.end) for place, _ in row.days())]
    if 0 < len(days) == len(marks) < len(cells):
        return [(row, cell is None) for row, cell in cells]
    return []


def marked_rows(text: str, about: Stems, table: Table, besides: Stems) -> list[Row] | None:
    """The rows that the one column marks which a question names, beside the columns of `besides`: those with yes, for
    "unpaid" those with no. None where it names no such column, [] where two.
    """
    said = dict.fromkeys(about, False)
    said |= {stem: True for word in text.lower().split() if _DENIED.match(word) for stem in content_stems(word[2:])}
    named = [(header, said[stem]) for header in table.columns if header != besides for stem in header if stem in said]
    found = [
        [row for row, denies in told if denies == is_no] for header, is_no in named if (told := marked(table, header))
    ]
    return None if not found else found[0] if len(found) == 1 else []
