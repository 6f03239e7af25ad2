"""Which facts of a training question count as its evidence: labels of five kinds, for triple_scoring/triple_scorer.py.

gold      facts that say a gold triple: the same two names, in a supporting passage (2WikiMultihopQA has them)
heuristic the candidates of ReG (section 4.1): shortest paths from the question's entities to the answer's, and the
          facts at both, merged by relation path, refined by the offline judgement in the place of a language model's
shortest  those shortest paths as they are
passages  facts in a supporting passage that lead to another one, or to the answer
complete  these, and the closest fact of each supporting passage that has none

All but the gold ones are those of `clew train` (tools/scorer_training/evidence_labels.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key, title_aliases
from kb.records import Triple
from tools.scorer_training.evidence_labels import KnownAnswer, Labeller
from tools.scorer_training.evidence_paths import answer_paths

KINDS = ("gold", "heuristic", "shortest", "passages", "complete")

Bools = NDArray[np.bool_]
Ids = NDArray[np.int64]


def known_answer(question: dict[str, Any]) -> KnownAnswer:
    """A line of a question file."""
    return KnownAnswer(question["question"], tuple(question["answers"]), frozenset(question["supporting"]))


def label(
    labeller: Labeller, question: dict[str, Any], triples: Sequence[Triple], sources: Sequence[int]
) -> tuple[dict[str, Bools], Ids]:
    """Labels of each kind, shape (len(triples),), and the number of the gold triple that each says, or -1."""
    known = known_answer(question)
    which = _gold(labeller, question, triples)
    graph = labeller.kb.fact_graph
    shortest = {int(graph.facts[at]) for path in answer_paths(labeller.kb, known.answers, sources) for at in path}
    labels = {
        "gold": which >= 0,
        "heuristic": labeller.refined(known, triples, sources),
        "shortest": np.array([one.id in shortest for one in triples], dtype=bool),
        "passages": labeller.leading(known, triples),
        "complete": labeller.stated(known, triples),
    }
    return labels, which


def _gold(labeller: Labeller, question: dict[str, Any], triples: Sequence[Triple]) -> Ids:
    which = np.full(len(triples), -1, dtype=np.int64)
    for number, (head, _, tail) in enumerate(question.get("evidences", ())):
        for at, one in enumerate(triples):
            key, title = labeller.documents[one.passage]
            if key in question["supporting"] and _says(one, title, head, tail):
                which[at] = number
    return which


def _says(one: Triple, title: str, head: str, tail: str) -> bool:
    """Whether a fact says the gold triple, in either direction; a document's title stands for what it is about."""
    subjects = {one.head_name, title, *title_aliases(title)}
    forwards = _same(one.tail_name, tail) and any(_same(name, head) for name in subjects)
    return forwards or (_same(one.head_name, tail) and _same(one.tail_name, head))


def _same(found: str, gold: str) -> bool:
    a, b = name_key(found), name_key(gold)
    if re.fullmatch(r"\d{4}", b):
        return b in a.split()
    return a == b or (len(a) > 3 and (a in b or b in a) and min(len(a), len(b)) / max(len(a), len(b)) > 0.6)
