"""Which two lines answer a question together: the first says whom or what it describes, the second, which shares a name
with it, what is asked of that. No part of clew yet: what reads them is not right often enough (docs/results.md).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.documents.plaintext import MONTHS
from tools.answer_rules.text import content_stems

NEAR = 30
"""Lines closest to a question from which links are followed."""

EACH = 10
"""Links that are followed from each."""

COMMON = 12
"""Lines that have a word from which on it links none of them: it names nothing."""

PAIRS = 12
"""Pairs that are read: among so many are the two lines for 87 of 100 questions over 240 lines (docs/results.md)."""

_NAMED, _WORD = 1.5, 0.5
"""What a name that two lines share counts, and another word, times how rare it is, where links are chosen."""

_LINK, _MOST_LINK = 0.05, 8.0
"""What a link counts beside how close its line is to the question, and the most of it that does."""

WEIGHTS = np.array([8.4, 8.4, 6.4, 8.2, 2.1, 0.5], dtype=np.float32)
"""What the measures of a pair count (`benchmarks/train_linking.py`)."""

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
    """A sentence, a record or a line of a list, and the title of what it stands in."""

    title: str
    text: str

    @property
    def shown(self) -> str:
        """It behind its title."""
        return f"{self.title}: {self.text}"


class Lines:
    """Lines among which those that share a name are sought, in their order; () for none.

    Of each: its `stems`, what is `said` with its title, its `names`, which may name one of many, and its `linking`
    words, without the names of a record's fields, which all of its kind have, and without days and numbers, which
    things share that have nothing to do with each other.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.stems = [frozenset(content_stems(one.text)) for one in lines]
        self.said = [own | frozenset(content_stems(one.title)) for own, one in zip(self.stems, lines, strict=True)]
        self.names = [frozenset(content_stems(" ".join(_NAME.findall(one.text)))) for one in lines]
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


def share_of(wanted: Mapping[str, float], had: frozenset[str]) -> float:
    """The share of what is wanted that is there, 0..1, each word by its weight; 0 where nothing is wanted."""
    return sum(weight for stem, weight in wanted.items() if stem in had) / (sum(wanted.values()) or 1.0)


def linked_pairs(lines: Lines, question: str, cosines: NDArray[np.float32], most: int = PAIRS) -> list[tuple[int, int]]:
    """The pairs of lines, by place, that share a name and most likely answer together, best first, of each the line
    closer to the question first; ties by place.

    `cosines` are those of the lines to the question, shape (lines,). [] where no two share anything.
    """
    measured = measured_pairs(lines, question, cosines)
    if not measured:
        return []
    weights = np.array([measures for _, _, measures in measured], dtype=np.float32) @ WEIGHTS
    order = np.argsort(-weights, kind="stable")[:most]
    return [measured[at][:2] for at in order.tolist()]


def measured_pairs(
    lines: Lines, question: str, cosines: NDArray[np.float32]
) -> list[tuple[int, int, tuple[float, ...]]]:
    """All pairs that are looked at, by place: the closer line, the other, and what speaks for them: the cosine of each,
    the share of the question's words in the first and in both, and how rare the rarest word and the rarest name are
    that they share and the question has not.
    """
    asked = lines.rarities(content_stems(question))
    said, near = _nearness(lines, asked, cosines)
    closest = _closest(near)
    pairs = sorted(
        {(min(one, other), max(one, other)) for one in closest for other in _linked(lines, asked, one, near)}
    )
    ordered = [pair if near[pair[0]] >= near[pair[1]] else pair[::-1] for pair in pairs]
    return [_measured(lines, asked, first, second, cosines, said) for first, second in ordered]


def _nearness(
    lines: Lines, asked: Mapping[str, float], cosines: NDArray[np.float32]
) -> tuple[list[float], list[float]]:
    """Of each line the share of the question's words that it says, and how close it is by these and by meaning."""
    said = [share_of(asked, had) for had in lines.said]
    return said, [float(cosine) + share / 2 for cosine, share in zip(cosines, said, strict=True)]


def _closest(near: list[float]) -> list[int]:
    return sorted(range(len(near)), key=lambda at: (-near[at], at))[:NEAR]


def _linked(lines: Lines, asked: Mapping[str, float], one: int, near: list[float]) -> Iterator[int]:
    """The lines that share with one what the question does not say, first those that are close to it and share most."""
    shared: dict[int, float] = defaultdict(float)
    for stem in sorted(lines.linking[one] - asked.keys()):
        having = lines.having[stem]
        if len(having) > COMMON:
            continue
        for other in having:
            is_name = stem in lines.names[one] and stem in lines.names[other]
            shared[other] += lines.rarity(stem) * (_NAMED if is_name else _WORD)
    shared.pop(one, None)
    chosen = sorted(shared, key=lambda at: (-near[at] - _LINK * min(shared[at], _MOST_LINK), at))
    yield from chosen[:EACH]


def _measured(
    lines: Lines, asked: Mapping[str, float], first: int, second: int, cosines: NDArray[np.float32], said: list[float]
) -> tuple[int, int, tuple[float, ...]]:
    shared = (lines.linking[first] & lines.linking[second]) - asked.keys()
    names = shared & lines.names[first] & lines.names[second]
    rarest = [max(map(lines.rarity, some), default=0.0) for some in (shared, names)]
    both = share_of(asked, lines.said[first] | lines.said[second])
    return first, second, (float(cosines[first]), float(cosines[second]), said[first], both, *rarest)
