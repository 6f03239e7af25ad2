"""Which part of a knowledge base a question's damage is done to (CS-RAG, appendix D.1, query-centric injection)."""

from __future__ import annotations

from collections.abc import Iterable

from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import is_variable
from tools.planning.planner import plan_question

ANCHORS = 3
"""Entities that a constant of a plan may mean, as in constraint retrieval."""


def question_scope(kb: KnowledgeBase, questions: Iterable[str]) -> tuple[frozenset[int], frozenset[str]]:
    """The entities that the constants of the questions' plans may mean, and the relations that the plans ask for."""
    roots: set[int] = set()
    relations: set[str] = set()
    for question in questions:
        for constraint in plan_question(question).constraints:
            relations |= {constraint.relation, *constraint.variants}
            for end in (constraint.head, constraint.tail):
                if not is_variable(end):
                    roots |= {match.entity.id for match in kb.find_entities(end, ANCHORS)}
    return frozenset(roots), frozenset(relations)
