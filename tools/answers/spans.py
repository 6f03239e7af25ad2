"""Spans that may answer a question: names, dates, numbers, quoted titles and plain phrases of a sentence."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from tools.answers.countries import country_of, form_of, is_adjective
from tools.answers.docs import Doc
from tools.answers.names import CONNECTORS, Span
from tools.answers.text import STOP_WORDS, Token, stem, words
from tools.answers.values import Date, find_numbers

_PHRASE_WORDS = 4
_ORGANISATION = re.compile(
    r"\b(?:University|College|School|Institute|Academy|Company|Corporation|Corp|Inc|Ltd|Limited|Records|Studios?|"
    r"Pictures|Entertainment|"
    r"Club|F\.?C|Party|Association|Society|Council|Committee|Federation|League|Union|Group|Bank|Airlines?|Airways|"
    r"Network|Television|"
    r"Radio|Press|Church|Army|Navy|Force|Orchestra|Band|Ministry|Department|Agency|Museum|Foundation|Team|Brothers|"
    r"Motors|Industries|"
    r"Productions|Media|Conference|Congress|Senate|Parliament|Court|Organization|Organisation)\b"
)  # fmt: skip
_PLACE = re.compile(
    r"\b(?:County|River|Lake|Islands?|Mountains?|Mount|City|Town|Bay|Sea|Ocean|Valley|State|Province|District|Street|"
    r"Park|Beach|Bridge|"
    r"Airport|Peninsula|Falls|Creek|Castle|Palace|Stadium|Arena|Hills?|Forest|Desert|Gulf|Strait|Range|Coast|Canal|"
    r"Cape|Borough|"
    r"Township|Parish|Region|Republic|Kingdom|Empire|Oblast|Prefecture|Municipality|Africa|America|Europe|Asia)\b"
)  # fmt: skip
_BEFORE_PLACE = re.compile(
    r"\b(?:in|at|near|from|to|into|through|across|outside|around)\s+(?:the\s+)?(?:[a-z]+\s+(?:of\s+)?)?$"
)
_BEFORE_PERSON = re.compile(
    r"\b(?:by|actor|actress|singer|director|writer|player|son|daughter|wife|husband|brother|sister|president|"
    r"minister|king|queen|author|"
    r"producer|musician|rapper|artist|composer|drummer|guitarist|politician|coach|footballer|comedian|Sir|Lord|Lady|"
    r"Dr\.|Mr\.)\s+$"
)  # fmt: skip
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|from|to|until|by|of|during|after|before|and|the|an?|c\.)|[(–-])\s?$", re.IGNORECASE
)
_COUNTED = re.compile(r"\s(?:km|kilomet\w+|miles?|met\w+s|feet|ft|inches|acres|people|times|years|percent|%)(?!\w)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span of a document; `first` and `last` bound its words among those of its sentence."""

    doc: Doc
    start: int
    end: int
    kind: str
    sentence: int
    first: int
    last: int

    @property
    def text(self) -> str:
        return self.doc.text[self.start : self.end]


def candidates(doc: Doc, index: int, answer_type: str, known: Container[str] = ()) -> Iterator[Candidate]:
    """The spans of a sentence that can answer a question of a type ("text" and "" take any kind).

    A name that starts with words that are known already gives what is behind them too: asked who was Earl of where,
    "Earl of Northumbria" gives "Northumbria".
    """
    start, end = doc.sentences[index]
    tokens = doc.sentence_tokens[index]
    starts = [token.start for token in tokens]
    for kind, begin, finish in _spans(doc, index, start, end, answer_type):
        first, last = bisect_left(starts, begin), bisect_left(starts, finish)
        if first < last:
            yield Candidate(doc, begin, finish, kind, index, first, last)
        rest = _past_known(tokens, first, last, known) if kind == "name" else first
        if first < rest < last:
            yield Candidate(doc, tokens[rest].start, finish, kind, index, rest, last)


_TITLES = frozenset(
    "president senator minister king queen emperor empress sultan pope sir lord lady dame dr professor captain "
    "general colonel "
    "major lieutenant admiral governor mayor justice judge representative congressman chancellor secretary prime "
    "chief sheikh "
    "saint st rev reverend bishop archbishop cardinal coach manager director mr mrs ms premier".split()
)


def _past_known(tokens: Sequence[Token], first: int, last: int, known: Container[str]) -> int:
    """The first word of a name behind those that are known or a title; the first of all where the whole is known."""
    rest = first
    for i in range(first, last):
        word = tokens[i].word
        if word not in known and word not in _TITLES and not (i > first and word in CONNECTORS):
            break
        rest = i + 1
    return rest if rest < last else first


def _spans(doc: Doc, index: int, start: int, end: int, answer_type: str) -> Iterator[tuple[str, int, int]]:
    if answer_type in ("date", "year"):
        yield from _dates(doc, start, end, answer_type == "year")
    elif answer_type == "number":
        yield from _numbers(doc, start, end)
    else:
        yield from _names(doc, start, end)
        if answer_type in ("text", ""):
            yield from _dates(doc, start, end, False)
            yield from _numbers(doc, start, end)
            yield from _phrases(doc, index)


def _dates(doc: Doc, start: int, end: int, years_only: bool) -> Iterator[tuple[str, int, int]]:
    for date in doc.dates_between(start, end):
        year = re.search(r"\d{3,4}", date.text) if years_only else None
        if year and date.year > 99:
            yield "date", date.start + year.start(), date.start + year.end()
        elif not years_only:
            yield "date", date.start, date.end


