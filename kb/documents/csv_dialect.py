"""How a CSV file is written, by its first lines: what parts its cells, and what stands above its header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise

from kb.documents.plaintext import Unreadable
from kb.documents.table_shape import is_value

SAMPLE = 20
"""Lines by which the delimiter of a file is told."""

_MOST_TITLES = 5
"""Lines above a header that are passed over at most."""

_DELIMITERS = ";\t|,"
"""The comma last: it stands in numbers and texts too, and is none where another is as likely."""

_NAMED = re.compile(rf'(?i)"?sep=([{_DELIMITERS}])"?')
_NAMES = frozenset(
    "text texts title titles question questions note notes name names item items answer answers comment comments word "
    "words sentence sentences line lines entry entries message messages quote quotes task tasks description id".split()
)
"""What the one column of a file is called."""

_QUOTED = re.compile(r'"[^"]*"')


def named_delimiter(line: str) -> str:
    """What a line `sep=;` says, which Excel reads and writes above the header; "" for any other."""
    named = _NAMED.fullmatch(line.strip(" \r\n"))
    return named[1] if named else ""


def delimiter_of(lines: Sequence[str]) -> str:
    """The delimiter of the first line, the comma where it has none: that of which most lines have the same number,
    quoted text apart. Below a title it is that of the others.
    """
    bare = _QUOTED.sub("", "".join(lines)).splitlines()

    def likely(delimiter: str) -> tuple[int, int]:
        times = Counter(count for line in bare if (count := line.count(delimiter)))
        return max(((lines, count) for count, lines in times.items()), default=(0, 0))

    first = bare[0] if bare else ""
    own = max((one for one in _DELIMITERS if one in first), key=likely, default="")
    best = max(_DELIMITERS, key=likely)
    is_below_title = not own or not any(line.strip() for line in lines[1:2])
    if is_below_title and best not in first and title_lines(_cells(lines, best)):
        return best
    return own or ","


def _cells(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    except csv.Error:
        return []


def title_lines(rows: Sequence[Sequence[str] | Unreadable]) -> int:
    """How many of the first rows of a file stand above its header: titles with a blank line below, or of one cell, no
    name of a column, above a row of words and others with values.
    """
    told = [(at, cells) for at, cells in enumerate(rows) if not isinstance(cells, Unreadable) and any(cells)]
    start = told[0][0] if told and not any(isinstance(row, Unreadable) for row in rows[: told[0][0]]) else 0
    is_apart = True
    for (at, cells), (following, names) in islice(pairwise(told), _MOST_TITLES):
        has_blank = following > at + 1 and not any(isinstance(row, Unreadable) for row in rows[at:following])
        is_spread = following + 1 < len(rows) and rows[following + 1] == []
        is_apart = is_apart and has_blank and not is_spread and cells[0].casefold() not in _NAMES
        is_alone = sum(map(bool, cells)) == 1 and (has_blank or not _is_name(cells[0]))
        if not cells[0] or not (is_alone or (is_apart and len(cells) < len(names))):
            return start
        if sum(map(bool, names)) > 1:
            behind = [row for place, row in told if place > following]
            is_header = is_apart or (behind and _heads(names, behind))
            return following if is_header and all(len(row) > 1 for row in behind) else start
    return start


def _is_name(cell: str) -> bool:
    """Whether a cell is what a column is called, in one word: "question", "Name"."""
    return (cell.islower() and " " not in cell) or cell.casefold() in _NAMES


def _heads(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether words stand above rows with values."""
    return not any(map(is_value, names)) and all(any(map(is_value, row)) for row in rows)
