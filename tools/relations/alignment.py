"""Which of an entity's triples states the relation that a constraint asks for: types, alignment, and plain measures.

The papers score triples with a cross-encoder. The measures here are what the scorer of reranker.py sees instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.lexicon import noun_type
from tools.planning.plan import Constraint, is_variable
from tools.planning.words import NATIONALITIES
from tools.search.word_match import best_coverage, margins, plain, said_in, stems, ways_to_say

TRIPLE_FEATURES = (
    "relation words", "nearest words", "sentence words", "cosine to constraint", "cosine to question", "type fits",
    "subject's own document", "other has a document", "early in passage", "other's own document",
    "more relation words", "closer sentence", "anchor covered", "other in question",
    "first of its kind", "last of its kind", "in brackets",
    "birth asked", "death asked", "origin asked", "date wanted", "person wanted", "place wanted",
    "is a nationality", "relation length", "anchor is head", "candidates",
)  # fmt: skip

_YEAR = re.compile(r"\b\d{3,4}\b")
_DIGIT = re.compile(r"\d")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BIRTH = stems("born birth birthplace birthdate birthday native")
_DEATH = stems("died death dead dies deceased buried")
_ORIGIN = stems("nationality citizenship citizen country origin")


@dataclass(frozen=True, slots=True)
class ScoredTriple:
    """A candidate with its log-odds of stating the constraint, and the name at the variable's end."""

    triple: Triple
    score: float
    other_name: str


@dataclass(frozen=True, slots=True)
class PassageOdds:
    """What is known of passages before they are reranked, as log-odds by passage id: of the best fact that each states,
    and of the best value that each is the document of; and whether the facts resolved the constraint.
    """

    facts: Mapping[int, float] = field(default_factory=dict)
    values: Mapping[int, float] = field(default_factory=dict)
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A constraint as it is put to a reranker.

    `constraint` has its known ends filled in, `planned` is as in the plan. All candidates share the known end, so its
    name tells nothing of a sentence: sentences are compared with `planned`.
    `anchor` is the name of the known end ("" for none) and `anchors` the entities that
    it may mean; `certainty`, 0..1, is the chance that it is the right name. `goes_on` where other constraints of the
    plan speak of the unknown end. `typed`: whether the type of the unknown end counts.
    """

    question: str
    constraint: Constraint
    planned: Constraint
    anchor: str = ""
    anchors: frozenset[int] = field(default_factory=frozenset)
    certainty: float = 1.0
    goes_on: bool = False
    typed: bool = True

    @property
    def wanted_type(self) -> str:
        """The type of the unknown end; "" where the plan does not tell, or types do not count."""
        if not self.typed:
            return ""
        planned, constraint = self.planned, self.constraint
        if is_variable(constraint.tail):
            return planned.tail_type or variable_type(planned.tail)
        return planned.head_type or variable_type(planned.head)

    @property
    def variants(self) -> list[frozenset[str]]:
        """The stems of the relation and of each of its variants, those without content left out."""
        return ways_to_say((self.planned.relation, *self.planned.variants))


def variable_type(term: str) -> str:
    """The type that a variable's name tells ("?birthYear1" is a date, "?place_of_death" a place); "" for none.

    The noun before "of" counts, else the last; compounds ("?birthplace") by their ending. "" for a constant.
    """
    if not is_variable(term):
        return ""
    words = _HUMP.sub(" ", term[1:].rstrip("0123456789").replace("_", " ")).casefold().split()
    noun = words[words.index("of") - 1] if "of" in words[1:] else (words or [""])[-1]
    endings = {"date": "date", "year": "date", "dob": "date", "dod": "date", "birthday": "date", "place": "place"}
    known = noun_type(noun) or next((kind for end, kind in endings.items() if noun.endswith(end)), "")
    told = {"birth": "date", "death": "date"}
    return "date" if known == "year" else known or told.get(noun, "")


def align(
    kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple], keep: int, by_relation: bool = True
) -> list[Triple]:
    """The `keep` triples whose relation, or whose sentence, is closest to one of the relation's variants; ties by id.

    CS-RAG, section 3.2 (relation alignment). Candidates that cannot be of the type asked for are left out, and several
    with the same other end count once, by the best of them. Without `by_relation` the first by id are kept. None for
    no triples.
    """
    possible = [one for one in triples if fits_type(other_end(one, asked.anchors), asked.wanted_type) > 0]
    if not possible:
        return []
    scores = _alignment(kb, asked, possible) if by_relation else [0.0] * len(possible)
    order = sorted(range(len(possible)), key=lambda at: (-scores[at], possible[at].id))
    unique: dict[str, Triple] = {}
    for at in order:
        unique.setdefault(name_key(other_end(possible[at], asked.anchors)), possible[at])
    return list(unique.values())[:keep]


def _alignment(kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple]) -> list[float]:
    cosines = kb.sentence_vectors.cosines([one.sentence_id for one in triples], kb.embed([asked.planned.text()]))[:, 0]
    wanted = asked.variants
    return [_words(wanted, one.relation) + float(cosine) for one, cosine in zip(triples, cosines, strict=True)]


def says_relation(asked: Asked, triple: Triple) -> bool:
    """Whether a triple says the relation: its own has a content word of the constraint's or of one of its variants, or
    it is written as English writes that relation without words: a birth or death as a date in brackets, where someone
    is from as "an American director".
    """
    if _words(asked.variants, triple.relation) > 0:
        return True
    other = other_end(triple, asked.anchors)
    birth, death, origin = _topics(asked)
    if origin:
        return other.casefold() in NATIONALITIES
    return (birth or death) and bool(_YEAR.search(other)) and _in_brackets(triple.sentence, other)


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


# -- measures ---------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where a candidate's other end stands in its sentence."""

    first: float
    last: float
    in_brackets: float


