"""Which facts to go on with, offline: those that the triple scorer finds most likely to be evidence."""

from __future__ import annotations

from collections.abc import Sequence

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.answered import says_relation
from tools.judgements.judge import Choice
from tools.planning.plan import Plan
from tools.planning.planner import plan_question
from tools.search.entity_lookup import named_in
from tools.triple_scoring.triple_scorer import score_triples

_LIKELY = -4.0
"""Log-odds from which a fact is picked, a chance of one in fifty: as rare as evidence is among some sixty facts at a
border. Recall@5 of the growth on 60 of musique-train's questions at -1, -2, -3, -4: 68, 70, 71, 75; on 2wiki-train and
hotpotqa-train it differs by one."""


def choose_facts(
    kb: KnowledgeBase, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int
) -> Choice:
    """Up to `most` of the facts that may be evidence, best first, ties by id (BubbleRAG, section 3.5).

    It is enough once the facts known and picked say every relation that the question's plan asks for. None of an empty
    frontier.
    """
    fresh = list({one.id: one for one in frontier if one.id not in {fact.id for fact in known}}.values())
    sources = {entity for span in named_in(kb, question) for entity in span.entities}
    scores = score_triples(kb, question, fresh, sources)
    order = sorted(range(len(fresh)), key=lambda at: (-float(scores[at]), fresh[at].id))
    picked = [fresh[at] for at in order if scores[at] > _LIKELY][: max(most, 0)]
    return Choice(tuple(one.id for one in picked), _says_all(plan_question(question), [*known, *picked]))


def _says_all(plan: Plan, facts: Sequence[Triple]) -> bool:
    return bool(plan.constraints) and all(any(says_relation(one, fact) for fact in facts) for one in plan.constraints)
