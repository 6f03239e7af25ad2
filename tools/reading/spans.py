"""What readers have in common: windows of a passage, the spans that start and end logits point at, and one reading of
all windows (Devlin et al. 2019, sections 4.2 and 4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Tokens = tuple[list[int], list[tuple[int, int]]]
"""The tokens of a text, ids and offsets in characters, with nothing added or cut off."""
Encode = Callable[[Sequence[str]], list[Tokens]]

LONGEST = 320
"""Tokens of question and passage together: any passage of a knowledge base; a longer text is read in windows."""

ASKED = 72
"""Tokens of a question that are read."""

HEADED = ASKED // 2
"""Tokens of a title that are read."""

OVERLAP = 48
"""Tokens that two windows of a passage share: more than an answer is long."""

SPAN = 30
"""Tokens of the longest answer."""

SPANS = 6
"""Answers kept of a passage."""


@dataclass(frozen=True, slots=True)
class Span:
    """An answer at [start, end) of the passage's text, with the reader's probability for it there (0..1)."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What one passage says to one question. `answered`, `yes` and `no` are probabilities that together are at most 1;
    `answered` is that of a span. `spans` are best first, and none overlaps a better one.
    """

    spans: tuple[Span, ...] = ()
    answered: float = 0.0
    yes: float = 0.0
    no: float = 0.0


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens of one question and of a stretch of its passage, from place `passage` on; `offsets` are the characters of
    the latter's.
    """

    pair: int
    ids: list[int]
    passage: int
    offsets: list[tuple[int, int]]


class WindowLogits(NamedTuple):
    """What a network says of a window: start and end logits, shape (tokens, 2), those of no span, (2,), and those of
    the kinds none, span, yes and no, (4,).
    """

    window: Window
    span: Floats
    nothing: Floats
    kind: Floats


def windows_for(
    pairs: Sequence[tuple[str, str, str]], encode: Encode, start: int, between: Sequence[int], end: int
) -> list[Window]:
    """The windows of each (question, title, text): the token `start`, the question, those `between`, the title, the
    text and the token `end`. () gives none, and so does a text without tokens.
    """
    questions = encode([question for question, _, _ in pairs])
    titles = encode([f"{title}." if title else "" for _, title, _ in pairs])
    texts = encode([text for _, _, text in pairs])
    windows = []
    for pair, ((question, _), (title, _), (text, offsets)) in enumerate(zip(questions, titles, texts, strict=True)):
        before = [start, *question[:ASKED], *between, *title[:HEADED]]
        windows += windows_of(pair, before, text, [end], offsets)
    return windows


def windows_of(
    pair: int,
    before: Sequence[int],
    text: Sequence[int],
    behind: Sequence[int],
    offsets: Sequence[tuple[int, int]],
) -> list[Window]:
    """A text's tokens in windows that overlap, each with the tokens `before` and `behind` it; () gives none."""
    room = LONGEST - len(before) - len(behind)
    windows, start = [], 0
    while start < len(text):
        ids = [*before, *text[start : start + room], *behind]
        windows.append(Window(pair, ids, len(before), list(offsets[start : start + room])))
        start += room - OVERLAP if start + room < len(text) else len(text)
    return windows


def reading_of(text: str, told: Sequence[WindowLogits]) -> Reading:
    """One reading of all windows of a passage: its best spans, and what the window that answers most says."""
    if not told:
        return Reading()
    found = [span for one in told for span in spans_of(text, one)]
    best = max((_softmax(one.kind) for one in told), key=lambda chances: (1 - chances[0], chances[1]))
    return Reading(_apart(found), float(best[1]), float(best[2]), float(best[3]))


def spans_of(text: str, told: WindowLogits) -> list[Span]:
    """The likeliest spans of a window; their probabilities and that of no span add up to 1."""
    window = told.window
    first, last = window.passage, window.passage + len(window.offsets)
    both = told.span[first:last, 0][:, None] + told.span[first:last, 1][None, :]
    both[~_allowed(last - first)] = -np.inf
    nothing = float(told.nothing.sum())
    top = max(float(both.max()), nothing)
    weights = np.exp(both - top)
    total = float(weights.sum()) + np.exp(nothing - top)
    order = np.argsort(-weights, axis=None, kind="stable")[: 8 * SPANS]
    spans = []
    for place in order:
        i, j = divmod(int(place), last - first)
        start, end = _within(text, window.offsets[i][0], window.offsets[j][1])
        if weights[i, j] > 0 and start < end:
            spans.append(Span(start, end, float(weights[i, j] / total)))
    return spans


@lru_cache(maxsize=512)
def _allowed(size: int) -> NDArray[np.bool_]:
    """Which pairs of a start and an end make an answer, shape (size, size)."""
    ones = np.ones((size, size), dtype=bool)
    return np.triu(ones) & np.tril(ones, SPAN - 1)


def _within(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch without the blanks at its ends: a token may hold the one before it."""
    inner = text[start:end]
    return end - len(inner.lstrip()), start + len(inner.rstrip())


def _apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The best spans of which none overlaps a better one."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda one: (-one.probability, one.start, one.end)):
        if len(kept) < SPANS and all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return tuple(kept)


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())
