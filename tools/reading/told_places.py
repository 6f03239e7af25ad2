"""Where something is told: a sentence with what stands above it, the label of its line, and the day of which it is."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from kb.documents.plaintext import MONTHS
from tools.answer_rules.docs import Doc, Found
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import find_dates, month_number
from tools.reading.times import day_of

Stems = frozenset[str]

_THEN = re.compile(
    r"\b(?:before|originally|(?:at|the) first|initially|formerly|previous(?:ly)?|used to|at the time|back then|old"
    r"|planned|until|up to now|earlier|by how much|(?:from|between) what)\b",
    re.I,
)
"""What a question says that asks how it was."""
_WHO_GOES = re.compile(
    r"who(?:['’]s| (?:is|was|has|will|are|have))?(?: be)? (?:giv(?:es?|ing|en) up|gave up|step(?:s|ped|ping)? down"
    r"|resign|retir|leav|left\b|quit|hand(?:s|ed|ing)? over)",
    re.I,
)
"""Asks for whoever does something no longer, whose place somebody takes."""
_LABEL = re.compile(
    r"(?P<mark>[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+)?(?P<label>[^\W\d_][\w'’/-]*(?: [\w'’/&-]+){0,3})[:.][ \t]+(?=\S)"
)
"""What an item of a list or a paragraph begins with that says what it is about: "3. Open nights. Remain on Fridays"."""
_HEADERS = frozenset(content_stems("from to cc date subject author tags present apologies notes status title"))
ANYTHING = frozenset(
    content_stems(
        "new now date day time price cost move moves moved change changed go goes going went up down raise raised cut "
        "lower lowered put set instead week month year pay paid make made get got take takes took come comes "
        "monday tuesday wednesday thursday friday saturday sunday "
        + " ".join((*MONTHS, *(month[:3] for month in MONTHS)))
    )
)
"""Stems that sentences about anything share."""
FIGURES = re.compile(r"\w*\d\w*")
_HEAD = re.compile(r"\W*(?P<head>[^.!?;\n]{3,90}?)(?:[.!?;\n]|$)")
"""What a document begins with, up to the end of its first sentence or line."""
_SAYS = re.compile(
    r"\b(?:is|are|was|were|be|been|will|would|shall|has|have|had|can|could|must|may not|do|does|did|born|died"
    r"|married|since|until|till|by|costs?|moves?|moved|comes?|came|goes|went|begins?|starts?|we|i|you|they|he|she|it)\b",
    re.I,
)
"""What is no title of a document: a sentence, or the days of a life."""
_MONTH_OF = re.compile(
    r"\b(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])\b"
    rf"|\b(?P<month>{'|'.join(MONTHS)}),? (?P<of>(?:19|20)\d\d)\b",
    re.I,
)
_YEAR_OF = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)(?![-–/]\d)")
_MAILS, _HEADER = (".eml", ".mbox"), 200


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
        said = frozenset(content_stems(FIGURES.sub(" ", self.text))) - ANYTHING
        line = self.doc.line_at(self.start)
        return said - (frozenset(content_stems(line.subject)) if line and line.kind == "turn" else frozenset())

    @property
    def above(self) -> Stems:
        """The words of its subject, of the headings above it and of the label of its line."""
        doc, start = self.doc, self.start
        said = frozenset(content_stems(f"{doc.subject_at(start)} {' '.join(doc.headings(start))}"))
        return (said | self.item[0]) - ANYTHING

    @property
    def item(self) -> tuple[Stems, int, int]:
        """The stems of the label of its line and where what follows it stands: "- Rent: agreed on 2,060 euros"; no
        stems where the line has none.
        """
        start = self.doc.text.rfind("\n", 0, self.start) + 1
        end = self.doc.text.find("\n", start)
        label = _LABEL.match(self.doc.text, start)
        if label and not label["mark"] and self.doc.kind_at(start) == "turn":
            label = None  # who says something
        stems = frozenset(content_stems(label["label"])) if label else frozenset()
        return stems - _HEADERS, label.end() if label else start, len(self.doc.text) if end < 0 else end

    @property
    def day(self) -> date | None:
        """The day that its headings, its title, its file's name, its mail's header or its document's first words tell:
        "Minutes, 3 May 2023.".
        """
        doc = self.doc
        header = doc.text[:_HEADER] if doc.passage.source.endswith(_MAILS) else head_of(doc)
        return day_of(*reversed(doc.headings(self.start)), doc.title, doc.passage.source, header)

    @property
    def years(self) -> tuple[date, date] | None:
        """The first and the last day that it may be of: that day, or those of the year or month that stands where a day
        would ("handbook-2021.txt").
        """
        doc, day = self.doc, self.day
        if day:
            return day, day
        places = (*reversed(doc.headings(self.start)), doc.title, doc.passage.source, head_of(doc))
        return next((told for place in places if (told := _span_of(place))), None)

    def is_later(self, other: Place) -> bool:
        """Whether it was told after the other; a text without a day is older than one with it, and a day of a year is
        later than what is of that year.
        """
        mine, its = self.years, other.years
        is_day = mine is not None and mine[0] == mine[1]
        if mine is None or its is None:
            return is_day and its is None
        if is_day and mine == its:
            source = self.doc.passage.source
            is_same = source == other.doc.passage.source
            return is_same and not source.endswith(_MAILS) and self._order > other._order  # whose newest stands first
        return mine[0] > its[0 if is_day else 1]

    @property
    def _order(self) -> tuple[int, int]:
        return self.doc.passage.place[1], self.start


def head_of(doc: Doc) -> str:
    """What a document begins with, where that says nothing but what it is and of which day: "Minutes, 3 May 2023."."""
    if doc.passage.place[1] > 0:
        return ""
    head = _HEAD.match(doc.text)
    return head["head"] if head and not _SAYS.search(head["head"]) else ""


def _span_of(text: str) -> tuple[date, date] | None:
    """The first and the last day of the one month or year that a title, a name of a file or a heading tells."""
    if month := _MONTH_OF.search(text):
        year = int(month["year"] or month["of"])
        number = int(month["number"] or month_number(month["month"]))
        return date(year, number, 1), date(year, number, monthrange(year, number)[1])
    years = {int(one) for one in _YEAR_OF.findall(text)}
    return (date(min(years), 1, 1), date(min(years), 12, 31)) if len(years) == 1 else None


def are_of_one(one: Place, other: Place) -> bool:
    """Whether two sentences share a word, which in one document stands in both themselves."""
    if one.doc.passage.source == other.doc.passage.source:
        return bool(one.own & other.own)
    return bool((one.own | one.above) & (other.own | other.above))


def asks_how_it_was(question: str) -> bool:
    """Whether a question asks for what was so before, or on a day: "What did it cost before?", "Who steps down?"."""
    return bool(_THEN.search(question) or _WHO_GOES.match(question) or find_dates(question))


def told_at(found: Found) -> Place:
    """The sentence that a find stands in."""
    return Place(found.doc, *found.doc.sentence_span(found.start))
