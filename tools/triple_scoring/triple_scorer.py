"""Which facts belong to a question's evidence, by a trained scorer (ReG, section 4.1 and appendix D.3: ReG@Triple).

A small network reads the vectors of question, head, relation and tail and what `triple_measures.py` measures,
directional distances among it (`triple_model.py`). benchmarks/train_triples.py trains it on facts that are known, or
can be inferred, to be evidence, and `clew train` goes on with a user's own questions (`tools/scorer_training/`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import FactGraph, held_rows
from kb.records import Passage, Triple
from kb.store.embeddings import DEFAULT_MODEL
from kb.store.knowledge_base import KnowledgeBase
from tools.search.closeness import Closeness
from tools.search.entity_lookup import named_in
from tools.search.surroundings import surroundings
from tools.triple_scoring.triple_measures import TripleMeasures
from tools.triple_scoring.triple_model import scorer_of
from tools.types import Hit

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
Ids = NDArray[np.int64]

MEANINGS = 3
"""Documents of one title that are looked at: which of more is meant, a fact cannot tell."""


@dataclass(frozen=True, slots=True)
class TripleParams:
    """Where candidates come from, how many, and which passages are found for the facts kept."""

    hops: int = 2
    """Facts between a question's entities and a candidate, counting the candidate: most questions have two."""
    degree: int = 60
    """Facts of one entity that are looked at, the closest to the question first: a hub has thousands."""
    near: int = 150
    """Facts that join the candidates only because their sentences are the closest to the question: what the entities
    do not lead to, as where the question names none."""
    candidates: int = 600
    """Facts scored at most; those farther than one hop give way first, the least close of them before the others."""
    ends: bool = True
    """Whether the documents that a kept fact's ends are the titles of are found too: the fact that leads to the next
    document stands in the one before it. Off, recall@5 falls by 5 points on held-out training questions of
    2WikiMultihopQA and HotpotQA, and by none on MuSiQue's."""
    ends_cost: float = 2.0
    """Log-odds by which such a document stands below the passage that states the fact. Anything from 0 to 2 ranks
    2WikiMultihopQA's and HotpotQA's alike; MuSiQue's facts, whose ends are more often beside the point, want 2."""


OUTSIDE = -30.0
"""Log-odds of a fact that nothing around the question leads to."""


@dataclass(frozen=True, slots=True)
class ScoredFact:
    """A fact, and its log-odds of belonging to the evidence."""

    triple: Triple
    score: float


@dataclass(frozen=True, slots=True)
class TripleResult:
    """The facts kept, best first, ties by id; and the passages that carry them, or that their ends are the titles of.

    A passage's score is its best fact's log-odds, less `ends_cost` where it is only about an end of it. `scored` counts
    the candidates, `truncated` says whether there were more than were looked at.
    """

    triples: tuple[ScoredFact, ...]
    hits: tuple[Hit, ...]
    scored: int
    truncated: bool


def score_triples(kb: KnowledgeBase, question: str, triples: Sequence[Triple], sources: Collection[int]) -> Floats:
    """Log-odds that each triple belongs to the question's evidence, shape (len(triples),).

    `sources` are the ids of the question's entities, from which distances are counted; unknown ones are left out. The
    triples must be the file's; one that is not in the graph around the question (`search/surroundings.py`) has OUTSIDE.
    Empty for no triples. In a file with another embedding model than the one trained on, the vectors are left out. The
    network is the one that ships, or the file's own (`triple_model.use_scorer`).
    """
    if not triples:
        return np.zeros(0)
    kb = surroundings(kb, question)
    scores: Floats = np.full(len(triples), OUTSIDE)
    inside = kb.fact_graph.holds_facts([one.id for one in triples])
    held = [one for one, is_held in zip(triples, inside, strict=True) if is_held]
    if held:
        scores[inside] = _scores(kb, _measures_of(kb, question, frozenset(sources)), held)
    return scores


def _measures_of(kb: KnowledgeBase, question: str, sources: frozenset[int]) -> TripleMeasures:
    """Those of the latest question are kept: a technique has its facts scored some at a time."""
    kept: dict[tuple[str, frozenset[int]], TripleMeasures] = kb.once(_measures_of, dict)
    if (question, sources) not in kept:
        kept.clear()
        kept[question, sources] = TripleMeasures(kb, question, sources)
    return kept[question, sources]


def _scores(kb: KnowledgeBase, measures: TripleMeasures, triples: Sequence[Triple]) -> Floats:
    if kb.embedding_model != DEFAULT_MODEL:
        return scorer_of(kb).logits(measures.measures(triples), None, None)
    return scorer_of(kb).logits(measures.measures(triples), measures.vector, measures.vectors(triples))


