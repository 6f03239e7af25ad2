"""Ranking of the spans that may answer, by what their sentences share with the question: a linear model."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.answer_countries import is_adjective
from tools.answer_docs import Doc, Evidence
from tools.answer_spans import Candidate, candidates, sort_fit, type_fit
from tools.answer_text import content_stems, stem, words

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


FEATURES = (
    "share", "passage", "about", "mentions", "near", "nearest", "before", "typed", "mistyped", "focus_in", "focus_near",
    "focus_sentence", "focus_lead", "known", "lead", "topic", "topic_mentions", "title", "rank", "frequency", "words",
    "quoted", "phrase", "date", "number", "linked", "single", "lower", "demonym", "one", "pointed", "pointed_near",
    "bridge", "topic_passage", "sort", "missort",
)  # fmt: skip


def features(evidence: Evidence, query: Query, sentence: Sentence, candidate: Candidate) -> list[float]:
    """How a candidate stands to the query, in the order of FEATURES, each about 0..1."""
    doc, tokens = candidate.doc, candidate.doc.sentence_tokens[candidate.sentence]
    own = [token.word for token in tokens[candidate.first : candidate.last]]
    head = query.focus[-1] if query.focus else ""
    around = (*tokens[max(0, candidate.first - 3) : candidate.first], *tokens[candidate.last : candidate.last + 4])
    fit = type_fit(query.answer_type, candidate)
    sort = sort_fit(head, candidate)
    stems, passage = doc.sentence_stems[candidate.sentence], sentence.passage
    topic = float(own == doc.topic_words)
    return [
        sentence.share,
        passage.share,
        passage.about,
        sentence.mentions,
        *_closeness(query, doc, candidate),
        max(0.0, fit),
        max(0.0, -fit),
        float(any(stem(word) == head for word in own)),
        float(any(stem(token.word) == head for token in around)),
        float(head in stems),
        float(topic and head in doc.lead_topic),
        sum(word in query.known for word in own) / len(own),
        float(candidate.sentence == 0),
        topic,
        topic * sentence.mentions * (1 - passage.about),
        passage.title,
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
        len(query.pointed & stems) / max(1, len(query.pointed)),
        _pointed_near(query, doc, candidate),
        passage.bridge,
        topic * passage.share,
        max(0.0, sort),
        max(0.0, -sort),
    ]


def _named_in(query: Query, doc: Doc) -> float:
    title = doc.topic_words
    return sum(word in query.known for word in title) / len(title) if title else 0.0


def _closeness(query: Query, doc: Doc, candidate: Candidate) -> tuple[float, float, float]:
    """The weighted closeness of the query's words to a candidate, that of the nearest, and whether it stands before."""
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


def _pointed_near(query: Query, doc: Doc, candidate: Candidate) -> float:
    """How close the nearest word is that the question word points at."""
    distances = [
        candidate.first - i if i < candidate.first else i - candidate.last + 1
        for i, one in doc.stem_places(candidate.sentence)
        if one in query.pointed and not candidate.first <= i < candidate.last
    ]
    return 1.0 / (1.0 + 0.3 * (min(distances) - 1)) if distances else 0.0


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
    vector = [weights.get(name, 0.0) for name in FEATURES]
    for i, sentence in enumerate(sentences):
        base = weights.get("cosine", 0.0) * closeness[i] if closeness else 0.0
        for candidate in candidates(sentence.doc, sentence.index, query.answer_type, query.known):
            values = features(evidence, query, sentence, candidate)
            score = base + sum(weight * value for weight, value in zip(vector, values, strict=True))
            key = _key(candidate)
            if key not in best or score > best[key][0]:
                best[key] = (score, candidate)
    return sorted(best.values(), key=lambda pair: (-pair[0], pair[1].doc.rank, pair[1].start))


def _key(candidate: Candidate) -> str:
    tokens = candidate.doc.sentence_tokens[candidate.sentence]
    return " ".join(token.word for token in tokens[candidate.first : candidate.last])
