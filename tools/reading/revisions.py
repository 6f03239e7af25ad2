"""What was told once and is otherwise since: "Limit cut from 2 tonnes to 1.5 tonnes", "the party moves to 13 July".

Notes keep what has been changed beside the change. A sentence that names a value as the one of before, or that tells a
new one of the same thing on a later day, says more of what is asked than the one in which the old value stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from kb.documents.plaintext import MONTHS
from tools.answer_rules.docs import Doc, Evidence, EvidencePassage, Found
from tools.answer_rules.money import CURRENCIES
from tools.answer_rules.text import content_stems, words
from tools.answer_rules.values import find_dates, find_numbers, measured
from tools.reading.times import day_of

REPLACED = 0.9
"""The most that is held for a value that a sentence puts in the place of the one that was found."""
ANNOUNCED = 0.78
"""The same for one that a later day tells without a word of the one before."""
_CHANGES = 3
"""Changes of one value that are followed, each told by another sentence."""
LATER = 0.85
"""The same for the later of two that are both likely."""

_THEN = re.compile(
    r"\b(?:before|originally|(?:at|the) first|initially|formerly|previous(?:ly)?|used to|at the time|back then|old"
    r"|planned|until|up to now|earlier|by how much|(?:from|between) what)\b",
    re.I,
)
"""What a question says that asks how it was."""
_SIGN, _SIGNED = re.compile(r"[$€£¥]\s?$"), re.compile(r"[$€£¥]")
_UNIT = re.compile(r"\s?(?P<unit>%|[€£$]|(?!(?:to|and|or|not|instead|now)\b)[^\W\d_]{1,12})")
_CLOCK = re.compile(
    r"(?<![\d.:$€£¥])(?P<hour>[01]?\d|2[0-4])(?P<sign>[:.])(?P<minute>[0-5]\d)(?![\d.:]\d)"
    r"(?:\s?(?:[–-]|to|until)\s?\d{1,2}(?P=sign)\d\d)?(?: ?[ap]\.?m\b|(?<=:\d\d))",
    re.I,
)
_WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:days?)?\b", re.I)
_WEEKDAYS = re.compile(rf"{_WEEKDAY.pattern}(?:(?:,? and |, ?| & | ){_WEEKDAY.pattern})*", re.I)
_SMALL_MONEY = re.compile(r"(?<![\d.,])(?P<figure>\d{1,4}(?:\.\d+)?) ?(?:p|pence|ct|cents?)\b")
_SPAN = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: (?:{'|'.join(MONTHS)}))?\s?(?:[–-]|to|until)\s?$", re.I)
_PERSON = re.compile(r"(?:(?:Dr|Mrs?|Ms|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,3}")
_OWNS = re.compile(r"['’]s?$")
_LEAD = r"(?:the |only |a |about |on |at )*(?:\w+day,? (?:the )?)?(?:[$€£¥]\s?)?"
"""What may stand between the words that tell of a change and a value."""
_FROM, _TO = re.compile(rf"\bfrom {_LEAD}$", re.I), re.compile(rf"\W{{0,3}}(?:to|→|->) {_LEAD}", re.I)
_CHANGED = re.compile(
    r"\b(?:cut|rais|lower|reduc|increas|chang|mov|shift|postpon|put|brought|push|drop|goes|go|went|gone|up|down)\w*\b",
    re.I,
)
"""What a sentence says whose "from ... to" is a change: without it that is how long something lasts."""
_ASKED = 300
_NAME = r"[A-Z][\w-]+(?: [A-Z][\w-]+){0,3}"
_SUCCESSOR = re.compile(
    rf"\W*(?i:who(?:['’]s| is| has| was)?) (?:(?i:replac(?:ed|es|ing)|succeed(?:ed|s|ing)"
    rf"|(?:takes|took|taken|taking) over from|came after|following|followed) (?P<one>{_NAME})"
    rf"|(?i:takes|took|taken|taking|has|got)(?i: over)? (?P<other>{_NAME})['’]s? (?i:place|job|post|role|seat)"
    rf"|(?P<owner>{_NAME})['’]s? (?i:successor|replacement))"
    r"(?: (?:as|at|in|on|last|this|now)\b.*)?\W*",
)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.I)
_MOVED_TO = re.compile(
    r"\b(?i:moved?|moves|switch(?:ed|es)?|chang(?:ed|es?)|transferred) (?:over )?to (?:the )?"
    r"(?P<name>[A-Z][^.;,\n]{0,60})"
)
_WAS_NOW = re.compile(rf"[^.!?;]{{0,30}}?[,;]?\s*\b(?:is |are )?now (?:to )?{_LEAD}", re.I)
_INSTEAD = re.compile(
    r"\W{0,3}(?:[\w'’%-]+ ){0,3}?(?:(?:instead|in (?:the )?place) of|rather than|up from|down from|no longer)"
    rf"\W{{1,3}}{_LEAD}|\W{{1,3}}(?:and )?not(?:, as [^,.;]{{1,20}},)? {_LEAD}",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|no longer|instead of|rather than)\b", re.I)
_LABEL = re.compile(
    r"(?P<mark>[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+)?(?P<label>[^\W\d_][\w'’/-]*(?: [\w'’/&-]+){0,3})[:.][ \t]+(?=\S)"
)
"""What an item of a list or a paragraph begins with that says what it is about: "3. Open nights. Remain on Fridays"."""
_HEADERS = frozenset(content_stems("from to cc date subject author tags present apologies notes status title"))
_DATED = frozenset(content_stems("monday tuesday wednesday thursday friday saturday sunday")) | frozenset(
    content_stems(" ".join(MONTHS))
)
_TAKES_OVER = re.compile(
    r" (?:(?:takes|took|has taken|will take|is taking)(?: (?:it|this|that|them))? over (?:[\w'’-]+ ){0,6}?from"
    r"|replace[sd]|succeed(?:s|ed)|instead of) ",
    re.I,
)
_IN, _PLACE = re.compile(r"[^.:\nA-Z]{0,40} in "), re.compile(r"(?:['’]s?)? (?:place|stead|shoes)\b", re.I)
_HANDS_OVER = re.compile(
    r" (?:hands|handed|has handed|gives|gave|passes|passed|has passed)(?: [\w'’-]+){0,6}? to ", re.I
)
_LEAVES = re.compile(
    r" (?:(?:steps|stepped|stands|stood) down|resign(?:s|ed)|retire[sd]|leaves|left)\b[^\n]{0,120}", re.I
)
_COMES = re.compile(
    r" (?:was |is |has been |will be )?(?:elected|appointed|chosen|voted in|takes over|took over|becomes|became"
    r"|starts? as|started as|joins as|joined as)\b",
    re.I,
)
_LEADS = re.compile(
    r"(?:\bnew(?: [\w'’-]+){1,3}?(?: (?:is|are|will be))?:?"
    r"|\b(?:mov|shift|postpon|put|push|brought|chang|rais|lower|cut|reduc|increas|drop)\w*(?: [\w'’-]+){0,4}?"
    r" (?:to|until)"
    r"|\b(?:goes|go|went|gone)(?: (?:up|down))? to|\bnow(?: [\w'’-]+){0,3}?)"
    rf"\s*{_LEAD}$",
    re.I,
)
_FOLLOWS = re.compile(r"\W{0,2}(?:[\w'’%-]+ ){0,2}?(?:instead\b(?! of)|from now on\b|now\b)", re.I)
_ANYTHING = frozenset(
    content_stems(
        "new now date day time price cost move moves moved change changed go goes going went up down raise raised cut "
        "lower lowered put set instead week month year pay paid make made get got take takes took come comes "
        "monday tuesday wednesday thursday friday saturday sunday "
        + " ".join((*MONTHS, *(month[:3] for month in MONTHS)))
    )
)
"""Stems that sentences about anything share."""
_ASKING = frozenset(("who", "whom", "whose", *content_stems("now currently our your my we")))
"""What a question says beside what somebody does."""
_FIGURES = re.compile(r"\w*\d\w*")
_BEFORE, _BEHIND = 90, 40
_BESIDE = 8
"""Letters of small words that may stand beside what is denied."""
_MAILS, _HEADER = (".eml", ".mbox"), 200
_TIMES = 4.0
"""How many times as much as before what is announced may be, and as little."""

Stems = frozenset[str]
Saying = Callable[[str], Sequence[EvidencePassage]]
"""Finds the passages that say something."""


@dataclass(frozen=True, slots=True)
class Value:
    """A day, a number or a person at [start, end) of a text: which, and what of."""

    start: int
    end: int
    kind: str
    what: tuple[float | str, ...]
    unit: str = ""

    def differs(self, other: Value) -> bool:
        """Whether it could be told for the other one, and is another."""
        of_one = self.kind == other.kind and (self.unit == other.unit or not (self.unit and other.unit))
        return of_one and self.what != other.what


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence that tells something, with the day of which it is, if that is known."""

    doc: Doc
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.doc.text[self.start : self.end]

    @property
    def own(self) -> Stems:
        """The words that tell of what it is: no figures and days, and not who says it."""
        said = frozenset(content_stems(_FIGURES.sub(" ", self.text))) - _ANYTHING
        line = self.doc.line_at(self.start)
        return said - (frozenset(content_stems(line.subject)) if line and line.kind == "turn" else frozenset())

    @property
    def above(self) -> Stems:
        """The words of its subject, of the headings above it and of the label of its line."""
        doc, start = self.doc, self.start
        said = frozenset(content_stems(f"{doc.subject_at(start)} {' '.join(doc.headings(start))}"))
        return (said | self.item[0]) - _ANYTHING

    @property
    def item(self) -> tuple[Stems, int, int]:
        """The stems of the label of its line and where what follows it stands: "- Rent: agreed on 2,060 euros"; no
        stems where the line has none.
        """
        start = self.doc.text.rfind("\n", 0, self.start) + 1
        end = self.doc.text.find("\n", start)
        line, label = self.doc.line_at(start), _LABEL.match(self.doc.text, start)
        if label and not label["mark"] and line is not None and line.kind == "turn":
            label = None  # who says something
        stems = frozenset(content_stems(label["label"])) if label else frozenset()
        return stems - _HEADERS, label.end() if label else start, len(self.doc.text) if end < 0 else end

    @property
    def day(self) -> date | None:
        """The day that its headings, its title, its file's name or its mail's header tell."""
        doc = self.doc
        header = doc.text[:_HEADER] if doc.passage.source.endswith(_MAILS) else ""
        return day_of(*reversed(doc.headings(self.start)), doc.title, doc.passage.source, header)

    def is_later(self, other: Place) -> bool:
        """Whether it was told after the other; a text without a day is older than one with it."""
        mine, its = self.day, other.day
        if mine is None or (its is not None and mine != its):
            return mine is not None and its is not None and mine > its
        source = self.doc.passage.source
        is_same = source == other.doc.passage.source and not source.endswith(_MAILS)  # the newest stands first in these
        return its is None or (is_same and self._order > other._order)

    @property
    def _order(self) -> tuple[int, int]:
        return self.doc.passage.place[1], self.start


