"""Which paths of facts make sense as a way to the answer (ReG, section 4.1, label refinement), without a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.planner import plan_question
from tools.search.closeness import Closeness
from tools.search.word_match import best_coverage, stems

PLAUSIBLE = 0.75
"""A path makes sense above this mean of its facts' `closeness`: about half a relation's words in a sentence that is on
the subject."""


def sensible_paths(kb: KnowledgeBase, question: str, paths: Sequence[Sequence[Triple]]) -> tuple[int, ...]:
    """Places of the paths, each of one fact or more, that are close enough to the question. None for none."""
    return tuple(at for at, path in enumerate(paths) if float(np.mean(closeness(kb, question, path))) > PLAUSIBLE)


def closeness(kb: KnowledgeBase, question: str, facts: Sequence[Triple]) -> list[float]:
    """Of each fact: its sentence's cosine with the question, and the share, 0..1, of the words of a relation that the
    question's plan asks for which its own relation has.
    """
    wanted = [stems(text) for one in plan_question(question).constraints for text in (one.relation, *one.variants)]
    cosines = Closeness.of(kb, question).triples(facts) if facts else ()
    return [
        float(cosine) + best_coverage(wanted, stems(one.relation)) for one, cosine in zip(facts, cosines, strict=True)
    ]
