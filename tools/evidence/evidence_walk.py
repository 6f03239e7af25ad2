"""The passages that make up a question's evidence, by a walk whose probabilities are learned.

It is the query-aware walk of CatRAG (section 3.3) with the language model's edge scores replaced by a trained one, as
ReG trains its scorer on triples: a small network gives each passage of the pool the chance that the question starts
there, another gives each pair of passages the chance that the evidence goes on from the one to the other. Two passages
of a chain support each other that way, and the path that brought most to a passage is its thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.pool import PAIR_FEATURES, PASSAGE_FEATURES, Pool, gather
from tools.planning.plan import Plan
from tools.planning.planner import plan_question
from tools.types import Hit

Floats = NDArray[np.float32]

MODEL = Path(__file__).with_name("evidence_walk.npz")
SHORT_DOCUMENT = 4
"""Passages of a document that is ranked as one: about a page of text."""
FIRST = 5
"""Passages, the best, that are put in the order of their threads: as many as people look at first."""
STEPS = 3
"""Steps of the walk: evidence of four passages hangs together over three pairs."""


@dataclass(frozen=True)
class EvidenceModel:
    """Two networks of one hidden layer: over a passage's features, and over a pair's with those of both its ends.

    `*_mean` and `*_scale` standardise the features; all arrays are float32.
    """

    passage_mean: Floats
    passage_scale: Floats
    pair_mean: Floats
    pair_scale: Floats
    passage_layers: tuple[Floats, Floats, Floats, Floats]
    pair_layers: tuple[Floats, Floats, Floats, Floats]

    def logits(self, pool: Pool) -> tuple[Floats, Floats]:
        """Of every passage, shape (n,), and of every pair, shape (m,)."""
        passages = (pool.features - self.passage_mean) / self.passage_scale
        pairs = (pool.pair_features - self.pair_mean) / self.pair_scale
        sources, targets = pool.pairs[:, 0], pool.pairs[:, 1]
        both = np.concatenate([pairs, passages[sources], passages[targets]], axis=1)
        return _network(self.passage_layers, passages), _network(self.pair_layers, both)


@lru_cache(maxsize=1)
def load_model(path: Path = MODEL) -> EvidenceModel:
    """The trained model. Raises UsageError where it was trained on other features than the pool has."""
    with np.load(path, allow_pickle=False) as arrays:
        model = EvidenceModel(
            arrays["passage_mean"], arrays["passage_scale"], arrays["pair_mean"], arrays["pair_scale"],
            tuple(arrays[f"passage_{at}"] for at in range(4)), tuple(arrays[f"pair_{at}"] for at in range(4)),
        )  # fmt: skip
    if (len(model.passage_mean), len(model.pair_mean)) != (len(PASSAGE_FEATURES), len(PAIR_FEATURES)):
        raise UsageError(f"{path.name} was trained on other features than this version measures; run: make train")
    return model


def evidence_walk(
    kb: KnowledgeBase,
    question: str,
    plan: Plan | None = None,
    lists: Mapping[str, Sequence[int]] | None = None,
    k: int = 10,
) -> list[Hit]:
    """The k passages most likely to be the question's evidence, best first, ties by id; scores are chances, 0..1.

    Among the first five none stands before the one that led to it, whatever their scores: what a thread ends in often
    has the higher chance, and makes no sense without its beginning, which then scores as much.

    Without a plan the question is planned offline. `lists` are ids of passages that other tools have found, best first,
    by tool: they join the pool, and of the tools in `RANKED_BY` the rank counts; an unknown id is left out. Nothing for
    an empty file or a blank question.
    """
    if not question.strip() or k < 1:
        return []
    plan = plan_question(question) if plan is None else plan
    known = {tool: [one.id for one in kb.passages(ids)] for tool, ids in (lists or {}).items()}
    pool = gather(kb, question, plan, known)
    if not pool.passages:
        return []
    scores, previous = walk(pool, *load_model().logits(pool))
    order = _document_order(kb, pool, scores)[:k]
    order = _in_thread_order(order[:FIRST], previous) + order[FIRST:]
    chances = _with_what_follows(np.exp(scores[order]))
    return [
        Hit(
            pool.passages[at],
            float(chance),
            _why(pool, previous[at]),
            pool.passages[previous[at]].id if previous[at] >= 0 else None,
        )
        for at, chance in zip(order, chances, strict=True)
    ]


def _document_order(kb: KnowledgeBase, pool: Pool, scores: Floats) -> list[int]:
    """Places in the pool by score, the parts of a short document as one: together they make its score, the best part
    shows it, and the others come after everything else. A long document's passages stand each for themselves.
    """
    documents = kb.links.documents([one.id for one in pool.passages])
    sizes = kb.links.sizes(documents.values())
    best: dict[int, int] = {}
    value = scores.astype(np.float64)
    behind = np.zeros(len(scores), dtype=bool)
    for at in np.lexsort((np.arange(len(scores)), -scores)).tolist():
        document = documents[pool.passages[at].id]
        if document not in best:
            best[document] = at
        elif sizes[document] <= SHORT_DOCUMENT:
            value[best[document]] = np.logaddexp(value[best[document]], value[at])
            behind[at] = True
    return [int(at) for at in np.lexsort((np.arange(len(scores)), -value, behind))]


def _in_thread_order(order: list[int], previous: NDArray[np.int64]) -> list[int]:
    """The same places, each as early as its score has it but behind the one that led to it, if that is among them."""
    waiting, placed = list(order), list[int]()
    while waiting:
        ready = next(at for at in waiting if int(previous[at]) not in waiting)
        waiting.remove(ready)
        placed.append(ready)
    return placed


def _with_what_follows(chances: Floats) -> Floats:
    """Chances of the passages in their order, the first five at least those of the ones behind them among the five.

    No further: the other parts of a short document stand last for all that they weigh.
    """
    first = np.maximum.accumulate(chances[:FIRST][::-1])[::-1]
    return np.concatenate([first, chances[FIRST:]])


def walk(pool: Pool, starts: Floats, steps: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Log-probabilities of the passages after the walk, shape (n,), and the place of the one that led to each, or -1.

    A passage's mass is its own chance as a start plus, over every pair that ends in it, the source's mass times e to
    the pair's logit; masses are normalised after each of STEPS steps.
    """
    start = starts - _log_sum(starts)
    mass = start
    sources, targets = pool.pairs[:, 0], pool.pairs[:, 1]
    arriving = steps
    for _ in range(STEPS):
        arriving = mass[sources] + steps
        highest = start.copy()
        np.maximum.at(highest, targets, arriving)
        total = np.exp(start - highest)
        np.add.at(total, targets, np.exp(arriving - highest[targets]))
        mass = highest + np.log(total)
        mass = mass - _log_sum(mass)
    return mass, _threads(len(start), start, sources, targets, arriving)