def find_revision(question: str, found: Found, docs: Sequence[Doc], saying: Saying | None = None) -> Found | None:
    """What has taken the place of an answer (a day, a number or a person), scored with the most that is held for it;
    None where no sentence tells that, where several tell different things, and where the question asks how it was.

    `docs` are looked through, and what `saying` finds for the value of before.
    """
    if _asks_how_it_was(question):
        return None
    now: Found | None = None
    for _ in range(_CHANGES):
        further = _next_revision(question, now or found, docs, saying)
        if further is None or words(further.text) == words(found.text):
            break
        now = further
    return now


def _next_revision(question: str, found: Found, docs: Sequence[Doc], saying: Saying | None) -> Found | None:
    values = _values(found.text)
    if len(values) != 1:
        return None
    place = _place(found)
    old, asked = values[0], frozenset(content_stems(question)) - _ANYTHING
    wide = _with(docs, saying(found.text[old.start : old.end])) if saying else docs
    tellings = (
        (_replacing(old, place, asked, wide), REPLACED),
        (_announcing(old, place, asked, wide), ANNOUNCED),
        (_moved_from(question, old, place, wide), REPLACED),
        (_of_same_item(old, place, wide), ANNOUNCED),
        (_person_of_same_item(old, place, asked, wide), ANNOUNCED),
    )
    for tells, most in tellings:
        if told := [doc.found(start, end, most) for doc, start, end in tells]:
            return told[-1] if len({_values(one.text)[0].what for one in told}) == 1 else None
    return None


