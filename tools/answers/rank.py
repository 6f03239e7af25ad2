"""Ranking of the spans that may answer, by what their sentences share with the question: a linear model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tools.answers.countries import is_adjective
from tools.answers.docs import Doc, Evidence
from tools.answers.spans import Candidate, candidates, sort_fit, type_fit
from tools.answers.text import content_stems, stem, words

# Sentences looked into for one question, and per passage.
SENTENCES = 16
PER_PASSAGE = 40
_ASKED = re.compile(
    r"\b(?:what|which)\s+(?:(?:kind|type|sort|form|name)\s+of\s+)?((?:[\w'’.-]+\s+){0,4}?[\w'’-]+)"
    r"(?=\s+(?:is|are|was|were|does|did|do|has|have|had|can|could|will|would|in|on|at|of|for|to|from|that|who|which|"
    r"where|when|by|with|"
    r"shares?|won|held|borders?|runs?|flows?|\w+ed)\b|[?,.]|$)",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True)
class Query:
    """What is looked for: stems with their weights, the type and the noun of the answer, the words that are known.

    `subject` is whom a single constraint is about, "" for a whole question. `pointed` are the stems right at the
    question word ("... is based where?"), or of the relation's own name: the answer stands close to what says the same.
    """

    stems: Mapping[str, float]
    answer_type: str
    focus: tuple[str, ...]
    known: frozenset[str]
    subject: str = ""
    text: str = ""
    pointed: frozenset[str] = frozenset()
    total: float = field(init=False)

    @property
    def head(self) -> str:
        """The stem of the noun that is asked for, "" where there is none."""
        return self.focus[-1] if self.focus else ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", sum(self.stems.values()) or 1.0)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what it shares with the query (0..1), what it says of the subject, and its passage's part."""

    doc: Doc
    index: int
    share: float
    mentions: float
    passage: Passage


@dataclass(frozen=True, slots=True)
class Passage:
    """What a passage has to do with a query, 0..1: words shared, about its subject, its title named in the question.

    `bridge` is 1 for one that the question does not name but that stands next to one that it names.
    """

    share: float
    about: float
    title: float
    bridge: float


def focus_of(question: str) -> tuple[str, ...]:
    """The stems of the noun that a question asks for, its head last: "what railway station" gives railway, station."""
    match = _ASKED.search(question)
    return tuple(content_stems(match.group(1)))[-3:] if match else ()


_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|which|where|when|how)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:]|\b(?:that|who|whom|whose|which|where|when|whom)\b", re.IGNORECASE)


def pointed_at(question: str, focus: tuple[str, ...]) -> frozenset[str]:
    """The stems of at most four words next to the question word, behind it or, where nothing follows, before it."""
    match = _QUESTION_WORD.search(question)
    if match is None:
        return frozenset()
    behind = _CLAUSE_END.split(question[match.end() :])[0]
    stems = [one for one in content_stems(behind) if one not in focus][:4]
    return frozenset(stems or content_stems(question[: match.start()])[-4:])


def make_query(
    evidence: Evidence,
    text: str,
    answer_type: str,
    focus: tuple[str, ...],
    known: str,
    subject: str = "",
    pointed: frozenset[str] = frozenset(),
) -> Query:
    """A query for the content words of a text, each weighed by how few of the passages hold it."""
    count = len(evidence.docs)
    weights = {
        one: 0.1 + math.log((count + 1) / (sum(one in doc.stems for doc in evidence.docs) + 0.5))
        for one in content_stems(text)
    }
    return Query(weights, answer_type, focus, frozenset(words(known)), subject, f"{subject} {text}".strip(), pointed)


def top_sentences(evidence: Evidence, query: Query) -> list[Sentence]:
    """The sentences to look into: those about the subject where there are any, the ones that share most first."""
    titles = [_named_in(query, doc) for doc in evidence.docs]
    found = [
        sentence for doc in evidence.docs for sentence in _sentences(doc, query, _passage(evidence, query, doc, titles))
    ]
    if query.subject and any(one.passage.about or one.mentions for one in found):
        found = [one for one in found if one.passage.about or one.mentions]
    return sorted(found, key=lambda one: (-_promise(one), one.doc.rank, one.index))[:SENTENCES]


def _promise(one: Sentence) -> float:
    return one.share + 0.5 * one.passage.share + 0.5 * one.passage.about + 0.5 * one.mentions - 0.01 * one.index


