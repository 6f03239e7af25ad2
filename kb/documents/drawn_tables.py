"""Tables and lists that plain text draws with characters: `|` and `---+---`, columns of spaces, "101 - forbidden".

They become the lines that the tables of other formats give. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from kb.documents.plaintext import Block, one_line
from kb.documents.structure import is_contact
from kb.documents.table_shape import is_value, names_columns, table_blocks

_FEWEST = 3
"""Lines of a list of meanings: two may be prose that was wrapped at a dash."""

_LONGEST = 20
"""Lines of one meaning: what runs on for longer is looked at again from its next line, and must not be as a whole."""

_RULE = re.compile(r" *[|+:]?(?:[-=]{2,}+[|+: ]*+)+")
_JOINTS = re.compile(r"[-=:][|+][-=:]")
_GAP = re.compile(r"(?<=[^\s.!?:]) {2,}(?=\S)")
_BLANKS = re.compile(r" {2,}|$")
_FAR = 10**9  # behind its end, a line is blank
_MEANING = re.compile(r" *(?P<key>[^\W_][^\s:;|]{0,29}) +[-–—] +(?P<value>\S.*)")

Gaps = list[tuple[int, int]]
"""Where the blanks between columns begin and end."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The lines from `start` to `end` of a paragraph, as the rows that they draw."""

    start: int
    end: int
    rows: tuple[Block, ...]


def drawn(lines: Sequence[str]) -> Iterator[Drawn]:
    """What the lines of a paragraph draw, in order; nothing where they are prose."""
    lines = [line.expandtabs().rstrip() for line in lines]
    at = 0
    while at < len(lines):
        found = _piped(lines, at) or _meanings(lines, at) or _aligned(lines, at)
        if found is not None and found.rows:
            yield found
        at = found.end if found is not None else at + 1


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line) is not None


def _below_header(lines: Sequence[str], at: int) -> tuple[int, bool]:
    """Where the header stands of a table that begins at `at`, perhaps with its frame, and whether it is underlined."""
    top = at + 1 if _is_rule(lines[at]) and at + 1 < len(lines) else at
    return top, top + 1 < len(lines) and _is_rule(lines[top + 1])


def _piped(lines: Sequence[str], at: int) -> Drawn | None:
    """A table of `|` with a line below its header, perhaps in a frame, perhaps with a line below each row or some."""
    top, is_underlined = _below_header(lines, at)
    if not is_underlined or _is_rule(lines[top]):
        return None
    header = _between_bars(lines[top], lines[top])
    if not header or len(_JOINTS.findall(lines[top + 1].replace(" ", ""))) != len(header) - 1:
        return None
    groups: list[list[list[str]]] = [[]]
    end = top + 2
    while end < len(lines):
        cells = _between_bars(lines[end], lines[top])
        if _is_rule(lines[end]):
            groups.append([])
        elif len(cells) == len(header):
            groups[-1].append(cells)
        else:
            break
        end += 1
    groups = [group for group in groups if group]
    apart = [_rows(group) for group in groups]
    if all(_are_rows(rows, lines[top + 1]) for rows in apart if len(groups) > 1 and len(rows) > 1):
        rows = list(chain(*apart))
    else:
        rows = [_merged(group) for group in groups]
    return Drawn(at, end, tuple(table_blocks(header, rows))) if rows else None


def _are_rows(lines: Sequence[Sequence[str]], rule: str) -> bool:
    """Whether lines between two drawn like `rule`, as above a total, are a row each, and not one that takes several.

    They are where a bar begins the drawn ones, as in Org and Markdown, or all have a number, a date or an address in
    one column; a first cell they have all.
    """
    has_values = any(all(map(is_value, column)) for column in zip(*lines, strict=True))
    return all(cells[0] for cells in lines) and (has_values or rule.lstrip().startswith("|"))


