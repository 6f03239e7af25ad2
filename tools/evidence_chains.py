"""Retrieved facts as ordered, merged chains (ReG, section 4.2 and appendix D.4).

A model that reads facts one below the other has to find out for itself how they hang together. Here they are put in a
row, from what the question names to what it leads to, and rows that say the same of several things are one.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.path_search import facts_near
from tools.search.closeness import Closeness
from tools.search.entity_lookup import named_in
from tools.search.surroundings import surroundings
from tools.triple_scoring.triple_scorer import OUTSIDE, score_triples
from tools.types import Hit

Row = tuple[Triple, ...]
"""Facts in reading order, each from the entity where the one before ends."""


@dataclass(frozen=True, slots=True)
class ChainParams:
    """The paper's defaults (appendix E)."""

    hops: int | None = 2
    """L: facts in a row; None: no limit, as the paper has it for questions of many hops."""
    backward: bool = True
    """Also rows that end at a question's entity, not only those that start there."""
    merging: bool = True
    """Rows with the same source and relations become one chain, and chains from two sources whose targets meet are
    placed together; off: a chain for each row."""
    prefixes: bool = False
    """Keep a chain that another one goes on from. Algorithm 1 returns them, the paper's prompt (figure 7) has none."""
    kept: int = 200
    """K: facts by their score that are chained (the paper's for the smaller reader)."""
    candidates: int = 400
    """Facts at the question's entities, at what these lead to, and in all the file, that are scored; of each of the
    three those closest to the question."""


@dataclass(frozen=True, slots=True)
class EvidenceChain:
    """Rows from one source over the same relations. `forward`: the source is the first head, else the last tail."""

    source: int
    forward: bool
    rows: tuple[Row, ...]

    @property
    def relations(self) -> tuple[str, ...]:
        """The relation path, in reading order."""
        return tuple(one.relation for one in self.rows[0])

    @property
    def targets(self) -> frozenset[int]:
        """The entities at the other end."""
        return frozenset(_target(row, self.forward) for row in self.rows)

    @property
    def facts(self) -> tuple[Triple, ...]:
        """Each fact once, row by row."""
        return tuple({one.id: one for row in self.rows for one in row}.values())

    def text(self) -> str:
        """The chain as one line, "h -> [r1] -> t1 -> [r2] -> t2; t2'"; several entities at one place keep the order of
        the rows.
        """
        line = _names(row[0].head_name for row in self.rows)
        for at, relation in enumerate(self.relations):
            line += f" -> [{relation}] -> " + _names(row[at].tail_name for row in self.rows)
        return line


@dataclass(frozen=True, slots=True)
class ChainResult:
    """`chains` in the order in which they should be read; `hits`: the passages that their facts come from."""

    chains: tuple[EvidenceChain, ...]
    hits: tuple[Hit, ...]


def build_chains(
    kb: KnowledgeBase,
    question: str,
    triples: Sequence[Triple] | None = None,
    k: int = 20,
    params: ChainParams | None = None,
) -> ChainResult:
    """The k best chains of facts for a question, and their passages, best first, ties by id.

    `triples` are facts that another technique found; without them, those around what the question names. They are
    scored (triple_scorer.py) and the best are chained. A chain is worth its best row, a row the mean of its
    facts' chances, a passage the best row that takes a fact from it. An empty question or a file without facts
    gives nothing.
    """
    params, kb = params or ChainParams(), surroundings(kb, question)
    if not question.strip() or not len(kb.fact_graph.facts):
        return ChainResult((), ())
    closeness = Closeness.of(kb, question)
    sources = _sources(kb, question, closeness)
    if triples is None:
        triples = kb.triples(facts_near(kb.fact_graph, closeness, sources, params.candidates))
    near = list({one.id: one for one in triples}.values())
    scores = score_triples(kb, question, near, sources)
    held = [at for at in range(len(near)) if scores[at] > OUTSIDE]
    order = sorted(held, key=lambda at: (-scores[at], near[at].id))[: params.kept]
    chances = {near[at].id: float(1 / (1 + np.exp(-scores[at]))) for at in order}
    groups = chain_groups([near[at] for at in order], sources, params)
    # Chains that were placed together stay so, where the best of them belongs.
    groups.sort(key=lambda group: -max(_worth(row, chances) for chain in group for row in chain.rows))
    chains = tuple(chain for group in groups for chain in group)[: max(k, 0)]
    return ChainResult(chains, _hits(kb, chains, chances))


def chain_groups(triples: Sequence[Triple], sources: Collection[int], params: ChainParams) -> list[list[EvidenceChain]]:
    """The chains that facts make, from the sources on, those that were placed together in one group.

    `sources` are ids of the question's entities. Their order is that of the facts given, which are best first. Facts
    that say the same count once, the first of them. No source at either end of a fact: no chains.
    """
    first: dict[tuple[int, str, int], Triple] = {}
    for one in triples:
        first.setdefault((one.head, one.relation, one.tail), one)
    distinct = list(first.values())
    rows = [(True, row) for row in _expanded(distinct, sources, params.hops, forward=True)]
    if params.backward:
        rows += [(False, row) for row in _expanded(distinct, sources, params.hops, forward=False)]
    if not params.merging:
        chains = [EvidenceChain(_source(row, forward), forward, (row,)) for forward, row in rows]
        groups = [[chain] for chain in chains]
    else:
        chains = _merge_answers(rows)
        groups = [[chains[at] for at in group] for group in _meeting(chains)]
    if not params.prefixes:
        continued = _continued(chains)
        groups = [group for group in groups if len(group) > 1 or not _is_prefix(group[0], continued)]
    return [_refined(group) for group in groups]