def rank_triples(kb: KnowledgeBase, question: str, k: int = 30, params: TripleParams | None = None) -> TripleResult:
    """The k facts most likely to be the question's evidence, out of those near it, and the passages for them.

    Candidates are the facts within two hops of the entities that the question names, and those of the sentences closest
    to it. Nothing for a blank question, a file without facts, or k below 1.
    """
    params, kb = params or TripleParams(), surroundings(kb, question)
    if not question.strip() or k < 1 or not len(kb.fact_graph.facts):
        return TripleResult((), (), 0, False)
    sources = sorted({one for span in named_in(kb, question) for one in span.entities})
    triples, truncated = candidate_triples(kb, question, sources, params)
    scores = score_triples(kb, question, triples, sources)
    order = np.lexsort((np.array([one.id for one in triples]), -scores))
    kept = tuple(ScoredFact(triples[at], float(scores[at])) for at in order[:k])
    return TripleResult(kept, _hits(kb, kept, params), len(triples), truncated)


def candidate_triples(
    kb: KnowledgeBase, question: str, sources: Collection[int], params: TripleParams | None = None
) -> tuple[list[Triple], bool]:
    """The facts near a question, by id, and whether some were left out for their number."""
    kb = surroundings(kb, question)
    graph = kb.fact_graph
    places, truncated = _candidates(graph, Closeness.of(kb, question).fact_rows, sources, params or TripleParams())
    return kb.triples(graph.facts[places].tolist()), truncated


def _candidates(
    graph: FactGraph, closeness: Weights, sources: Collection[int], params: TripleParams
) -> tuple[Ids, bool]:
    """Places of the candidates in `graph.facts`, ascending, and whether facts were left out for their number."""
    near = _closest(closeness, params.near)
    reached, truncated = _reachable(graph, closeness, sources, params)
    first = np.union1d(near, reached[0] if reached else near[:0])
    if len(first) > params.candidates:
        truncated = True
        first = first[np.lexsort((first, -closeness[first]))[: max(params.candidates, 0)]]
    rest = np.setdiff1d(np.concatenate([near[:0], *reached[1:]]), first)
    room = max(params.candidates - len(first), 0)
    kept = rest[np.lexsort((rest, -closeness[rest]))[:room]]
    return np.union1d(first, kept).astype(np.int64), truncated or len(kept) < len(rest)


def _closest(closeness: Weights, most: int) -> Ids:
    """Places of the highest values, ties by place; without sorting all of a large file's."""
    if not 0 < most < len(closeness):
        return np.arange(len(closeness) if most > 0 else 0)
    least = np.partition(closeness, len(closeness) - most)[len(closeness) - most]
    found = np.flatnonzero(closeness >= least)
    return found[np.lexsort((found, -closeness[found]))[:most]]


def _reachable(
    graph: FactGraph, closeness: Weights, sources: Collection[int], params: TripleParams
) -> tuple[list[Ids], bool]:
    """Of each hop, the places of the facts at the entities first reached by the hop before it."""
    starts, places = graph.facts_by_entity
    frontier = held_rows(graph.entities, sources)
    seen = np.zeros(len(graph.entities), dtype=bool)
    hops: list[Ids] = []
    truncated = False
    for _ in range(params.hops):
        seen[frontier] = True
        found = [places[starts[row] : starts[row + 1]] for row in frontier]
        truncated |= any(len(one) > params.degree for one in found)
        found = [one[np.lexsort((one, -closeness[one]))[: params.degree]] for one in found]
        hops.append(np.unique(np.concatenate([places[:0], *found])))
        ends = np.union1d(graph.heads[hops[-1]], graph.tails[hops[-1]])
        frontier = ends[~seen[ends]]
    return hops, truncated


def _hits(kb: KnowledgeBase, facts: Sequence[ScoredFact], params: TripleParams) -> tuple[Hit, ...]:
    """The passages that carry the facts, and the first ones of the documents about their ends, each by what makes its
    score highest.
    """
    best: dict[int, Hit] = {}
    stating = {one.id: one for one in kb.passages(sorted({fact.triple.passage for fact in facts}))}
    for one in facts:
        _keep(best, Hit(stating[one.triple.passage], one.score, one.triple.text()))
    if params.ends:
        about = _own_passages(kb, {end for one in facts for end in (one.triple.head, one.triple.tail)})
        for one in facts:
            for passage in (*about.get(one.triple.head, ()), *about.get(one.triple.tail, ())):
                if passage.id != one.triple.passage:
                    score = one.score - params.ends_cost
                    _keep(best, Hit(passage, score, f"about an end of: {one.triple.text()}", one.triple.passage))
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, hit.passage.id)))


def _keep(best: dict[int, Hit], hit: Hit) -> None:
    if hit.passage.id not in best or hit.score > best[hit.passage.id].score:
        best[hit.passage.id] = hit


def _own_passages(kb: KnowledgeBase, entities: Collection[int]) -> dict[int, list[Passage]]:
    """The first passages of the documents that an entity is the title of, by id; a name that is the title of more than
    MEANINGS tells nothing.
    """
    graph = kb.fact_graph
    rows = graph.entity_rows(sorted(entities))
    abouts = graph.abouts[np.isin(graph.abouts[:, 0], rows)]
    passages = {one.id: one for one in kb.passages(graph.passages[np.unique(abouts[:, 1])].tolist())}
    found: dict[int, list[Passage]] = {}
    for entity, row in abouts.tolist():
        found.setdefault(int(graph.entities[entity]), []).append(passages[int(graph.passages[row])])
    return {entity: some for entity, some in found.items() if len(some) <= MEANINGS}