def _numbers(doc: Doc, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    dates = doc.dates_between(start, end)
    for number in find_numbers(doc.text[start:end]):
        begin, finish = start + number.start, start + number.end
        if any(date.start <= begin < date.end and _is_date(doc, date) for date in dates):
            continue
        yield "number", begin, finish
        counted = _COUNTED.match(doc.text, finish)
        if counted:
            yield "number", begin, counted.end()


def _is_date(doc: Doc, date: Date) -> bool:
    """Whether figures read as a date are one: with a month, or a year of four figures where a year may stand."""
    if date.month or date.end - date.start > 4:
        return True
    before = doc.text[max(0, date.start - 8) : date.start]
    return date.end - date.start == 4 and bool(_BEFORE_YEAR.search(before))


def _names(doc: Doc, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for span in doc.names_between(start, end):
        yield "name", span.start, span.end
        following = doc.next_name(span.end)
        if following and doc.text[span.end : following.start] == ", " and _is_region(doc, following):
            yield "name", span.start, following.end
    for span in doc.quoted:
        if start <= span.start < end:
            yield "quoted", span.start, span.end


def _is_region(doc: Doc, span: Span) -> bool:
    return form_of(doc.text[span.start : span.end]) in ("name", "region")


def _phrases(doc: Doc, index: int) -> Iterator[tuple[str, int, int]]:
    """Runs of plain words between function words, and their ends: "professional rugby player" gives "player" too."""
    run: list[Token] = []
    for token in (*doc.sentence_tokens[index], None):
        if token and token.word not in STOP_WORDS and (not run or doc.text[run[-1].end : token.start] in _JOINTS):
            run.append(token)
            continue
        for first in range(max(0, len(run) - _PHRASE_WORDS), len(run)):
            if any(one.text[0].islower() for one in run[first:]):
                yield "phrase", run[first].start, run[-1].end
        run = [token] if token and token.word not in STOP_WORDS else []


_JOINTS = frozenset((" ", "-", "- ", " - ", "–"))


def name_type(candidate: Candidate) -> str:
    """What a name stands for, by its own words and by what stands before it; "" where neither tells."""
    text, doc = candidate.text, candidate.doc
    if candidate.kind == "quoted":
        return "work"
    if _ORGANISATION.search(text):
        return "organisation"
    if country_of(text):
        return "nationality" if is_adjective(text) else "place"
    if _PLACE.search(text):
        return "place"
    before = doc.text[max(0, candidate.start - 30) : candidate.start]
    if _BEFORE_PERSON.search(before):
        return "person"
    if _BEFORE_PLACE.search(before):
        return "place"
    own = words(text)
    return "person" if 2 <= len(own) <= 4 and "of" not in own and own[0] != "the" else ""


def type_fit(answer_type: str, candidate: Candidate) -> float:
    """1 where a span is of the type that is asked for, -1 where it is of another, 0 where nothing tells."""
    kind = candidate.kind
    if answer_type in ("date", "year", "number"):
        return 1.0 if kind == ("number" if answer_type == "number" else "date") else -1.0
    if answer_type in ("text", ""):
        return 0.0
    if kind not in ("name", "quoted"):
        return -1.0
    guess = name_type(candidate)
    if answer_type == "nationality":
        return 1.0 if country_of(candidate.text) else -1.0
    return 1.0 if guess == answer_type else 0.0 if not guess else -1.0


_HELD = frozenset(
    "county river lake university college school airport hotel island bridge park street award prize cup mountain "
    "bay sea ocean "
    "district province museum stadium church hospital party festival league club".split()
)


def sort_fit(head: str, candidate: Candidate) -> float:
    """1 where a name is of the very sort that a question's noun (its stem) says, -1 where it is of another one.

    A country is known by its name, a state as a region of one; of others a name says itself that it is a "County".
    """
    if candidate.kind != "name" or not head:
        return 0.0
    form = form_of(candidate.text)
    if head in _COUNTRY:
        return 1.0 if form in ("name", "adjective") else -1.0
    if head in _STATE:
        return 1.0 if form == "region" else -1.0 if form in ("name", "adjective", "city") else 0.0
    if head in _CITY:
        return -1.0 if form in ("name", "adjective", "region") else 1.0 if form == "city" else 0.0
    if head in _HELD_STEMS:
        return 1.0 if any(stem(word) == head for word in words(candidate.text)) else -0.5
    return 0.0


_HELD_STEMS = frozenset(stem(word) for word in _HELD)
_COUNTRY, _STATE, _CITY = (
    frozenset(stem(word) for word in told.split()) for told in ("country nation", "state region", "city town village")
)


def in_full(candidate: Candidate) -> tuple[int, int]:
    """Where the fullest form of a one-word name stands earlier in its document ("Hall" after "G. Stanley Hall")."""
    doc = candidate.doc
    own = words(candidate.text)
    if candidate.kind != "name" or len(own) != 1:
        return candidate.start, candidate.end
    for span in doc.names_between(0, candidate.start):
        longer = words(doc.text[span.start : span.core])
        if 2 <= len(longer) <= 4 and longer[-1] == own[0]:
            return span.start, span.core
    return candidate.start, candidate.end
