"""How a CSV file is written, by its first lines: what parts its cells, and what stands above its header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise

from kb.documents.plaintext import Unreadable

SAMPLE = 20
"""Lines by which the delimiter of a file is told."""

_MOST_TITLES = 5
"""Lines above a header that are passed over at most."""

_DELIMITERS = ";\t|,"
"""The comma last: it stands in numbers and texts too, and is none where another is as likely."""

_NAMED = re.compile(rf'(?i)"?sep=([{_DELIMITERS}])"?')
_DELIMITED = re.compile(rf"[{_DELIMITERS}]")
_QUOTED = re.compile(r'"[^"]*"')


def named_delimiter(line: str) -> str:
    """What a line `sep=;` says, which Excel reads and writes above the header; "" for any other."""
    named = _NAMED.fullmatch(line.strip(" \r\n"))
    return named[1] if named else ""


def delimiter_of(lines: Sequence[str]) -> str:
    """The delimiter of which most lines have the same number, quoted text apart; the comma where they have none, or
    the first is a word by itself: the header of one column of texts, which may have any.
    """
    bare = _QUOTED.sub("", "".join(lines)).splitlines()
    if len(next((line for line in bare if line.strip()), "").split()) == 1 and not _DELIMITED.search(bare[0]):
        return ","

    def likely(delimiter: str) -> tuple[int, int]:
        times = Counter(count for line in bare if (count := line.count(delimiter)))
        return max(((lines, count) for count, lines in times.items()), default=(0, 0))

    best = max(_DELIMITERS, key=likely)
    return best if likely(best)[0] else ","


def title_lines(rows: Sequence[Sequence[str] | Unreadable]) -> int:
    """How many of the first rows of a file stand above its header: those of one cell, or with a blank one below."""
    told = [(at, cells) for at, cells in enumerate(rows) if not isinstance(cells, Unreadable) and any(cells)]
    for (at, cells), (following, names) in islice(pairwise(told), _MOST_TITLES):
        is_apart = following > at + 1 and not any(isinstance(row, Unreadable) for row in rows[at:following])
        says_more = is_apart or len(cells[0].split()) > 1  # "note" or "name" by itself is a header
        is_header = all(names) and not any(letter.isdigit() for name in names for letter in name)
        is_alone = sum(map(bool, cells)) == 1 and (len(cells) > 2 or is_apart) and (says_more or is_header)
        is_title = (len(cells) == 1 and says_more) or is_alone or (is_apart and len(cells) < len(names))
        if not is_title or not cells[0]:
            return at
        if sum(map(bool, names)) > 1:
            return following if all(len(row) > 1 for behind, row in told if behind > following) else 0
    return 0
