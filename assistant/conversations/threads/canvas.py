"""A sheet of terminal cells with lines that join and text of any width, read off as styled lines."""

from __future__ import annotations

from assistant.conversations.threads.cells import clusters, merged, width_of
from assistant.shared.rendering import Line, Part, Role

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

GLYPHS = {
    UP: "│", DOWN: "│", UP | DOWN: "│", LEFT: "─", RIGHT: "─", LEFT | RIGHT: "─",
    DOWN | RIGHT: "╭", DOWN | LEFT: "╮", UP | RIGHT: "╰", UP | LEFT: "╯",
    UP | DOWN | RIGHT: "├", UP | DOWN | LEFT: "┤", DOWN | LEFT | RIGHT: "┬", UP | LEFT | RIGHT: "┴",
    UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip


class Overlap(Exception):
    """Two things of a drawing would stand in one place."""


class Canvas:
    """Cells by row and column, from 0; it grows as it is drawn on."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, int], Part] = {}
        self._lines: dict[tuple[int, int], int] = {}
        self._roles: dict[tuple[int, int], Role] = {}

    def text(self, row: int, column: int, text: str, role: Role = "") -> int:
        """Write a text; the column after it. Raises Overlap over a text or a line."""
        for cluster in clusters(text):
            width = width_of(cluster)
            for cell in ((row, column + step) for step in range(width)):
                if cell in self._texts or cell in self._lines:
                    raise Overlap
                self._texts[cell] = ("", role)
            self._texts[row, column] = (cluster, role) if width else self._texts.get((row, column), ("", role))
            column += width
        return column

    def across(self, row: int, first: int, last: int, role: Role = "") -> None:
        """A line from one column to another; it joins what it meets. Raises Overlap over a text."""
        for column in range(first, last + 1):
            self._join((row, column), (LEFT if column > first else 0) | (RIGHT if column < last else 0), role)

    def down(self, column: int, first: int, last: int, role: Role = "") -> None:
        """A line from one row to another, as `across`."""
        for row in range(first, last + 1):
            self._join((row, column), (UP if row > first else 0) | (DOWN if row < last else 0), role)

    def box(self, row: int, column: int, width: int, height: int, role: Role = "") -> None:
        """A frame of this size, borders included."""
        for edge in (row, row + height - 1):
            self.across(edge, column, column + width - 1, role)
        for edge in (column, column + width - 1):
            self.down(edge, row, row + height - 1, role)

    def title(self, row: int, column: int, text: str, role: Role = "") -> None:
        """Write a text over a line, as in the border of a box."""
        for step in range(width_of(text)):
            self._lines.pop((row, column + step), None)
        self.text(row, column, text, role)

    def end(self, row: int, column: int) -> None:
        """Let a line that comes from above turn to the right here."""
        self._lines[row, column] = UP | RIGHT

    def lines(self) -> list[Line]:
        """What was drawn, row by row, without what is empty on the right."""
        cells = self._texts.keys() | self._lines.keys()
        ends: dict[int, int] = {}
        for row, column in cells:
            ends[row] = max(ends.get(row, -1), column)
        return [Line(self._row(row, ends.get(row, -1))) for row in range(max(ends, default=-1) + 1)]

    def _join(self, cell: tuple[int, int], directions: int, role: Role) -> None:
        if cell in self._texts:
            raise Overlap
        self._lines[cell] = self._lines.get(cell, 0) | directions
        self._roles.setdefault(cell, role)

    def _row(self, row: int, end: int) -> tuple[Part, ...]:
        return merged(self._cell((row, column)) for column in range(end + 1))

    def _cell(self, cell: tuple[int, int]) -> Part:
        if cell in self._lines:
            return GLYPHS[self._lines[cell]], self._roles[cell]
        return self._texts.get(cell, (" ", ""))
