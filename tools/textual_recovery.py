"""Textual recovery of a constraint that the graph could not resolve (CS-RAG, section 3.3)."""

from __future__ import annotations

from kb.store import KnowledgeBase
from tools.passage_search import search_passages
from tools.plan import Constraint
from tools.rerank import score_passages
from tools.types import Hit

CANDIDATES = 8
"""Kt': passages by similarity to the linearised constraint, before reranking."""


def recover_text(kb: KnowledgeBase, question: str, constraint: Constraint, k: int = 5) -> list[Hit]:
    """The k (Kt = 5) passages that best speak to an unresolved constraint, best first. Binds nothing.

    Candidates come by the linearised constraint, dense and BM25 together, and are reranked against question and
    constraint. A constraint without words recovers nothing.
    """
    text = constraint.text()
    candidates = search_passages(kb, text, max(CANDIDATES, k))
    scores = score_passages(kb, f"{text}. {question}", [hit.passage for hit in candidates])
    hits = [Hit(hit.passage, score, f"recovered for: {text}") for hit, score in zip(candidates, scores, strict=True)]
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))[: max(k, 0)]
