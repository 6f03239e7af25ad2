"""Which two lines answer a question together: the first says whom or what it describes, the second, which shares a name
with it, what is asked of that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from tools.answer_rules.text import content_stems
from tools.linked.line_pool import LinePool, names_in, share_of

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

_WORDS = re.compile(r"[\w'’-]+")
_RUN = re.compile(r"[\w'’-]+(?: +[\w'’-]+)*")
"""Words with nothing but spaces between them."""


def linked_pairs(
    lines: LinePool, question: str, cosines: NDArray[np.float32], most: int = PAIRS
) -> list[tuple[int, int]]:
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
    lines: LinePool, question: str, cosines: NDArray[np.float32]
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


def link(lines: LinePool, question: str, first: int, second: int) -> str:
    """What two lines share that the question does not say, as it stands in the first: the rarest name, else the rarest
    words side by side, else a word that has a part of it; "" where they share nothing.
    """
    shared = _shared(lines, content_stems(question), first, second)
    names = shared & lines.names[first] & lines.names[second] or shared
    text = lines.lines[first].text
    best, rarest = next((word for word in _WORDS.findall(text) if shared & {*content_stems(word)}), ""), 0.0
    for run in _RUN.findall(text):
        for is_shared, group in groupby(run.split(), lambda word: _is_of(word, shared)):
            said = list(group) if is_shared else []
            while said and not _is_of(said[0], names):
                said.pop(0)
            while said and not _is_of(said[-1], names):
                said.pop()
            rarity = sum(map(lines.rarity, content_stems(" ".join(said))))
            best, rarest = (" ".join(said), rarity) if rarity > rarest else (best, rarest)
    return best


def _is_of(word: str, stems: frozenset[str]) -> bool:
    own = content_stems(word)
    return bool(own) and stems.issuperset(own)


def _shared(lines: LinePool, asked: Iterable[str], first: int, second: int) -> frozenset[str]:
    return (lines.linking[first] & lines.linking[second]).difference(asked)


def near_names(lines: LinePool, question: str, cosines: NDArray[np.float32]) -> list[str]:
    """The names in the lines closest to a question, as they are written there, those of the closest first."""
    _, near = _nearness(lines, lines.rarities(content_stems(question)), cosines)
    return list(dict.fromkeys(name for at in _closest(near) for name in names_in(lines.lines[at].text)))


def _nearness(
    lines: LinePool, asked: Mapping[str, float], cosines: NDArray[np.float32]
) -> tuple[list[float], list[float]]:
    """Of each line the share of the question's words that it says, and how close it is by these and by meaning."""
    said = [share_of(asked, had) for had in lines.said]
    return said, [float(cosine) + share / 2 for cosine, share in zip(cosines, said, strict=True)]


def _closest(near: list[float]) -> list[int]:
    return sorted(range(len(near)), key=lambda at: (-near[at], at))[:NEAR]


def _linked(lines: LinePool, asked: Mapping[str, float], one: int, near: list[float]) -> Iterator[int]:
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
    lines: LinePool,
    asked: Mapping[str, float],
    first: int,
    second: int,
    cosines: NDArray[np.float32],
    said: list[float],
) -> tuple[int, int, tuple[float, ...]]:
    shared = _shared(lines, asked, first, second)
    names = shared & lines.names[first] & lines.names[second]
    rarest = [max(map(lines.rarity, some), default=0.0) for some in (shared, names)]
    both = share_of(asked, lines.said[first] | lines.said[second])
    return first, second, (float(cosines[first]), float(cosines[second]), said[first], both, *rarest)