def _between_bars(line: str, header: str) -> list[str]:
    """The cells of a line, without the bars that frame it as they do the header; [] where there is one at most.

    Where the header has no frame, a bar at the end of a line stands beside an empty cell.
    """
    line, header = line.strip(), header.strip()
    line = line.removeprefix("|") if header.startswith("|") else line
    line = line.removesuffix("|") if header.endswith("|") else line
    cells = [one_line(cell) for cell in line.split("|")]
    return cells if len(cells) > 1 else []


def _rows(lines: Iterable[list[str]]) -> list[list[str]]:
    """The rows of a table; a line with nothing but one cell, not the first, is what the row above runs on with."""
    rows: list[list[list[str]]] = []
    for cells in lines:
        if rows and not cells[0] and sum(map(bool, cells)) < 2:
            rows[-1].append(cells)
        else:
            rows.append([cells])
    return [_merged(row) for row in rows]


def _merged(lines: Sequence[Sequence[str]]) -> list[str]:
    """The lines of one row as one, cell by cell."""
    return [one_line(" ".join(cells)) for cells in zip(*lines, strict=True)]


def _aligned(lines: Sequence[str], at: int) -> Drawn | None:
    """A table of columns with two blanks and more between them, and a first line, perhaps underlined, that names them.

    Without rows where the lines stand in columns and are no table, so that they are not looked at again.
    """
    top, is_underlined = _below_header(lines, at)
    gaps = _gaps(lines[top])
    if not gaps:
        return None
    lead = [(0, len(lines[top]) - len(lines[top].lstrip()))]  # above a column of things there may be no name
    below: list[str] = []
    end = top + 1
    while end < len(lines):
        if not _is_rule(lines[end]):
            left = _shared(gaps, lines[end])
            if len(left) < len(gaps) or len(lines[end]) <= left[0][0]:
                break
            gaps, lead = left, _shared(lead, lines[end])
            below.append(lines[end])
        end += 1
    gaps = [gap for gap in lead if gap[0]] + gaps
    header = _cells(lines[top], gaps)
    rows = _rows(_cells(line, gaps) for line in below)
    is_table = _are_all_gaps(gaps, below) and names_columns(header, rows, is_underlined=is_underlined)
    return Drawn(at, end, tuple(table_blocks(header, rows)) if is_table else ())


def _gaps(line: str) -> Gaps:
    return [match.span() for match in _GAP.finditer(line)]


def _shared(gaps: Gaps, line: str) -> Gaps:
    """The gaps that a line leaves blank too, as far as it does."""
    blanks = [(match.start(), match.end() if match.end() < len(line) else _FAR) for match in _BLANKS.finditer(line)]
    left: Gaps = []
    at = 0
    for start, end in gaps:
        while blanks[at][1] < start + 2:
            at += 1
        start, end = max(start, blanks[at][0]), min(end, blanks[at][1])
        if end - start > 1:
            left.append((start, end))
    return left


def _are_all_gaps(gaps: Gaps, rows: Sequence[str]) -> bool:
    """Whether no more columns stand in all the rows than those between the gaps."""
    shared = _gaps(rows[0]) if rows else []
    for row in rows[1:]:
        shared = _shared(shared, row)
    return len(shared) <= len(gaps)


def _cells(line: str, gaps: Gaps) -> list[str]:
    starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(line)]
    return [one_line(line[start:end]) for start, end in zip(starts, ends, strict=True)]


def _meanings(lines: Sequence[str], at: int) -> Drawn | None:
    """A list of codes or words, each with a dash and what it means, as `Key: value` lines."""
    said: dict[str, list[str]] = {}
    indent, end = 0, at
    while end < len(lines) and not is_contact(lines[end]):
        found = _MEANING.fullmatch(lines[end])
        if found and found["key"] not in said:
            said[found["key"]] = [found["value"]]
            indent = found.start("key")
        else:
            last = next(reversed(said.values()), [])
            if not 0 < len(last) < _LONGEST or len(lines[end]) - len(lines[end].lstrip()) <= indent:
                break
            last.append(lines[end])
        end += 1
    rows = tuple(Block(f"{key}: {one_line(' '.join(value))}", "row") for key, value in said.items())
    return Drawn(at, end, rows) if len(rows) >= _FEWEST else None
