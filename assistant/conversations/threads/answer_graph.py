"""The graph of an answer: the things of its thread, how one leads to the next, and what is around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from assistant.agent.replying.reply import Link, LinkState, Reply
from assistant.shared.rendering import plain
from kb.name_keys import name_key

MOST_NODES = 30
"""Things that are drawn: more cannot be taken in at once."""

NAME = 120
"""Characters of a name or a relation that are kept."""

NodeKind = Literal["thread", "open", "root"]


@dataclass(frozen=True, slots=True)
class Node:
    """A thing. `open` ones stand for an unknown that was not found; a `root` has facts, but is in no thread."""

    key: str
    name: str
    kind: NodeKind = "thread"
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A hop from what was known to what it gave, by key. `forward`: the relation reads in that direction.

    `number` is the citation of its passage, or None.
    """

    source: str
    target: str
    relation: str
    state: LinkState
    forward: bool = True
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """A fact beside the thread at one of its things: the relation, and the name at the other end."""

    relation: str
    name: str
    forward: bool = True
    number: int | None = None


@dataclass(slots=True)
class ThreadGraph:
    """Nodes in the order in which the thread comes to them, edges in that of its hops, leaves by node.

    `edges` lead to what was not there before; what leads back, or past a node, is in `returns`.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    returns: list[Edge] = field(default_factory=list)
    leaves: dict[str, list[Leaf]] = field(default_factory=dict)

    def after(self, key: str) -> list[Edge]:
        """The edges that go on from a node."""
        return [edge for edge in self.edges if edge.source == key]

    def returning(self, key: str) -> list[Edge]:
        """The edges from a node to what is drawn elsewhere."""
        return [edge for edge in self.returns if edge.source == key]

    def parts(self) -> Iterator[ThreadGraph]:
        """The parts that hang together, each as a graph, in the order of their first nodes."""
        joined: dict[str, str] = {key: key for key in self.nodes}
        for edge in (*self.edges, *self.returns):
            old, new = joined[edge.target], joined[edge.source]
            joined = {key: new if part == old else part for key, part in joined.items()}
        for part in dict.fromkeys(joined.values()):
            keys = [key for key in self.nodes if joined[key] == part]
            yield ThreadGraph(
                {key: self.nodes[key] for key in keys},
                [edge for edge in self.edges if joined[edge.source] == part],
                [edge for edge in self.returns if joined[edge.source] == part],
                {key: self.leaves[key] for key in keys if key in self.leaves},
            )


def graph_of(reply: Reply) -> ThreadGraph:
    """The graph of a reply, the same for the same one; at most MOST_NODES nodes and leaves, the thread's own first."""
    graph = ThreadGraph()
    numbers = numbers_of(reply)
    answer = name_key(reply.answer) if reply.found else ""
    for link in (link for chain in reply.chains for link in chain.links):
        _add_link(graph, link, numbers, answer)
    for node in graph.nodes.values() if not graph.edges else ():
        graph.nodes[node.key] = Node(node.key, node.name, "root", node.is_answer)
    _add_facts(graph, reply, numbers, answer)
    return graph


def numbers_of(reply: Reply) -> dict[int, int]:
    """The number of each passage that is cited, or closest to a question without an answer, by its id; the first where
    it has several.
    """
    return {citation.passage_id: citation.number for citation in reversed(reply.sources)}


def key_of(term: str) -> str:
    """What makes two spellings one node; an unknown is itself."""
    return term if term.startswith("?") else name_key(term) or term.strip().casefold() or "?"


def flows_forward(link: Link, known: Iterable[str]) -> bool:
    """Whether a hop went from its head to its tail: towards the value found, away from what the question names, else
    towards what was not known.
    """
    head, tail, seen = key_of(link.head), key_of(link.tail), set(known)
    if link.value and key_of(link.value) in (head, tail):
        return key_of(link.value) == tail
    named = [key_of(term) for term in (link.planned[:1] + link.planned[2:]) if not term.startswith("?")]
    if len(named) == 1 and len(link.planned) == 3 and named[0] in (head, tail):
        return named[0] == head
    if head.startswith("?") != tail.startswith("?"):
        return tail.startswith("?")
    return head in seen or tail not in seen


def _add_link(graph: ThreadGraph, link: Link, numbers: Mapping[int, int], answer: str) -> None:
    forward = flows_forward(link, graph.nodes)
    source, target = (link.head, link.tail) if forward else (link.tail, link.head)
    for term in (source, target):
        key = key_of(term)
        if key not in graph.nodes and len(graph.nodes) >= MOST_NODES:
            return
        kind: NodeKind = "open" if term.startswith("?") else "thread"
        graph.nodes.setdefault(key, Node(key, _shown(term), kind, bool(answer) and key == answer))
    number = numbers.get(link.passage_id) if link.passage_id is not None else None
    relation = plain(link.relation, NAME)
    edge = Edge(key_of(source), key_of(target), relation, link.state, forward, number)
    (graph.returns if _leads_back(graph, edge) else graph.edges).append(edge)


def _leads_back(graph: ThreadGraph, edge: Edge) -> bool:
    """Whether its source can be reached from its target, or the two are joined already: it is then told, not drawn."""
    if any({edge.source, edge.target} == {one.source, one.target} for one in graph.edges):
        return True
    below, waiting = {edge.target}, [edge.target]
    while waiting:
        ahead = [one.target for one in graph.after(waiting.pop()) if one.target not in below]
        below.update(ahead)
        waiting += ahead
    return edge.source in below


def _add_facts(graph: ThreadGraph, reply: Reply, numbers: Mapping[int, int], answer: str) -> None:
    facts = [(fact, key_of(fact.head), key_of(fact.tail)) for fact in reply.trace.facts]
    if not graph.nodes:
        for key, name in _centres([((fact.head, head), (fact.tail, tail)) for fact, head, tail in facts]):
            graph.nodes[key] = Node(key, _shown(name), "root", bool(answer) and key == answer)
    drawn = set(graph.nodes)
    for fact, head, tail in facts:
        forward = head in graph.nodes
        at, other = (head, tail) if forward else (tail, head)
        if at not in graph.nodes or (other not in drawn and len(drawn) >= MOST_NODES):
            continue
        drawn.add(other)
        passage = reply.passages[fact.rank - 1].id if 0 < fact.rank <= len(reply.passages) else None
        number = numbers.get(passage) if passage is not None else None
        name = _shown(fact.tail if forward else fact.head)
        graph.leaves.setdefault(at, []).append(Leaf(plain(fact.relation, NAME), name, forward, number))


def _centres(pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """(key, name) of the things with the most facts, until each fact is at one of them; ties by first mention."""
    left = list(pairs)
    while left:
        ends = [(key, name) for pair in left for name, key in pair]
        counts: dict[str, int] = {}
        for key, _ in ends:
            counts[key] = counts.get(key, 0) + 1
        centre = max(counts, key=lambda key: counts[key])
        yield centre, next(name for key, name in ends if key == centre)
        left = [pair for pair in left if centre not in (pair[0][1], pair[1][1])]


def _shown(term: str) -> str:
    return plain(term, NAME) or "?"
