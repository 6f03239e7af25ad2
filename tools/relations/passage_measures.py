"""How well a passage speaks to a constraint, as plain measures: what the trained scorer of reranker.py sees."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key, title_aliases
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import is_variable
from tools.relations.alignment import Asked, PassageOdds
from tools.search.word_match import best_coverage, coverage, margins, plain, said_in, stems

PASSAGE_FEATURES = (
    "cosine to constraint", "closer to constraint", "cosine to question", "closer to question", "best sentence",
    "better sentence", "best sentence to question", "title is anchor", "title is like anchor", "anchor covered",
    "names anchor", "title in question", "relation words", "sentence relation words", "rare words", "more rare words",
    "later part", "has a year", "date wanted", "person wanted", "no anchor", "anchor in question", "both ends known",
    "names the other", "certainty", "fact", "more likely fact", "is resolved", "value", "more likely value",
    "goes on",
)  # fmt: skip
NO_FACT = -6.0
"""Log-odds taken for a passage that states no candidate fact, or is of no candidate value: one in four hundred."""

Floats = NDArray[np.float64]
_YEAR = re.compile(r"\b\d{4}\b")


def passage_features(
    kb: KnowledgeBase,
    asked: Asked,
    passages: Sequence[Passage],
    found: PassageOdds,
) -> Floats:
    """The measures named in PASSAGE_FEATURES, shape (len(passages), len(PASSAGE_FEATURES)), each about -1..1."""
    if not passages:
        return np.zeros((0, len(PASSAGE_FEATURES)))
    vectors = kb.embed([asked.constraint.text() or asked.question, asked.question])
    cosines = (kb.passage_vectors([one.id for one in passages]) @ vectors.T).astype(np.float64)
    best, question_best = _best_sentences(kb, passages, vectors[:1], vectors[1:])
    rare = _rare_words(asked, passages)
    facts, values = _likely(found.facts, passages), _likely(found.values, passages)
    kind = asked.wanted_type
    shared = [
        float(kind in ("date", "year")), float(kind == "person"), float(not asked.anchor),
        float(said_in(asked.anchor, plain(asked.question))), float(_both_known(asked)),
    ]  # fmt: skip
    columns = [
        cosines[:, 0], margins(cosines[:, 0]), cosines[:, 1], margins(cosines[:, 1]), best, margins(best),
        question_best,
        *_name_columns(asked, passages), *_relation_columns(asked, passages), rare, margins(rare),
        [float(one.ordinal > 0) for one in passages],
        [float(bool(_YEAR.search(one.text))) for one in passages],
        *[np.full(len(passages), value) for value in shared],
        [_names_other(asked, one) for one in passages],
        np.full(len(passages), asked.certainty), facts, margins(facts), np.full(len(passages), float(found.resolved)),
        values, margins(values), np.full(len(passages), float(asked.goes_on)),
    ]  # fmt: skip
    return np.array(columns, dtype=np.float64).T


def _likely(log_odds: Mapping[int, float], passages: Sequence[Passage]) -> Floats:
    found = np.array([log_odds.get(one.id, NO_FACT) for one in passages])
    return np.asarray(np.clip(found, NO_FACT, -NO_FACT) / -NO_FACT, dtype=np.float64)


def _best_sentences(
    kb: KnowledgeBase, passages: Sequence[Passage], constraint: NDArray[np.float32], question: NDArray[np.float32]
) -> tuple[Floats, Floats]:
    """The cosine of each passage's best sentence with the constraint and with the question; 0 for one without."""
    place = {one.id: at for at, one in enumerate(passages)}
    sentences = kb.passage_sentences(list(place))
    cosines = kb.sentence_vectors.cosines([one[3] for one in sentences], np.vstack([constraint, question]))
    best = np.zeros((len(passages), 2))
    np.maximum.at(best, [place[one[0]] for one in sentences], cosines)
    return best[:, 0], best[:, 1]


def _name_columns(asked: Asked, passages: Sequence[Passage]) -> list[list[float]]:
    """Whether the title is the anchor, how alike they are, how much of the anchor the passage says, whether in one, and
    whether the question says the title.
    """
    anchor, question = name_key(asked.anchor), plain(asked.question)
    wanted = frozenset(anchor.split())
    rows = []
    for one in passages:
        title, text = name_key(one.title), plain(one.text)
        names = {title, *title_aliases(one.title)}
        alike = len(wanted & set(title.split())) / max(len(wanted | set(title.split())), 1)
        covered = coverage(wanted, frozenset(f"{title} {text}".split()))
        said = any(said_in(name, question) for name in names)
        rows.append(
            (float(anchor in names and bool(anchor)), alike, covered, float(said_in(anchor, text)), float(said))
        )
    return [list(column) for column in zip(*rows, strict=True)]


def _relation_columns(asked: Asked, passages: Sequence[Passage]) -> list[list[float]]:
    """Of the relation or its best variant, the share of words in the passage, and in one of its sentences."""
    wanted = asked.variants
    whole = [best_coverage(wanted, stems(p.text)) for p in passages]
    parts = [[stems(part) for part in re.split(r"[.!?]\s", p.text)] for p in passages]
    sentence = [max((best_coverage(wanted, part) for part in own), default=0.0) for own in parts]
    return [whole, sentence]


def _rare_words(asked: Asked, passages: Sequence[Passage]) -> Floats:
    """Of the words of question and constraint, weighed by how few of these passages have them, the share in each."""
    wanted = sorted(stems(f"{asked.question} {asked.constraint.text()}"))
    if not wanted:
        return np.zeros(len(passages))
    found = [stems(f"{one.title} {one.text}") for one in passages]
    has = np.array([[word in own for word in wanted] for own in found], dtype=np.float64)
    weights = np.log1p(len(passages) / np.maximum(has.sum(axis=0), 1.0))
    return np.asarray(has @ weights / weights.sum(), dtype=np.float64)


def _both_known(asked: Asked) -> bool:
    return not is_variable(asked.constraint.head) and not is_variable(asked.constraint.tail)


def _names_other(asked: Asked, passage: Passage) -> float:
    """Where both ends are known, whether the passage says the second."""
    if not _both_known(asked):
        return 0.0
    other = asked.constraint.tail if asked.anchor == asked.constraint.head else asked.constraint.head
    return float(said_in(other, plain(f"{passage.title} {passage.text}")))
