"""One ranking of everything that the tools have found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.records import Passage
from kb.store import KnowledgeBase
from tools.passage_search import RANK_CONSTANT
from tools.plan import Plan
from tools.types import Hit

WEIGHTS = {"constraint_retrieval": 1.0, "textual_recovery": 0.5, "graph_walk": 2.0, "passage_search": 0.5}
"""How far each tool's order is trusted; tools not named here count half."""


def rank_evidence(
    kb: KnowledgeBase,
    question: str,
    plan: Plan | None,
    lists: Mapping[str, Sequence[Hit]],
    bindings: Mapping[str, Sequence[str]],
    k: int,
) -> list[Hit]:
    """The k best passages over all lists, by weighted reciprocal ranks; ties by id. `lists` maps tools to what they found."""
    scores: dict[int, float] = {}
    passages: dict[int, Passage] = {}
    for tool, hits in lists.items():
        for rank, hit in enumerate(hits, 1):
            passages[hit.passage.id] = hit.passage
            gain = WEIGHTS.get(tool, 0.5) / (RANK_CONSTANT / 6 + rank)
            scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + gain
    order = sorted(scores, key=lambda one: (-scores[one], one))[:k]
    return [Hit(passages[one], scores[one]) for one in order]
