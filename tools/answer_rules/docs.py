"""The evidence, parsed once: passages with their sentences, names, dates and countries, and whom each is about."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kb.documents.structure import Line, Outline, Value, path_of, structured_lines
from kb.records import Passage
from tools.answer_rules.countries import CountryMention, country_mentions
from tools.answer_rules.names import Span, find_names, find_quoted
from tools.answer_rules.text import (
    Token,
    bare_title,
    content_stems,
    name_score,
    sentence_spans,
    squeeze,
    stem,
    tokenize,
    words,
)
from tools.answer_rules.values import Date, find_dates

# A passage of a knowledge base is some 256 tokens; what is longer by an order of magnitude is cut, so that one
# oversized passage cannot cost more than the rest together.
MAX_CHARS = 8_000
MAX_TITLE = 300
_SPACE = re.compile(r"\s+")
_JOINTS = re.compile(r"[_-]")
# Two dates run together where a text lost the dash between them ("1914January 30, 1999", "188524 July 1957").
_LOST_DASH = re.compile(
    r"(?<=\b[12]\d\d\d)(?=(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December) \d)"
)
_COPULA = re.compile(r"\s(?:is|was|are|were)\s")
_HE = frozenset(("he", "his", "him", "himself", "son", "brother", "father", "king", "actor"))
_SHE = frozenset(("she", "her", "hers", "herself", "daughter", "sister", "mother", "queen", "actress"))


_IS_A = re.compile(r"\b(?:is|was|are|were)\b(?: \w+){0,2}? (?:an?|the|one)\b")


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """A passage to answer from, with the score that retrieval gave it (any scale, higher is better)."""

    id: int
    title: str
    text: str
    score: float
    section: str = ""
    """The headings above its beginning."""
    source: str = ""
    """The file that it comes from."""
    near: tuple[tuple[int, float], ...] = ()
    """Where its sentences start, with the cosine of each to the question; () where nobody has compared them."""
    place: tuple[str, int] = ("", 0)
    """The key of its document, which for a row ends in its number or its own id, and which passage of it this is."""

    @classmethod
    def of(cls, passage: Passage, score: float, near: Iterable[tuple[int, float]] = ()) -> EvidencePassage:
        """A stored passage with its score, and how near its sentences come where they have been compared."""
        return cls(
            passage.id, passage.title, passage.text, score, passage.section, passage.source, tuple(sorted(near)),
            (passage.document, passage.ordinal),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A value found in the text of a document at [start, end), with how sure that is (0..1)."""

    text: str
    doc: Doc
    start: int
    end: int
    score: float

    @property
    def sentence(self) -> str:
        return self.doc.sentence_at(self.start)