def triple_features(kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple]) -> NDArray[np.float64]:
    """The measures named in TRIPLE_FEATURES, shape (len(triples), len(TRIPLE_FEATURES)), each about -1..1."""
    if not triples:
        return np.zeros((0, len(TRIPLE_FEATURES)))
    wanted, kind, question = asked.variants, asked.wanted_type, plain(asked.question)
    others = [other_end(one, asked.anchors) for one in triples]
    words = np.array([_words(wanted, one.relation) for one in triples])
    vectors = kb.embed([asked.planned.text(), asked.question])
    cosines = kb.sentence_vectors.cosines([one.sentence_id for one in triples], vectors).astype(np.float64)
    columns = [
        words,
        [_words(wanted, " ".join(one.relation.split()[-2:])) for one in triples],
        [_words(wanted, one.sentence) for one in triples],
        *cosines.T,
        [fits_type(one, kind) for one in others],
        *_documents(kb, asked, triples, others),
        margins(words),
        margins(cosines[:, 0]),
        [_anchor_covered(asked, one) for one in triples],
        [float(said_in(one, question)) for one in others],
        *zip(*_places(triples, others, kind), strict=True),
        *_asked_for(asked, kind, len(triples)),
        [float(one.casefold() in NATIONALITIES) for one in others],
        [min(len(one.relation.split()), 8) / 8 for one in triples],
        [float(one.head in asked.anchors) for one in triples],
        np.full(len(triples), np.log1p(len(triples)) / 3),
    ]
    return np.array(columns, dtype=np.float64).T


def _documents(kb: KnowledgeBase, asked: Asked, triples: Sequence[Triple], others: Sequence[str]) -> list[list[float]]:
    """Whether the passage is of the subject's own document, whether the other end has one, how early in the passage the
    triple stands, and whether the passage is of the other end's own.
    """
    passages = {passage.id: passage for passage in kb.passages(sorted({one.passage for one in triples}))}
    titled = kb.title_entities({end for one in triples for end in (one.head, one.tail)})
    rows = []
    for one, other in zip(triples, others, strict=True):
        title, text = name_key(passages[one.passage].title), passages[one.passage].text
        from_head = one.head in asked.anchors
        rows.append(
            (
                float(from_head and title == name_key(one.head_name)),
                float((one.tail if from_head else one.head) in titled),
                1.0 / (1.0 + max(text.find(one.sentence), 0) / 200),
                float(title == name_key(other)),
            )
        )
    return [list(column) for column in zip(*rows, strict=True)]


def _anchor_covered(asked: Asked, triple: Triple) -> float:
    """The share of the words of both the anchor and the entity taken for it that are the same."""
    name = triple.head_name if triple.head in asked.anchors else triple.tail_name
    wanted, found = set(name_key(asked.anchor).split()), set(name_key(name).split())
    return len(wanted & found) / max(len(wanted | found), 1)


def _places(triples: Sequence[Triple], others: Sequence[str], kind: str) -> list[_Place]:
    """Of the candidates of the wanted type in one sentence, which comes first, which last, and which in brackets: in
    "Ada Moor (1 May 1870 - 2 June 1940)" that is all that tells her birth from her death.
    """
    found = [max(one.sentence.find(other), 0) for one, other in zip(triples, others, strict=True)]
    fitting: dict[int, list[int]] = {}
    for one, other, at in zip(triples, others, found, strict=True):
        if fits_type(other, kind) >= 0.75:
            fitting.setdefault(one.sentence_id, []).append(at)
    places = []
    for one, other, at in zip(triples, others, found, strict=True):
        near = fitting.get(one.sentence_id, [at])
        in_brackets = float(_in_brackets(one.sentence, other))
        places.append(_Place(float(at <= min(near)), float(at >= max(near)), in_brackets))
    return places


def _asked_for(asked: Asked, kind: str, count: int) -> list[NDArray[np.float64]]:
    """What is asked for, the same for all candidates: birth, death, origin; a date, a person, a place."""
    flags = [*_topics(asked), kind in ("date", "year"), kind == "person", kind == "place"]
    return [np.full(count, float(flag)) for flag in flags]


def _topics(asked: Asked) -> tuple[bool, bool, bool]:
    """Whether birth, death, or origin is asked for."""
    words = frozenset().union(*asked.variants) | stems(asked.planned.tail.replace("_", " "))
    return bool(words & _BIRTH), bool(words & _DEATH), bool(words & _ORIGIN)


def _in_brackets(sentence: str, name: str) -> bool:
    before = sentence[: max(sentence.find(name), 0)]
    return before.count("(") > before.count(")")


def _words(wanted: Sequence[frozenset[str]], text: str) -> float:
    return best_coverage(wanted, stems(text))
