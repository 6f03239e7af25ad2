"""A walk over the graph of facts that is steered by the question (CatRAG, section 3, over HippoRAG 2's graph).

The facts closest to the question give the entities to start from, the names in it weak anchors. The relation edges of
these entities are scored in tiers, their edges to the passages of verified facts are boosted, and personalised PageRank
over the graph so changed ranks the passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import CONTEXT_WEIGHT, FactGraph
from kb.records import Entity, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Edge, Judge
from tools.judgements.offline_judge import OfflineJudge
from tools.judgements.summaries import within
from tools.search.closeness import Closeness
from tools.search.entity_lookup import named_in
from tools.search.surroundings import surroundings
from tools.triple_scoring.triple_scorer import score_triples
from tools.types import Hit

Tier = Literal["irrelevant", "weak", "high", "direct"]
Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Weights = Mapping[int, float]
"""By row of the graph."""

_WEAKEST = 0.2
_TIERS: tuple[tuple[Tier, float], ...] = (
    ("irrelevant", 0.0), ("irrelevant", 0.0), ("irrelevant", 0.0), ("irrelevant", 0.0), ("weak", _WEAKEST),
    ("weak", 0.25), ("weak", 0.3), ("high", 2.0), ("high", 2.5), ("high", 3.0), ("direct", 5.0),
)  # fmt: skip
"""phi: tier and weight by whole score, 0..10 (table 7); inside a tier the weight rises evenly."""
_EVEN_ODDS = -4.0
"""Log-odds of a fact that weighs one half: of hundreds of candidates few are evidence, and so all odds are low."""
_STEPS = 60
"""Of power iteration at most: at a damping of 0.5 the rest is below 1e-10 after 34."""
_CLOSE_ENOUGH = 1e-9


@dataclass(frozen=True, slots=True)
class EdgeScoringParams:
    """CatRAG's numbers (table 6) and HippoRAG 2's; `tools.presets` has what the papers have where these differ."""

    facts: int = 5
    """Facts closest to the question that are put to the judge (HippoRAG 2)."""
    rescored: int = 40
    """Facts by closeness from which the trained scorer picks these. 0, as published, takes the closest themselves."""
    filter_facts: bool = True
    """Let the judge drop facts that do not help (HippoRAG 2's recognition memory)."""
    seeds: int = 5
    """Entities of these facts from which the walk starts (HippoRAG 2), and N_seed, those whose edges are scored."""
    damping: float = 0.5
    """Probability of going on at each step, 0..1 (both papers)."""
    passage_weight: float = 0.05
    """Reset weight of the passage most similar to the question (HippoRAG 2)."""
    passage_sharpness: float = 8.0
    """Power to which a passage's similarity, normalised to 0..1, is taken. At 1, as published, thousands of passages
    with a similarity of 0.3 hold most of the reset probability; at 8 the first dozen do."""
    symbolic_anchors: bool = True
    """Start from what the question names as well (section 3.2)."""
    anchor_weight: float = 1.0
    """epsilon, over the number of passages that mention the entity. The paper has 0.2."""
    weigh_edges: bool = True
    """Score the relation edges of the seeds (section 3.3)."""
    scored_edges: int = 15
    """K_edge: of each seed the neighbours with the closest facts are scored, the others get the least weak weight."""
    dense_entity: int = 10
    """tau: of a neighbour with more facts a summary is judged. The paper does not say."""
    summary_tokens: int = 150
    """Words and signs of a summary at most."""
    key_facts: bool = True
    """Boost the edges from seeds to the passages of their verified facts (section 3.4)."""
    key_fact_boost: float = 2.5
    """beta: such an edge is multiplied by 1 + beta; what `own_passage` adds beside it is not."""
    own_passage: float = 10.0
    """Added to the edge from an entity to the first passage of the document that it is the title of. 0, as published,
    gives it no more than any passage that mentions the entity."""


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity that the walk starts from, and its reset weight, not normalised; an anchor is named and in no fact."""

    entity: Entity
    weight: float
    is_anchor: bool = False


@dataclass(frozen=True, slots=True)
class ScoredEdge:
    """A step from a seed: the judge's score, 0..10, its tier, and phi * static weight, by which the walk takes it."""

    source: Entity
    target: Entity
    score: float
    tier: Tier
    weight: float


@dataclass(frozen=True, slots=True)
class EdgeScoringResult:
    """Seeds by weight, verified facts, edges as scored and passages, best first.

    `probabilities`, shape (entities + passages,), sum 1, is where the walk stands in the end, in the rows of
    the graph around the question, entities first; empty where nothing was walked.
    """

    seeds: tuple[Seed, ...] = ()
    facts: tuple[Triple, ...] = ()
    edges: tuple[ScoredEdge, ...] = ()
    hits: tuple[Hit, ...] = ()
    probabilities: Floats = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)


