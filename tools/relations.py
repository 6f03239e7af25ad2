"""Which of an entity's triples states the relation that a constraint asks for.

The papers score triples with a cross-encoder (bge-reranker-v2-m3), which cannot be had offline. Here a logistic model
over nine plain measures of a triple takes its place; its scores are log-odds, so that the softmax of the sufficiency
check means what it says. The weights come from 2WikiMultihopQA's training questions with their gold triples
(benchmarks/calibrate_relations.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.names import name_key
from kb.records import Triple
from kb.store import KnowledgeBase
from tools.plan import Constraint, is_variable
from tools.rerank import coverage, stems

FEATURES = (
    "relation words", "nearest words", "sentence words", "cosine to constraint", "cosine to question", "type fits",
    "subject's own document", "other has a document", "early in passage",
)  # fmt: skip
_WEIGHTS = np.array([2.15, 0.82, -2.09, 1.56, -2.45, 3.59, 4.06, 2.96, 3.34])
_BIAS = -11.33

_YEAR = re.compile(r"\b\d{3,4}\b")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class ScoredTriple:
    """A candidate with its log-odds of stating the constraint, and the name at the variable's end."""

    triple: Triple
    score: float
    other_name: str


def align(
    kb: KnowledgeBase, constraint: Constraint, triples: Sequence[Triple], keep: int, planned: Constraint | None = None
) -> list[Triple]:
    """The `keep` triples whose relation, or whose sentence, is closest to one of the relation's variants; ties by id.

    CS-RAG, section 3.2 (relation alignment). `planned` is the constraint before its ends were filled in, in whose words
    sentences are compared: all candidates share the anchor, so its name tells nothing, and the plan's texts are
    embedded together. None for no triples.
    """
    if not triples:
        return []
    wanted = _variant_stems(constraint)
    cosines = kb.sentence_vectors.cosines(
        [one.sentence_id for one in triples], kb.embed([(planned or constraint).text()])
    )[:, 0]
    scores = [
        _relation_words(wanted, one.relation) + float(cosine) for one, cosine in zip(triples, cosines, strict=True)
    ]
    order = sorted(range(len(triples)), key=lambda at: (-scores[at], triples[at].id))
    return [triples[at] for at in order[:keep]]


def says_relation(constraint: Constraint, triple: Triple) -> bool:
    """Whether the triple's relation has a content word of the constraint's relation or of one of its variants."""
    return _relation_words(_variant_stems(constraint), triple.relation) > 0


def score_candidates(
    kb: KnowledgeBase,
    question: str,
    constraint: Constraint,
    triples: Sequence[Triple],
    anchors: Set[int],
    planned: Constraint | None = None,
) -> list[ScoredTriple]:
    """Candidates with their log-odds, best first, ties by id (CS-RAG, section 3.2, contextual reranking).

    `constraint` has its known ends filled in, `planned` is as in `align`; `anchors` are the entities that they may
    mean. Several triples of one sentence with the same other end count once.
    """
    if not triples:
        return []
    scores = triple_features(kb, question, constraint, triples, anchors, planned) @ _WEIGHTS + _BIAS
    scored = [
        ScoredTriple(one, float(score), other_end(one, anchors)) for one, score in zip(triples, scores, strict=True)
    ]
    scored.sort(key=lambda one: (-one.score, one.triple.id))
    unique: dict[str, ScoredTriple] = {}
    for one in scored:
        unique.setdefault(name_key(one.other_name), one)
    return list(unique.values())


def triple_features(
    kb: KnowledgeBase,
    question: str,
    constraint: Constraint,
    triples: Sequence[Triple],
    anchors: Set[int],
    planned: Constraint | None = None,
) -> NDArray[np.float64]:
    """The measures named in FEATURES, shape (len(triples), 9), each about 0..1."""
    wanted = _variant_stems(constraint)
    vectors = kb.embed([(planned or constraint).text(), question])
    cosines = kb.sentence_vectors.cosines([one.sentence_id for one in triples], vectors)
    wanted_type = constraint.tail_type if is_variable(constraint.tail) else constraint.head_type
    passages = {passage.id: passage for passage in kb.passages(sorted({one.passage for one in triples}))}
    titled = kb.title_entities({end for one in triples for end in (one.head, one.tail)})
    rows = [
        (
            _relation_words(wanted, one.relation),
            _relation_words(wanted, " ".join(one.relation.split()[-2:])),
            _relation_words(wanted, one.sentence),
            float(cosine[0]),
            float(cosine[1]),
            fits_type(other_end(one, anchors), wanted_type),
            float(name_key(passages[one.passage].title) == name_key(one.head_name) and one.head in anchors),
            float((one.tail if one.head in anchors else one.head) in titled),
            1.0 / (1.0 + max(passages[one.passage].text.find(one.sentence), 0) / 200),
        )
        for one, cosine in zip(triples, cosines, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(triples), len(FEATURES))


def other_end(triple: Triple, anchors: Set[int]) -> str:
    """The name at the end that is not an anchor."""
    return triple.tail_name if triple.head in anchors else triple.head_name


def fits_type(name: str, wanted: str) -> float:
    """Whether a name looks like the type that is wanted: 1 yes, 0 no, 0.5 where its looks do not tell."""
    has_digit = bool(_DIGIT.search(name))
    if wanted in ("date", "year"):
        return 1.0 if _YEAR.search(name) else 0.0
    if wanted == "number":
        return 1.0 if has_digit else 0.0
    if has_digit:
        return 0.0 if wanted in ("person", "place", "organisation", "nationality") else 0.5
    words = name.split()
    if wanted == "person":
        return 1.0 if len(words) > 1 else 0.6
    if wanted == "nationality":
        return 1.0 if len(words) == 1 else 0.5
    return 0.75


def _variant_stems(constraint: Constraint) -> list[frozenset[str]]:
    found = [stems(text) for text in dict.fromkeys((constraint.relation, *constraint.variants))]
    return [one for one in found if one]


def _relation_words(wanted: Sequence[frozenset[str]], text: str) -> float:
    words = stems(text)
    return max((coverage(one, words) for one in wanted), default=0.0)
