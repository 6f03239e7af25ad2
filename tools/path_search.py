"""Semantic beam search that remembers everything it has seen (TGS-RAG, section 3.2 and algorithm 1).

From the question's entities it walks along facts. At each hop only the paths whose last entity is closest to the
question go on, but every entity ever seen stays in a memory with the path that reached it, pruned or not: what the text
later asks for is then there already (tools/path_resurrection.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph
from kb.store.knowledge_base import KnowledgeBase
from tools.search.closeness import Closeness
from tools.search.entity_lookup import named_in
from tools.search.surroundings import surroundings
from tools.triple_scoring.triple_scorer import score_triples
from tools.types import Hit

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
Step = tuple[int, int]
"""An entity and the fact that leads to it, as rows of the graph."""

SEED_SCORE = 1.0
"""What a seed's own path scores (algorithm 1, line 4): nothing that is reached later replaces it."""


@dataclass(frozen=True, slots=True)
class PathParams:
    """The paper's defaults (appendix C.1, table 4)."""

    width: int = 20
    """K: paths that go on at each hop."""
    depth: int = 3
    """D: hops; the paper saw nothing gained at 4 (appendix E)."""
    neighbours: int = 30
    """N_max: neighbours of an entity that are looked at, those joined by most facts first, then the closest to the
    question: a hub then costs what others do."""
    fact_seeds: int = 5
    """Facts closest to the question whose entities are seeds beside the named ones (HippoRAG 2's number); 0: names
    alone. The paper's seeds are the entities whose vectors are nearest to names that a language model has picked."""
    seeds: int = 30
    """Seeds at most, so that a question full of names costs what others do."""
    trained: float = 0.5
    """Weight, in what an entity scores, of the best chance that the trained scorer gives a fact at it; the rest is its
    closeness. 0: closeness alone, as in the paper."""
    scored: int = 300
    """Facts that the trained scorer looks at: at the seeds, at what these lead to, and anywhere, so many of each that
    are closest to the question."""
    min_coverage: float = 0.6
    """Of a given seed's words that its entity must cover: below it is another thing of a similar name."""


@dataclass(frozen=True, slots=True)
class Path:
    """Entities in a row, and the fact by which each but the first was reached, all by id.

    `score` is what the last entity scores, -1..1; a seed alone has 1.
    """

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    score: float

    @property
    def hops(self) -> int:
        """Facts on the path."""
        return len(self.facts)


@dataclass(frozen=True, slots=True)
class PathResult:
    """`paths`: those that were kept at any hop, best first, each in one direction. `visited`: of every entity ever seen
    its best path, pruned or not, in the order of their first visit. `hits`: passages of the kept paths.
    """

    seeds: tuple[int, ...]
    paths: tuple[Path, ...]
    visited: Mapping[int, Path]
    hits: tuple[Hit, ...]


def search_paths(
    kb: KnowledgeBase, question: str, seeds: Sequence[str] = (), params: PathParams | None = None
) -> PathResult:
    """The paths over facts that lead from the question's entities to what is closest to the question.

    `seeds` are names to start from; without them it starts from the entities that the question names and those of the
    facts closest to it. A passage's score is that of the best kept path that takes a fact from it or passes an entity
    whose document it opens. An empty question, an empty file or names that are not known give an empty result.
    """
    params, kb = params or PathParams(), surroundings(kb, question)
    graph = kb.fact_graph
    if not question.strip() or not len(graph.entities):
        return PathResult((), (), {}, ())
    closeness = Closeness.of(kb, question)
    start = (_known(kb, seeds, params) if seeds else _own_seeds(kb, question, closeness, params))[: params.seeds]
    kept, visited = _Search(graph, _scores(kb, question, closeness, start, params), params).run(start)
    return PathResult(tuple(start), kept, visited, _hits(kb, kept))