def find_successor(question: str, evidence: Evidence) -> Found | None:
    """Who has taken the place of somebody whom a question names: "Who has taken Callum's place?" by "Callum Deas left
    in January. Wren Sillars starts as deckhand". None for any other question, and where several are told or nobody.
    """
    asked = _SUCCESSOR.fullmatch(" ".join(question.split())[:_ASKED])
    named = _people(asked["one"] or asked["other"] or asked["owner"]) if asked else []
    if len(named) != 1:
        return None
    told = [
        doc.found(start, end, REPLACED)
        for doc in evidence.docs
        for one in doc.sentences
        if any(person.what == named[0].what for person in _people(doc.text[slice(*one)]))
        for _, start, end in _replacing(named[0], Place(doc, *one), frozenset(), [doc])
    ]
    return told[0] if len({_values(one.text)[0].what for one in told if _values(one.text)}) == 1 else None


def is_overtaken(question: str, doc: Doc, index: int, docs: Sequence[Doc]) -> bool:
    """Whether a sentence says a number, time or day of a question for which the same item of a later document of the
    series has another one; never where the question asks how it was.
    """
    place = Place(doc, *doc.sentences[index])
    if not place.item[0] or _asks_how_it_was(question):
        return False
    said = [old for one in _values(question) for old in _of_kind(place.text, one) if old.what == one.what]
    return any(next(_of_same_item(old, place, docs), None) for old in said)


