"""The graph from left to right: a column for each hop, what is around a thing below its box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assistant.conversations.threads.answer_graph import Edge, Node, ThreadGraph
from assistant.conversations.threads.canvas import Canvas, Overlap
from assistant.conversations.threads.cells import padded, width_of, wrapped
from assistant.conversations.threads.spine import label_parts, leaf_parts, name_role
from assistant.shared.rendering import STATE_MARKS, Part, Role
from assistant.shared.rendering import Line as StyledLine

SIZES = ((36, 40, 44), (28, 30, 34), (20, 24, 28), (16, 20, 22))
"""Cells of a name, of a hop's label and of a fact beside the thread, tried from the widest to the narrowest."""

NAME_LINES = 3
ANSWER = " answer "
BEFORE, AFTER, TURN = 3, 4, 1
"""Cells of a gap before and behind its labels, and one more where hops meet: there are turns, and heads of arrows."""


class _TooWide(Exception):
    """A drawing has no room; a narrower one may."""


@dataclass(slots=True)
class _Box:
    """A node in its column: its name's lines, the facts below it, and where it stands."""

    node: Node
    layer: int
    names: list[str]
    leaves: list[list[Part]]
    top: int = 0

    @property
    def width(self) -> int:
        least = width_of(ANSWER) + 2 if self.node.is_answer else 3
        return max(max(map(width_of, self.names)) + 4, least)

    @property
    def middle(self) -> int:
        return self.top + (len(self.names) + 1) // 2

    @property
    def height(self) -> int:
        return len(self.names) + 2 + len(self.leaves)


@dataclass(slots=True)
class _Gap:
    """What is between a column and the next: where it begins, how wide its labels are, and the edges that cross it."""

    start: int
    labels: int
    edges: list[Edge] = field(default_factory=list)

    @property
    def end(self) -> int:
        meet = len({edge.target for edge in self.edges}) < len(self.edges)
        return self.start + BEFORE + self.labels + AFTER + TURN * meet - 1


def draw_columns(graph: ThreadGraph, width: int) -> list[StyledLine] | None:
    """The drawing of one part in `width` cells; None where it has no hops, is too wide, or lines would cross."""
    layers = _layers(graph)
    spans = {layers[edge.target] - layers[edge.source] for edge in graph.edges}
    if not graph.edges or graph.returns or spans != {1}:
        return None
    for names, labels, leaves in SIZES:
        try:
            return _Columns(graph, layers, names, labels, leaves).lines(width)
        except _TooWide:
            continue
        except Overlap:
            break
    return None


def _layers(graph: ThreadGraph) -> dict[str, int]:
    """The column of each node: one behind the last of those that lead to it; one that nothing leads to stands just
    before what it leads to.
    """
    layers = dict.fromkeys(graph.nodes, 0)
    for _ in graph.nodes:
        for edge in graph.edges:
            layers[edge.target] = max(layers[edge.target], layers[edge.source] + 1)
    targets = {edge.target for edge in graph.edges}
    for key in layers:
        if key not in targets:
            layers[key] = min((layers[edge.target] - 1 for edge in graph.after(key)), default=0)
    return layers


@dataclass(slots=True)
class _Columns:
    """A try at a drawing with names, labels and facts of these sizes."""

    graph: ThreadGraph
    layers: dict[str, int]
    names: int
    labels: int
    leaves: int

    def lines(self, width: int) -> list[StyledLine]:
        """The drawing. Raises _TooWide, or Overlap where lines would cross."""
        boxes = {
            key: _Box(node, self.layers[key], wrapped(node.name, self.names, NAME_LINES), [])
            for key, node in self.graph.nodes.items()
        }
        if len(set(self.layers.values())) == len(boxes):
            starts, gaps = self._row(boxes, width)
        else:
            self._hang(boxes, dict.fromkeys(boxes, self.leaves))
            starts, gaps = self._across(boxes)
        if any(starts[box.layer] + _column_width(box) > width for box in boxes.values()):
            raise _TooWide
        _stack(self.graph, boxes)
        return self._drawn(boxes, starts, gaps)

    def _row(self, boxes: dict[str, _Box], width: int) -> tuple[list[int], list[_Gap]]:
        """Columns of one box each: nothing but the hop is in a gap, so that facts may stand below it.

        What is left of the width goes to the columns whose facts need more than that.
        """
        starts, gaps = self._across(boxes)
        last = next(box for box in boxes.values() if box.layer == len(gaps))
        spare = width - starts[-1] - last.width
        moved = 0
        room: dict[str, int] = {}
        for key, box in sorted(boxes.items(), key=lambda pair: pair[1].layer):
            starts[box.layer] += moved
            own = (gaps[box.layer].end + moved if box.layer < len(gaps) else width) - starts[box.layer] - 1
            wanted = max(
                (_width(leaf_parts(leaf, self.leaves)) + 5 for leaf in self.graph.leaves.get(key, [])), default=0
            )
            if box.layer < len(gaps):
                more = max(min(wanted - own, spare), 0)
                spare, moved, own = spare - more, moved + more, own + more
                gaps[box.layer].start += moved
            room[key] = max(min(own - 2, self.leaves), 12)
        self._hang(boxes, room)
        return starts, gaps

    def _hang(self, boxes: dict[str, _Box], room: dict[str, int]) -> None:
        for key, leaves in self.graph.leaves.items():
            boxes[key].leaves = [leaf_parts(leaf, room[key] - 3) for leaf in leaves]

    def _across(self, boxes: dict[str, _Box]) -> tuple[list[int], list[_Gap]]:
        """Where each column starts, and the gaps between them."""
        starts, gaps = [0], []
        for layer in range(max(box.layer for box in boxes.values())):
            column = [box for box in boxes.values() if box.layer == layer]
            edges = [edge for edge in self.graph.edges if boxes[edge.source].layer == layer]
            labels = max((_width(label_parts(edge, self.labels)) for edge in edges), default=0)
            gaps.append(_Gap(starts[-1] + max(map(_column_width, column)), labels, edges))
            starts.append(gaps[-1].end + 1)
        return starts, gaps

    def _drawn(self, boxes: dict[str, _Box], starts: list[int], gaps: list[_Gap]) -> list[StyledLine]:
        canvas = Canvas()
        for box in boxes.values():
            _draw_box(canvas, box, starts[box.layer])
        for layer, gap in enumerate(gaps):
            _draw_gap(canvas, gap, boxes, starts[layer])
        return canvas.lines()


