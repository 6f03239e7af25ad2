"""Bubble expansion (BubbleRAG, sections 3.3 and 3.4): connected evidence graphs between groups of anchors, and their
ranking.

Entities and facts are both nodes of the search: a fact lies between its two ends, stands for the edge with the text
"A R B", may be an anchor, and costs what it is far from the question.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph, held_rows
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorGroup, AnchorParams, group_anchors
from tools.judgements.judge import Judge
from tools.judgements.offline_judge import OfflineJudge
from tools.search.closeness import Closeness
from tools.search.surroundings import surroundings
from tools.types import Hit

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BubbleParams:
    """The paper's defaults (section 4.4, table 4); it names no n."""

    anchors: AnchorParams = field(default_factory=AnchorParams)
    """Of anchor grouping, where no groups are given."""
    hops: int = 6
    """h: how far from an anchor the search may go."""
    budget: int = 10
    """B: graphs found before the search stops."""
    alpha: float = 1.0
    """How much a missing group costs: large asks for all of them (AND), 0 for any (OR)."""
    epsilon: float = 1e-6
    """Keeps the score finite where the cost is 0."""
    kept: int = 10
    """n: graphs that go on, best first. All that B allows: they cost a language model's context, and here nothing."""
    rank: bool = True
    """Whether graphs are ranked by score; else they go on in the order in which they were found."""
    fuse_ties: bool = True
    """Whether graphs of one cost that touch the same groups and differ in one end are one graph with all these ends:
    facts of one sentence are as far from the question, and each of them would take one of B places. Off, as in the
    paper, each is a graph of its own."""
    same_group: float = 0.1
    """Added to the exponent of a graph that joins anchors of one group only: a tenth more than its cost."""
    fact_costs: bool = True
    """Whether a fact costs 1 - cosine as in the objective (equation 1) and figure 3, or nothing (equation 4)."""
    max_facts: int = 50
    """Facts of an entity that are followed, closest to the question first, so that a hub costs what others do."""
    max_states: int = 1500
    """Pairs of node and groups that are looked at, so that a large file costs what a small one does."""
    max_hits: int = 15
    """Passages returned, as in the paper's experiments."""


@dataclass(frozen=True, slots=True)
class EvidenceGraph:
    """Entities and facts by id, ascending. `mask` has bit i set where group i is touched; `r_miss` is the weight of
    the others, 0..1; `cost_sem` the mean of 1 - cosine, 0..2. `one_group`: it joins anchors of a single group.
    """

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    mask: int
    cost_sem: float
    r_miss: float
    score: float
    one_group: bool = False


@dataclass(frozen=True, slots=True)
class BubbleResult:
    """The graphs kept, best first, and their passages. `connected` is false where no anchors met and each stands
    alone; `truncated` is true where a limit, not the graph, ended the search.
    """

    groups: tuple[AnchorGroup, ...]
    graphs: tuple[EvidenceGraph, ...]
    connected: bool
    truncated: bool
    hits: tuple[Hit, ...]


def evidence_score(cost_sem: float, r_miss: float, alpha: float = 1.0, epsilon: float = 1e-6) -> float:
    """1 / (cost * exp(alpha * missing mass) + epsilon) (equations 5 and 6); higher is better.

    >>> round(evidence_score(0.5, 0.0, epsilon=0.0), 6)
    2.0
    """
    return float(1.0 / (cost_sem * np.exp(alpha * r_miss) + epsilon))