@dataclass(frozen=True)
class Doc:
    """A passage and what is in it; everything is worked out on first use."""

    passage: EvidencePassage
    rank: int

    @cached_property
    def notes(self) -> dict[str, Any]:
        """What an extractor has read in the whole text, kept for its next question."""
        return {}

    @cached_property
    def text(self) -> str:
        """The passage's text with every run of white space as one character, a new line where it held one."""
        text = _SPACE.sub(lambda run: "\n" if "\n" in run.group() else " ", self.passage.text[:MAX_CHARS])
        return _LOST_DASH.sub(" ", text)

    @cached_property
    def title(self) -> str:
        return squeeze(self.passage.title[:MAX_TITLE])

    @property
    def file_words(self) -> str:
        """The words of its file's name: "music library" for `music_library.csv`."""
        return _JOINTS.sub(" ", self.passage.source.rpartition("/")[2].rpartition(".")[0])

    @cached_property
    def heading(self) -> str:
        """The title with the headings above the passage, as a reader has to know them."""
        above = squeeze(self.passage.section[:MAX_TITLE])
        return f"{self.title}. {above}" if above else self.title

    @cached_property
    def topic(self) -> str:
        """The title without brackets: the name of what the passage is about."""
        return bare_title(self.title)

    @cached_property
    def topic_words(self) -> list[str]:
        """The folded words of the topic."""
        return words(self.topic)

    @property
    def is_article(self) -> bool:
        """Whether it begins as articles of an encyclopaedia do: "Alder is a 1950 crime film"."""
        start, end = self.sentence_span(0)
        says_what = _IS_A.search(self.text, start, end)
        return says_what is not None and set(self.topic_words[-1:]) <= set(words(self.text[start : says_what.start()]))

    @cached_property
    def tokens(self) -> list[Token]:
        return tokenize(self.text)

    @cached_property
    def dates(self) -> list[Date]:
        return find_dates(self.text)

    @cached_property
    def names(self) -> list[Span]:
        """The capitalised names that are no part of a date."""
        return [span for span in find_names(self.text, self.tokens) if not self._in_date(span)]

    def _in_date(self, span: Span) -> bool:
        i = bisect_right(self._date_starts, span.start) - 1
        return i >= 0 and span.end <= self.dates[i].end

    def dates_between(self, start: int, end: int) -> list[Date]:
        """The dates that start in [start, end), in order."""
        return self.dates[bisect_left(self._date_starts, start) : bisect_left(self._date_starts, end)]

    def names_between(self, start: int, end: int) -> list[Span]:
        """The names that start in [start, end), in order."""
        return self.names[bisect_left(self._name_starts, start) : bisect_left(self._name_starts, end)]

    @cached_property
    def _date_starts(self) -> list[int]:
        return [date.start for date in self.dates]

    @cached_property
    def _name_starts(self) -> list[int]:
        return [span.start for span in self.names]

    def next_name(self, position: int) -> Span | None:
        """The first name that starts at a position or behind it."""
        i = bisect_left(self._name_starts, position)
        return self.names[i] if i < len(self.names) else None

    @cached_property
    def quoted(self) -> list[Span]:
        return find_quoted(self.text)

    @cached_property
    def countries(self) -> list[CountryMention]:
        return country_mentions(self.tokens)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        return sentence_spans(self.text)

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [start for start, _ in self.sentences]

    @cached_property
    def _outline(self) -> Outline:
        return Outline(self.text, path_of(squeeze(self.passage.section[:MAX_TITLE])))

    def headings(self, place: int) -> tuple[str, ...]:
        """The headings above a place in the text, outermost first."""
        return self._outline.path(place)

    @cached_property
    def lines(self) -> list[Line]:
        """The lines that structure gives a subject, in order."""
        return structured_lines(self.topic, self.text, path_of(squeeze(self.passage.section[:MAX_TITLE])))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [line.start for line in self.lines]

    @cached_property
    def stated(self) -> list[tuple[Line, Value]]:
        """Every value that structure gives somebody or something, with its line."""
        return [(line, value) for line in self.lines for value in line.values]

    def value_at(self, position: int) -> Value | None:
        """The value around a position, if structure names what it is."""
        line = self.line_at(position)
        return next((one for one in line.values if one.start <= position < one.end), None) if line else None

    @cached_property
    def is_talk(self) -> bool:
        """Whether somebody speaks in it: what is not said there is not denied, and its title defines nothing."""
        return any(line.kind == "turn" for line in self.lines)

    def line_at(self, position: int) -> Line | None:
        """The line around a position, if structure gives it a subject."""
        i = bisect_right(self._line_starts, position) - 1
        return self.lines[i] if i >= 0 and position < self.lines[i].end else None

    def kind_at(self, position: int) -> str:
        """The kind of that line, "" where there is none."""
        line = self.line_at(position)
        return line.kind if line else ""

    def subject_at(self, position: int) -> str:
        """Whom or what structure says that the words at a position are about, "" where it says nothing.

        It is the subject of the line, in prose the nearest heading.
        """
        line = self.line_at(position)
        return line.subject if line else next(reversed(self._outline.path(position)), "")

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Every subject that structure names in the passage."""
        return frozenset((*(line.subject for line in self.lines), *self._outline.headings))

    def headings_at(self, position: int) -> str:
        """The title and all headings above a position, in one line."""
        return " ".join((self.title, *self._outline.path(position)))

    @cached_property
    def _near(self) -> tuple[list[int], list[float]]:
        text = self.passage.text
        starts = [len(_SPACE.sub(" ", text[:start])) for start, _ in self.passage.near if start < MAX_CHARS]
        return starts, [cosine for _, cosine in self.passage.near]

    def nearness(self, position: int) -> float:
        """The cosine to the question of the stored sentence around a position; 0 where nobody has compared them."""
        starts, cosines = self._near
        return cosines[max(0, bisect_right(starts, position) - 1)] if starts else 0.0

    @cached_property
    def nearest(self) -> float:
        """The cosine of the sentence that comes closest to the question."""
        return max(self._near[1], default=0.0)

    def sentence_index(self, position: int) -> int:
        return max(0, bisect_right(self._sentence_starts, position) - 1)

    def sentence_span(self, position: int) -> tuple[int, int]:
        """Where the sentence around a position starts and ends."""
        return self.sentences[self.sentence_index(position)] if self.sentences else (0, len(self.text))

    def around(self, index: int, more: int) -> tuple[int, int]:
        """Where a sentence with as many `more` before and behind it starts and ends."""
        last = len(self.sentences) - 1
        return self.sentences[max(0, index - more)][0], self.sentences[min(last, index + more)][1]

    def sentence_at(self, position: int) -> str:
        start, end = self.sentence_span(position)
        return squeeze(self.text[start:end])

    @cached_property
    def sentence_tokens(self) -> list[list[Token]]:
        """The words of each sentence."""
        starts = [token.start for token in self.tokens]
        return [self.tokens[bisect_left(starts, start) : bisect_left(starts, end)] for start, end in self.sentences]

    @cached_property
    def sentence_stems(self) -> list[frozenset[str]]:
        """The stems of each sentence."""
        return [frozenset(stem(token.word) for token in tokens) for tokens in self.sentence_tokens]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the text and its title."""
        return frozenset(content_stems(self.title)).union(*self.sentence_stems)

    @cached_property
    def copula(self) -> int:
        """Where the first "is" or "was" of the text ends: what it says about its topic follows. -1 where there is none.

        Abbreviations may look like the end of a sentence, so that the second sentence is searched too.
        """
        limit = min(600, self.sentences[min(1, len(self.sentences) - 1)][1]) if self.sentences else 0
        match = _COPULA.search(self.text, self._after_brackets(0), limit)
        return match.end() if match else -1

    def _after_brackets(self, position: int) -> int:
        """The position after brackets that open within the first words of the text."""
        opening = self.text.find("(", position, 400)
        if opening < 0 or _COPULA.search(self.text, 0, opening):
            return position
        return closing(self.text, opening) + 1

    @cached_property
    def lead_names(self) -> list[str]:
        """The names that the text gives its topic before the first "is": other spellings, full names, translations."""
        limit = self.copula if self.copula >= 0 else min(len(self.text), 60)
        opening = squeeze(re.split(r"[(,\n]", self.text[: min(limit, 80)], maxsplit=1)[0])
        spans = [span for span in (*self.names[:8], *self.quoted[:4]) if span.end <= limit]
        return [opening, *(self.text[span.start : span.end] for span in spans)]

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """The folded words with single spaces, and where each starts in that string."""
        starts, at = [], 0
        for token in self.tokens:
            starts.append(at)
            at += len(token.word) + 1
        return " ".join(token.word for token in self.tokens), starts

    @cached_property
    def padded(self) -> str:
        """The folded words with a space around each, to look phrases up in."""
        return f" {self._joined[0]} "

    def mentions(self, phrase: str) -> list[tuple[int, int]]:
        """Where the words of a phrase stand in the text, case, accents and punctuation aside."""
        wanted = " ".join(words(phrase))
        joined, starts = self._joined
        found: list[tuple[int, int]] = []
        at = joined.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted)
            whole = (at == 0 or joined[at - 1] == " ") and (end == len(joined) or joined[end] == " ")
            if whole:
                first, last = bisect_right(starts, at) - 1, bisect_right(starts, end - 1) - 1
                found.append((self.tokens[first].start, self.tokens[last].end))
            at = joined.find(wanted, at + 1)
        return found

    def about(self, subject: str) -> float:
        """How likely the passage is about a subject, 0..1: by its title, else by the other names its text gives it."""
        if subject not in self._about:
            self._about[subject] = self._likely_about(subject)
        return self._about[subject]

    @cached_property
    def _about(self) -> dict[str, float]:
        return {}

    def _likely_about(self, subject: str) -> float:
        by_title = name_score(subject, self.title)
        if by_title >= 0.85:
            return by_title
        others = max((name_score(subject, name) for name in self.lead_names), default=0.0)
        return max(by_title, 0.9 * others if others >= 0.85 else 0.0)

    @cached_property
    def gender(self) -> str:
        """ "m" or "f" by the pronouns of the text, "" where they do not tell."""
        he = sum(token.word in _HE for token in self.tokens)
        she = sum(token.word in _SHE for token in self.tokens)
        return "m" if he > she else "f" if she > he else ""

    def found(self, start: int, end: int, score: float) -> Found:
        """The span of the text as a find."""
        return Found(squeeze(self.text[start:end]), self, start, end, score)

    @cached_property
    def as_found(self) -> Found:
        """The topic itself as a find: where the text names it, else as the title does."""
        places = self.mentions(self.topic)
        start, end = places[0] if places else (0, 0)
        return Found(self.topic, self, start, end, 1.0)