def denies(question: str, other: Found, found: Found) -> bool:
    """Whether the sentence of another find on the same thing says that it is not where or what the first one tells: "on
    the log store, not by the front door"; never where the question asks how it was.
    """
    if _asks_how_it_was(question):
        return False
    doc, denied = other.doc, frozenset(content_stems(found.text))
    mine, its = _place(other), _place(found)
    if not denied or not ((mine.own | mine.above) & (its.own | its.above)) - denied:
        return False
    for match in _DENIED.finditer(doc.text, mine.start, mine.end):
        end = match.end() + len(found.text) + _BESIDE
        is_beside = other.end <= match.start() or other.start >= end
        if is_beside and denied <= frozenset(content_stems(doc.text[match.end() : end])):
            return True
    return False


def later_of(question: str, one: Found, other: Found) -> Found | None:
    """Which of two values that both answer was told later; None where they are not of one kind and size or come to the
    same, where they are people, of whom both may be meant, where the texts share no word or no days tell, and where the
    question asks how it was.
    """
    values = [_values(found.text) for found in (one, other)]
    if _asks_how_it_was(question) or not all(len(told) == 1 for told in values):
        return None
    (mine,), (its,) = values
    if (
        mine.kind == "person"
        or not mine.differs(its)
        or not _is_near(mine, its)
        or not _are_of_one(_place(one), _place(other))
    ):
        return None
    if _place(one).is_later(_place(other)):
        return one
    return other if _place(other).is_later(_place(one)) else None


def _are_of_one(one: Place, other: Place) -> bool:
    """Whether two sentences share a word, which in one document stands in both themselves."""
    if one.doc.passage.source == other.doc.passage.source:
        return bool(one.own & other.own)
    return bool((one.own | one.above) & (other.own | other.above))


def _asks_how_it_was(question: str) -> bool:
    return bool(_THEN.search(question) or find_dates(question))


def _place(found: Found) -> Place:
    return Place(found.doc, *found.doc.sentence_span(found.start))


def _with(docs: Sequence[Doc], passages: Sequence[EvidencePassage]) -> Sequence[Doc]:
    known = {doc.passage.id for doc in docs}
    return [*docs, *Evidence([one for one in passages if one.id not in known]).docs]


def _values(text: str) -> list[Value]:
    """The days of a text; where there are none its times of day, its numbers, its days of the week, its people: those
    of the first of these kinds that it has any of.
    """
    days = [one for one in find_dates(text) if one.month and one.day]
    found = [Value(_begin(text, one.start), one.end, "day", (one.month, one.day)) for one in days]
    spans = [one for one in found if not any(later.start < one.end <= later.end and later != one for later in found)]
    clock = [Value(*one.span(), "time", (int(one["hour"]), int(one["minute"]))) for one in _CLOCK.finditer(text)]
    return spans or clock or list(_amounts(text)) or _weekdays(text) or _people(text)


