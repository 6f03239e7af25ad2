"""Entries under a date or a release: "when" is told by the date above a diary's entry, not in its sentences.

"On what day was the first hay cut?" is told by the line `30 May` above "First hay cut on Brook Meadow", "in which
version" by the heading `2.3.0` above the line that says what was added. "Yesterday" in what is said of a thing tells
its day more closely than the date above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_rows import asked_words, known_words
from tools.answer_rules.text import content_stems, stem
from tools.answer_rules.values import find_dates, relative_times
from tools.planning.words import PLAIN_VERBS

DATED = 0.77
"""How sure such an answer is: likely, for what is told on a day may have happened before it."""

_LONGEST = 60
"""Characters of a line that is no more than a date with its day of the week or its place."""

_EARLY, _WEEKDAY = 9, 12
"""Characters before a release that begins a line ("version "), and before a date that does ("Wednesday, ")."""

_BEFORE = re.compile(
    r"\W*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|date\b|day\b|on\b|the\b|[^\W\d_]+,|\d+[.):]?(?=\s))?\W*(?:the\s)?",
    re.I,
)
"""What stands before the date of an entry: "Born 3 May 1951" is none."""

_WHEN = re.compile(
    r"^(?:when|(?:on|at) (?:what|which) (?:date|day))\b|\b(?:what|which) (?:date|day) (?:was|were|did)\b", re.I
)
_VERSION_ASKED = re.compile(r"\b(?:which|what) (?:version|release)\b", re.I)
VERSION = re.compile(r"\bv?\d+(?:\.\d+){1,3}(?:[-.]?(?:rc|beta|alpha)\d*)?(?:-\d{1,3}(?![\d.]))?(?!\w)")
_ASKING = frozenset(
    content_stems(
        "version release day date happen take place added uploaded published come came made got introduced brought "
        "gained learned"
    )
)
_CHANGES = re.compile(
    r"^what(?:['’]s| is| was| were| has| have| did)?(?: been)? "
    r"(?:(?P<how>added|removed|fixed|deprecated)|changed?|new)\b"
    r"|^what (?:are|were) the changes\b",
    re.I,
)
_CHANGED = frozenset(content_stems("what change changed changes new add added removed fixed deprecated please"))
_UPLOADED = re.compile(r"^who (?:uploaded|released|packaged|signed|made)\b", re.I)
_UPLOADING = frozenset(content_stems("who uploaded released packaged signed made"))
_ITEM = re.compile(r"[ \t]*[-*•+] +(?P<said>\S.*)")
_AHEAD = re.compile(r"\b(?:will|shall|is|are|does|do|should|must)\b", re.I)
_UNCERTAIN = re.compile(
    r"\b(?:not|never|no|nor|if|unless|whether|may|might|could|would|should|perhaps|maybe)\b|n['’]t\b", re.I
)
"""What a sentence says that does not say that something happened, or will."""
_HAPPENED = re.compile(r"\b(?:did|was|were|has|had)\b", re.I)
_TO_COME = re.compile(r"\b(?:tomorrow|next|will|shall|going to)\b", re.I)
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"\w+")
_BASES = {
    **PLAIN_VERBS,
    **{form: base for base, *forms in (
        ("get", "got", "gotten", "getting"), ("make", "made", "making"), ("win", "won", "winning"),
        ("write", "wrote", "written", "writing"), ("come", "came", "coming"), ("find", "found", "finding"),
        ("speak", "spoke", "spoken"), ("sing", "sang", "sung"), ("hurt", "hurts"), ("quit", "quits", "quitting"),
    ) for form in (base, *forms)},
}  # fmt: skip


def find_dated(question: str, evidence: Evidence) -> Found | None:
    """The date or release above the one entry that says all that the question says; None where none or several do."""
    asks_version = bool(_VERSION_ASKED.search(question))
    if not asks_version and (not _WHEN.search(question) or _AHEAD.search(question)):
        return None
    if not asks_version and (released := _released(question, evidence)):
        return released
    known = known_words(question, evidence, _ASKING, lacking=0)
    if len(known) < 2:
        return None
    found = [
        doc.found(*mark, DATED)
        for doc in evidence.docs
        for start, end, mark in _entries(doc, asks_version)
        if _says_all(doc, start, end, known) and not _has_own_date(doc.text[start:end], mark[0] - start)
    ]
    first = next(iter(found), None)
    return first if first and all(one.text == first.text for one in found) else None


def find_told_time(question: str, evidence: Evidence) -> Found | None:
    """The time, counted from the day of its text ("yesterday"), in the one sentence that says all that a question for
    when something is says; None where none or several do.
    """
    known = asked_words(_in_base_form(question)) - _ASKING if _WHEN.search(question) else frozenset()
    if len(known) < 2:
        return None
    found = []
    for doc in evidence.docs:
        for start, end in doc.sentences:
            times, sentence = relative_times(doc.text[start:end]), doc.text[start:end]
            is_told = len(times) == 1 and not sentence.rstrip().endswith("?") and not _UNCERTAIN.search(sentence)
            is_other = _HAPPENED.search(question) and _TO_COME.search(sentence)
            if is_told and not is_other and known <= _stems_of(doc, start, end):
                found.append(doc.found(start + times[0][0], start + times[0][1], DATED))
    return found[0] if len(found) == 1 else None


def _stems_of(doc: Doc, start: int, end: int) -> frozenset[str]:
    """The stems of a sentence, its verbs in their base form, and of whoever says it."""
    return frozenset(content_stems(_in_base_form(f"{doc.subject_at(start)} {doc.text[start:end]}")))


def _in_base_form(text: str) -> str:
    """A text with its irregular verbs in their base form: "went" and "go" are one word."""
    return _WORD.sub(lambda word: _BASES.get(word[0].lower(), word[0]), text)


def _has_own_date(entry: str, mark: int) -> bool:
    """Whether an entry names another day than the one at `mark`: that may be the one that is asked for."""
    return any((one.month or one.day) and one.start != mark for one in find_dates(entry))


def _says_all(doc: Doc, start: int, end: int, known: frozenset[str]) -> bool:
    """Whether an entry says all words, half of them by itself: what it is about may stand above it alone."""
    own = frozenset(content_stems(doc.text[start:end]))
    return 2 * len(known & own) >= len(known) and known <= own | _above(doc, start)


def _above(doc: Doc, place: int) -> frozenset[str]:
    """The words of the headings above a place, of the title and of the file's name."""
    return frozenset(content_stems(f"{doc.headings_at(place)} {' '.join(doc.passage.source.split('/')[-2:])}"))