def expand_bubbles(
    kb: KnowledgeBase,
    question: str,
    groups: Sequence[AnchorGroup] | None = None,
    params: BubbleParams | None = None,
    judge: Judge | None = None,
) -> BubbleResult:
    """Evidence graphs that join the groups (those of `group_anchors`, unless given), ranked.

    Anchors of a group that none of them touches are graphs of their own, and so are all where none meet. Where the
    passages that anchor grouping looks at already answer, they are the result, without graphs. Nothing for an empty
    question.
    """
    kb = surroundings(kb, question)
    params, judge = params or BubbleParams(), judge or OfflineJudge(kb)
    if groups is None:
        anchored = group_anchors(kb, question, params=params.anchors, judge=judge)
        groups = anchored.groups
        if not groups:
            return BubbleResult((), (), False, False, anchored.hits)
    space = _Space(kb.fact_graph, Closeness.of(kb, question), groups, params)
    if not question.strip() or not space.bits:
        return BubbleResult(tuple(groups), (), False, False, ())
    search = Search(space.neighbours, space.cost, space.bits, params.budget, params.max_states, params.fuse_ties)
    search.run()
    graphs = [space.evidence(one) for one in search.joined]
    graphs += [space.evidence(one, one_group=True) for one in search.one_group]
    connected = bool(graphs)
    graphs += [space.evidence(one) for one in space.alone(graphs)]
    if params.rank:
        graphs.sort(key=lambda one: (-round(one.score, 9), one.entities, one.facts))
    kept = _covering(graphs, len(groups), params.kept)
    hits = evidence_passages(kb, question, kept, params.max_hits)
    return BubbleResult(tuple(groups), kept, connected, search.truncated, hits)


# -- the search -------------------------------------------------------------------------------------------------------

_END = 2
"""Nodes of an end of a graph at most: a fact, and the entity that it leads to."""

State = tuple[int, int]
Nodes = frozenset[int]


class Search:
    """The cheapest trees that touch groups, by growing from all anchors at once (algorithm 1).

    A state is a node and the groups that a tree rooted there touches; its cost is the sum over the tree's nodes. States
    are settled cheapest first; one grows into a neighbour, or merges with another of the same node. One state a node,
    as printed, would lose the second group's path; all of them make this the exact dynamic programme for group Steiner
    trees (Ding et al. 2007), cut off at `budget` trees or `max_states` states.

    joined      trees that touch several groups, cheapest first; one that a later tree holds whole, with more groups, is
                taken in by it; with `fuse_ties`, those of one cost that touch the same groups and differ in one end
                are one
    one_group   trees between two anchors of a single group
    """

    def __init__(
        self,
        neighbours: Callable[[int], Sequence[int]],
        cost: Callable[[int], float],
        bits: Mapping[int, int],
        budget: int,
        max_states: int,
        fuse_ties: bool = False,
    ) -> None:
        self.joined: list[Nodes] = []
        self.one_group: list[Nodes] = []
        self.truncated = False
        self._neighbours, self._cost, self._bits = neighbours, cost, bits
        self._budget, self._max_states, self._fuse_ties = budget, max_states, fuse_ties
        self._masks: dict[Nodes, int] = {}
        self._costs: dict[Nodes, float] = {}
        self._best: dict[State, float] = {}
        self._from: dict[State, tuple[State, ...]] = {}
        self._settled: dict[int, list[int]] = {}
        self._queue: list[tuple[float, int, int]] = []

    def run(self) -> None:
        """Fill `joined` and `one_group`."""
        for node in sorted(self._bits):
            self._offer(node, self._bits[node], self._cost(node), ())
        settled = 0
        while self._queue and len(self.joined) < self._budget:
            cost, node, mask = heapq.heappop(self._queue)
            if mask in self._settled.setdefault(node, []):
                continue
            if settled >= self._max_states:
                self.truncated = True
                return
            settled += 1
            self._settled[node].append(mask)
            self._meet(node, mask)
            self._grow(node, mask, cost)
            self._merge(node, mask, cost)
        self.truncated = bool(self._queue)

    def _offer(self, node: int, mask: int, cost: float, come_from: tuple[State, ...]) -> None:
        cost = round(cost, 9)
        if cost < self._best.get((node, mask), np.inf):
            self._best[node, mask] = cost
            self._from[node, mask] = come_from
            heapq.heappush(self._queue, (cost, node, mask))

    def _grow(self, node: int, mask: int, cost: float) -> None:
        for neighbour in self._neighbours(node):
            grown = mask | self._bits.get(neighbour, 0)
            if grown == mask and grown in self._settled.get(neighbour, ()):
                self._meet_own(node, neighbour, mask)
            else:
                self._offer(neighbour, grown, cost + self._cost(neighbour), ((node, mask),))

    def _merge(self, node: int, mask: int, cost: float) -> None:
        for other in self._settled[node]:
            if mask | other not in (mask, other):
                both = cost + self._best[node, other] - self._cost(node)
                self._offer(node, mask | other, both, ((node, mask), (node, other)))

    def _meet(self, node: int, mask: int) -> None:
        """Keep the tree where it has just come to touch more groups than it came from."""
        if mask.bit_count() < 2 or any(before == mask for _, before in self._from[node, mask]):
            return
        nodes = self._tree((node, mask))
        if nodes in self._masks:
            return
        cost = self._best[node, mask]
        self._masks[nodes] = mask
        at = self._tied(nodes, mask, cost)
        kept = nodes if at is None else self.joined[at] | nodes
        self._masks[kept], self._costs[kept] = mask, cost
        if at is not None:
            self.joined[at] = kept
        self.joined = [one for one in self.joined if not (one < kept and self._masks[one] != mask)]
        if at is None:
            self.joined.append(kept)

    def _tied(self, nodes: Nodes, mask: int, cost: float) -> int | None:
        """The place of a graph of this cost and mask that lacks one end of this one: a fact, or a fact and what it
        leads to.
        """
        if not self._fuse_ties:
            return None
        alike = (at for at, one in enumerate(self.joined) if (self._masks[one], self._costs[one]) == (mask, cost))
        return next((at for at in alike if nodes & self.joined[at] and len(nodes - self.joined[at]) <= _END), None)

    def _meet_own(self, node: int, neighbour: int, mask: int) -> None:
        if mask.bit_count() != 1 or len(self.one_group) >= self._budget:
            return
        sides = self._tree((node, mask)), self._tree((neighbour, mask))
        both = sides[0] | sides[1]
        if not sides[0] & sides[1] and not any(one <= both for one in self.one_group):
            self.one_group.append(both)

    def _tree(self, state: State) -> Nodes:
        nodes, pending = set[int](), [state]
        while pending:
            one = pending.pop()
            nodes.add(one[0])
            pending += self._from[one]
        return frozenset(nodes)