def _weekdays(text: str) -> list[Value]:
    """The days of the week of a text as one value, where it has nothing else between them."""
    match = _WEEKDAYS.search(text)
    named = tuple(sorted({one[:3].lower() for one in _WEEKDAY.findall(match[0])})) if match else ()
    return [Value(*match.span(), "weekdays", named)] if match else []


def _begin(text: str, start: int) -> int:
    """Where the time begins that ends on a day: "25–27 June", "29 July to 9 August"."""
    before = _SPAN.search(text, 0, start)
    return before.start() if before else start


def _amounts(text: str) -> Iterator[Value]:
    for match in _SMALL_MONEY.finditer(text):
        yield Value(*match.span(), "number", (float(match["figure"]),), "p")
    for one in find_numbers(text):
        measure, value = measured(text, one)
        unit, sign = _UNIT.match(text, one.end), _SIGN.search(text[: one.start]) or _SIGNED.match(text, one.start)
        start, end = sign.start() if sign else one.start, unit.end() if unit and not sign else one.end
        told = sign.group().strip() if sign else unit["unit"].casefold() if unit else ""
        yield Value(start, end, "number", (value,), measure or CURRENCIES.get(told, told))


def _people(text: str) -> list[Value]:
    """Everything that is written as a name, by its first word: who is "Ana Souza" at first is "Ana" afterwards."""
    spans = [(one.start(), one.start() + len(_OWNS.sub("", one.group()))) for one in _PERSON.finditer(text)]
    return [Value(start, end, "person", tuple(words(text[start:end])[:1])) for start, end in spans]


def _of_kind(text: str, old: Value) -> list[Value]:
    if old.kind in ("person", "weekdays"):
        return _people(text) if old.kind == "person" else _weekdays(text)
    return [one for one in _values(text) if one.kind == old.kind]


def _told(docs: Sequence[Doc], old: Value) -> Iterator[Place]:
    """The sentences; for a person each with the next one: who goes and who comes are told one after the other."""
    more = 1 if old.kind == "person" else 0
    for doc in docs:
        ends = [end for _, end in doc.sentences]
        for at, (start, end) in enumerate(doc.sentences):
            yield Place(doc, start, ends[min(at + more, len(ends) - 1)] if more else end)