def _passage(evidence: Evidence, query: Query, doc: Doc, titles: Sequence[float]) -> Passage:
    about = doc.about(query.subject) if query.subject else 0.0
    title = titles[doc.rank]
    bridge = title < 0.99 and any(titles[other] >= 0.99 for other in evidence.links[doc.rank])
    return Passage(_share(query, doc.stems), about if about >= 0.6 else 0.0, title, float(bridge))


def _sentences(doc: Doc, query: Query, passage: Passage) -> list[Sentence]:
    mentioned = {doc.sentence_index(start) for start, _ in doc.mentions(query.subject)} if query.subject else set[int]()
    return [
        Sentence(doc, i, _share(query, stems), _mention(i, mentioned), passage)
        for i, stems in enumerate(doc.sentence_stems[:PER_PASSAGE])
    ]


def _mention(index: int, mentioned: set[int]) -> float:
    """1 for a sentence that names the subject, less for the one behind it, where "it" or "he" may go on."""
    return 1.0 if index in mentioned else 0.4 if index - 1 in mentioned else 0.0


def _share(query: Query, stems: frozenset[str]) -> float:
    return sum(weight for one, weight in query.stems.items() if one in stems) / query.total


def features(evidence: Evidence, query: Query, sentence: Sentence, candidate: Candidate) -> dict[str, float]:
    """How a candidate stands to a query, by name, each about 0..1: what is its sentence's, and what is its own."""
    return _of_sentence(query, sentence) | _of_span(evidence, query, sentence, candidate, _places(query, sentence))


def _of_sentence(query: Query, sentence: Sentence) -> dict[str, float]:
    stems, passage = sentence.doc.sentence_stems[sentence.index], sentence.passage
    return {
        "share": sentence.share,
        "mentions": sentence.mentions,
        "passage": passage.share,
        "about": passage.about,
        "title": passage.title,
        "bridge": passage.bridge,
        "lead": float(sentence.index == 0),
        "focus_sentence": float(query.head in stems),
        "pointed": len(query.pointed & stems) / max(1, len(query.pointed)),
    }


def _of_span(
    evidence: Evidence, query: Query, sentence: Sentence, candidate: Candidate, places: Sequence[_Place]
) -> dict[str, float]:
    tokens = candidate.doc.sentence_tokens[candidate.sentence]
    own = [token.word for token in tokens[candidate.first : candidate.last]]
    around = (*tokens[max(0, candidate.first - 3) : candidate.first], *tokens[candidate.last : candidate.last + 4])
    fit, sort = type_fit(query.answer_type, candidate), sort_fit(query.head, candidate)
    topic = float(own == candidate.doc.topic_words)
    return _closeness(query, candidate, places) | {
        "typed": max(0.0, fit),
        "mistyped": max(0.0, -fit),
        "sort": max(0.0, sort),
        "missort": max(0.0, -sort),
        "focus_in": float(any(stem(word) == query.head for word in own)),
        "focus_near": float(any(stem(token.word) == query.head for token in around)),
        "focus_lead": float(topic and query.head in candidate.doc.lead_topic),
        "known": sum(word in query.known for word in own) / len(own),
        "topic": topic,
        "topic_mentions": topic * sentence.mentions * (1 - sentence.passage.about),
        "topic_passage": topic * sentence.passage.share,
        "linked": float(not topic and " ".join(own) in evidence.topics),
        "frequency": min(1.0, (evidence.holders(own) - 1) / 3),
        "words": min(1.0, len(own) / 6),
        "single": float(len(own) == 1),
        "one": float(own in (["one"], ["first"])),
        "lower": float(tokens[candidate.first].text[0].islower()),
        "demonym": float(is_adjective(candidate.text)),
        **{kind: float(candidate.kind == kind) for kind in ("quoted", "phrase", "date", "number")},
    }


class _Place(NamedTuple):
    """A word of the query in a sentence: where, which, and what it weighs (0 where it is only pointed at)."""

    at: int
    stem: str
    weight: float


def _places(query: Query, sentence: Sentence) -> list[_Place]:
    return [
        _Place(i, one, query.stems.get(one, 0.0))
        for i, one in sentence.doc.stem_places(sentence.index)
        if one in query.stems or one in query.pointed
    ]