def find_changes(question: str, evidence: Evidence) -> list[Found]:
    """The items below the release that a question for what changed names, or those of them that were "added", "removed"
    and the like where it asks for these, in the order of the text; [] where it names none, or several things have such
    a release.
    """
    asks, version = _CHANGES.search(question.strip()), VERSION.search(question)
    if asks is None or version is None:
        return []
    how = stem(asks["how"].lower()) if asks["how"] else ""
    product = _product(question, _ASKING | _CHANGED)
    docs = [doc for doc in evidence.docs if product <= doc.stems | _above(doc, 0)]
    found = [
        doc.found(start, end, DATED)
        for doc in docs
        for start, end in _items(doc, version.group())
        if not how or how in content_stems(f"{doc.headings(start)[-1]} {doc.text[start:end].split()[0]}")
    ]
    in_order = sorted(found, key=lambda one: (one.doc.passage.id, one.start))
    return in_order if len({one.doc.title for one in found}) == 1 else []


def _items(doc: Doc, version: str) -> list[tuple[int, int]]:
    """Where the items of a list below the heading of a release are, else its sentences; [] where it has none."""
    items = [
        (line.start() + item.start("said"), line.end())
        for line in _LINE.finditer(doc.text)
        if (item := _ITEM.fullmatch(line.group()))
    ]
    told: list[tuple[int, int]] = []
    for start, end in doc.sentences:
        if doc.text[start] == "#" or doc.line_at(start):
            continue
        before = doc.text[slice(*told[-1])].rstrip() if told else "."
        runs_on = not before.endswith((".", "!", "?", ":", "]", ")")) and not doc.text[told[-1][1] : start].strip()
        told = [*told[:-1], (told[-1][0], end)] if runs_on else [*told, (start, end)]
    below = ([one for one in places if _is_of(doc, one[0], version)] for places in (items, told))
    return next(filter(None, below), [])


