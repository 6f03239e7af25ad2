"""Paths that may be a question's evidence (ReG, section 4.1 and appendix D.2): the shortest ones from what it names to
its answers, and the facts at both, merged where they read alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from kb.graph.fact_graph import held_rows
from kb.name_keys import name_key
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.sensible_paths import closeness
from tools.search.word_match import stems

Path = tuple[int, ...]
"""Places in `kb.fact_graph.facts`."""

PATH_LENGTH = 3
"""Facts of the longest path: nearly all questions have two to three hops."""
MOST_PATHS = 200
NEIGHBOURS = 1000
"""Facts of one entity that are looked at."""
KEPT_PATHS, KEPT_NEAR = 3, 4
"""Relation paths kept of the shortest paths, and of each neighbourhood, the closest to the question first."""


@dataclass(frozen=True, slots=True)
class RelationPath:
    """Paths that have the same relations, each with its closeness to the question; the closest one comes first."""

    paths: tuple[tuple[float, tuple[Triple, ...]], ...]

    @property
    def shown(self) -> tuple[Triple, ...]:
        """The one that stands for all."""
        return self.paths[0][1]


def candidate_paths(
    kb: KnowledgeBase, question: str, answers: Sequence[str], sources: Collection[int]
) -> list[RelationPath]:
    """What a judge is to look through. `sources` are the ids of the question's entities; none where neither they nor
    an answer are names that the file knows.
    """
    starts, ends = _rows(kb, sources), _answer_rows(kb, answers)
    pools = (
        (shortest_paths(kb, starts, ends), KEPT_PATHS),
        (_around(kb, starts), KEPT_NEAR),
        (_around(kb, ends), KEPT_NEAR),
    )
    return [one for paths, most in pools for one in _merged(kb, question, paths)[:most]]


def answer_paths(kb: KnowledgeBase, answers: Sequence[str], sources: Collection[int]) -> list[Path]:
    """The shortest paths from a question's entities to its answers, by the ids of the one and the texts of the
    other."""
    return shortest_paths(kb, _rows(kb, sources), _answer_rows(kb, answers))


def shortest_paths(kb: KnowledgeBase, sources: Sequence[int], targets: Sequence[int]) -> list[Path]:
    """The shortest paths, against the facts' direction too, from any of the sources to the nearest of the targets, as
    places in `kb.fact_graph.facts`; rows of entities in, at most MOST_PATHS out. None beyond PATH_LENGTH facts.
    """
    graph = kb.fact_graph
    starts, places = graph.facts_by_entity
    wanted = set(targets) - set(sources)
    depth = dict.fromkeys(sources, 0)
    parents: dict[int, list[tuple[int, int]]] = defaultdict(list)
    frontier, reached = sorted(set(sources)), set[int]()
    for hop in range(1, PATH_LENGTH + 1):
        for row in [] if reached else frontier:
            for at in places[starts[row] : starts[row + 1]].tolist():
                other = int(graph.tails[at] if graph.heads[at] == row else graph.heads[at])
                if depth.setdefault(other, hop) == hop:
                    parents[other].append((row, at))
        reached = reached or {row for row in parents if row in wanted}
        frontier = sorted(row for row, at in depth.items() if at == hop)
    return [path for row in sorted(reached) for path in _backwards(row, parents, depth)][:MOST_PATHS]


def _backwards(row: int, parents: dict[int, list[tuple[int, int]]], depth: dict[int, int]) -> list[Path]:
    if not depth[row]:
        return [()]
    found: list[Path] = []
    for before, at in parents[row]:
        if len(found) < MOST_PATHS:
            found += [(*path, at) for path in _backwards(before, parents, depth)]
    return found


def _around(kb: KnowledgeBase, rows: Sequence[int]) -> list[Path]:
    """The facts at entities, each a path of its own."""
    starts, places = kb.fact_graph.facts_by_entity
    return [(int(at),) for row in rows for at in places[starts[row] : starts[row + 1]][:NEIGHBOURS]]


def _merged(kb: KnowledgeBase, question: str, paths: Sequence[Path]) -> list[RelationPath]:
    """By the words of their relations, in the order in which they come (appendix D.2); the closest first."""
    places = sorted({at for path in paths for at in path})
    triples = kb.triples(kb.fact_graph.facts[places].tolist()) if places else []
    facts = dict(zip(places, triples, strict=True))
    value = dict(zip(places, closeness(kb, question, triples), strict=True))
    merged: dict[tuple[tuple[str, ...], ...], dict[Path, float]] = defaultdict(dict)
    for path in paths:
        relations = tuple(tuple(sorted(stems(facts[at].relation))) for at in path)
        merged[relations][path] = float(np.mean([value[at] for at in path]))
    best = sorted(merged, key=lambda relations: (-max(merged[relations].values()), relations))
    return [
        RelationPath(
            tuple(
                (score, tuple(facts[at] for at in path))
                for path, score in sorted(merged[relations].items(), key=lambda one: (-one[1], one[0]))
            )
        )
        for relations in best
    ]


def _answer_rows(kb: KnowledgeBase, answers: Sequence[str]) -> list[int]:
    found = kb.named([name_key(one) for one in answers])
    return _rows(kb, {one for ids in found.values() for one in ids})


def _rows(kb: KnowledgeBase, ids: Collection[int]) -> list[int]:
    rows: list[int] = held_rows(kb.fact_graph.entities, ids).tolist()
    return rows