def _threads(
    n: int, start: Floats, sources: NDArray[np.int64], targets: NDArray[np.int64], arriving: Floats
) -> NDArray[np.int64]:
    """The place of the passage that led to each, or -1 where the question itself did: there every thread begins.

    A tree grown from the likeliest start: each time the passage joins to which most mass comes, from the question or
    from one that is in the tree already. Taking for each the source of most mass would close rings of two passages that
    lead to each other.
    """
    order = np.argsort(sources, kind="stable")
    bounds = np.searchsorted(sources[order], np.arange(n + 1))
    parents = np.full(n, -1, dtype=np.int64)
    value, waiting = start.astype(np.float64), np.ones(n, dtype=bool)
    for _ in range(n):
        at = int(np.argmax(np.where(waiting, value, -np.inf)))
        waiting[at] = False
        pairs = order[bounds[at] : bounds[at + 1]]
        pairs = pairs[waiting[targets[pairs]] & (arriving[pairs] > value[targets[pairs]])]
        value[targets[pairs]] = arriving[pairs]
        parents[targets[pairs]] = at
    return parents


def _why(pool: Pool, source: int) -> str:
    return f"follows from {pool.passages[source].title}" if source >= 0 else "found by the question itself"


def _network(layers: tuple[Floats, Floats, Floats, Floats], x: Floats) -> Floats:
    weights, bias, out, out_bias = layers
    return np.asarray(np.maximum(x @ weights.T + bias, 0.0) @ out[0] + out_bias[0], dtype=np.float32)


def _log_sum(values: Floats) -> np.float32:
    highest = values.max()
    return np.float32(highest + np.log(np.exp(values - highest).sum()))
