"""The network of the second reader: MPNet-base with what was trained into it, run by ONNX Runtime.

MPNet (Song et al. 2020) is an encoder of twelve layers, here as all-mpnet-base-v2 was brought up further on pairs of
questions and what answers them, and then taught to point at answers. Its embeddings ship in blocks of 4 bits, with
which it was trained, its matrices in int8 by row, so that the products run in whole numbers. `docs/reader.md` has the
reader's card.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.store.minilm import check_files
from tools.reading.spans import Tokens

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

FOLDER = Path(__file__).with_name("weights")
SHA256 = {
    "mpnet.safetensors": "d2030ab14fd06fedc169e3b0f98148d5656fe235750d6cfaef6ca079cb7133a4",
    "reader.safetensors": "9db7f8cabe4d5fa1af52d88f5c5e1516a87fdbaa650c689c002201b75a5b506f",
    "linked.safetensors": "10d7b17ff1311346ea48e023f91cf9e20f0d2b470c5eca811329e42cd8778840",
    "reader.onnx": "f60e18fd6406fc1baad56d8a7d4c11cc7fdf3a971e29292f63ffbf68485677a5",
}
"""The files that ship, with their digests: the model's embeddings, what was trained, what was trained besides to read
two lines, a graph without weights.
"""

WIDTH = 768
BLOCK, BLOCK_BYTES = 32, 20
START, END = 0, 2
"""The tokens before everything, and behind a question and a text."""

_SHIFT = 4  # its words are those of BERT, behind four tokens of its own
_FIRST_PLACE = 2
_NEAR, _FAR, _BUCKETS = 8, 128, 16


class Encoder:
    """Logits of every token: whether an answer starts there, ends there, and the four kinds (of the first token)."""

    def __init__(self) -> None:
        from safetensors.numpy import load_file

        from kb.networks import open_network, threads
        from kb.store.minilm import load_tokenizer

        check_files("reader", FOLDER, SHA256)
        published, trained = load_file(FOLDER / "mpnet.safetensors"), load_file(FOLDER / "reader.safetensors")
        linked = load_file(FOLDER / "linked.safetensors")
        self._embeddings: Bytes = published["embeddings"]
        self._places = published["places"].astype(np.float32)
        self._relative: Floats = trained.pop("relative")
        graph = (FOLDER / "reader.onnx").read_bytes()
        beside = {f"linked.{name}": matrix.astype(np.float32) for name, matrix in linked.items()}
        self._session: Any = open_network(graph, threads(), trained | beside)
        self._tokenizer: Any = load_tokenizer()
        # What a document calls [SEP] is its text.
        self._tokenizer.encode_special_tokens = True

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [([one + _SHIFT for one in text.ids], list(text.offsets)) for text in encoded]

    def logits(self, ids: Sequence[int], linked: bool = False) -> Floats:
        """Token ids of a text, at most 512 -> shape (tokens, 6): start, end, none, span, yes, no; of no token an error
        of ONNX Runtime's. `linked` says that the text is two lines (tools/linked).
        """
        embedded = dequantized(self._embeddings[np.asarray(ids, dtype=np.int64)])
        embedded += self._places[_FIRST_PLACE : _FIRST_PLACE + len(ids)]
        near = np.ascontiguousarray(self._relative[buckets(len(ids))].transpose(2, 0, 1)[None])
        hidden = np.zeros((1, 1, 1, len(ids)), dtype=np.float32)  # the graph may read several texts: none is filled up
        fed = {"x": embedded[None], "hidden": hidden, "near": near, "linked": np.array(linked)}
        logits: Floats = self._session.run(["logits"], fed)[0][0]
        return logits


@lru_cache(maxsize=8)
def buckets(tokens: int) -> NDArray[np.int64]:
    """Which bias counts between two places, shape (tokens, tokens), 0..31 (T5's buckets, Raffel et al. 2020, section
    2.1): each distance below 8 has its own, farther ones share one of logarithmic width, the last from 128 on; those
    that look ahead are the second half.
    """
    places = np.arange(tokens)
    ahead = places[None, :] - places[:, None]
    far = np.abs(ahead)
    wide = np.log(np.maximum(far, 1) / _NEAR) / np.log(_FAR / _NEAR) * (_BUCKETS - _NEAR)
    shared = np.minimum(_NEAR + wide.astype(np.int64), _BUCKETS - 1)
    return np.asarray(np.where(far < _NEAR, far, shared) + _BUCKETS * (ahead > 0), dtype=np.int64)


def in_blocks(matrix: Floats) -> Bytes:
    """A matrix, shape (rows, columns), the latter a multiple of 32, in blocks as `dequantized` reads them.

    Of each block that range of its 16 steps is taken, from all of it to four fifths, which has the least squares.
    """
    values = np.asarray(matrix, dtype=np.float32).reshape(-1, BLOCK)
    low, high = values.min(axis=1), values.max(axis=1)
    spread = np.empty((len(values), 2), dtype=np.float16)
    halves = np.empty(values.shape, dtype=np.uint8)
    least = np.full(len(values), np.inf, dtype=np.float32)
    for share in (1.0, 0.96, 0.92, 0.88, 0.84, 0.8):
        half = (high - low) / 2 * np.float32(share)
        start, step = ((low + high) / 2 - half).astype(np.float16), (2 * half / 15).astype(np.float16)
        begin, wide = start.astype(np.float32)[:, None], step.astype(np.float32)[:, None]
        steps = np.clip(np.rint((values - begin) / np.maximum(wide, 1e-12)), 0, 15)
        error = ((steps * wide + begin - values) ** 2).sum(axis=1)
        better = error < least
        spread[better, 0], spread[better, 1] = step[better], start[better]
        halves[better], least[better] = steps[better].astype(np.uint8), error[better]
    packed = halves[:, : BLOCK // 2] | halves[:, BLOCK // 2 :] << 4
    return np.concatenate([spread.view(np.uint8), packed], axis=1).reshape(len(matrix), -1)


def dequantized(blocks: Bytes) -> Floats:
    """Rows of blocks of 32 weights of 4 bits (`Q4_1` of llama.cpp), shape (rows, blocks x 20), as floats.

    A block is a scale and a least value, float16 each, then 16 bytes: the low halves are the first 16 weights, the high
    ones the others; a weight is scale x half + least.
    """
    flat = blocks.reshape(-1, BLOCK_BYTES)
    spread = np.ascontiguousarray(flat[:, :4]).view(np.float16).astype(np.float32)
    weights = np.empty((len(flat), BLOCK), dtype=np.float32)
    weights[:, : BLOCK // 2] = flat[:, 4:] & 15
    weights[:, BLOCK // 2 :] = flat[:, 4:] >> 4
    weights *= spread[:, :1]
    weights += spread[:, 1:]
    return weights.reshape(len(blocks), -1)


def rounded(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """A matrix in whole numbers: W of shape (out, in) -> int8 (in, out), (out,).

    The second is what a whole number counts, by row of W, divided by 127 for the tokens' own rounding.
    """
    counts = np.maximum(np.abs(matrix).max(axis=1), 1e-8).astype(np.float32) / np.float32(127)
    whole = np.rint(matrix / counts[:, None]).astype(np.int8)
    return np.ascontiguousarray(whole.T), counts / np.float32(127)