def _replacing(old: Value, place: Place, asked: Stems, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """Values that a sentence about the same thing puts in the place of the old one."""
    about = place.own | place.above | asked
    for one in _told(docs, old):
        values = _of_kind(one.text, old)
        before = [value for value in values if value.kind == old.kind and value.what == old.what]
        if not before or len(values) < 2 or not _besides(old, one.own | one.above) & about:
            continue
        for value in values:
            is_of_it = any(value.differs(other) and _takes_place(one.text, other, value) for other in before)
            if is_of_it and old.unit in (value.unit, *(other.unit for other in before)):
                yield one.doc, one.start + value.start, one.start + value.end


def _besides(old: Value, stems: Stems) -> Stems:
    """Words that are not the person's own."""
    return stems - frozenset(content_stems(str(old.what[0]))) if old.kind == "person" else stems


def _takes_place(text: str, old: Value, new: Value) -> bool:
    """Whether a sentence says that a value is in the place of another one."""
    if old.end <= new.start:
        between, before = text[old.end : new.start], text[: old.start]
        if old.kind == "person":
            is_next = _LEAVES.fullmatch(between) and _COMES.match(text, new.end)
            return bool(_HANDS_OVER.fullmatch(between) or is_next)
        is_changed = _FROM.search(before) and _CHANGED.search(before) and _TO.fullmatch(between)
        return bool(is_changed or _WAS_NOW.fullmatch(between))
    between, behind = text[new.end : old.start], text[old.end : old.end + _BEHIND]
    if old.kind == "person" and _IN.fullmatch(between) and _PLACE.match(behind):
        return True
    return bool(_TAKES_OVER.fullmatch(between) if old.kind == "person" else _INSTEAD.fullmatch(between))


def _announcing(old: Value, place: Place, asked: Stems, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """Values that a later sentence about the same thing tells as new ones."""
    if old.kind == "person":
        return
    was = place.own | asked
    for one in _told(docs, old):
        if not one.is_later(place) or not one.own & was or len((one.own | one.above) & (was | place.above)) < 2:
            continue
        for value in _of_kind(one.text, old):
            if value.differs(old) and bool(value.unit) == bool(old.unit) and _is_near(value, old):
                before, behind = one.text[max(0, value.start - _BEFORE) : value.start], one.text[value.end :]
                if _LEADS.search(before) or _FOLLOWS.match(behind[:_BEHIND]):
                    yield one.doc, one.start + value.start, one.start + value.end


def _moved_from(question: str, old: Value, place: Place, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """The place or firm to which a later paragraph on the same thing says that it has gone from the old one, which it
    names before: "Garvock rang: their cradle has cracked. Moved to Corran Slip". Nobody is moved to so where it is
    asked who.
    """
    if old.kind != "person" or _WHO.search(question):
        return
    about = _besides(old, place.own | place.above)
    for doc in docs:
        for change in _MOVED_TO.finditer(doc.text):
            one, at = Place(doc, *doc.sentence_span(change.start())), change.start("name")
            _, start, _ = one.item
            before, new = doc.text[start:at], _people(change["name"])
            said = frozenset(content_stems(before)) | one.above
            if not new or not new[0].differs(old) or not one.is_later(place) or not _besides(old, said) & about:
                continue
            if any(person.what == old.what for person in _people(before)):
                yield doc, at + new[0].start, at + new[0].end


def _of_same_item(old: Value, place: Place, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """The values that the same item of the latest document of the same series tells, where it tells but one of that
    kind: "Rent: 2,150 euros from January" in the minutes of May, "Rent: agreed on 2,060 euros" in those of September.
    """
    if old.kind == "person":
        return
    found: dict[tuple[int, int], tuple[Doc, int, Value]] = {}  # an item has several sentences
    for one in _latest_of_item(place, docs):
        _, start, end = one.item
        for its in _of_kind(one.doc.text[start:end], old):
            if bool(its.unit) == bool(old.unit) and _is_near(its, old) and not _is_year(its):
                found[one.doc.passage.id, start + its.start] = (one.doc, start, its)
    if len(found) == 1:
        ((doc, start, its),) = found.values()
        if its.differs(old):
            yield doc, start + its.start, start + its.end


def _person_of_same_item(old: Value, place: Place, asked: Stems, docs: Sequence[Doc]) -> Iterator[tuple[Doc, int, int]]:
    """Who alone stands in a sentence of the same item of the latest document of the series that says what else is
    asked: "Safeguarding. Siobhan is lead as of today" after "Safeguarding. Imelda takes over as lead".
    """
    role = asked - place.item[0] - _ASKING
    if old.kind != "person" or not role or not role <= place.own | place.above:
        return
    for one in _latest_of_item(place, docs):
        people = _people(one.text)
        if role <= one.own | one.above and len(people) == 1 and people[0].differs(old):
            yield one.doc, one.start + people[0].start, one.start + people[0].end


def _latest_of_item(place: Place, docs: Sequence[Doc]) -> list[Place]:
    """The sentences of the same item of the latest document of the series, where one is later than a place."""
    label, _, _ = place.item
    series = frozenset(content_stems(_FIGURES.sub(" ", place.doc.title))) - _DATED
    if not label or not series:
        return []
    told: list[tuple[date, Place]] = []
    for doc in docs:
        if series <= frozenset(content_stems(doc.title)):
            for start, end in doc.sentences:
                one, day = Place(doc, start, end), Place(doc, start, end).day
                if day and day != place.day and one.item[0] == label and one.is_later(place):
                    told.append((day, one))
    latest = max((day for day, _ in told), default=None)
    return [one for day, one in told if day == latest]


def _is_year(one: Value) -> bool:
    return one.kind == "number" and not one.unit and one.end - one.start == 4 and 1900 <= float(one.what[0]) < 2100


def _is_near(one: Value, other: Value) -> bool:
    """Whether a number is of the size of another one."""
    if one.kind != "number":
        return True
    mine, its = float(one.what[0]), float(other.what[0])
    return its / _TIMES <= mine <= its * _TIMES
