"""Ranking of the spans that may answer, by what their sentences share with the question: a linear model of few features."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.answer_countries import is_adjective
from tools.answer_docs import Doc, Evidence
from tools.answer_spans import Candidate, candidates, type_fit
from tools.answer_text import content_stems, fold, stem, words

# Sentences looked into for one question, and per passage.
SENTENCES = 12
PER_PASSAGE = 40
_ASKED = re.compile(
    r"\b(?:what|which)\s+(?:(?:kind|type|sort|form|name)\s+of\s+)?((?:[\w'’.-]+\s+){0,4}?[\w'’-]+)"
    r"(?=\s+(?:is|are|was|were|does|did|do|has|have|had|can|could|will|would|in|on|at|of|for|to|from|that|who|which|where|when|by|with|"
    r"shares?|won|held|borders?|runs?|flows?|\w+ed)\b|[?,.]|$)",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True)
class Query:
    """What is looked for: stems with their weights, the type and the noun of the answer, the words that are known.

    `subject` is whom a single constraint is about, "" for a whole question.
    """

    stems: Mapping[str, float]
    answer_type: str
    focus: tuple[str, ...]
    known: frozenset[str]
    subject: str = ""
    text: str = ""
    total: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", sum(self.stems.values()) or 1.0)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what it and its passage share with the query (0..1), and how it has to do with the subject."""

    doc: Doc
    index: int
    share: float
    doc_share: float
    about: float
    mentions: float


def focus_of(question: str) -> tuple[str, ...]:
    """The stems of the noun that a question asks for, its head last: "what railway station" gives railway, station."""
    match = _ASKED.search(question[:1000])
    return tuple(content_stems(match.group(1)))[-3:] if match else ()


def make_query(
    evidence: Evidence, text: str, answer_type: str, focus: tuple[str, ...], known: str, subject: str = ""
) -> Query:
    """A query for the content words of a text, each weighed by how few of the passages hold it."""
    count = len(evidence.docs)
    weights = {
        one: 0.1 + math.log((count + 1) / (sum(one in doc.stems for doc in evidence.docs) + 0.5))
        for one in content_stems(text)
    }
    return Query(weights, answer_type, focus, frozenset(words(known)), subject, f"{subject} {text}".strip())


def top_sentences(evidence: Evidence, query: Query) -> list[Sentence]:
    """The sentences to look into: those about the subject where there are any, the ones that share most first."""
    found = [sentence for doc in evidence.docs for sentence in _sentences(doc, query)]
    if query.subject and any(one.about or one.mentions for one in found):
        found = [one for one in found if one.about or one.mentions]
    return sorted(found, key=lambda one: (-_promise(one), one.doc.rank, one.index))[:SENTENCES]


def _promise(one: Sentence) -> float:
    return one.share + 0.5 * one.doc_share + 0.5 * one.about + 0.5 * one.mentions - 0.01 * one.index


def _sentences(doc: Doc, query: Query) -> list[Sentence]:
    about, mentioned = 0.0, set[int]()
    if query.subject:
        about = doc.about(query.subject)
        about = about if about >= 0.6 else 0.0
        mentioned = {doc.sentence_index(start) for start, _ in doc.mentions(query.subject)}
    share = _share(query, doc.stems)
    return [
        Sentence(doc, i, _share(query, stems), share, about, _mention(i, mentioned))
        for i, stems in enumerate(doc.sentence_stems[:PER_PASSAGE])
    ]


def _mention(index: int, mentioned: set[int]) -> float:
    """1 for a sentence that names the subject, less for the one behind it, where "it" or "he" may go on."""
    return 1.0 if index in mentioned else 0.4 if index - 1 in mentioned else 0.0


def _share(query: Query, stems: frozenset[str]) -> float:
    return sum(weight for one, weight in query.stems.items() if one in stems) / query.total


FEATURES = (
    "share", "passage", "about", "mentions", "near", "nearest", "before", "typed", "mistyped", "focus_in", "focus_near",
    "focus_sentence", "focus_lead", "known", "lead", "topic", "topic_mentions", "title", "rank", "frequency", "words",
    "quoted", "phrase", "date", "number", "linked", "single", "lower", "demonym", "one",
)  # fmt: skip


