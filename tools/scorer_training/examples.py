"""A question as the scorer learns from it: what is measured of the facts near it, and which of them are evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.judgements.judge import Judge
from tools.scorer_training.evidence_labels import KnownAnswer, Labeller
from tools.search.entity_lookup import named_in
from tools.search.surroundings import surroundings
from tools.triple_scoring.triple_measures import TripleMeasures
from tools.triple_scoring.triple_scorer import candidate_triples

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Scores = Callable[["Example"], NDArray[np.float64]]
"""Log-odds of an example's candidates."""


@dataclass(frozen=True)
class Example:
    """A question's candidates: its vector, their measures, vectors (float16: head, relation, tail), whether each is
    evidence, and the key of each one's document; and the documents to be found, and how much the question counts.
    """

    question: Floats
    measures: Floats
    vectors: tuple[NDArray[np.float16], ...]
    evidence: Bools
    documents: NDArray[np.str_]
    supporting: frozenset[str]
    weight: float = 1.0


def example_of(labeller: Labeller, known: KnownAnswer, judge: Judge | None = None) -> Example | None:
    """The example that a question makes; None where no fact is near it. `judge` is as in `Labeller.evidence`."""
    kb = labeller.kb
    sources = sorted({one for span in named_in(kb, known.question) for one in span.entities})
    triples, _ = candidate_triples(kb, known.question, sources)
    if not triples:
        return None
    measured = TripleMeasures(surroundings(kb, known.question), known.question, sources)
    return Example(
        measured.vector,
        measured.measures(triples),
        tuple(one.astype(np.float16) for one in measured.vectors(triples)),
        labeller.evidence(known, triples, sources, judge),
        np.array([labeller.documents[one.passage][0] for one in triples]),
        known.supporting,
    )


# -- how well candidates are ranked -----------------------------------------------------------------------------------


def recall(marked: Bools, scores: NDArray[np.float64], k: int) -> float:
    """The share of the marked facts among the k best, 0..1; at least one must be marked."""
    return float(marked[np.argsort(-scores, kind="stable")[:k]].sum() / marked.sum())


def average_precision(marked: Bools, scores: NDArray[np.float64]) -> float:
    """The mean precision at the places of the marked facts, 0..1; at least one must be marked."""
    at = np.flatnonzero(marked[np.argsort(-scores, kind="stable")]) + 1
    return float(np.mean(np.arange(1, len(at) + 1) / at))


def documents_found(one: Example, scores: NDArray[np.float64], k: int) -> float:
    """The share of the supporting documents among the first k of the best facts, 0..1; at least one must be known."""
    order = np.argsort(-scores, kind="stable")
    found = one.supporting.intersection(list(dict.fromkeys(one.documents[order].tolist()))[:k])
    return len(found) / len(one.supporting)