class _Space:
    """The graph of facts as the search sees it: nodes 0..entities-1 are entities by row, the rest facts by place."""

    def __init__(
        self, graph: FactGraph, closeness: Closeness, groups: Sequence[AnchorGroup], params: BubbleParams
    ) -> None:
        self._graph, self._closeness, self._params = graph, closeness, params
        self._groups = groups
        self._first_fact = len(graph.entities)
        self.bits: dict[int, int] = {}
        for at, group in enumerate(groups):
            places = held_rows(graph.facts, group.facts) + self._first_fact
            for node in (*held_rows(graph.entities, group.entities).tolist(), *places.tolist()):
                self.bits[node] = self.bits.get(node, 0) | 1 << at

    def cost(self, node: int) -> float:
        """1 - cosine with the question, 0..2."""
        return self._costs[node]

    @cached_property
    def _costs(self) -> list[float]:
        facts = self._closeness.fact_rows if self._params.fact_costs else np.ones(len(self._graph.facts))
        costs: list[float] = (1.0 - np.concatenate([self._closeness.entity_rows, facts]).astype(np.float64)).tolist()
        return costs

    def neighbours(self, node: int) -> list[int]:
        """A fact's two ends, or an entity's facts, within reach of an anchor."""
        graph = self._graph
        if node >= self._first_fact:
            return self._ends[node - self._first_fact]
        if self._distance[node] >= self._params.hops:
            return []
        starts, facts = graph.facts_by_entity
        places = facts[starts[node] : starts[node + 1]]
        if len(places) > self._params.max_facts:
            order = np.lexsort((places, -self._closeness.fact_rows[places]))
            places = np.sort(places[order[: self._params.max_facts]])
        found: list[int] = (places + self._first_fact).tolist()
        return found

    @cached_property
    def _ends(self) -> list[list[int]]:
        ends: list[list[int]] = np.column_stack([self._graph.heads, self._graph.tails]).tolist()
        return ends

    @cached_property
    def _distance(self) -> Ids:
        """Shape (entities,): facts between an entity and the nearest anchor, `hops` where there are as many or more."""
        graph, hops = self._graph, self._params.hops
        distance = np.full(len(graph.entities), hops, dtype=np.int64)
        anchors = np.array(sorted(self.bits), dtype=np.int64)
        places = anchors[anchors >= self._first_fact] - self._first_fact
        distance[np.concatenate([anchors[anchors < self._first_fact], graph.heads[places], graph.tails[places]])] = 0
        for hop in range(1, hops):
            near = distance == hop - 1
            if not near.any():
                break
            far = np.concatenate([graph.tails[near[graph.heads]], graph.heads[near[graph.tails]]])
            distance[far] = np.minimum(distance[far], hop)
        return distance

    def evidence(self, nodes: Nodes, one_group: bool = False) -> EvidenceGraph:
        """A tree, with both ends of its facts, as a scored graph."""
        graph, first = self._graph, self._first_fact
        places = sorted(node - first for node in nodes if node >= first)
        ends = {int(row) for place in places for row in (graph.heads[place], graph.tails[place])}
        rows = sorted({node for node in nodes if node < first} | ends)
        whole = [*rows, *(place + first for place in places)]
        mask = 0
        for node in whole:
            mask |= self.bits.get(node, 0)
        counted = whole if self._params.fact_costs else rows
        cost = sum(map(self.cost, counted)) / len(counted)
        missing = sum(group.weight for at, group in enumerate(self._groups) if not mask >> at & 1)
        score = self._score(cost, missing, one_group)
        entities, facts = (tuple(map(int, ids)) for ids in (graph.entities[rows], graph.facts[places]))
        return EvidenceGraph(entities, facts, mask, cost, missing, score, one_group)

    def alone(self, graphs: Sequence[EvidenceGraph]) -> list[Nodes]:
        """Each anchor of the groups that no graph touches."""
        touched = 0
        for one in graphs:
            touched |= one.mask
        return [frozenset({node}) for node in sorted(self.bits) if not self.bits[node] & touched]

    def _score(self, cost: float, missing: float, one_group: bool) -> float:
        params = self._params
        penalty = float(np.exp(params.same_group)) if one_group else 1.0
        return evidence_score(cost * penalty, missing, params.alpha, params.epsilon)


