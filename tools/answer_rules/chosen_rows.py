"""Rows that a question chooses by their values, and what they are called in the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tools.answer_rules.docs import Found
from tools.answer_rules.read_tables import Row, Table, is_of_people, people_column
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

_WHO = re.compile(r"\W*(?:(?:and|so)\s+)?who\b", re.I)
_KIND = re.compile(
    r"\b(?:which|what|how many)\s+(?:of (?:the|our|my)\s+)?((?:(?!(?:is|are|was|were|have|has|had|do|does|did|can|will"
    r"|the|our|my|we|i|you|they|an?|in|of|on|at|with|that|for|from|to|by|cost|costs|weigh|weighs|pay|pays|earn|earns|takes?)\b)[a-z][\w-]*\s*){1,3})",
    re.I,
)
_LAST_NAMES = tuple(frozenset(content_stems(one)) for one in ("surname", "last name", "family name"))
_FIRST_NAME = frozenset(content_stems("first name"))
_NOBODY = re.compile(r"\W*(?:vacant|empty|unlet|free|nobody|none|n/?a|tb[ac]|unknown)?\W*", re.I)
"""What a cell says where nobody is."""
_NAME = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """Rows of one table, at least one, the question that chooses them, and why others may be `lacking`."""

    question: str
    table: Table
    rows: tuple[Row, ...]
    lacking: str = ""

    @property
    def counted(self) -> tuple[Found, ...]:
        """The first cell of each row."""
        return tuple(row.key() for row in self.rows)

    @property
    def named(self) -> tuple[Found, ...]:
        """What the rows are called: by the column of the kind of thing that is asked for, each once, else by their
        first cells; where rows share one of these, by the first column that tells all rows apart, unless it is asked
        who, where what stands for nobody is left out. Empty where nothing tells them apart.
        """
        rows, kind = self.table.rows, kind_asked(self.question)
        if _WHO.match(self.question):
            people = () if is_of_people(self.table) else people_column(self.table)
            named = self._below(people) if people else tuple(map(_in_full, self.rows))
            return _once(tuple(one for one in named if not _NOBODY.fullmatch(one.text)))
        if rows[0].cells[0][0] & kind:
            return _once(tuple(map(_in_full, self.rows)))
        called = [header for header in self.table.columns if header & kind]
        if len(called) == 1:
            return _once(self._below(called[0]))
        if len({row.name for row in rows}) == len(rows):
            return self.counted
        return next((self._below(header) for header in self.table.columns if _tells_apart(self.table, header)), ())

    def _below(self, header: Stems) -> tuple[Found, ...]:
        return tuple(cell for row in self.rows if (cell := row.cell(header)))


def _in_full(row: Row) -> Found:
    """The first cell of a row, behind the first name where it is the last."""
    found = row.key()
    first = row.cell(_FIRST_NAME) if row.cells[0][0] in _LAST_NAMES else None
    return replace(found, text=f"{first.text} {found.text}") if first else found


def kind_asked(question: str) -> Stems:
    """The stems of up to three words behind "which", "what" or "how many": what kind of thing is asked for.

    Nobody need have written it above the rows ("cows" in a list of a herd).
    """
    match = _KIND.search(question)
    return frozenset(content_stems(match[1])) if match else frozenset()


def titled(row: Row) -> Stems:
    """The stems of the title of a row's document, which may say what its tables are of."""
    return frozenset(content_stems(row.doc.passage.title))


def words_above(tables: list[Table]) -> Stems:
    """The stems of what all tables and their columns are called."""
    return frozenset[str]().union(*(table.called | table.headers for table in tables))


def _tells_apart(table: Table, header: Stems) -> bool:
    """Whether every row has a name of its own in a column."""
    texts = {cell.text for row in table.rows if (cell := row.cell(header)) and _NAME.match(cell.text)}
    return len(texts) == len(table.rows)


def _once(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """The first of those that say the same."""
    first: dict[str, Found] = {}
    for one in found:
        first.setdefault(one.text, one)
    return tuple(first.values())