def walk_scored_edges(
    kb: KnowledgeBase, question: str, k: int = 10, params: EdgeScoringParams | None = None, judge: Judge | None = None
) -> EdgeScoringResult:
    """The k passages where a walk steered by the question stands most often, and what steered it; ties go by id.

    Without facts, or where the judge keeps none, the walk starts from the names in the question and from the passages
    similar to it. Nothing for an empty question or file.
    """
    kb = surroundings(kb, question)
    if not question.strip() or not len(kb.fact_graph.passages):
        return EdgeScoringResult()
    return _Steering(kb, question, params or EdgeScoringParams(), judge or OfflineJudge(kb)).run(k)


def tier_of(score: float) -> tuple[Tier, float]:
    """The tier of a score, 0..10, and its weight phi; scores between two whole ones count as the nearest.

    >>> tier_of(8.0)
    ('high', 2.5)
    """
    return _TIERS[int(np.clip(np.floor(score + 0.5), 0, 10))]


def seed_weights(graph: FactGraph, places: Ids, scores: Floats, most: int) -> dict[int, float]:
    """Reset weight by entity row: the mean score of an entity's facts over the number of passages that mention it.

    `places`, shape (n,), index `graph.facts`; `scores` are theirs. The `most` heaviest, heaviest first, ties by id.
    """
    found: dict[int, list[float]] = {}
    for place, score in zip(places.tolist(), scores.tolist(), strict=True):
        for row in dict.fromkeys((int(graph.heads[place]), int(graph.tails[place]))):
            found.setdefault(row, []).append(score)
    weights = {row: sum(of) / len(of) / int(graph.passage_counts[row]) for row, of in found.items()}
    order = sorted(weights, key=lambda row: (-weights[row], row))[: max(most, 0)]
    return {row: weights[row] for row in order}


def pagerank(base: Any, replaced: Mapping[int, Weights], reset: Floats, damping: float) -> Floats:
    """Personalised PageRank by power iteration, shape (n,), sum 1; `reset`, shape (n,), need not be normalised.

    `base`, sparse (n, n), CSR, holds the weight of the edge from row to column. Rows in `replaced` have the edges given
    there instead, so that a question pays for the rows that it changes, not for the matrix. Zeros for zeros.
    """
    from scipy.sparse import csr_array

    total = reset.sum()
    if not total:
        return reset
    reset = reset / total
    rows = np.array(sorted(replaced), dtype=np.int64)
    entries = [(at, to, of) for at, row in enumerate(rows.tolist()) for to, of in replaced[row].items()]
    at, to, weights = (np.array([one[column] for one in entries]) for column in range(3))
    changed = csr_array(
        (weights.astype(np.float64), (at.astype(np.int64), to.astype(np.int64))), (len(rows), len(reset))
    )
    scale, changed_scale = _inverse(base.sum(axis=1)), _inverse(changed.sum(axis=1))
    scale[rows] = 0.0
    rank = reset
    for _ in range(_STEPS):
        moved = base.T @ (rank * scale) + changed.T @ (rank[rows] * changed_scale)
        # What stands where nothing leads on goes back to the seeds.
        after = damping * moved + (1 - damping * moved.sum()) * reset
        step, rank = np.abs(after - rank).sum(), after
        if step < _CLOSE_ENOUGH:
            break
    return np.asarray(rank)


