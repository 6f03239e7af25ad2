"""One passage in full."""

from __future__ import annotations

from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase


def read_passage(kb: KnowledgeBase, passage_id: int) -> Passage:
    """The passage of this id. Raises UsageError where there is none."""
    return kb.passage(passage_id)