def _column_width(box: _Box) -> int:
    return max([box.width, *(_width(leaf) + 5 for leaf in box.leaves)])


def _width(parts: Sequence[Part]) -> int:
    return sum(width_of(text) for text, _ in parts)


def _stack(graph: ThreadGraph, boxes: dict[str, _Box]) -> None:
    """Each node as far as it can beside the first that leads to it, below those of its column that come before it."""
    order = {key: place for place, key in enumerate(boxes)}
    for layer in range(max(box.layer for box in boxes.values()) + 1):
        keys = [key for key in order if boxes[key].layer == layer]
        wanted = {key: _wanted(graph, boxes, key) for key in keys}
        free: int | None = None
        for key in sorted(keys, key=lambda key: (wanted[key] is None, wanted[key] or 0, order[key])):
            box, middle = boxes[key], wanted[key]
            at = (free or 0) if middle is None else middle - (len(box.names) + 1) // 2
            box.top = at if free is None else max(at, free)
            free = box.top + box.height + 1
    highest = min(box.top for box in boxes.values())
    for box in boxes.values():
        box.top -= highest


def _wanted(graph: ThreadGraph, boxes: dict[str, _Box], key: str) -> int | None:
    """The row at which a box would best have its middle, where anything leads to it."""
    return next((boxes[edge.source].middle for edge in graph.edges if edge.target == key), None)


def _draw_box(canvas: Canvas, box: _Box, column: int) -> None:
    role = name_role(box.node)
    height = len(box.names) + 2
    canvas.box(box.top, column, box.width, height, role)
    if box.node.is_answer:
        canvas.title(box.top, column + 1, ANSWER, "good")
    for place, name in enumerate(box.names):
        canvas.text(box.top + 1 + place, column + 2, padded(name, box.width - 4), role)
    for place, leaf in enumerate(box.leaves):
        row = box.top + height + place
        canvas.down(column + 2, row - 1, row, "dim")
        canvas.across(row, column + 2, column + 3, "dim")
        if place == len(box.leaves) - 1:
            canvas.end(row, column + 2)
        after = column + 5
        for text, leaf_role in leaf:
            after = canvas.text(row, after, text, leaf_role)


def _draw_gap(canvas: Canvas, gap: _Gap, boxes: dict[str, _Box], column: int) -> None:
    counts = {edge.target: sum(one.target == edge.target for one in gap.edges) for edge in gap.edges}
    _check(gap, boxes, counts)
    heads: set[str] = set()
    for edge in gap.edges:
        source, target = boxes[edge.source], boxes[edge.target]
        role = STATE_MARKS[edge.state][1]
        border = column + source.width - 1
        row = source.middle if counts[edge.target] > 1 else target.middle
        canvas.across(source.middle, border, gap.start, role)
        if row != source.middle:
            canvas.down(gap.start, min(source.middle, row), max(source.middle, row), role)
        after = _draw_label(canvas, edge, row, gap, role)
        turn = gap.end - 2
        canvas.across(row, after, turn, role)
        if row != target.middle:
            canvas.down(turn, min(row, target.middle), max(row, target.middle), role)
        canvas.across(target.middle, turn, gap.end - 1 if edge.forward or edge.target in heads else gap.end + 1, role)
        if edge.forward and edge.target not in heads:
            heads.add(edge.target)
            canvas.text(target.middle, gap.end, "▶", role)


def _draw_label(canvas: Canvas, edge: Edge, row: int, gap: _Gap, role: Role) -> int:
    """A hop's label on its row; the column at which its line goes on."""
    canvas.across(row, gap.start, gap.start + (1 if edge.forward else 0), role)
    if not edge.forward:
        canvas.text(row, gap.start + 1, "◀", role)
    column = gap.start + BEFORE
    for text, part in label_parts(edge, gap.labels):
        column = canvas.text(row, column, text, part)
    return column + 1


def _check(gap: _Gap, boxes: dict[str, _Box], counts: dict[str, int]) -> None:
    """Raises Overlap where lines of different hops would run into each other on the way up or down."""
    leaving: dict[str, set[int]] = {}
    arriving: dict[str, set[int]] = {}
    for edge in gap.edges:
        ends = {boxes[edge.source].middle, boxes[edge.target].middle}
        is_shared = counts[edge.target] > 1
        leaving.setdefault(edge.source, set()).update({boxes[edge.source].middle} if is_shared else ends)
        arriving.setdefault(edge.target, set()).update(ends if is_shared else {boxes[edge.target].middle})
    for groups in (leaving, arriving):
        spans = sorted((min(rows), max(rows)) for rows in groups.values())
        if any(after[0] <= before[1] for before, after in pairwise(spans)):
            raise Overlap