class _Steering:
    """One question's walk. Entities are their rows in the graph; a passage's row comes after those of all entities."""

    def __init__(self, kb: KnowledgeBase, question: str, params: EdgeScoringParams, judge: Judge) -> None:
        self.kb = kb
        self.question = question
        self.params = params
        self.judge = judge
        self.graph = kb.fact_graph
        self.near = Closeness.of(kb, question)
        named = {entity for span in named_in(kb, question) for entity in span.entities}
        self.named = self.graph.entities[np.isin(self.graph.entities, sorted(named))]

    def run(self, k: int) -> EdgeScoringResult:
        facts, scores = self._seed_facts()
        places = self.graph.fact_places([fact.id for fact in facts])
        seeds = seed_weights(self.graph, places, scores, self.params.seeds)
        anchors = self._anchors()
        edges = self._scored_edges(seeds, facts) if self.params.weigh_edges else []
        base = self._base()
        replaced = self._replaced(base, seeds, edges, places if self.params.key_facts else places[:0])
        probabilities = pagerank(base, replaced, self._reset(seeds, anchors), self.params.damping)
        return EdgeScoringResult(
            self._described(seeds, anchors),
            tuple(facts),
            tuple(edges),
            self._hits(probabilities, facts, k),
            probabilities,
        )

    def _seed_facts(self) -> tuple[list[Triple], Floats]:
        """The facts to start from, best first, as far as the judge keeps them, and their scores, 0..1: cosines, or what
        the trained scorer gives them.
        """
        closeness = self.near.fact_rows.astype(np.float64)
        best = np.lexsort((self.graph.facts, -closeness))[: max(self.params.facts, self.params.rescored)]
        facts, scores = self.kb.triples(self.graph.facts[best].tolist()), np.maximum(closeness[best], 0.0)
        if self.params.rescored:
            odds = score_triples(self.kb, self.question, facts, self.named.tolist())
            scores = 1.0 / (1.0 + np.exp(_EVEN_ODDS - odds))
        order = np.lexsort((self.graph.facts[best], -scores))[: max(self.params.facts, 0)]
        facts, scores = [facts[at] for at in order], scores[order]
        if self.params.filter_facts and facts:
            ids = set(self.judge.filter_facts(self.question, facts))
            kept = [at for at, fact in enumerate(facts) if fact.id in ids]
            facts, scores = [facts[at] for at in kept], scores[kept]
        return facts, scores

    def _anchors(self) -> dict[int, float]:
        rows = self.graph.entity_rows(self.named if self.params.symbolic_anchors else [])
        weights = self.params.anchor_weight / np.maximum(self.graph.passage_counts[rows], 1)
        return dict(zip(rows.tolist(), weights.tolist(), strict=True))

    def _reset(self, seeds: Weights, anchors: Weights) -> Floats:
        graph = self.graph
        similarity = self.near.passages(graph.passages.tolist()).astype(np.float64)
        lowest, highest = similarity.min(), similarity.max()
        # A single passage, or all alike, are as similar as any.
        normal = (similarity - lowest) / (highest - lowest) if highest > lowest else np.ones(len(similarity))
        passages = self.params.passage_weight * normal**self.params.passage_sharpness
        reset = np.concatenate([np.zeros(len(graph.entities)), passages])
        for weights in (seeds, anchors):
            for row, weight in weights.items():
                reset[row] += weight
        return reset

    def _neighbours(self, row: int) -> dict[int, list[int]]:
        """The places of the facts that join an entity to each other one, closest neighbour first, ties by row."""
        starts, places = self.graph.facts_by_entity
        joining: dict[int, list[int]] = {}
        for place in places[starts[row] : starts[row + 1]].tolist():
            head, tail = int(self.graph.heads[place]), int(self.graph.tails[place])
            if head != tail:
                joining.setdefault(tail if head == row else head, []).append(place)
        nearest = {other: max(self.near.fact_rows[of].tolist()) for other, of in joining.items()}
        return {other: joining[other] for other in sorted(joining, key=lambda one: (-nearest[one], one))}

    def _scored_edges(self, seeds: Weights, facts: Sequence[Triple]) -> list[ScoredEdge]:
        """The seeds' edges to their closest neighbours, as the judge scores them, best first for each seed."""
        steps = [
            (seed, other, places)
            for seed in seeds
            for other, places in list(self._neighbours(seed).items())[: max(self.params.scored_edges, 0)]
        ]
        edges = self._as_edges(steps)
        scored = []
        scores = self.judge.score_edges(self.question, edges, facts) if edges else ()
        for edge, score in zip(edges, scores, strict=True):
            tier, weight = tier_of(score)
            scored.append(ScoredEdge(edge.source, edge.target, score, tier, weight * len(edge.facts)))
        order = {self.graph.entities[seed]: at for at, seed in enumerate(seeds)}
        return sorted(scored, key=lambda one: (order[one.source.id], -one.score, one.target.id))

    def _as_edges(self, steps: Sequence[tuple[int, int, list[int]]]) -> list[Edge]:
        graph = self.graph
        contexts = {other: self._context(other) for _, other, _ in steps}
        places = sorted({place for _, _, of in steps for place in of} | {at for of in contexts.values() for at in of})
        facts = dict(zip(places, self.kb.triples(graph.facts[places].tolist()), strict=True))
        rows = sorted({row for seed, other, _ in steps for row in (seed, other)})
        entities = dict(zip(rows, self.kb.entities(graph.entities[rows].tolist()), strict=True))
        told = {other: tuple(facts[place] for place in of) for other, of in contexts.items()}
        dense = [other for other in told if self._is_dense(other)]
        texts = self.judge.summarise(
            [entities[other] for other in dense], [told[other] for other in dense], self.params.summary_tokens
        )
        summaries = dict(zip(dense, texts, strict=True))
        told |= {other: within(told[other], self.params.summary_tokens) for other in dense}
        return [
            Edge(
                entities[seed],
                entities[other],
                tuple(facts[place] for place in of),
                told[other],
                summaries.get(other, ""),
            )
            for seed, other, of in steps
        ]

    def _is_dense(self, row: int) -> bool:
        starts, _ = self.graph.facts_by_entity
        return bool(starts[row + 1] - starts[row] > self.params.dense_entity)

    def _context(self, row: int) -> list[int]:
        """The places of an entity's facts; of a dense one only those closest to the question, closest first."""
        starts, places = self.graph.facts_by_entity
        mine = places[starts[row] : starts[row + 1]]
        if self._is_dense(row):
            order = np.lexsort((mine, -self.near.fact_rows[mine]))
            # A fact has three tokens at least.
            mine = mine[order][: self.params.summary_tokens // 3]
        return [int(place) for place in mine]

    def _base(self) -> Any:
        """The static matrix, with the edges from entities to their own passages strengthened; not symmetric."""
        from scipy.sparse import csr_array

        base = self.graph.adjacency.astype(np.float64)
        if not self.params.own_passage or not len(self.graph.abouts):
            return base
        entities, passages = self.graph.abouts.T
        added = np.full(len(entities), self.params.own_passage)
        return base + csr_array((added, (entities, passages + len(self.graph.entities))), base.shape)

    def _replaced(
        self, base: Any, seeds: Weights, edges: Sequence[ScoredEdge], key_places: Ids
    ) -> dict[int, dict[int, float]]:
        """The seeds' rows: relation edges by new weight, edges to key passages boosted, the others as they are."""
        graph = self.graph
        scored = {(edge.source.id, edge.target.id): edge.weight for edge in edges}
        replaced: dict[int, dict[int, float]] = {}
        for row in seeds:
            start, end = base.indptr[row : row + 2]
            weights = dict(zip(base.indices[start:end].tolist(), base.data[start:end].tolist(), strict=True))
            for other, places in (self._neighbours(row) if self.params.weigh_edges else {}).items():
                ids = (int(graph.entities[row]), int(graph.entities[other]))
                weights[other] += scored.get(ids, _WEAKEST * len(places)) - len(places)
            mine = key_places[(graph.heads[key_places] == row) | (graph.tails[key_places] == row)]
            for passage in np.unique(graph.fact_passages[mine]).tolist():
                # Only the edge that stands for the mention: that to an entity's own passage is another one beside it.
                weights[passage + len(graph.entities)] += self.params.key_fact_boost * CONTEXT_WEIGHT
            replaced[row] = weights
        return replaced

    def _described(self, seeds: Weights, anchors: Weights) -> tuple[Seed, ...]:
        total = {row: seeds.get(row, 0.0) + anchors.get(row, 0.0) for row in (*seeds, *anchors)}
        order = sorted(total, key=lambda row: (-total[row], row))
        entities = self.kb.entities(self.graph.entities[order].tolist())
        return tuple(
            Seed(entity, total[row], is_anchor=row not in seeds) for row, entity in zip(order, entities, strict=True)
        )

    def _hits(self, probabilities: Floats, facts: Sequence[Triple], k: int) -> tuple[Hit, ...]:
        mine = probabilities[len(self.graph.entities) :]
        order = np.lexsort((self.graph.passages, -mine))[: max(k, 0)]
        order = order[mine[order] > 0]
        why = {fact.passage: fact.text() for fact in reversed(facts)}
        passages = self.kb.passages(self.graph.passages[order].tolist())
        return tuple(
            Hit(passage, float(mine[row]), why.get(passage.id, ""))
            for passage, row in zip(passages, order.tolist(), strict=True)
        )


def _inverse(sums: Any) -> Floats:
    """1 / sums, 0 where a sum is 0."""
    safe = np.asarray(sums, dtype=np.float64)
    return np.where(safe > 0, 1.0 / np.where(safe > 0, safe, 1.0), 0.0)
