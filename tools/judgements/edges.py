"""How much a step from an entity to a neighbour helps to answer (CatRAG, section 3.3.3), without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb.store.knowledge_base import KnowledgeBase
from tools.search.entity_lookup import named_in
from tools.triple_scoring.triple_scorer import score_triples

if TYPE_CHECKING:
    from tools.judgements.judge import Edge

OFFSET = 11.0
SLOPE = 1.5
"""A score is OFFSET + SLOPE * log-odds. Of the steps that training questions offer (musique-train, 2wiki-train) those
with log-odds below -6 come from a gold passage for 0.11 and 0.23 of them: noise; from -6 to -4, 0.46 and 0.81: up to
weak; from -4 to -2, 0.68 and 0.85: weak to high; above, 0.9 and more. The highest, -0.5, comes out as 10."""
CONTEXT_LAG = 9.0
"""What the neighbour's own facts must be ahead of those that lead to it to count for more (log-odds)."""
_NOTHING = -99.0


def score_edges(kb: KnowledgeBase, question: str, edges: Sequence[Edge]) -> tuple[float, ...]:
    """For each edge a score from 0, noise, to 10: the trained scorer's log-odds of the best of its facts.

    Facts of the neighbour count as well, less: they tell what the next step would be. None for none.
    """
    if not edges:
        return ()
    named = {entity for span in named_in(kb, question) for entity in span.entities}
    facts = {fact.id: fact for edge in edges for fact in (*edge.facts, *edge.context)}
    odds = dict(zip(facts, score_triples(kb, question, list(facts.values()), named).tolist(), strict=True))
    best = [
        max(
            max((odds[fact.id] for fact in edge.facts), default=_NOTHING),
            max((odds[fact.id] for fact in edge.context), default=_NOTHING) - CONTEXT_LAG,
        )
        for edge in edges
    ]
    return tuple(float(one) for one in np.clip(OFFSET + SLOPE * np.array(best), 0.0, 10.0))
