"""Where something is told: a sentence with what stands above it, the label of its line, and the day of which it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from kb.documents.plaintext import MONTHS
from tools.answer_rules.docs import Doc, Found
from tools.answer_rules.text import content_stems
from tools.answer_rules.values import find_dates
from tools.reading.times import day_of

Stems = frozenset[str]

_THEN = re.compile(
    r"\b(?:before|originally|(?:at|the) first|initially|formerly|previous(?:ly)?|used to|at the time|back then|old"
    r"|planned|until|up to now|earlier|by how much|(?:from|between) what)\b",
    re.I,
)
"""What a question says that asks how it was."""
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


def are_of_one(one: Place, other: Place) -> bool:
    """Whether two sentences share a word, which in one document stands in both themselves."""
    if one.doc.passage.source == other.doc.passage.source:
        return bool(one.own & other.own)
    return bool((one.own | one.above) & (other.own | other.above))


def asks_how_it_was(question: str) -> bool:
    """Whether a question asks for what was so before, or on a day: "What did it cost before?"."""
    return bool(_THEN.search(question) or find_dates(question))


def told_at(found: Found) -> Place:
    """The sentence that a find stands in."""
    return Place(found.doc, *found.doc.sentence_span(found.start))
