"""The judgements without a language model: from rules, vectors and the trained scorer."""

from __future__ import annotations

from collections.abc import Sequence

from kb.records import Entity, Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Choice, Concept, Edge


class OfflineJudge:
    """All judgements from rules, vectors and trained weights; deterministic, and without a token."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    def concepts(self, question: str, passages: Sequence[Passage]) -> tuple[Concept, ...]:
        from tools.judgements.concepts import find_concepts
        from tools.planning.planner import plan_question

        return find_concepts(self._kb, question, plan_question(question), passages)

    def is_answered(self, question: str, passages: Sequence[Passage]) -> bool:
        from tools.judgements.answered import is_answered
        from tools.planning.planner import plan_question

        return is_answered(self._kb, question, plan_question(question), passages)

    def filter_facts(self, question: str, facts: Sequence[Triple]) -> tuple[int, ...]:
        from tools.judgements.helpful_facts import filter_facts

        return filter_facts(self._kb, question, facts)

    def summarise(self, entities: Sequence[Entity], facts: Sequence[Sequence[Triple]], most: int) -> tuple[str, ...]:
        from tools.judgements.summaries import summarise

        return tuple(summarise(of, most) for of in facts)

    def score_edges(self, question: str, edges: Sequence[Edge], facts: Sequence[Triple] = ()) -> tuple[float, ...]:
        from tools.judgements.edges import score_edges

        return score_edges(self._kb, question, edges)

    def choose_facts(self, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int) -> Choice:
        from tools.judgements.picked_facts import choose_facts

        return choose_facts(self._kb, question, known, frontier, most)

    def sensible_paths(
        self, question: str, answers: Sequence[str], paths: Sequence[Sequence[Triple]]
    ) -> tuple[int, ...]:
        from tools.judgements.sensible_paths import sensible_paths

        return sensible_paths(self._kb, question, paths)
