"""What speaks for and against a candidate, as a vector: of its chain, of what the readers found, of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kb.documents.structure import Line, Value
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.text import content_stems, fold, name_score, stem, words
from tools.answer_rules.values import is_relative_time
from tools.answer_rules.walk import Chain
from tools.planning.plan import Plan
from tools.reading.guess import Answer
from tools.reading.wanted_sort import NUMERAL, fits_sort, has_capital, wanted_sort
from tools.search.word_match import coverage

FEATURES = (
    "chain", "chain_sure", "chain_weakest", "chain_open", "chain_rival", "no_chain", "best_open",
    "span", "answered", "read_sum", "read_rank", "read_rival", "unread", "both", "agree",
    "sentence_cover", "passage_cover", "names_held", "number_asked", "date_asked", "person_asked", "place_asked",
    "type_fits", "type_clashes", "constraints", "unplanned", "length", "repeats", "first_passage", "in_sentence_name",
    "numeral", "capital", "holders", "about",
    "doc_names", "title_asked", "bridged", "rare_sentence", "rare_passage", "rare_behind", "read_here",
    "score", "single_score", "covered_score", "lead", "chain_lead", "single", "between",
    "subject_asked", "subject_other", "subject_none", "said", "counted", "near", "near_behind", "near_score",
    "score_log", "rival_log", "close", "close_near", "close_log", "close_rival", "close_lead", "close_first", "unclose",
    "again", "again_span", "again_log", "again_rival", "again_lead", "again_first", "again_missing", "again_read",
    "readers", "again_answered", "again_elsewhere", "again_docs", "again_rank", "same_place", "first_place",
    "key_asked", "key_subject", "key_rival", "whole_value", "held_sentence", "record", "record_lead", "record_first",
    "narrow", "narrow_log", "narrow_rival", "narrow_lead", "narrow_first", "narrow_missing", "narrow_read",
    "narrow_answered", "narrow_elsewhere", "narrow_again",
    "reason_asked", "reckoned_asked", "now_asked", "own_asked", "asked_words", "unheld",
)  # fmt: skip
"""What is known of a candidate, in the order of its vector."""

Floats = NDArray[np.float32]

_ALIKE = 0.8

_SAID_AGAIN = 0.3
"""Score from which a passage counts among those in which the second reader finds the same."""

_SORT_ASKED = re.compile(r"\b(?:what|which) (?:date|day|time|year|month|number|name)\b(?! of)", re.I)

_ASKED_FOR = {
    "reason_asked": re.compile(
        r"^\W*(?:(?:and|but|so)\s+)?(?:why|how come|what (?:made|caused|was wrong|went wrong|happened))\b"
        r"|^\W*what\b.* for\W*$|\breasons?\b",
        re.I,
    ),
    "reckoned_asked": re.compile(
        r"\b(?:(?:al)?together|total|in all|all in|average|how many (?:times|of)|difference|left over)\b",
        re.I,
    ),
    "now_asked": re.compile(
        r"\b(?:now|currently|these days|at the moment|still|latest|last|finally|actually|in the end|turned out)\b",
        re.I,
    ),
    "own_asked": re.compile(r"\b(?:i|me|my|mine|we|us|ours?)\b", re.I),
}
"""What a question asks for that a single span tells more or less often, and whether somebody asks about his own."""

_ASKED_WORDS = 24
"""Words of a question from which it counts as long as can be."""

_YEAR = re.compile(r"\b\d{4}\b")

_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][\w'’-]+")


def key_words(question: str) -> frozenset[str]:
    """The stems that may name a value: not the word that only says what sort of answer it is ("on what date")."""
    return frozenset(content_stems(_SORT_ASKED.sub(" ", question)))


class Weighing:
    """What all candidates of one question share."""

    def __init__(
        self,
        question: str,
        plan: Plan,
        evidence: Evidence,
        chains: Sequence[Chain],
        chained: Sequence[tuple[Found, Chain]],
        answers: Sequence[Answer],
        between: Sequence[str],
        close: Sequence[Answer],
        again: Sequence[Answer],
        narrow: Sequence[Answer],
    ) -> None:
        self._again, self._narrow = again, narrow
        self._close = [(one, one.score * one.found.doc.nearness(one.found.start)) for one in close]
        self._plan, self._evidence, self._chained, self._answers = plan, evidence, chained, answers
        self._between = between
        self._asked = frozenset(content_stems(question))
        self._key_words = key_words(question)
        self._words = frozenset(words(question))
        self._wanted = wanted_sort(question, plan)
        self._names = [fold(name) for name in _NAME.findall(question)]
        self._best_open = bool(chains and chains[0].missing)
        self._idf = _rarity(self._asked, evidence)
        self._covers = [self._rare(doc.stems) for doc in evidence.docs]
        self._named = [bool(doc.topic_words) and {*doc.topic_words} <= self._words for doc in evidence.docs]
        only = plan.constraints[0] if len(plan.constraints) == 1 else None
        self._nearest = max((doc.nearest for doc in evidence.docs), default=0.0)
        subjects = {frozenset(content_stems(one)) for doc in evidence.docs for one in doc.subjects}
        self._subjects = {one for one in subjects if one and one <= self._asked}
        self._keys = [
            (
                coverage(frozenset(content_stems(value.relation)), self._key_words),
                frozenset(content_stems(line.subject)),
            )
            for doc in evidence.docs
            for line, value in doc.stated
        ]
        held = {word: weight for word, weight in self._idf.items() if any(word in doc.stems for doc in evidence.docs)}
        self._held = (held, sum(held.values()))
        self._records = [
            (self._record(doc, line, value), fold(doc.text[value.start : value.end]))
            for doc in evidence.docs
            for line, value in doc.stated
        ]
        self._unplanned = not plan.constraints or (only is not None and len(only.head.split()) > 5)
        self._of_question = {
            **{name: float(bool(pattern.search(question))) for name, pattern in _ASKED_FOR.items()},
            "asked_words": min(_ASKED_WORDS, len(question.split())) / _ASKED_WORDS,
            "unheld": 1 - self._held[1] / (sum(self._idf.values()) or 1.0),
        }

    def features(self, found: Found, chain: Chain | None) -> Floats:
        """The vector of one candidate."""
        values = {
            **self._of_chain(found, chain),
            **self._of_reading(found),
            **self._of_text(found, chain),
            **self._of_type(found.text),
            **self._of_place(found),
            **self._of_subject(found),
            **self._of_record(found),
            **self._of_question,
            "near": found.doc.nearness(found.start),
        }
        values["near_behind"] = self._nearest - values["near"]
        values["both"] = float(values["chain"] > 0 and values["span"] > 0)
        values["score"] = float((values["span"] * values["answered"]) ** 0.5)
        values["score_log"], values["rival_log"] = _magnitude(values["score"]), _magnitude(values["read_rival"])
        # Both readers, each by itself, hold it for the best.
        values["readers"] = values["again_first"] * max(values["close_first"], values["agree"])
        values["near_score"] = values["near"] * values["score"]
        values["single"] = float(len(self._plan.constraints) <= 1)
        values["single_score"] = values["single"] * values["score"]
        values["covered_score"] = values["rare_sentence"] * values["score"]
        values["lead"] = values["score"] - values["read_rival"]
        values["chain_lead"] = values["chain"] - values["chain_rival"]
        return np.array([values[name] for name in FEATURES], dtype=np.float32)

    def _of_chain(self, found: Found, chain: Chain | None) -> dict[str, float]:
        rivals = [other.score for one, other in self._chained if not same(one.text, found.text)]
        scores = [step.found.score if step.found else 0.0 for step in chain.steps] if chain else []
        return {
            "chain": chain.score if chain else 0.0,
            "chain_sure": float(bool(chain and chain.sure)),
            "chain_weakest": min(scores, default=0.0),
            "chain_open": float(bool(chain and chain.missing)),
            "chain_rival": max(rivals, default=0.0),
            "no_chain": float(chain is None),
            "best_open": float(self._best_open),
            "constraints": min(5, len(self._plan.constraints)) / 5,
            "unplanned": float(self._unplanned),
        }

    def _of_reading(self, found: Found) -> dict[str, float]:
        own = [one for one in self._answers if same(one.found.text, found.text)]
        others = [one.score for one in self._answers if not same(one.found.text, found.text)]
        best = max(own, key=lambda one: one.score, default=None)
        docs = {one.found.doc.rank: one for one in reversed(own)}
        return {
            "span": best.span if best else 0.0,
            "answered": best.answered if best else 0.0,
            "read_sum": min(2.0, sum(one.score for one in docs.values())),
            "read_rank": 1 / (1 + best.found.doc.rank) if best else 0.0,
            "read_rival": max(others, default=0.0),
            "unread": float(best is None),
            **self._of_sentences(found),
            **self._of_second(found),
            **self._of_narrow(found),
            "agree": float(bool(self._answers) and same(self._answers[0].found.text, found.text)),
        }

    def _of_sentences(self, found: Found) -> dict[str, float]:
        """The same by what was read in the sentences closest to the question."""
        own = [(one.score, weighed) for one, weighed in self._close if same(one.found.text, found.text)]
        others = [weighed for one, weighed in self._close if not same(one.found.text, found.text)]
        best = max((weighed for _, weighed in own), default=0.0)
        rival = max(others, default=0.0)
        return {
            "close": max((score for score, _ in own), default=0.0),
            "close_near": best,
            "close_log": _magnitude(best),
            "close_rival": rival,
            "close_lead": best - rival,
            "close_first": float(best > rival),
            "unclose": float(not own),
        }

    def _of_second(self, found: Found) -> dict[str, float]:
        """The same by what the second reader found; two that were brought up apart seldom agree on what is wrong."""
        own = [one for one in self._again if same(one.found.text, found.text)]
        top = max(own, key=lambda one: one.score, default=None)
        close = self._close[0][0].found.doc if self._close else None
        return {
            **_held("again", self._again, found.text),
            "again_span": max((one.span for one in own), default=0.0),
            "again_docs": min(3, len({one.found.doc.rank for one in own if one.score > _SAID_AGAIN})) / 3,
            "again_rank": 1 / (1 + top.found.doc.rank) if top else 0.0,
            "same_place": float(top is not None and top.found.doc is close),
            "first_place": float(bool(self._again) and found.doc is self._again[0].found.doc),
        }

    def _of_narrow(self, found: Found) -> dict[str, float]:
        """The same by what it found in single sentences, and whether it had found it in a passage, too."""
        held = _held("narrow", self._narrow, found.text)
        again = max((one.score for one in self._again if same(one.found.text, found.text)), default=0.0)
        return {**held, "narrow_again": held["narrow"] * again}

    def _of_text(self, found: Found, chain: Chain | None) -> dict[str, float]:
        doc = found.doc
        docs = {doc.rank: doc}
        for step in chain.steps if chain else ():
            if step.found:
                docs[step.found.doc.rank] = step.found.doc
        said = frozenset[str]().union(*(one.stems for one in docs.values()))
        sentence = _told(found)
        held = [name for name in self._names if any(name in fold(f"{one.title} {one.text}") for one in docs.values())]
        own = words(found.text)
        near = found.doc.text[found.start - 60 : found.end + 60] if found.start >= 60 else found.doc.text[:120]
        return {
            "sentence_cover": coverage(self._asked, sentence),
            "passage_cover": coverage(self._asked, said),
            "names_held": len(held) / len(self._names) if self._names else 0.5,
            "length": min(12, len(own)) / 12,
            "repeats": sum(word in self._words for word in own) / len(own) if own else 1.0,
            "first_passage": float(doc.rank == 0),
            "in_sentence_name": coverage(self._asked, frozenset(content_stems(near))),
            "holders": min(5, self._evidence.holders(own[:6])) / 5 if own else 0.0,
            "about": doc.about(found.text),
        }

    def _of_place(self, found: Found) -> dict[str, float]:
        """Whether the passage is the one that the question is about: a name alone tells two persons' passages apart."""
        doc = found.doc
        said = fold(f"{doc.title} {doc.text}")
        named = [name for name in self._names if name in said]
        linked = self._evidence.links[doc.rank]
        own = self._covers[doc.rank]
        best = max(self._covers, default=0.0)
        sentence = _told(found)
        here = [one.score for one in self._answers if one.found.doc is doc and same(one.found.text, found.text)]
        return {
            "doc_names": len(named) / len(self._names) if self._names else 0.5,
            "title_asked": float(self._named[doc.rank]),
            "bridged": float(any(self._named[other] for other in linked)),
            "rare_sentence": self._rare(sentence),
            "rare_passage": own,
            "rare_behind": best - own,
            "read_here": max(here, default=0.0),
            # What only leads to the answer, if the plan is right.
            "between": float(any(same(found.text, one) for one in self._between)),
        }

    def _of_subject(self, found: Found) -> dict[str, float]:
        """Whether the line that it stands in speaks of what the question names, or of another of its kind."""
        subject = found.doc.subject_at(found.start)
        own = frozenset(content_stems(subject))
        value = found.doc.value_at(found.start)
        key = coverage(frozenset(content_stems(value.relation)), self._key_words) if value else 0.0
        return {
            "key_asked": key,
            "key_subject": key * coverage(own, self._asked),
            "key_rival": max((one for one, named in self._keys if named != own), default=0.0),
            "whole_value": float(value is not None and found.end >= value.end and found.start <= value.start),
            "subject_asked": coverage(own, self._asked),
            "subject_other": float(bool(own and self._subjects) and own not in self._subjects),
            "subject_none": float(not own),
            "said": float(found.doc.kind_at(found.start) == "turn"),
            "counted": float(is_relative_time(found.text)),
        }

    def _of_record(self, found: Found) -> dict[str, float]:
        """Whether what structure names as asked stands in the line that says most else of the question."""
        line, value = found.doc.line_at(found.start), found.doc.value_at(found.start)
        own = self._record(found.doc, line, value) if line and value else 0.0
        text = fold(found.doc.text[value.start : value.end]) if value else ""
        rival = max((score for score, other in self._records if other != text), default=0.0)
        return {
            "held_sentence": self._cover(_told(found)),
            "record": own,
            "record_lead": own - rival,
            "record_first": float(own > rival),
        }

    def _record(self, doc: Doc, line: Line, value: Value) -> float:
        """How much of a question a value's name, its line and what stands above it say together, 0..1; 0 for a value
        whose name the question does not have.
        """
        key = coverage(frozenset(content_stems(value.relation)), self._key_words)
        if not key:
            return 0.0
        told = f"{doc.text[line.start : line.end]} {line.subject} {doc.headings_at(value.start)}"
        return key * self._cover(frozenset(content_stems(told)))

    def _cover(self, said: frozenset[str]) -> float:
        """The share of the question's words that are said, each by how few of the passages have it, 0..1; words that no
        passage has are not asked for.
        """
        held, total = self._held
        return sum(weight for word, weight in held.items() if word in said) / total if total else 0.0

    def _rare(self, said: frozenset[str]) -> float:
        """The share of the question's words that are said, each by how few of the passages have it: 0..1."""
        total = sum(self._idf.values())
        return sum(weight for word, weight in self._idf.items() if word in said) / total if total else 0.0

    def _of_type(self, text: str) -> dict[str, float]:
        numeral, capital = bool(NUMERAL.search(text)), has_capital(text)
        asked = self._wanted
        return {
            "number_asked": float(asked == "number"),
            "date_asked": float(asked == "date"),
            "person_asked": float(asked == "person"),
            "place_asked": float(asked == "place"),
            "type_fits": float(bool(asked) and fits_sort(asked, text)),
            "type_clashes": float(not fits_sort(asked, text)),
            "numeral": float(numeral),
            "capital": float(capital),
        }


