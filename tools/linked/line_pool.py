"""Lines of documents, the words of each, and how rare a word is among them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kb.documents.plaintext import MONTHS
from kb.documents.structure import is_heading
from kb.records import Passage
from tools.answer_rules.text import content_stems

LONG = 28
"""Words of a sentence from which its lines stand for themselves: a list without full stops is no sentence."""

MOST = 70
"""Words of a line that are kept: two lines are read at once."""

_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+|\b\w*\d\w*")
"""What names one of many: a word with a capital, or with a digit."""

_FIELD = re.compile(r"(?:^|(?<=; ))[^:;]{1,40}:(?= )")
"""The name of a field of a record."""

_CALENDAR = frozenset(
    content_stems(
        f"{' '.join(MONTHS)} {' '.join(month[:3] for month in MONTHS)} sept monday tuesday wednesday thursday friday "
        "saturday sunday mon tue tues wed thu thur thurs fri sat sun weekly monthly day days week weeks month months "
        "year years yes no none today yesterday"
    )
)
_PART = re.compile(r"\d{1,3}|0\d*|(?:1[5-9]|20)\d\d|[^\W\d]")
"""A number that is part of a day, a year, a price or a telephone number, or a letter: what shares it shares nothing."""

_FIELDS = 2
"""Fields that a record has more of: what has fewer may as well be a sentence."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, a record or a line of a list, its passage and the title of that; `sentence` is the row of the vector
    of its sentence.
    """

    passage: int
    title: str
    text: str
    sentence: int = 0

    @property
    def shown(self) -> str:
        """It behind the title of its passage."""
        return f"{self.title}: {self.text}" if self.title else self.text


class LinePool:
    """Lines among which those that share a name are sought, in their order; () for none.

    Of each: its `stems`, what is `said` with its title, its `names`, which may name one of many, and its `linking`
    words, without the names of a record's fields, which all of its kind have, and without days and numbers, which
    things share that have nothing to do with each other.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.stems = [frozenset(content_stems(one.text)) for one in lines]
        self.said = [own | frozenset(content_stems(one.title)) for own, one in zip(self.stems, lines, strict=True)]
        self.names = [frozenset(content_stems(" ".join(names_in(one.text)))) for one in lines]
        self.linking = [frozenset(filter(_may_link, content_stems(_without_fields(one.text)))) for one in lines]

    @cached_property
    def having(self) -> Mapping[str, Sequence[int]]:
        """The lines that a word may link, by its stem."""
        found: dict[str, list[int]] = {}
        for at, stems in enumerate(self.linking):
            for stem in stems:
                found.setdefault(stem, []).append(at)
        return found

    @cached_property
    def _counts(self) -> Mapping[str, int]:
        return Counter(stem for stems in self.stems for stem in stems)

    def rarity(self, stem: str) -> float:
        """The logarithm of how many times as many lines there are as such that have the word."""
        return math.log((len(self.lines) + 1) / (self._counts.get(stem, 0) + 0.5))

    def rarities(self, stems: Iterable[str]) -> dict[str, float]:
        """How rare each of some words is."""
        return {stem: self.rarity(stem) for stem in stems}


def _without_fields(text: str) -> str:
    """A record without the names of its fields; any other text as it is."""
    return " ".join(_FIELD.split(text)) if len(_FIELD.findall(text)) > _FIELDS else text


def _may_link(stem: str) -> bool:
    return stem not in _CALENDAR and not _PART.fullmatch(stem)


def names_in(text: str) -> list[str]:
    """What may name one of many in a text, in its order."""
    return _NAME.findall(text)


def share_of(wanted: Mapping[str, float], had: frozenset[str]) -> float:
    """The share of what is wanted that is there, 0..1, each word by its weight; 0 where nothing is wanted."""
    return sum(weight for stem, weight in wanted.items() if stem in had) / (sum(wanted.values()) or 1.0)


def lines_of(passages: Sequence[Passage], sentences: Iterable[tuple[int, int, int, int]]) -> LinePool:
    """The lines of passages, by their `sentences`: passage, start, end and row of each. What a document says twice
    counts once; headings, and what is but a word, are left out.
    """
    known = {one.id: one for one in passages}
    found: dict[tuple[str, str], Line] = {}
    for passage_id, start, end, row in sentences:
        passage = known[passage_id]
        for text in _parts(passage.text[start:end]):
            found.setdefault((passage.document, text), Line(passage_id, passage.title, text, row))
    return LinePool(tuple(found.values()))


def _parts(sentence: str) -> Iterator[str]:
    is_list = "\n" in sentence.strip() and len(sentence.split()) > LONG
    for part in sentence.split("\n") if is_list else [sentence]:
        words = part.split()
        if len(words) > 1 and not is_heading(text := " ".join(words[:MOST])):
            yield text
