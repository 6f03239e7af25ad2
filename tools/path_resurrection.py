"""Text and graph verify and complete each other (TGS-RAG, section 3.3, equations 2 to 4 and algorithm 2).

Graph to text: the entities that a beam search has seen vote for passages, which re-ranks those found by text and adds
others. Text to graph: a path gains by each of its entities that the retrieved passages name, and an entity that they
name but no kept path holds (an orphan) gets the path back by which the search had reached it before it was pruned. That
path is replayed from memory: nothing is searched again, and the file is not asked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph
from kb.store.knowledge_base import KnowledgeBase
from tools.path_search import Path, PathParams, PathResult, path_passages, search_paths
from tools.search.closeness import Closeness
from tools.search.passage_search import search_passages, similar_passages
from tools.search.surroundings import surroundings
from tools.types import Hit

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ResurrectionParams:
    """The paper's defaults (appendix C.1, table 4), and ours where the paper's own text has none."""

    search: PathParams = field(default_factory=PathParams)
    """Of the beam search, where none is given."""
    passages: int = 10
    """Passages that the text brings where none are given, from vectors and words together: twice the five that are kept
    (the authors' code)."""
    by_vectors: bool = False
    """Bring them by vectors alone, as the paper does."""
    rerank: bool = True
    """Graph to text; off, passages rank by their similarity, or in the order in which they were given, and none is
    added (the ablation "w/o re-ranking")."""
    alpha: float = 0.5
    """Weight of the similarity against that of the votes, 0..1."""
    given_order: float = 0.7
    """The same weight where passages are given: their order then stands for the similarity, 1 for the first, falling
    evenly to 0 for those that the graph adds. A technique that reads more than vectors knows better than a cosine. 0:
    similarity and alpha, as in the paper, for them too."""
    recommended: int = 4
    """k_r: passages that join for their votes alone."""
    shared_votes: bool = True
    """An entity's vote is shared out over the passages that name it. Off, as in the paper: a whole vote for each, and a
    country's name speaks for a hundred passages."""
    path_votes: float = 1.0
    """Weight, against the entities' votes, of a passage's best path: one that takes a fact from it or passes the entity
    that it is about. 0, as in the paper: every entity ever seen counts the same, and its own document as any other."""
    bridging: bool = True
    """Orphans get their stored path back (the ablation "w/o bridging")."""
    bridged: int = 3
    """k_o: stored paths that are replayed."""
    confirmation: float = 0.4
    """Epsilon: what a path gains for each of its entities that a retrieved passage names; 0 switches it off."""
    density: float = 0.4
    """Gamma: what a path gains for the seeds on it, for each hop, where there are at least two."""
    degree: float = 0.01
    """Lambda, of entities and of relations: what a thing's similarity gains for each fact at it."""
    most_degree: int = 30
    """Facts that count for the degree, as many as the search looks at: else a hub of 1,000 gains tenfold, which is not
    the small bias that the paper means."""


@dataclass(frozen=True, slots=True)
class ResurrectionResult:
    """`paths`: the kept and the resurrected ones, by their confirmed score, best first. `orphans`: ids of the entities
    that the passages name and no kept path holds, ascending. `hits`: passages re-ranked, scores 0..1.
    """

    paths: tuple[Path, ...]
    resurrected: tuple[Path, ...]
    orphans: tuple[int, ...]
    hits: tuple[Hit, ...]


def resurrect_paths(
    kb: KnowledgeBase,
    question: str,
    found: PathResult | None = None,
    text_hits: Sequence[Hit] | None = None,
    params: ResurrectionParams | None = None,
) -> ResurrectionResult:
    """The passages and paths that text and graph agree on, best first, ties by id.

    `found` is the beam search to go on from, `text_hits` are passages that another technique found; what is not given
    is made here. Passages that are not in the graph around the question (`search/surroundings.py`) are left out.
    An empty question or file gives an empty result; without paths the passages rank by their similarity, without
    passages those recommended by the graph are all there is.
    """
    params, kb = params or ResurrectionParams(), surroundings(kb, question)
    graph = kb.fact_graph
    if not question.strip() or not len(graph.passages):
        return ResurrectionResult((), (), (), ())
    closeness = Closeness.of(kb, question)
    if found is None or not _is_within(graph, found):  # but of another question's
        found = search_paths(kb, question, params=params.search)
    if text_hits is None:
        search = similar_passages if params.by_vectors else search_passages
        ids = [hit.passage.id for hit in search(kb, question, params.passages)]
    else:
        ids = list(dict.fromkeys(hit.passage.id for hit in text_hits))
    retrieved = graph.passage_rows(np.array(ids, dtype=np.int64)[graph.holds_passages(ids)])
    named = _named_by(graph, retrieved)
    orphans, replayed = _bridge(found, named) if params.bridging else ((), ())
    scorer = _PathScorer(graph, closeness, frozenset(found.seeds), named, params)
    resurrected = sorted(map(scorer.confirmed, replayed), key=_order)[: params.bridged]
    paths = sorted([*map(scorer.confirmed, found.paths), *resurrected], key=_order)
    pool, votes = _pool(retrieved, _votes(graph, found, resurrected, params), params)
    if text_hits is not None and params.given_order:
        scores = _fused(_places(len(retrieved), len(pool)), votes, params.given_order, params)
    else:
        scores = _fused(closeness.passages(graph.passages[pool].tolist()), votes, params.alpha, params)
    return ResurrectionResult(tuple(paths), tuple(resurrected), orphans, _hits(kb, pool, scores))


def _is_within(graph: FactGraph, found: PathResult) -> bool:
    paths = (*found.paths, *found.visited.values())
    entities = sorted({*found.seeds, *(one for path in paths for one in path.entities)})
    facts = sorted({one for path in paths for one in path.facts})
    return bool(graph.holds_entities(entities).all() and graph.holds_facts(facts).all())


def _bridge(found: PathResult, named: Collection[int]) -> tuple[tuple[int, ...], tuple[Path, ...]]:
    """Algorithm 2: the orphans among the entities that the text names, ascending, and the stored paths of those that
    the search had seen, seeds excepted: theirs lead nowhere. It has nothing but the memory to ask.
    """
    held = {entity for path in found.paths for entity in path.entities}
    orphans = tuple(sorted(set(named) - held))
    return orphans, tuple(found.visited[one] for one in orphans if one in found.visited and found.visited[one].facts)


class _PathScorer:
    """What a path is worth by itself (3.3.2), and with the text's confirmation (equation 3)."""

    def __init__(
        self,
        graph: FactGraph,
        closeness: Closeness,
        seeds: Collection[int],
        named: Collection[int],
        params: ResurrectionParams,
    ) -> None:
        self._graph, self._seeds, self._named, self._params = graph, seeds, named, params
        self._entity_scores, self._fact_scores = closeness.entity_rows, closeness.fact_rows

    def confirmed(self, path: Path) -> Path:
        """The path with its score replaced: epsilon is added for each entity that a retrieved passage names."""
        supported = sum(one in self._named for one in path.entities)
        return replace(path, score=self.base(path) + self._params.confirmation * supported)

    def base(self, path: Path) -> float:
        """The mean, over the path's entities and facts, of similarity * (1 + lambda * degree), times
        1 + gamma * seeds / hops where two seeds or more are on it.

        A fact's degree is the number of facts that join its two ends.
        """
        graph, params = self._graph, self._params
        rows = graph.entity_rows(path.entities)
        facts = graph.fact_places(path.facts)
        starts, _ = graph.facts_by_entity
        degrees = np.concatenate([starts[rows + 1] - starts[rows], _joining(graph, rows)])
        similarities = np.concatenate([self._entity_scores[rows], self._fact_scores[facts]]).astype(np.float64)
        quality = float((similarities * (1 + params.degree * np.minimum(degrees, params.most_degree))).mean())
        seeds = sum(one in self._seeds for one in path.entities)
        return quality * (1 + params.density * seeds / path.hops) if seeds > 1 else quality


def _joining(graph: FactGraph, rows: Rows) -> NDArray[np.int64]:
    """How many facts join each two entities that follow one another."""
    starts, places = graph.facts_by_entity
    counts = []
    for one, other in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
        if starts[one + 1] - starts[one] > starts[other + 1] - starts[other]:
            one, other = other, one
        facts = places[starts[one] : starts[one + 1]]
        counts.append(int(((graph.heads[facts] == other) | (graph.tails[facts] == other)).sum()))
    return np.array(counts, dtype=np.int64)


def _order(path: Path) -> tuple[float, int, tuple[int, ...]]:
    return -path.score, path.hops, path.entities


def _named_by(graph: FactGraph, passages: Rows) -> frozenset[int]:
    """Ids of the entities that the passages name."""
    rows = np.unique(graph.contexts[np.isin(graph.contexts[:, 1], passages), 0])
    return frozenset(graph.entities[rows].tolist())


def _votes(graph: FactGraph, found: PathResult, resurrected: Sequence[Path], params: ResurrectionParams) -> Floats:
    """Rec(c) of every passage, shape (passages,), at least 0."""
    seen = np.zeros(len(graph.entities))
    seen[graph.entity_rows(sorted(found.visited))] = 1.0
    if params.shared_votes:
        seen /= np.maximum(graph.passage_counts, 1)
    votes: Floats = np.zeros(len(graph.passages))
    np.add.at(votes, graph.contexts[:, 1], seen[graph.contexts[:, 0]])
    if not params.path_votes:
        return votes
    best = np.zeros(len(graph.passages))
    for path in (*found.paths, *(found.visited[one.entities[-1]] for one in resurrected)):
        for row in path_passages(graph, path):
            best[row] = max(best[row], path.score)
    return _to_largest(votes) + params.path_votes * _to_largest(best)


def _to_largest(values: Floats) -> Floats:
    return values / values.max() if values.max() > 0 else values


def _pool(retrieved: Rows, votes: Floats, params: ResurrectionParams) -> tuple[Rows, Floats]:
    """The retrieved passages in their order, then those that the graph recommends, and the votes of both."""
    others = np.setdiff1d(np.flatnonzero(votes > 0), retrieved) if params.rerank else retrieved[:0]
    pool = np.concatenate([retrieved, others[np.lexsort((others, -votes[others]))][: params.recommended]])
    return pool, votes[pool]


def _places(retrieved: int, count: int) -> Floats:
    """1 for the first of the retrieved, falling evenly, 0 for the rest, shape (count,)."""
    return np.maximum(1 - np.arange(count) / max(retrieved, 1), 0.0)


def _fused(similarities: NDArray[Any], votes: Floats, weight: float, params: ResurrectionParams) -> Floats:
    """Equation 2: the normalised similarities, `weight` of them, and the normalised votes."""
    if not params.rerank:
        return _normalised(similarities)
    return weight * _normalised(similarities) + (1 - weight) * _normalised(votes)


def _normalised(values: NDArray[Any]) -> Floats:
    """Min-max norm; where all are equal, 1 for what is above 0 and 0 for the rest. Empty for none."""
    norm: Floats = values.astype(np.float64)
    if not len(norm) or norm.max() == norm.min():
        return (norm > 0).astype(np.float64)
    norm -= norm.min()
    norm /= norm.max()
    return norm


def _hits(kb: KnowledgeBase, pool: Rows, scores: Floats) -> tuple[Hit, ...]:
    order = np.lexsort((pool, -scores))
    passages = kb.passages(kb.fact_graph.passages[pool[order]].tolist())
    return tuple(Hit(passage, float(scores[at])) for passage, at in zip(passages, order, strict=True))