def closing(text: str, opening: int) -> int:
    """Where the bracket that opens there closes, at most 400 characters on; the opening itself where it does not."""
    depth = 0
    for i in range(opening, min(len(text), opening + 400)):
        if text[i] == "(":
            depth += 1
        elif text[i] == ")":
            depth -= 1
            if depth == 0:
                return i
    return opening


class Evidence:
    """The passages of one question, best first."""

    def __init__(self, passages: Sequence[EvidencePassage]) -> None:
        self.docs: tuple[Doc, ...] = tuple(Doc(passage, rank) for rank, passage in enumerate(passages))
        self._about: dict[str, list[tuple[Doc, float]]] = {}
        self._holders: dict[str, int] = {}

    @cached_property
    def links(self) -> list[frozenset[int]]:
        """For each passage the ranks of those that name its topic or whose topic it names."""
        names = [
            {other.rank for other in self.docs if other is not doc and f" {' '.join(other.topic_words)} " in doc.padded}
            for doc in self.docs
        ]
        return [
            frozenset(named | {other for other, theirs in enumerate(names) if rank in theirs})
            for rank, named in enumerate(names)
        ]

    def holders(self, phrase: Sequence[str]) -> int:
        """How many passages hold a phrase, given as folded words."""
        key = f" {' '.join(phrase)} "
        if key not in self._holders:
            self._holders[key] = sum(key in doc.padded for doc in self.docs)
        return self._holders[key]

    def about(self, subject: str, floor: float = 0.6) -> list[tuple[Doc, float]]:
        """The documents about a subject with how surely they are, best first; part of a name is about 0.6."""
        if subject not in self._about:
            scored = [(doc, doc.about(subject)) for doc in self.docs]
            self._about[subject] = sorted(
                (pair for pair in scored if pair[1] >= 0.5), key=lambda pair: (-pair[1], pair[0].rank)
            )
        return [pair for pair in self._about[subject] if pair[1] >= floor]

    def gender(self, name: str) -> str:
        """ "m" or "f" where a passage is about the named person and tells, else ""."""
        return next((doc.gender for doc, _ in self.about(name, 0.85) if doc.gender), "")
