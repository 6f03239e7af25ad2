"""Rerankers: how likely a triple, or a passage, states what a constraint asks for, as log-odds on one scale.

CS-RAG (section 3.2) reranks with a cross-encoder, bge-reranker-v2-m3. Any cross-encoder that is on this machine can be
used by its name or folder; where none is given, two small trained networks over plain measures take its place
(benchmarks/calibrate_relations.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.records import Passage, Triple
from kb.store.embeddings import nothing_downloaded
from kb.store.knowledge_base import KnowledgeBase
from tools.relations.alignment import TRIPLE_FEATURES, Asked, PassageOdds, ScoredTriple, other_end, triple_features
from tools.relations.passage_measures import PASSAGE_FEATURES, passage_features

Floats = NDArray[np.float64]

NOTHING = PassageOdds()

SCORES = Path(__file__).with_name("constraint_scores.npz")


class Reranker(Protocol):
    """Log-odds that a candidate states the constraint asked for, shape (candidates,); empty for none."""

    def score_triples(self, kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple]) -> Floats:
        """Of each triple, that it states the constraint with the right value at the unknown end."""

    def score_passages(
        self,
        kb: KnowledgeBase,
        asked: Asked,
        passages: Sequence[Passage],
        found: PassageOdds = NOTHING,
    ) -> Floats:
        """Of each passage, that it is evidence for the constraint."""


@dataclass(frozen=True)
class Network:
    """One hidden layer over standardised features: (mean, scale, weights, bias, out, out_bias), all float32."""

    layers: tuple[NDArray[np.float32], ...]

    def logits(self, features: Floats) -> Floats:
        """Shape (rows,) of features of shape (rows, inputs)."""
        mean, scale, weights, bias, out, out_bias = self.layers
        hidden = np.maximum((features - mean) / scale @ weights.T + bias, 0.0)
        return np.asarray(hidden @ out + out_bias[0], dtype=np.float64)


@dataclass(frozen=True)
class TrainedReranker:
    """The shipped scorers. Their log-odds are calibrated: of the candidates scored 0, about half are right."""

    triples: Network
    passages: Network

    def score_triples(self, kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple]) -> Floats:
        return self.triples.logits(triple_features(kb, asked, triples))

    def score_passages(
        self,
        kb: KnowledgeBase,
        asked: Asked,
        passages: Sequence[Passage],
        found: PassageOdds = NOTHING,
    ) -> Floats:
        return self.passages.logits(passage_features(kb, asked, passages, found))


class CrossEncoderReranker:
    """A sentence-transformers CrossEncoder over (question and linearised constraint, linearised candidate).

    Its raw logits are the scores, as in the paper; they are log-odds where it was trained with a binary loss. What was
    found beforehand is not looked at.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def score_triples(self, kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple]) -> Floats:
        return self._score(asked, [one.text() for one in triples])

    def score_passages(
        self,
        kb: KnowledgeBase,
        asked: Asked,
        passages: Sequence[Passage],
        found: PassageOdds = NOTHING,
    ) -> Floats:
        return self._score(asked, [f"{one.title}. {one.text}" for one in passages])

    def _score(self, asked: Asked, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.zeros(0)
        from torch.nn import Identity  # seconds, which the shipped scorer need not wait for

        query = f"{asked.question} {asked.constraint.text()}"
        pairs = [(query, text) for text in texts]
        scores = self._model.predict(pairs, activation_fn=Identity(), show_progress_bar=False)
        return np.asarray(scores, dtype=np.float64).reshape(len(texts))


@lru_cache(maxsize=2)
def load_reranker(name: str = "") -> Reranker:
    """The shipped scorer, or the cross-encoder of this folder or name, which must be on this machine.

    Nothing is downloaded. Raises UsageError where there is no such model, or it does not give one score for a pair.
    """
    return _load_cross_encoder(name) if name else _load_shipped()


def _load_shipped() -> TrainedReranker:
    with np.load(SCORES, allow_pickle=False) as arrays:
        triples, passages = (
            Network(tuple(arrays[f"{kind}_{at}"] for at in range(6))) for kind in ("triples", "passages")
        )
    if (len(triples.layers[0]), len(passages.layers[0])) != (len(TRIPLE_FEATURES), len(PASSAGE_FEATURES)):
        raise UsageError(f"{SCORES.name} was trained on other measures than this version takes; run: make train")
    return TrainedReranker(triples, passages)


def _load_cross_encoder(name: str) -> CrossEncoderReranker:
    try:
        from sentence_transformers import CrossEncoder  # seconds
    except ImportError as error:
        raise UsageError(f"the reranker {name!r} needs more: pip install 'clew[models]'") from error
    try:
        with nothing_downloaded():
            model = CrossEncoder(name, local_files_only=True)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(
            f"no cross-encoder {name!r} can be loaded here ({reason:.120}); give a folder that holds one, or leave the "
            "reranker out to use the shipped scorer"
        ) from error
    if model.config.num_labels != 1:
        raise UsageError(f"{name!r} gives {model.config.num_labels} scores for a pair; a reranker gives one")
    return CrossEncoderReranker(model)


def score_candidates(
    kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple], reranker: Reranker
) -> list[ScoredTriple]:
    """Candidates with their log-odds, best first, ties by id (CS-RAG, section 3.2, contextual reranking)."""
    if not triples:
        return []
    scores = reranker.score_triples(kb, asked, triples).tolist()
    scored = [
        ScoredTriple(one, score, other_end(one, asked.anchors)) for one, score in zip(triples, scores, strict=True)
    ]
    return sorted(scored, key=lambda one: (-one.score, one.triple.id))


def chance(log_odds: float) -> float:
    """The probability of these log-odds, 0..1.

    >>> chance(0.0)
    0.5
    """
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -50.0), 50.0)))