def _closeness(query: Query, candidate: Candidate, places: Sequence[_Place]) -> dict[str, float]:
    """How close the query's words stand: all by weight, the nearest and whether it is before, the one pointed at."""
    best: dict[str, float] = {}
    nearest, before, pointed = 0.0, 0.0, 0.0
    for place in places:
        if candidate.first <= place.at < candidate.last:
            continue
        ahead = place.at < candidate.first
        distance = candidate.first - place.at if ahead else place.at - candidate.last + 1
        closeness = 1.0 / (1.0 + 0.3 * (distance - 1))
        if place.stem in query.pointed:
            pointed = max(pointed, closeness)
        if place.weight:
            best[place.stem] = max(best.get(place.stem, 0.0), place.weight * closeness)
            if closeness > nearest:
                nearest, before = closeness, float(ahead)
    return {"near": sum(best.values()) / query.total, "nearest": nearest, "before": before, "pointed_near": pointed}


def _named_in(query: Query, doc: Doc) -> float:
    title = doc.topic_words
    return sum(word in query.known for word in title) / len(title) if title else 0.0


# Weights of a softmax over all candidates. HOP_WEIGHTS were fitted (listwise logistic regression, L2) on 1,100 triples
# of an open extraction of MuSiQue's train passages, where tail or head is to be found again by subject and relation.
# An extraction has no noun that is asked for: the "focus" weights, and small changes to six others, were set by the
# answers to MuSiQue's and HotpotQA's train questions. QUESTION_WEIGHTS were fitted on those questions as a whole, each
# with four draws of passages beside the point. "none" is the weight of there being no answer.
HOP_WEIGHTS: dict[str, float] = {
    "none": 1.5, "cosine": 3.0, "share": 0.3, "passage": 0.4, "about": 0.7, "mentions": 0.7, "near": 1.7,
    "nearest": 0.7, "before": 1.1, "typed": 1.5, "mistyped": -0.4, "focus_in": 2.0, "focus_near": 0.8,
    "focus_sentence": 0.3, "focus_lead": 2.0, "known": -1.6, "lead": 0.8, "topic": 0.6, "topic_mentions": 1.2,
    "topic_passage": 0.5, "title": 0.8, "frequency": 0.2, "words": 0.5, "quoted": 0.2, "phrase": -0.8, "date": -1.5,
    "number": -1.2, "linked": 0.4, "single": -0.3, "lower": -0.5, "demonym": -0.4, "one": -1.0, "pointed": 0.3,
    "pointed_near": 0.7, "sort": 1.0, "missort": -0.5,
}  # fmt: skip
QUESTION_WEIGHTS: dict[str, float] = {
    "none": 1.0, "share": 0.4, "near": 0.4, "nearest": 0.5, "typed": 1.3, "mistyped": -0.5, "focus_in": 0.8,
    "focus_near": 0.4, "focus_sentence": 0.9, "focus_lead": 0.9, "known": -1.1, "lead": 0.6, "topic": 0.2,
    "topic_passage": 0.2, "title": 0.8, "frequency": -0.2, "phrase": -0.5, "number": 0.1, "linked": 0.8,
    "single": -0.5, "lower": -0.6, "pointed": 1.1, "pointed_near": 0.5, "bridge": 1.3, "sort": 0.8, "missort": -0.3,
}  # fmt: skip


def rank_spans(
    evidence: Evidence,
    query: Query,
    sentences: Sequence[Sentence],
    weights: Mapping[str, float],
    closeness: Sequence[float] = (),
) -> list[tuple[float, Candidate]]:
    """The candidates of sentences with their scores, best first, one for each text.

    `closeness` is the cosine of each sentence to the query where there is an embedding.
    """
    best: dict[str, tuple[float, Candidate]] = {}
    for i, sentence in enumerate(sentences):
        places = _places(query, sentence)
        base = _weighed(weights, _of_sentence(query, sentence))
        base += weights.get("cosine", 0.0) * closeness[i] if closeness else 0.0
        for candidate in candidates(sentence.doc, sentence.index, query.answer_type, query.known):
            score = base + _weighed(weights, _of_span(evidence, query, sentence, candidate, places))
            key = _key(candidate)
            if key not in best or score > best[key][0]:
                best[key] = (score, candidate)
    return sorted(best.values(), key=lambda pair: (-pair[0], pair[1].doc.rank, pair[1].start))


def _weighed(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in values.items() if value)


def _key(candidate: Candidate) -> str:
    tokens = candidate.doc.sentence_tokens[candidate.sentence]
    return " ".join(token.word for token in tokens[candidate.first : candidate.last])