def path_texts(kb: KnowledgeBase, paths: Sequence[Path]) -> list[str]:
    """Each path as one line, "Janie Jones -[cast]-> Abigail Breslin <-[cast]- Signs"."""
    facts = {one.id: one for one in kb.triples(sorted({fact for path in paths for fact in path.facts}))}
    names = {one.id: one.name for one in kb.entities(sorted({one for path in paths for one in path.entities}))}
    lines = []
    for path in paths:
        line = names[path.entities[0]]
        for entity, fact in zip(path.entities[1:], path.facts, strict=True):
            relation = facts[fact].relation
            line += f" -[{relation}]-> " if facts[fact].tail == entity else f" <-[{relation}]- "
            line += names[entity]
        lines.append(line)
    return lines


def facts_near(graph: FactGraph, closeness: Closeness, sources: Collection[int], most: int) -> list[int]:
    """Ids of the facts at the sources, at what these lead to, and in the whole file, ascending; of each of the three
    the `most` closest to the question. The sources, by id, must be known.
    """
    cosines = closeness.fact_rows
    first = _closest(cosines, _facts_at(graph, graph.entity_rows(sorted(sources))), most)
    second = _closest(cosines, _facts_at(graph, np.unique([graph.heads[first], graph.tails[first]])), most)
    anywhere = _closest(cosines, np.arange(len(cosines)), most)
    return [int(one) for one in graph.facts[np.unique(np.concatenate([first, second, anywhere]))]]


def _facts_at(graph: FactGraph, entities: Rows) -> Rows:
    starts, places = graph.facts_by_entity
    found = [places[starts[row] : starts[row + 1]] for row in entities.tolist()]
    return np.unique(np.concatenate(found)) if found else places[:0]


def _closest(cosines: Floats, facts: Rows, most: int) -> Rows:
    return facts[np.argsort(-cosines[facts], kind="stable")[:most]]


@dataclass(frozen=True, slots=True)
class _Scores:
    """What a path may go by: of every entity and every fact, in the order of the graph."""

    entities: Floats
    facts: Floats


def _scores(
    kb: KnowledgeBase, question: str, closeness: Closeness, seeds: Sequence[int], params: PathParams
) -> _Scores:
    """Closeness, with the trained scorer's chances in their share; a fact that it did not look at has none."""
    graph = kb.fact_graph
    entities, facts = closeness.entity_rows, closeness.fact_rows
    if not params.trained or not seeds:
        return _Scores(entities, facts)
    near = kb.triples(facts_near(graph, closeness, seeds, params.scored))
    places = graph.fact_places([one.id for one in near])
    chances = np.zeros(len(facts), dtype=np.float32)
    chances[places] = 1 / (1 + np.exp(-score_triples(kb, question, near, frozenset(seeds))))
    best = np.zeros(len(entities), dtype=np.float32)
    for ends in (graph.heads, graph.tails):
        np.maximum.at(best, ends[places], chances[places])
    share = np.float32(params.trained)
    return _Scores(share * best + (1 - share) * entities, share * chances + (1 - share) * facts)