def _held(name: str, answers: Sequence[Answer], text: str) -> dict[str, float]:
    """What a reader's `answers` say of a text: how much it is held for the answer, and how much others are, and whether
    other passages that answer say otherwise. Each value is named with `name` before it.
    """
    own = [one for one in answers if same(one.found.text, text)]
    others = [one for one in answers if not same(one.found.text, text)]
    top = max(own, key=lambda one: one.score, default=None)
    best, rival = top.score if top else 0.0, max((one.score for one in others), default=0.0)
    elsewhere = [one.answered for one in others if top and one.found.doc is not top.found.doc]
    return {
        name: best,
        f"{name}_log": _magnitude(best),
        f"{name}_rival": rival,
        f"{name}_lead": best - rival,
        f"{name}_first": float(best > rival),
        f"{name}_missing": float(not own),
        f"{name}_read": float(bool(answers)),
        f"{name}_answered": top.answered if top else 0.0,
        f"{name}_elsewhere": max(elsewhere, default=0.0),
    }


def _magnitude(probability: float) -> float:
    """The order of magnitude of a probability, 0 for 0.0001 and below, 1 for 1: of two that are small one is larger."""
    return float(1 + np.log10(max(probability, 1e-4)) / 4)


def _rarity(asked: frozenset[str], evidence: Evidence) -> dict[str, float]:
    """How telling each word of the question is: the logarithm of the share of the passages that lack it."""
    total = len(evidence.docs)
    holding = {word: sum(word in doc.stems for doc in evidence.docs) for word in asked}
    return {word: float(np.log((total + 1) / (count + 0.5))) for word, count in holding.items()}


def _told(found: Found) -> frozenset[str]:
    """The stems of a sentence with its title and the headings above it."""
    above = content_stems(found.doc.headings_at(found.start))
    return frozenset(stem(word) for word in words(found.sentence)) | frozenset(above)


@lru_cache(maxsize=50_000)
def same(one: str, other: str) -> bool:
    """Whether two spans name the same thing: one is the other, or a good part of it, or the year of its day."""
    return _folded(one) == _folded(other) or name_score(one, other) >= _ALIKE or is_year_of(one, other)


_folded = lru_cache(maxsize=20_000)(fold)


def is_year_of(one: str, other: str) -> bool:
    """Whether of two spans one is a year alone and the other has it, too: "1890" and "4 March 1890"."""
    year, day = sorted((one.strip(), other.strip()), key=len)
    return _YEAR.fullmatch(year) is not None and year in _YEAR.findall(day)