def features(evidence: Evidence, query: Query, sentence: Sentence, candidate: Candidate) -> list[float]:
    """How a candidate stands to the query, in the order of FEATURES, each about 0..1."""
    doc, tokens = candidate.doc, candidate.doc.sentence_tokens[candidate.sentence]
    own = [token.word for token in tokens[candidate.first : candidate.last]]
    head = query.focus[-1] if query.focus else ""
    around = (*tokens[max(0, candidate.first - 3) : candidate.first], *tokens[candidate.last : candidate.last + 4])
    fit = type_fit(query.answer_type, candidate)
    topic = float(_same_words(own, words(doc.topic)))
    return [
        sentence.share,
        sentence.doc_share,
        sentence.about,
        sentence.mentions,
        *_closeness(query, doc, candidate),
        max(0.0, fit),
        max(0.0, -fit),
        float(any(stem(word) == head for word in own)),
        float(any(stem(token.word) == head for token in around)),
        float(head in doc.sentence_stems[candidate.sentence]),
        float(topic and head in doc.sentence_stems[0]),
        sum(word in query.known for word in own) / len(own),
        float(candidate.sentence == 0),
        topic,
        topic * sentence.mentions * (1 - sentence.about),
        _named_in(query, doc),
        1.0 / (1 + doc.rank),
        min(1.0, (evidence.holders(own) - 1) / 3),
        min(1.0, len(own) / 6),
        float(candidate.kind == "quoted"),
        float(candidate.kind == "phrase"),
        float(candidate.kind == "date"),
        float(candidate.kind == "number"),
        float(" ".join(own) in evidence.topics and not topic),
        float(len(own) == 1),
        float(tokens[candidate.first].text[0].islower()),
        float(is_adjective(candidate.text)),
        float(own == ["one"] or own == ["first"]),
    ]


def _same_words(own: Sequence[str], other: Sequence[str]) -> bool:
    return bool(own) and list(own) == list(other)


def _named_in(query: Query, doc: Doc) -> float:
    title = words(doc.topic)
    return sum(word in query.known for word in title) / len(title) if title else 0.0


def _closeness(query: Query, doc: Doc, candidate: Candidate) -> tuple[float, float, float]:
    """The weighted closeness of the query's words to a candidate, that of the nearest, and whether that stands before."""
    best: dict[str, float] = {}
    nearest, before = 0.0, 0.0
    for i, one in doc.stem_places(candidate.sentence):
        weight = query.stems.get(one)
        if weight is None or candidate.first <= i < candidate.last:
            continue
        distance = candidate.first - i if i < candidate.first else i - candidate.last + 1
        closeness = 1.0 / (1.0 + 0.3 * (distance - 1))
        best[one] = max(best.get(one, 0.0), weight * closeness)
        if closeness > nearest:
            nearest, before = closeness, float(i < candidate.first)
    return sum(best.values()) / query.total, nearest, before


HOP_WEIGHTS: dict[str, float] = {
    "none": 1.0,
    "share": 0.6, "passage": 0.35, "about": 0.75, "mentions": 0.7, "near": 1.45, "nearest": 1.1, "before": 1.1, "typed": 1.8,
    "mistyped": -0.5, "focus_in": 1.5, "focus_near": 0.8, "focus_sentence": 0.3, "focus_lead": 2.0, "known": -1.6, "lead": 0.45,
    "topic": 0.8, "topic_mentions": 1.2, "title": 0.9, "rank": 0.2, "frequency": 0.2, "words": 0.5, "quoted": 0.2, "phrase": -0.8,
    "date": -1.5, "number": -1.15, "linked": 0.35, "single": -0.6, "lower": -0.5, "demonym": -0.6, "one": -1.0,
}  # fmt: skip
QUESTION_WEIGHTS: dict[str, float] = {
    "none": 3.0,
    "share": 1.6, "near": 1.3, "nearest": 0.7, "typed": 1.6, "mistyped": -0.3, "focus_in": 1.4, "focus_sentence": 1.0,
    "known": -1.5, "lead": 0.8, "topic": 0.4, "title": 0.3, "words": 0.9, "phrase": -1.0, "linked": 0.5, "rank": 0.2,
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
    vector = [weights.get(name, 0.0) for name in FEATURES]
    for i, sentence in enumerate(sentences):
        base = weights.get("cosine", 0.0) * closeness[i] if closeness else 0.0
        for candidate in candidates(sentence.doc, sentence.index, query.answer_type, query.known):
            values = features(evidence, query, sentence, candidate)
            score = base + sum(weight * value for weight, value in zip(vector, values, strict=True))
            key = fold(candidate.text)
            if key not in best or score > best[key][0]:
                best[key] = (score, candidate)
    return sorted(best.values(), key=lambda pair: (-pair[0], pair[1].doc.rank, pair[1].start))