class _Search:
    """Algorithm 1, over rows of the graph."""

    def __init__(self, graph: FactGraph, scores: _Scores, params: PathParams) -> None:
        self._graph = graph
        self._params = params
        self._scores = scores.entities
        self._fact_scores = scores.facts
        self._cache: dict[int, list[Step]] = {}

    def run(self, seeds: Sequence[int]) -> tuple[tuple[Path, ...], dict[int, Path]]:
        """The kept paths, best first, and the memory."""
        beam = [Path((one,), (), SEED_SCORE) for one in seeds]
        visited = {path.entities[0]: path for path in beam}
        kept: list[Path] = []
        for _ in range(self._params.depth):
            candidates = [longer for path in beam for longer in self._extended(path)]
            for path in candidates:
                end = path.entities[-1]
                if end not in visited or path.score > visited[end].score:
                    visited[end] = path
            beam = sorted(candidates, key=_order)[: self._params.width]
            kept += beam
        # Seeds without facts are paths of their own: there is nothing else to show for them.
        return _without_mirrored(sorted(kept, key=_order)) or tuple(visited.values()), visited

    def _extended(self, path: Path) -> Iterable[Path]:
        graph = self._graph
        for row, fact in self._neighbours(int(graph.entity_rows(path.entities[-1]))):
            entity = int(graph.entities[row])
            if entity not in path.entities:
                facts = (*path.facts, int(graph.facts[fact]))
                yield Path((*path.entities, entity), facts, float(self._scores[row]))

    def _neighbours(self, row: int) -> list[Step]:
        """The neighbours of an entity, each with the closest of the facts that join them."""
        if row not in self._cache:
            graph = self._graph
            starts, places = graph.facts_by_entity
            facts = places[starts[row] : starts[row + 1]]
            others = np.where(graph.heads[facts] == row, graph.tails[facts], graph.heads[facts])
            order = np.lexsort((facts, -self._fact_scores[facts], others))
            ends, first, counts = np.unique(others[order], return_index=True, return_counts=True)
            chosen = np.lexsort((ends, -self._scores[ends], -counts))[: self._params.neighbours]
            self._cache[row] = list(zip(ends[chosen].tolist(), facts[order][first[chosen]].tolist(), strict=True))
        return self._cache[row]


def _without_mirrored(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The paths, best first, but those that a better one walks the other way: between two seeds each is found twice."""
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    kept = []
    for path in paths:
        if (path.entities[::-1], path.facts[::-1]) not in seen:
            kept.append(path)
            seen.add((path.entities, path.facts))
    return tuple(kept)


def _order(path: Path) -> tuple[float, int, tuple[int, ...]]:
    return -path.score, path.hops, path.entities


def _known(kb: KnowledgeBase, names: Sequence[str], params: PathParams) -> list[int]:
    """The entity that each name means best, if one does and it is in the graph."""
    matches = [match for name in names for match in kb.find_entities(name, 1) if match.score >= params.min_coverage]
    return _in_graph(kb.fact_graph, [match.entity.id for match in matches])


def _own_seeds(kb: KnowledgeBase, question: str, closeness: Closeness, params: PathParams) -> list[int]:
    """The entities that the question names, then those of the facts closest to it."""
    graph = kb.fact_graph
    named = [one for span in named_in(kb, question) for one in span.entities]
    best = np.argsort(-closeness.fact_rows, kind="stable")[: params.fact_seeds]
    ends = graph.entities[np.column_stack([graph.heads[best], graph.tails[best]]).ravel()]
    return _in_graph(graph, [*named, *ends.tolist()])


def _in_graph(graph: FactGraph, ids: Sequence[int]) -> list[int]:
    distinct = list(dict.fromkeys(ids))
    known = np.isin(np.array(distinct, dtype=np.int64), graph.entities)
    return [one for one, is_known in zip(distinct, known.tolist(), strict=True) if is_known]


def path_passages(graph: FactGraph, path: Path) -> list[int]:
    """Rows of the passages that a path's facts come from and that its entities' documents open with, ascending."""
    facts = graph.fact_passages[graph.fact_places(path.facts)]
    rows = graph.entity_rows(path.entities)
    first, last = (np.searchsorted(graph.abouts[:, 0], rows, side=side) for side in ("left", "right"))
    own = [row for one, end in zip(first, last, strict=True) for row in graph.abouts[one:end, 1].tolist()]
    return sorted({*facts.tolist(), *own})


def _hits(kb: KnowledgeBase, paths: Sequence[Path]) -> tuple[Hit, ...]:
    graph = kb.fact_graph
    best: dict[int, float] = {}
    for path in paths:
        for row in path_passages(graph, path):
            best[row] = max(best.get(row, path.score), path.score)
    order = sorted(best, key=lambda row: (-best[row], row))
    passages = kb.passages(graph.passages[order].tolist())
    return tuple(Hit(passage, best[row]) for row, passage in zip(order, passages, strict=True))