def _expanded(triples: Sequence[Triple], sources: Collection[int], hops: int | None, forward: bool) -> list[Row]:
    """Algorithm 1: all rows from the sources, breadth first, in reading order."""
    near = [one for one in triples if (one.head if forward else one.tail) in sources]
    anchored = {one.id for one in near}
    onward: dict[int, list[Triple]] = defaultdict(list)
    for one in triples:
        if one.id not in anchored:
            onward[one.head if forward else one.tail].append(one)
    queue: deque[Row] = deque((one,) for one in near)
    seen: set[tuple[int, int]] = set()
    rows: list[Row] = []
    while queue:
        row = queue.popleft()
        rows.append(row)
        if hops is not None and len(row) >= hops:
            continue
        for one in onward[_target(row, forward)]:
            pair = (_source(row, forward), one.tail if forward else one.head)
            if pair not in seen:
                seen.add(pair)
                queue.append((*row, one) if forward else (one, *row))
    return rows


def _source(row: Row, forward: bool) -> int:
    return row[0].head if forward else row[-1].tail


def _target(row: Row, forward: bool) -> int:
    return row[-1].tail if forward else row[0].head


def _names(names: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(names))


def _merge_answers(rows: Sequence[tuple[bool, Row]]) -> list[EvidenceChain]:
    """Multi-answer merging: one chain for all rows with the same source and relation path."""
    groups: dict[tuple[bool, int, tuple[str, ...]], list[Row]] = {}
    for forward, row in rows:
        key = (forward, _source(row, forward), tuple(one.relation for one in row))
        groups.setdefault(key, []).append(row)
    return [EvidenceChain(source, forward, tuple(found)) for (forward, source, _), found in groups.items()]


def _meeting(chains: Sequence[EvidenceChain]) -> list[list[int]]:
    """Multi-entity merging: places of chains in their order, those from distinct sources that share a target in one
    group, next to the first of them. A chain joins the first group that it shares a target with all of.
    """
    groups: list[list[int]] = []
    shared: list[frozenset[int]] = []
    by_target: dict[int, list[int]] = defaultdict(list)
    for at, chain in enumerate(chains):
        for group in sorted({one for target in chain.targets for one in by_target[target]}):
            common = shared[group] & chain.targets
            if common and all(chains[one].source != chain.source for one in groups[group]):
                groups[group].append(at)
                shared[group] = common
                break
        else:
            for target in chain.targets:
                by_target[target].append(len(groups))
            groups.append([at])
            shared.append(chain.targets)
    return groups


def _refined(group: Sequence[EvidenceChain]) -> list[EvidenceChain]:
    """The chains of a group, only with the rows that lead to a target that all of them have."""
    common = frozenset.intersection(*(chain.targets for chain in group))
    return [
        replace(chain, rows=tuple(row for row in chain.rows if _target(row, chain.forward) in common))
        for chain in group
    ]


def _continued(chains: Sequence[EvidenceChain]) -> set[tuple[bool, tuple[int, ...]]]:
    """The facts of every row that a longer one goes on from, with its direction."""
    return {
        (chain.forward, tuple(one.id for one in (row[:end] if chain.forward else row[-end:])))
        for chain in chains
        for row in chain.rows
        for end in range(1, len(row))
    }


def _is_prefix(chain: EvidenceChain, continued: Collection[tuple[bool, tuple[int, ...]]]) -> bool:
    return all((chain.forward, tuple(one.id for one in row)) in continued for row in chain.rows)


def _sources(kb: KnowledgeBase, question: str, closeness: Closeness) -> frozenset[int]:
    """What the question names, or where it names nothing the ends of the closest fact."""
    graph = kb.fact_graph
    named = np.array(sorted({one for span in named_in(kb, question) for one in span.entities}), dtype=np.int64)
    known = named[np.isin(named, graph.entities)]
    if not len(known):
        best = int(np.argmax(closeness.fact_rows))
        known = graph.entities[[graph.heads[best], graph.tails[best]]]
    return frozenset(known.tolist())


def _worth(row: Row, chances: dict[int, float]) -> float:
    return float(np.mean([chances[one.id] for one in row]))


def _hits(kb: KnowledgeBase, chains: Sequence[EvidenceChain], chances: dict[int, float]) -> tuple[Hit, ...]:
    best: dict[int, float] = {}
    for row in (row for chain in chains for row in chain.rows):
        for one in row:
            best[one.passage] = max(best.get(one.passage, 0.0), _worth(row, chances))
    order = sorted(best, key=lambda passage: (-best[passage], passage))
    return tuple(Hit(passage, best[passage.id]) for passage in kb.passages(order))
