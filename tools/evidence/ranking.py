"""One ranking of everything that the tools have found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Plan
from tools.search.passage_search import RANK_CONSTANT
from tools.types import Hit

LEADER = "evidence_walk"
"""Its order is taken as it is: it has weighed what the other tools found before it."""


def rank_evidence(
    kb: KnowledgeBase,
    question: str,
    plan: Plan | None,
    lists: Mapping[str, Sequence[Hit]],
    bindings: Mapping[str, Sequence[str]],
    k: int,
) -> list[Hit]:
    """The k best passages over all lists; `lists` maps tools to what they found, best first.

    The evidence walk's come first in its order, then the others by reciprocal ranks over their lists; ties by id.
    """
    led = list(lists.get(LEADER, ()))
    known = {hit.passage.id for hit in led}
    floor = min((hit.score for hit in led), default=1.0)
    scores: dict[int, float] = {}
    passages: dict[int, Passage] = {}
    for tool, hits in lists.items():
        for rank, hit in enumerate(hits, 1):
            if tool != LEADER and hit.passage.id not in known:
                passages[hit.passage.id] = hit.passage
                scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + 1.0 / (RANK_CONSTANT + rank)
    order = sorted(scores, key=lambda one: (-scores[one], one))
    return (led + [Hit(passages[one], floor * scores[one] / (1 + scores[one])) for one in order])[:k]
