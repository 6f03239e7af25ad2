"""A thread as SVG: the drawing of the terminal with its lines as strokes and its text as text, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from assistant.conversations.threads.canvas import DOWN, GLYPHS, LEFT, RIGHT, UP
from assistant.conversations.threads.cells import clusters, width_of
from assistant.shared.rendering import Line, Role

CELL, ROW, MARGIN = 8.4, 19, 16
"""Pixels of a cell, a row, and the space around."""

_STROKES = {glyph: directions for directions, glyph in GLYPHS.items() if glyph not in "│─"}
_STROKES |= {"│": UP | DOWN, "─": LEFT | RIGHT, "╌": LEFT | RIGHT, "┆": UP | DOWN}
_DASHED = "╌┆"
_CLASSES: dict[Role, str] = {
    "": "n", "strong": "s", "dim": "d", "link": "l", "good": "g", "warning": "w", "bad": "b", "mark": "m",
}  # fmt: skip
_COLOURS = {
    "n": ("#1f2328", "#e6edf3"), "s": ("#1f2328", "#ffffff"), "d": ("#6e7781", "#8b949e"), "l": ("#0550ae", "#79c0ff"),
    "g": ("#116329", "#7ee787"), "w": ("#8a4600", "#ffa657"), "b": ("#b42318", "#ff7b72"), "m": ("#6639ba", "#d2a8ff"),
}  # fmt: skip


def svg_of(lines: Sequence[Line], title: str) -> str:
    """Lines as an SVG document: no script, no link, nothing from elsewhere; its text can be selected.

    `title` names it for those who cannot see it. All text is escaped, and what XML cannot hold is left out.
    """
    columns = max((line.indent + width_of(line.text) for line in lines), default=0)
    width, height = columns * CELL + 2 * MARGIN, max(len(lines), 1) * ROW + 2 * MARGIN
    body = [text for row, line in enumerate(lines) for text in _row(row, line)]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" role="img">',
            f"<title>{escaped(title)}</title>",
            f"<style>{_style()}</style>",
            '<rect class="page" width="100%" height="100%" rx="8"/>',
            *body,
            "</svg>\n",
        )
    )


def escaped(text: str) -> str:
    """Text for XML, in an element or an attribute."""
    kept = "".join(character for character in text if _is_xml(ord(character)))
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        kept = kept.replace(character, entity)
    return kept


def _is_xml(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def _style() -> str:
    def rules(dark: int) -> str:
        page = ("#ffffff", "#0d1117")[dark]
        return f".page{{fill:{page}}}" + "".join(
            f"text.{name}{{fill:{colours[dark]}}}path.{name}{{stroke:{colours[dark]}}}"
            for name, colours in _COLOURS.items()
        )

    return (
        "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}"
        "path{fill:none;stroke-width:1.2}.k{stroke-dasharray:3 3}text.s,text.l{font-weight:600}"
        f"text.m{{text-decoration:underline}}{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}"
    )


def _row(row: int, line: Line) -> Iterable[str]:
    column = line.indent
    for text, role in line.parts:
        name = _CLASSES[role]
        for start, run in _runs(column, text):
            if run[0] in _STROKES:
                yield from _strokes(row, start, run, name)
            elif run.strip():
                yield _text(row, start, run, name)
        column += width_of(text)


def _runs(column: int, text: str) -> Iterable[tuple[int, str]]:
    """Stretches of the text that are all lines, or all text, each with its column."""
    start, run = column, ""
    for cluster in clusters(text):
        if run and (cluster in _STROKES) != (run[-1] in _STROKES):
            yield start, run
            start, run = column, ""
        run += cluster
        column += width_of(cluster)
    if run:
        yield start, run


def _text(row: int, column: int, text: str, name: str) -> str:
    left = len(text) - len(text.lstrip())
    text = text.strip()
    x, y = MARGIN + (column + left) * CELL, MARGIN + (row + 0.72) * ROW
    length = width_of(text) * CELL
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}">{escaped(text)}</text>'


def _strokes(row: int, column: int, run: str, name: str) -> Iterable[str]:
    steps: dict[bool, str] = {False: "", True: ""}
    for glyph, some in groupby(run):
        count, is_dashed = len(list(some)), glyph in _DASHED
        x, y = MARGIN + column * CELL, MARGIN + row * ROW
        if _STROKES[glyph] == LEFT | RIGHT:
            steps[is_dashed] += f"M{x:.1f} {y + ROW / 2:.1f}h{count * CELL:.1f}"
        else:
            steps[is_dashed] += "".join(_steps(x + at * CELL, y, _STROKES[glyph]) for at in range(count))
        column += count
    for is_dashed, path in steps.items():
        if path:
            yield f'<path class="{name}{" k" if is_dashed else ""}" d="{path}"/>'


def _steps(x: float, y: float, directions: int) -> str:
    """Strokes from the middle of a cell to its sides."""
    across, along = x + CELL / 2, y + ROW / 2
    ends = ((LEFT, x, along), (RIGHT, x + CELL, along), (UP, across, y), (DOWN, across, y + ROW))
    return "".join(
        f"M{across:.1f} {along:.1f}L{end_x:.1f} {end_y:.1f}" for side, end_x, end_y in ends if directions & side
    )
