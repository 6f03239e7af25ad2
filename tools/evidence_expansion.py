"""Reasoning-aware expansion (BubbleRAG, section 3.5): evidence graphs grown fact by fact towards the answer.

A backbone joins what the question names; what it asks for often lies a step or two beyond.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kb.graph.fact_graph import held_rows
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.bubble_expansion import BubbleParams, EvidenceGraph, evidence_passages, expand_bubbles
from tools.judgements.judge import Judge
from tools.judgements.offline_judge import OfflineJudge
from tools.search.closeness import Closeness
from tools.search.surroundings import surroundings
from tools.types import Hit


@dataclass(frozen=True, slots=True)
class ExpansionParams:
    """The paper's depth (section 4.4); what else bounds the cost."""

    bubbles: BubbleParams = field(default_factory=BubbleParams)
    """Of bubble expansion, where no graphs are given."""
    depth: int = 6
    """d: hops of each graph; 0 leaves the graphs as they are."""
    graphs: int = 10
    """Graphs that are grown, best first; the others stay as they are. All that go on: each is shown only new facts."""
    most: int = 3
    """Facts that the judge may pick at a hop."""
    max_frontier: int = 60
    """Facts shown to the judge at a hop, closest to the question first."""
    max_steps: int | None = None
    """Hops of all graphs together; none for no limit."""
    seconds: float | None = None
    """Time after which no further hop begins; none for no limit. The result then depends on the machine."""
    max_hits: int = 15
    """Passages returned, as in the paper's experiments."""


@dataclass(frozen=True, slots=True)
class ExpansionStep:
    """One hop of one graph: how many facts were shown, which were picked (ids, best first), whether that is enough."""

    graph: int
    hop: int
    shown: int
    picked: tuple[int, ...]
    enough: bool


@dataclass(frozen=True, slots=True)
class ExpansionResult:
    """The graphs as far as they have grown, in the order given; `stopped` is true where a limit ended the growth."""

    graphs: tuple[EvidenceGraph, ...]
    steps: tuple[ExpansionStep, ...]
    stopped: bool
    hits: tuple[Hit, ...]


def expand_evidence(
    kb: KnowledgeBase,
    question: str,
    graphs: Sequence[EvidenceGraph] | None = None,
    params: ExpansionParams | None = None,
    judge: Judge | None = None,
) -> ExpansionResult:
    """Grow the graphs (those of `expand_bubbles`, unless given), best first, hop by hop.

    A graph is done when the judge picks nothing, finds that it is enough, or at `depth`. The result of every hop
    stands: with a limit of steps or seconds it is what the full growth had at that point. Nothing for an empty
    question.
    """
    kb = surroundings(kb, question)
    params, judge = params or ExpansionParams(), judge or OfflineJudge(kb)
    if graphs is None:
        bubbles = expand_bubbles(kb, question, params=params.bubbles, judge=judge)
        if not bubbles.graphs:
            return ExpansionResult((), (), False, bubbles.hits)
        graphs = bubbles.graphs
    if not question.strip() or not graphs:
        return ExpansionResult(tuple(graphs), (), False, ())
    grown, steps, stopped = list(graphs), list[ExpansionStep](), False
    end = None if params.seconds is None else time.monotonic() + params.seconds
    for at, graph, step in _Growth(kb, question, params, judge).steps(graphs):
        grown[at] = graph
        steps.append(step)
        if (params.max_steps is not None and len(steps) >= params.max_steps) or (
            end is not None and time.monotonic() >= end
        ):
            stopped = True
            break
    return ExpansionResult(tuple(grown), tuple(steps), stopped, evidence_passages(kb, question, grown, params.max_hits))


class _Growth:
    def __init__(self, kb: KnowledgeBase, question: str, params: ExpansionParams, judge: Judge) -> None:
        self._kb, self._question, self._params, self._judge = kb, question, params, judge
        self._closeness = Closeness.of(kb, question)
        self._shown: set[int] = set()
        """Facts that the judge has seen: graphs are merged in the end, and what one left aside another need not see."""

    def steps(self, graphs: Sequence[EvidenceGraph]) -> Iterator[tuple[int, EvidenceGraph, ExpansionStep]]:
        """After every hop: which graph, how it now is, and the step."""
        for at, graph in enumerate(graphs[: self._params.graphs]):
            known = self._kb.triples(graph.facts)
            border: Sequence[int] = graph.entities
            for hop in range(1, self._params.depth + 1):
                frontier = self._frontier(border, known)
                if not frontier:
                    break
                choice = self._judge.choose_facts(self._question, known, frontier, self._params.most)
                offered = {fact.id for fact in frontier}
                ids = [one for one in dict.fromkeys(choice.facts) if one in offered]
                picked = self._kb.triples(ids[: max(self._params.most, 0)])
                ends = {end for one in picked for end in (one.head, one.tail)}
                border = sorted(ends - set(graph.entities))
                known = [*known, *picked]
                graph = _with(graph, picked)
                yield at, graph, ExpansionStep(at, hop, len(frontier), tuple(one.id for one in picked), choice.enough)
                if choice.enough or not picked:
                    break

    def _frontier(self, border: Sequence[int], known: Sequence[Triple]) -> list[Triple]:
        """Facts at the border that are not known and were not shown before, closest to the question first."""
        graph = self._kb.fact_graph
        starts, facts = graph.facts_by_entity
        rows = held_rows(graph.entities, border)
        places = np.unique(np.concatenate([facts[starts[row] : starts[row + 1]] for row in rows] or [facts[:0]]))
        left_out = self._shown | {one.id for one in known}
        places = places[~np.isin(graph.facts[places], list(left_out))]
        order = np.lexsort((places, -self._closeness.fact_rows[places]))[: self._params.max_frontier]
        frontier = self._kb.triples(graph.facts[places[order]].tolist())
        self._shown.update(one.id for one in frontier)
        return frontier


def _with(graph: EvidenceGraph, picked: Sequence[Triple]) -> EvidenceGraph:
    """The graph with more facts and their ends; its mask and score remain those of the backbone."""
    ends = {end for one in picked for end in (one.head, one.tail)}
    return replace(
        graph,
        entities=tuple(sorted({*graph.entities, *ends})),
        facts=tuple(sorted({*graph.facts, *(one.id for one in picked)})),
    )
