"""The graph of an answer as terminal text: the thread's path in boxes, what is around it dimmed beside it.

Where it fits the hops stand from left to right, else from top to bottom, and without boxes where it is narrow. The same
graph and width give the same drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from assistant.agent.replying.reply import Reply
from assistant.conversations.threads.answer_graph import ThreadGraph, graph_of
from assistant.conversations.threads.cells import width_of
from assistant.conversations.threads.columns import draw_columns
from assistant.conversations.threads.spine import draw_spine
from assistant.shared.rendering import Line

NARROW = 44
"""Cells below which boxes take more room than they give."""

BESIDE = 4
"""Cells between two parts that stand beside each other."""

LEGEND = Line((("● by facts  ◐ by text  ○ open", "dim"),))
"""What the marks of a drawing mean."""


def draw_reply(reply: Reply, width: int) -> list[Line]:
    """The graph of a reply at most `width` cells wide, with what its marks mean; a line that says so for no graph."""
    graph = graph_of(reply)
    if not graph.nodes:
        return [Line((("No facts stand around this answer; see Passages.", "dim"),))]
    return [*draw(graph, width), *([Line(), LEGEND] if graph.edges or graph.returns else [])]


def draw(graph: ThreadGraph, width: int) -> list[Line]:
    """A graph at most `width` cells wide, from 40 on; no lines for an empty one."""
    parts = list(graph.parts())
    drawn = [draw_columns(part, width) if width >= NARROW else None for part in parts]
    if not any(drawn):
        blocks = [draw_spine(part, width, boxes=width >= NARROW) for part in parts]
        beside = _beside(blocks, width) if width >= NARROW else None
        return _stacked(blocks) if beside is None else beside
    return _stacked([lines or draw_spine(part, width) for part, lines in zip(parts, drawn, strict=True)])


def _stacked(blocks: Sequence[Sequence[Line]]) -> list[Line]:
    return [line for place, block in enumerate(blocks) for line in ([Line()] if place else []) + list(block)]


def _beside(blocks: Sequence[Sequence[Line]], width: int) -> list[Line] | None:
    """The blocks beside each other, or None where they do not fit."""
    widths = [max((width_of(line.text) for line in block), default=0) for block in blocks]
    if len(blocks) < 2 or sum(widths) + BESIDE * (len(blocks) - 1) > width:
        return None
    return [_joined(row, widths) for row in zip_longest(*blocks, fillvalue=Line())]


def _joined(row: Sequence[Line], widths: Sequence[int]) -> Line:
    parts = list(row[0].parts)
    for before, line, width in zip(row, row[1:], widths, strict=False):
        parts += [(" " * (width - width_of(before.text) + BESIDE), ""), *line.parts]
    return Line(tuple(parts))
