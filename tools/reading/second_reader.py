"""The second reader: the best passages once more, by a larger network that was brought up on other texts.

It points at the start and the end of an answer (Devlin et al. 2019, sections 4.2 and 4.3) as the first one does, over
the layers of a language model (`tools/reading/encoder.py`). Its worth is that it errs elsewhere: where both hold the
same span for the best it is right twice as often as where one of them is sure. `docs/reader.md` has its card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tools.reading.encoder import Encoder
from tools.reading.reader import SPANS, Reading, Span, allowed, apart, softmax

Floats = NDArray[np.float32]

QUESTION, TEXT, ANSWER = "Question:", "\nText:", "\nAnswer:"
"""What the network reads before the question, before the passage and behind it; it was trained so."""

LONGEST = 320
"""Tokens of question and passage together: any passage of a knowledge base; a longer text is read in windows."""

ASKED = 72
"""Tokens of a question that are read."""

OVERLAP = 48
"""Tokens that two windows of a passage share: more than an answer is long."""

_BATCH_TOKENS = 2048
_START = 1


@dataclass(frozen=True, slots=True)
class _Window:
    """Tokens of one question and of a stretch of its passage, from `passage` on; `offsets` are its characters."""

    pair: int
    ids: list[int]
    passage: int
    offsets: list[tuple[int, int]]


class Network(Protocol):
    """What the reader needs of its network."""

    def encode(self, texts: Sequence[str]) -> list[Any]: ...

    def logits(self, rows: Sequence[Sequence[int]]) -> Floats: ...


@lru_cache(maxsize=1)
def load_second_reader() -> SecondReader:
    """The second reader that ships. Raises UsageError where its weights are missing or not the expected ones."""
    return SecondReader(Encoder())


def read_again(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    """As `SecondReader.read` of the one that ships, which is not loaded before it has something to read."""
    return load_second_reader().read(pairs) if pairs else []


class SecondReader:
    """Reads passages for questions. The same pairs give the same readings on the same machine."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._asking, self._telling, self._behind = (one.ids for one in network.encode([QUESTION, TEXT, ANSWER]))

    def read(self, pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        """The reading of each (question, title, text): the title is read before the text, answers stand in the text.

        Windows of about equal length are read together. () gives [], an empty text an empty reading.
        """
        windows = self._windows(pairs)
        read: dict[int, list[tuple[_Window, Floats]]] = {}
        for batch in _batches(windows):
            for window, logits in zip(batch, self._network.logits([one.ids for one in batch]), strict=True):
                read.setdefault(window.pair, []).append((window, logits[: len(window.ids)]))
        return [_reading(text, read.get(i, ())) for i, (_, _, text) in enumerate(pairs)]

    def _windows(self, pairs: Sequence[tuple[str, str, str]]) -> list[_Window]:
        encode = self._network.encode
        questions = encode([f" {question}" for question, _, _ in pairs])
        titles = encode([f" {title}." if title else "" for _, title, _ in pairs])
        texts = encode([f" {text}" if text else "" for _, _, text in pairs])
        windows = []
        for pair, (question, title, text) in enumerate(zip(questions, titles, texts, strict=True)):
            before = [_START, *self._asking, *question.ids[:ASKED], *self._telling, *title.ids[: ASKED // 2]]
            room = LONGEST - len(before) - len(self._behind)
            start = 0
            while start < len(text.ids):
                ids = [*before, *text.ids[start : start + room], *self._behind]
                # One character less each: the blank before the text.
                offsets = [(max(0, a - 1), b - 1) for a, b in text.offsets[start : start + room]]
                windows.append(_Window(pair, ids, len(before), offsets))
                start += room - OVERLAP if start + room < len(text.ids) else len(text.ids)
        return windows


def _batches(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Windows of about one length together, as many as keep the padded batch within its tokens."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda one: len(one.ids)):
        if batch and (len(batch) + 1) * len(window.ids) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _reading(text: str, read: Sequence[tuple[_Window, Floats]]) -> Reading:
    """One reading of all windows of a passage: its best spans, and what the window that answers most says."""
    if not read:
        return Reading()
    found = [span for window, logits in read for span in _spans(text, window, logits)]
    kinds = [softmax(logits[-1, 2:]) for _, logits in read]
    best = max(kinds, key=lambda chances: (1 - chances[0], chances[1]))
    return Reading(apart(found), float(best[1]), float(best[2]), float(best[3]))


def _spans(text: str, window: _Window, logits: Floats) -> list[Span]:
    """The likeliest spans of a window; their probabilities and that of no span, at the last token, add up to 1."""
    first, last = window.passage, window.passage + len(window.offsets)
    start, end = logits[first:last, 0], logits[first:last, 1]
    both = start[:, None] + end[None, :]
    both[~allowed(len(start))] = -np.inf
    nothing = float(logits[-1, 0] + logits[-1, 1])
    top = max(float(both.max()), nothing)
    weights = np.exp(both - top)
    total = float(weights.sum()) + np.exp(nothing - top)
    order = np.argsort(-weights, axis=None, kind="stable")[: 8 * SPANS]
    spans = []
    for place in order:
        i, j = divmod(int(place), len(start))
        at, behind = _within(text, window.offsets[i][0], window.offsets[j][1])
        if weights[i, j] > 0 and at < behind:
            spans.append(Span(at, behind, float(weights[i, j] / total)))
    return spans


def _within(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch without the blanks at its ends: a token holds the one before it."""
    inner = text[start:end]
    return end - len(inner.lstrip()), start + len(inner.rstrip())
