"""Tables whose cells span several rows or columns, as grids: what a cell says holds for each row that it covers.

A header of several levels, groups above their columns, becomes one row of names such as "Price Net". Spans are what an
untrusted file says: they reach no further than its rows, over a hundred columns, and repeat a bounded amount of text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from kb.documents.plaintext import Block, one_line
from kb.documents.table_shape import Banner, is_value, table_blocks

MAX_COLUMNS = 100
"""Most columns that one cell covers."""

MAX_REPEATED = 1_000_000
"""Most characters of a table that are told again in the rows and columns that their cells cover."""

MAX_COVERED = 1_000_000
"""Most places of a table that its cells cover besides their own, with the empty ones in front of those that reach into
a row from above: spans beyond these are passed over.
"""

_MAX_LEVELS = 4
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/–]\d\d(?:\d\d)?)?")


@dataclass(eq=False, slots=True)
class Cell:
    """A cell as it is written, which stands in each place of a grid that it covers: it is told apart by itself."""

    text: str
    is_header: bool = False
    columns: int = 1
    rows: int = 1
    is_across: bool = False
    """Whether it goes across the whole table: its title, or the name of the rows below it."""


Grid = list[list[Cell]]


def laid_out(rows: Iterable[Sequence[Cell]]) -> Grid:
    """The rows of a table with every cell in each place that it covers, and one row of names for a header of several.

    Rows without text of their own are left out.
    """
    grid = list(_Placing().placed(rows))
    kept = [row for above, row in zip([[], *grid], grid, strict=False) if _has_own_text(above, row)]
    alone = [len(row) > 1 and all(cell is row[0] for cell in row) for row in kept]
    width = max((len(row) for row, is_alone in zip(kept, alone, strict=True) if not is_alone), default=0)
    for row, is_alone in zip(kept, alone, strict=True):
        row[0].is_across = is_alone and len(row) >= width
    return _with_one_header(kept)


class _Placing:
    """Places cells as a browser does: each at the first free place of its row."""

    def __init__(self) -> None:
        self._left = MAX_COVERED

    def placed(self, rows: Iterable[Sequence[Cell]]) -> Iterator[list[Cell]]:
        """The rows, each with the cells that stand in it and those that reach into it from above."""
        above: dict[int, tuple[Cell, int]] = {}
        for cells in rows:
            row: list[Cell] = []
            covered, above = above, {}
            for cell in cells:
                while len(row) in covered:
                    self._cover(row, *covered.pop(len(row)), above)
                for column in range(min(max(cell.columns, 1), MAX_COLUMNS)):
                    if column and (len(row) in covered or self._left <= 0):
                        break
                    self._left -= column > 0
                    self._cover(row, cell, cell.rows, above)
            for column in sorted(covered):
                empty = column - len(row)
                if empty > self._left:
                    self._left = 0
                    break
                self._left -= empty
                row += [Cell("")] * empty
                self._cover(row, *covered[column], above)
            yield row

    def _cover(self, row: list[Cell], cell: Cell, rows: int, above: dict[int, tuple[Cell, int]]) -> None:
        if rows > 1 and self._left > 0:
            self._left -= 1
            above[len(row)] = cell, rows - 1
        row.append(cell)


def _has_own_text(above: Sequence[Cell], row: Sequence[Cell]) -> bool:
    before = set(map(id, above))
    return any(cell.text and id(cell) not in before for cell in row)


def is_banner(row: Sequence[Cell]) -> bool:
    """Whether a row is one cell across the whole table."""
    return row[0].is_across


def _with_one_header(grid: Grid) -> Grid:
    """The grid with the first rows as one where they are the levels of its header."""
    top = next((at for at, row in enumerate(grid) if not is_banner(row)), len(grid))
    end = top + 1
    while end + 1 < len(grid) and end - top < _MAX_LEVELS and _goes_on(grid[end - 1], grid[end], grid[end + 1 :]):
        end += 1
    if end - top < 2:
        return grid
    columns = zip_longest(*grid[top:end], fillvalue=Cell(""))
    return [*grid[:top], [Cell(_joined_name(cells), cells[0].is_header) for cells in columns], *grid[end:]]


def _joined_name(cells: Sequence[Cell]) -> str:
    """The name of a column: that of its group and its own, each told once."""
    texts = {id(cell): one_line(cell.text) for cell in cells}
    return " ".join(filter(None, dict.fromkeys(texts.values())))


def _goes_on(upper: Sequence[Cell], lower: Sequence[Cell], below: Sequence[Sequence[Cell]]) -> bool:
    """Whether `lower` names the columns of the groups that `upper`, a row of a header, has.

    Both are marked as headers; or cells of the upper reach down beside the groups, or one of the two is empty there;
    or, with nothing but groups, the same names come again below each, or are words above numbers.
    """
    times = Counter(map(id, upper))
    grouped = [bool(cell.text) and times[id(cell)] > 1 for cell in upper]
    if is_banner(lower) or not any(grouped):
        return False
    if all(cell.is_header or not cell.text for cell in (*upper, *lower)):
        return True
    pairs = list(zip(upper, lower, grouped, strict=False))
    beside = [(one, two) for one, two, is_grouped in pairs if not is_grouped]
    named = [(one, two) for one, two, is_grouped in pairs if is_grouped]
    if any(one is two or not two.text for one, two in named):
        return False
    if any(one is two for one, two in beside):
        return all(one is two or not (one.text and two.text) for one, two in beside)
    if any(is_value(two.text) and not _YEAR.fullmatch(two.text.strip()) for _, two in named):
        return False
    if beside:
        return all(not (one.text and two.text) for one, two in beside)
    names = [two.text for _, two in named]
    columns = [[row[at].text for row in below if at < len(row) and row[at].text] for at in range(len(lower))]
    return len(set(names)) < len(names) or any(column and all(map(is_value, column)) for column in columns)


def row_texts(grid: Sequence[Sequence[Cell]]) -> list[Sequence[str]]:
    """The words of each row: those of a cell in each row that it covers, and in each column, but for a label that
    stands in front of the others ("Total"). A row that is one cell is a `Banner`.
    """
    left = MAX_REPEATED
    rows: list[Sequence[str]] = []
    has_names = False
    above: Sequence[Cell] = ()
    for row in grid:
        if is_banner(row):
            rows.append(Banner(row[0].text))
        else:
            texts: list[str] = []
            over = set(map(id, above))
            for at, cell in enumerate(row):
                is_beside = at > 0 and cell is row[at - 1]
                is_repeated = is_beside or id(cell) in over
                left -= len(cell.text) if is_repeated else 0
                is_left_out = (is_beside and has_names and cell is row[0]) or (is_repeated and left < 0)
                texts.append("" if is_left_out else cell.text)
            rows.append(texts)
            has_names = True
        above = row
    return rows


class OpenTable:
    """A table as far as it has been read: a first row of nothing but headers names the cells of the others."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self._header: Sequence[str] = ()
        self._rows: list[list[Cell]] = []

    @property
    def is_open(self) -> bool:
        return bool(self.cells)

    def open(self, *, is_header: bool, columns: int = 1, rows: int = 1) -> None:
        self.cells.append(Cell("", is_header, columns, rows))

    def close(self) -> None:
        """Take the row whose cells have been given."""
        self._rows.append(self.cells)
        self.cells = []

    def blocks(self) -> Iterator[Block]:
        """The rows that have been read and not given yet."""
        grid = laid_out(self._rows)
        self._rows = []
        rows = row_texts(grid)
        top = next((at for at, row in enumerate(grid) if not is_banner(row)), len(grid))
        if not self._header and top < len(grid) and _is_header(grid[top]):
            self._header = rows.pop(top)
            del grid[top]
        things = [row for row in grid if not is_banner(row)]
        keys_first = all(row[0].is_header and not any(cell.is_header for cell in row[1:]) for row in things)
        yield from table_blocks(self._header, rows, keys_first=keys_first)


def _is_header(row: Sequence[Cell]) -> bool:
    """Whether all cells of a row are marked as headers; but for an empty corner where there are two of them."""
    return all(cell.is_header for cell in row) or (
        sum(cell.is_header for cell in row) > 1 and all(cell.is_header or not cell.text for cell in row)
    )