# -- what goes on -----------------------------------------------------------------------------------------------------


def _covering(graphs: Sequence[EvidenceGraph], groups: int, most: int) -> tuple[EvidenceGraph, ...]:
    """The first `most` graphs, with the best of each group among them, so that no candidate of a comparison is lost."""
    first = [next((at for at, one in enumerate(graphs) if one.mask >> group & 1), None) for group in range(groups)]
    needed = [at for at in dict.fromkeys(first) if at is not None][:most]
    rest = [at for at in range(len(graphs)) if at not in needed][: max(most - len(needed), 0)]
    return tuple(graphs[at] for at in sorted((*needed, *rest)))


def evidence_passages(
    kb: KnowledgeBase, question: str, graphs: Sequence[EvidenceGraph], most: int = 15
) -> tuple[Hit, ...]:
    """The passages of the graphs' facts and of the documents that their entities are the titles of, best first.

    A passage scores its cosine with the question times the best score of a graph that it belongs to; three quarters of
    that where it only states a fact: what a passage is about weighs more than what it mentions.
    """
    kb = surroundings(kb, question)
    graph = kb.fact_graph
    best = max((one.score for one in graphs), default=1.0)
    shares: dict[int, float] = {}
    for one in graphs:
        for row, share in _passages_of(graph, one):
            shares[row] = max(shares.get(row, 0.0), share * one.score / best)
    ids = graph.passages[sorted(shares)].tolist()
    close = Closeness.of(kb, question).passages(ids) if ids else np.zeros(0, dtype=np.float32)
    scores = {
        one: shares[row] * max(float(cosine), 0.0) for row, one, cosine in zip(sorted(shares), ids, close, strict=True)
    }
    order = sorted(scores, key=lambda one: (-round(scores[one], 9), one))[:most]
    return tuple(Hit(one, scores[one.id]) for one in kb.passages(order))


def _passages_of(graph: FactGraph, one: EvidenceGraph) -> Iterator[tuple[int, float]]:
    own = graph.abouts[np.isin(graph.abouts[:, 0], held_rows(graph.entities, one.entities)), 1]
    sources = graph.fact_passages[held_rows(graph.facts, one.facts)]
    yield from ((int(row), 1.0) for row in np.unique(own))
    yield from ((int(row), 0.75) for row in np.unique(sources))
