"""The trained reader: where in a passage a question is answered, and how likely it is that it is answered there at all.

Six layers of MiniLM over the bundled embeddings, fine-tuned to point at the start and the end of an answer (Devlin et
al. 2019, section 4.2 and 4.3) and to say whether the passage answers with a span, with yes, with no, or not;
`docs/reader.md` has its card. int8 weights, run by ONNX Runtime on one thread: some 15 ms for a passage of 200 tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.store.embeddings import BundledMiniLM, load_embedder

Floats = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("reader.onnx")
SHA256 = "45f339de0bd07a2126c61705e0f210a9aab718fbec29f6e75f477c5acdf58160"

LONGEST = 320
"""Tokens of question and passage together: any passage of a knowledge base; a longer text is read in windows."""

QUESTION = 72
"""Tokens of a question that are read."""

OVERLAP = 48
"""Tokens that two windows of a passage share: more than an answer is long."""

SPAN = 30
"""Tokens of the longest answer."""

SPANS = 6
"""Answers kept of a passage."""

_BATCH = 8
_CLS, _SEP = 101, 102


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
class _Window:
    """Tokens of one question and of a stretch of its passage; `offsets` are the characters of the latter's."""

    pair: int
    ids: list[int]
    passage: int
    offsets: list[tuple[int, int]]


@lru_cache(maxsize=1)
def load_reader() -> Reader:
    """The reader that ships. Raises UsageError where its weights are missing or not the expected ones."""
    try:
        weights = WEIGHTS.read_bytes()
    except OSError as error:
        raise UsageError(f"the reader's weights are missing ({error.strerror}); install clew again") from error
    if hashlib.sha256(weights).hexdigest() != SHA256:
        raise UsageError("the reader's weights are not the expected ones; install clew again")
    return Reader(weights)


class Reader:
    """Reads passages for questions. The same pairs give the same readings on the same machine."""

    def __init__(self, weights: bytes) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # As for the embedding of questions: a second thread gains little and waits for long on a busy machine.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        # The one that embeds questions, so that its weights are not read and checked twice.
        model = load_embedder()
        assert isinstance(model, BundledMiniLM), "the model of the default name is the bundled one"
        self._model = model

    def read(self, pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        """The reading of each (question, title, text): the title is read before the text, answers stand in the text.

        Windows of about equal length are read together. () gives [], an empty text an empty reading.
        """
        windows = self._windows(pairs)
        order = sorted(range(len(windows)), key=lambda i: len(windows[i].ids))
        read: dict[int, list[tuple[_Window, Floats, Floats]]] = {}
        for at in range(0, len(order), _BATCH):
            batch = [windows[i] for i in order[at : at + _BATCH]]
            spans, kinds = self._logits(batch)
            for window, span, kind in zip(batch, spans, kinds, strict=True):
                read.setdefault(window.pair, []).append((window, span, kind))
        return [_reading(read.get(i, ())) for i in range(len(pairs))]

    def _windows(self, pairs: Sequence[tuple[str, str, str]]) -> list[_Window]:
        encode = self._model.tokenizer.encode_batch
        questions = encode([question for question, _, _ in pairs], add_special_tokens=False)
        titles = encode([f"{title}." if title else "" for _, title, _ in pairs], add_special_tokens=False)
        texts = encode([text for _, _, text in pairs], add_special_tokens=False)
        windows = []
        for pair, (question, title, text) in enumerate(zip(questions, titles, texts, strict=True)):
            asked, headed = question.ids[:QUESTION], title.ids[: QUESTION // 2]
            room = LONGEST - len(asked) - len(headed) - 3
            start = 0
            while start < len(text.ids):
                ids = [_CLS, *asked, _SEP, *headed, *text.ids[start : start + room], _SEP]
                first = len(asked) + 2 + len(headed)
                windows.append(_Window(pair, ids, first, text.offsets[start : start + room]))
                start += room - OVERLAP if start + room < len(text.ids) else len(text.ids)
        return windows

    def _logits(self, batch: Sequence[_Window]) -> tuple[Floats, Floats]:
        """Start and end logits, shape (rows, tokens, 2), and those of the kinds, shape (rows, 4)."""
        longest = max(len(window.ids) for window in batch)
        ids, types = (np.zeros((len(batch), longest), dtype=np.int64) for _ in range(2))
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, window in enumerate(batch):
            ids[row, : len(window.ids)] = window.ids
            types[row, window.ids.index(_SEP) + 1 : len(window.ids)] = 1
            mask[row, : len(window.ids)] = 1
        places = np.broadcast_to(np.arange(longest), ids.shape)
        hidden = self._model.token_vectors(ids, places, types)
        span, kind = self._session.run(["span", "kind"], {"hidden": hidden, "mask": mask})
        return span, kind


def _reading(read: Sequence[tuple[_Window, Floats, Floats]]) -> Reading:
    """One reading of all windows of a passage: its best spans, and what the window that answers most says."""
    if not read:
        return Reading()
    found: list[Span] = []
    kinds = []
    for window, span, kind in read:
        chances = softmax(kind)
        kinds.append(chances)
        found += _spans(window, span)
    best = max(kinds, key=lambda chances: (1 - chances[0], chances[1]))
    return Reading(apart(found), float(best[1]), float(best[2]), float(best[3]))


def _spans(window: _Window, logits: Floats) -> list[Span]:
    """The likeliest spans of a window; their probabilities and that of no span, at the first token, add up to 1."""
    first, last = window.passage, window.passage + len(window.offsets)
    start, end = logits[first:last, 0], logits[first:last, 1]
    both = start[:, None] + end[None, :]
    both[~allowed(len(start))] = -np.inf
    nothing = float(logits[0, 0] + logits[0, 1])
    top = max(float(both.max()), nothing)
    weights = np.exp(both - top)
    total = float(weights.sum()) + np.exp(nothing - top)
    order = np.argsort(-weights, axis=None, kind="stable")[: 8 * SPANS]
    picked = [divmod(int(at), len(start)) for at in order]
    offsets = window.offsets
    return [Span(offsets[i][0], offsets[j][1], float(weights[i, j] / total)) for i, j in picked if weights[i, j] > 0]


@lru_cache(maxsize=512)
def allowed(size: int) -> NDArray[np.bool_]:
    """Which pairs of a start and an end make an answer, shape (size, size)."""
    ones = np.ones((size, size), dtype=bool)
    return np.triu(ones) & np.tril(ones, SPAN - 1)


def apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The best spans of which none overlaps a better one, each with the probability of all that it stands for."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda one: (-one.probability, one.start, one.end)):
        if len(kept) < SPANS and all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return tuple(kept)


def softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())