def find_uploader(question: str, evidence: Evidence) -> Found | None:
    """Who is the `Maintainer` of the release that a question for who made it names; None where none or several are."""
    version = VERSION.search(question) if _UPLOADED.search(question.strip()) else None
    if version is None:
        return None
    product = _product(question, _ASKING | _UPLOADING)
    found = [
        doc.found(value.start, value.end, DATED)
        for doc in evidence.docs
        if product <= doc.stems | _above(doc, 0)
        for line, value in doc.stated
        if value.relation.casefold() == "maintainer" and _is_of(doc, line.start, version.group())
    ]
    return found[0] if found and len({one.text for one in found}) == 1 else None


def _product(question: str, besides: frozenset[str]) -> frozenset[str]:
    """What a question is about besides a release."""
    return frozenset(content_stems(VERSION.sub(" ", question))) - besides


def _is_of(doc: Doc, place: int, version: str) -> bool:
    """Whether the nearest heading above a place that names releases names this one. Those further out may be of the
    release before: what stands above a passage is told without its level.
    """
    named = (VERSION.findall(above[:_LONGEST]) for above in reversed(doc.headings(place)))
    return version.strip("vV") in {one.strip("vV") for one in next(filter(None, named), ())}


def _released(question: str, evidence: Evidence) -> Found | None:
    """The date in the heading of the release that a question names; None where it names none, or none is dated."""
    version = VERSION.search(question)
    if version is None:
        return None
    product = _product(question, _ASKING | frozenset(content_stems("when out")))
    found = []
    for doc in evidence.docs:
        if not product <= doc.stems | _above(doc, 0):
            continue
        for line in _LINE.finditer(doc.text):
            head = line.group()[:_LONGEST]
            named = VERSION.search(head)
            dated = ((one.start, one.end) for one in find_dates(head) if one.month)
            mark = _mark(head, asks_version=False) or next(dated, None)
            is_first = head.startswith("#") or (named is not None and named.start() <= _EARLY)
            if mark and named and is_first and named.group().strip("v") == version.group().strip("v"):
                found.append(doc.found(line.start() + mark[0], line.start() + mark[1], DATED))
    return found[0] if found and len({one.text for one in found}) == 1 else None


def _entries(doc: Doc, asks_version: bool) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Each line with the place of the date, or release, that stands alone above it or begins it."""
    mark: tuple[int, int] | None = None
    level = 0
    for line in _LINE.finditer(doc.text):
        text = line.group()
        own = _mark(text, asks_version)
        heading = len(text) - len(text.lstrip("#"))
        if own is not None:
            mark, level = (line.start() + own[0], line.start() + own[1]), heading
        elif heading and (not level or heading <= level):
            mark = None  # another chapter, of no date
        if mark is not None and not (own and len(text) <= _LONGEST and (heading or _is_alone(text, own))):
            yield line.start(), line.end(), mark


def _mark(text: str, asks_version: bool) -> tuple[int, int] | None:
    """Where a line that is a heading, or begins with it, has its date or release; None where it has none."""
    head = text[:_LONGEST]
    if asks_version:
        match = VERSION.search(head)
        return match.span() if match and (text.startswith("#") or match.start() <= _EARLY) else None
    dates = [date for date in find_dates(head) if date.day or (date.month and text.startswith("#"))]
    start = len(text) - len(text.lstrip("#*-–•[( "))
    begins = [
        date
        for date in dates
        if text.startswith("#") or (date.start <= start + _WEEKDAY and _BEFORE.fullmatch(text, start, date.start))
    ]
    return (begins[0].start, begins[0].end) if begins else None


def _is_alone(text: str, own: tuple[int, int]) -> bool:
    """Whether a line says no more than its date."""
    return len((text[: own[0]] + text[own[1] :]).split()) <= 3
