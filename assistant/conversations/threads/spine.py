"""The graph from top to bottom: each hop below the one before it, what is around a thing hanging from it."""

from __future__ import annotations

from assistant.conversations.threads.answer_graph import Edge, Leaf, Node, ThreadGraph
from assistant.conversations.threads.cells import fitted, width_of, wrapped
from assistant.shared.rendering import STATE_MARKS, Line, Part, Role

NAME_LINES = 2
LEAST_NAME = 12
"""Cells of a name beside its relation: the relation is cut first."""

BULLETS = {"thread": "●", "open": "○", "root": "●"}


def draw_spine(graph: ThreadGraph, width: int, *, boxes: bool = True) -> list[Line]:
    """The drawing of one part, at most `width` cells wide; with bullets instead of boxes for a narrow one."""
    targets = {edge.target for edge in graph.edges}
    drawing = _Spine(graph, width, boxes)
    for key in [key for key in graph.nodes if key not in targets]:
        if drawing.lines:
            drawing.lines.append(Line())
        drawing.add(key, ())
    return drawing.lines


def label_parts(edge: Edge, width: int) -> list[Part]:
    """A hop's label within `width` cells: how it was come by, the relation, and the number of its passage."""
    mark, role = STATE_MARKS[edge.state]
    number: Part = (f" [{edge.number}]" if edge.number is not None else "", "link")
    relation = fitted(edge.relation or "…", max(width - 2 - width_of(number[0]), 1))
    return [(f"{mark} ", role), (relation, role), *([number] if number[0] else [])]


def leaf_parts(leaf: Leaf, width: int) -> list[Part]:
    """A fact beside the thread, "studied at ▸ Moscow Conservatory [2]", in `width` cells; its relation is cut first."""
    number = f" [{leaf.number}]" if leaf.number is not None else ""
    arrow = " ▸ " if leaf.forward else " ◂ "
    room = max(width - width_of(arrow) - width_of(number), 2)
    relation = fitted(leaf.relation, max(room - max(width_of(leaf.name), LEAST_NAME), min(room // 3, LEAST_NAME)))
    name = fitted(leaf.name, room - width_of(relation))
    return [(f"{relation}{arrow}{name}{number}", "dim")]


def name_role(node: Node) -> Role:
    """The style of a thing's name."""
    return "bad" if node.kind == "open" else "strong"


class _Spine:
    def __init__(self, graph: ThreadGraph, width: int, boxes: bool) -> None:
        self._graph = graph
        self._width = width
        self._boxes = boxes
        self._drawn: set[str] = set()
        self.lines: list[Line] = []

    def add(self, key: str, prefix: tuple[Part, ...]) -> None:
        """Draw a node and what goes on from it, each line behind `prefix`."""
        self._drawn.add(key)
        edges = self._graph.after(key)
        hanging = [*self._graph.returning(key), *(edge for edge in edges if edge.target in self._drawn)]
        ahead = [edge for edge in edges if edge.target not in self._drawn]
        leaves = self._graph.leaves.get(key, [])
        self._node(self._graph.nodes[key], prefix, bool(hanging or ahead or leaves))
        below = (*prefix, ("  ", "")) if self._boxes else prefix
        for place, leaf in enumerate(leaves):
            is_last = not ahead and not hanging and place == len(leaves) - 1
            self._line(below, ("╰╌ " if is_last else "├╌ ", "dim"), *leaf_parts(leaf, self._room(below) - 3))
        for place, edge in enumerate(hanging):
            self._back(edge, below, is_last=not ahead and place == len(hanging) - 1)
        if len(ahead) == 1:
            self._on(ahead[0], prefix, below)
        else:
            self._branch(ahead, below)

    def _node(self, node: Node, prefix: tuple[Part, ...], goes_on: bool) -> None:
        room = self._room(prefix)
        role = name_role(node)
        answer: Part = (" ◀ answer" if node.is_answer else "", "good")
        if not self._boxes:
            bullet = BULLETS[node.kind]
            self._line(prefix, (f"{bullet} {fitted(node.name, room - 2 - width_of(answer[0]))}", role), answer)
            return
        names = wrapped(node.name, room - 4 - width_of(answer[0]), NAME_LINES)
        inner = max(max(map(width_of, names)) + 2, 3)
        across, side = ("╌", "┆") if node.kind == "open" else ("─", "│")
        self._line(prefix, (f"╭{across * inner}╮", role))
        for place, name in enumerate(names):
            text = f"{side} {name}{' ' * (inner - 1 - width_of(name))}{side}"
            self._line(prefix, (text, role), answer if place == 0 else ("", ""))
        joint = f"{across}┬{across * (inner - 2)}" if goes_on else across * inner
        self._line(prefix, (f"╰{joint}╯", role))

    def _on(self, edge: Edge, prefix: tuple[Part, ...], below: tuple[Part, ...]) -> None:
        """The only hop that goes on from a node leads straight down."""
        role = STATE_MARKS[edge.state][1]
        self._line(below, ("│ " if edge.forward else "▲ ", role), *label_parts(edge, self._room(below) - 2))
        self._line(below, ("▼" if edge.forward else "│", role))
        self.add(edge.target, prefix)

    def _branch(self, edges: list[Edge], below: tuple[Part, ...]) -> None:
        """Several hops go on from a node: each stands in by one step."""
        for place, edge in enumerate(edges):
            if edge.target in self._drawn:  # a hop of an earlier branch has led there
                self._back(edge, below, is_last=place == len(edges) - 1)
                continue
            role = STATE_MARKS[edge.state][1]
            is_last = place == len(edges) - 1
            arrow = " ▼" if edge.forward else " ▲"
            label = label_parts(edge, self._room(below) - 5)
            self._line(below, ("╰─ " if is_last else "├─ ", role), *label, (arrow, role))
            self.add(edge.target, (*below, ("   " if is_last else "│  ", role)))

    def _back(self, edge: Edge, below: tuple[Part, ...], *, is_last: bool) -> None:
        """A hop to what is drawn elsewhere names it."""
        role = STATE_MARKS[edge.state][1]
        arrow = " ▸ " if edge.forward else " ◂ "
        room = self._room(below) - 3
        name = fitted(self._graph.nodes[edge.target].name, max(room // 2 - 3, 4))
        label = label_parts(edge, room - 3 - width_of(name))
        self._line(below, ("╰─ " if is_last else "├─ ", role), *label, (f"{arrow}{name}", "strong"))

    def _room(self, prefix: tuple[Part, ...]) -> int:
        return max(self._width - sum(width_of(text) for text, _ in prefix), 8)

    def _line(self, prefix: tuple[Part, ...], *parts: Part) -> None:
        self.lines.append(Line((*prefix, *(part for part in parts if part[0]))))
