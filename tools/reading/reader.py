"""The trained reader: where in a passage a question is answered, and how likely it is that it is answered there at all.

Six layers of MiniLM over the bundled embeddings, fine-tuned to point at the start and the end of an answer (Devlin et
al. 2019, section 4.2 and 4.3) and to say whether the passage answers with a span, with yes, with no, or not;
`docs/reader.md` has its card. int8 weights, run by ONNX Runtime: some 15 ms for a passage of 200 tokens on one thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.store.embeddings import BundledMiniLM, load_embedder
from tools.reading.spans import Reading, Tokens, Window, WindowLogits, reading_of, windows_for

Floats = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("reader.onnx")
SHA256 = "5813e534adc870258893473ea8929997a8d72db4e208624a87b02ce2162c2c37"

_BATCH = 8
_CLS, _SEP = 101, 102


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
        from kb.networks import open_network, threads

        self._session: Any = open_network(weights, threads())
        # The one that embeds questions, so that its weights are not read and checked twice.
        model = load_embedder()
        assert isinstance(model, BundledMiniLM), "the model of the default name is the bundled one"
        self._model = model

    def read(self, pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        """The reading of each (question, title, text): the title is read before the text, answers stand in the text.

        Windows of about equal length are read together. () gives [], an empty text an empty reading.
        """
        windows = windows_for(pairs, self._encode, _CLS, (_SEP,), _SEP)
        order = sorted(range(len(windows)), key=lambda i: len(windows[i].ids))
        read: dict[int, list[WindowLogits]] = {}
        for at in range(0, len(order), _BATCH):
            batch = [windows[i] for i in order[at : at + _BATCH]]
            spans, kinds = self._logits(batch)
            for window, span, kind in zip(batch, spans, kinds, strict=True):
                read.setdefault(window.pair, []).append(WindowLogits(window, span, span[0], kind))
        return [reading_of(text, read.get(i, ())) for i, (_, _, text) in enumerate(pairs)]

    def _encode(self, texts: Sequence[str]) -> list[Tokens]:
        encoded = self._model.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(text.ids, text.offsets) for text in encoded]

    def _logits(self, batch: Sequence[Window]) -> tuple[Floats, Floats]:
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
