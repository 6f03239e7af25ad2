"""The network of the reader: the first layers of SmolLM2-135M with what was trained into them, run by ONNX Runtime.

SmolLM2 (Allal et al. 2025) is a language model that reads from left to right. Here every token attends to every other
one, and low-rank updates (Hu et al. 2022, LoRA, equation 3) of its matrices have taught it to point at answers. The
model's own matrices ship as they were published, in blocks of 4 bits; the updates are added when they are loaded, and
the sums are rounded to int8 by row, so that the products run in whole numbers. `docs/reader.md` has the reader's card.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.store.minilm import check_files

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

FOLDER = Path(__file__).with_name("weights")
SHA256 = {
    "smollm2.safetensors": "80926ff4c5e1bb27367714750353edf9fbd45f31bb306c6fff82444e5c96665d",
    "reader.safetensors": "3945c67baf4c2e187b83adcd0e1b9a09870e08417962c35977b208e34ee01138",
    "reader.onnx": "e364acb4c8c1998d24f93fcc119de4280bcb6bbe7fd3ed5f3ff378c43f709da8",
    "tokenizer.json.gz": "0ab89c7d1ebdb2b0c89172d6c9953dfefb1c6460b4dad01f5890b3038ba26963",
}
"""The files that ship, with their digests: matrices of the model, updates, a graph without weights, the tokenizer."""

WIDTH = 576
BLOCK, BLOCK_BYTES = 32, 20
SCALE = 2.0
"""What an update counts: alpha / rank of LoRA."""

_ROWS = 96  # of a matrix that are summed and rounded at once, which a processor's cache holds
_HIDDEN_FROM = np.float32(-1e4)


class Encoder:
    """Logits of every token: whether an answer starts there, ends there, and the four kinds (of the last token)."""

    def __init__(self) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import threadpool_limits
        from tokenizers import Tokenizer

        from kb.networks import open_network, threads

        check_files("reader", FOLDER, SHA256)
        published, trained = load_file(FOLDER / "smollm2.safetensors"), load_file(FOLDER / "reader.safetensors")
        self._embeddings: Bytes = published.pop("embeddings")
        with threadpool_limits(1):  # products this small wait for a second thread longer than they take
            arrays = dict(_summed(published, trained))
        graph = (FOLDER / "reader.onnx").read_bytes()
        self._session: Any = open_network(graph, threads(), arrays)
        self._tokenizer: Any = Tokenizer.from_buffer(gzip.decompress((FOLDER / "tokenizer.json.gz").read_bytes()))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        # What a document calls <|im_end|> is its text.
        self._tokenizer.encode_special_tokens = True

    def encode(self, texts: Sequence[str]) -> list[Any]:
        """The tokens of each text, `.ids` and `.offsets` in characters, with nothing added or cut off."""
        return list(self._tokenizer.encode_batch(list(texts), add_special_tokens=False))

    def logits(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Token ids of some texts -> shape (rows, longest, 6): start, end, none, span, yes, no.

        No texts raise ValueError.
        """
        longest = max(len(row) for row in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        hidden = np.full((len(rows), 1, 1, longest), _HIDDEN_FROM)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            hidden[at, 0, 0, : len(row)] = 0
        places = np.broadcast_to(np.arange(longest), ids.shape)
        embedded = dequantized(self._embeddings[ids.ravel()]).reshape(*ids.shape, WIDTH)
        return np.asarray(self._session.run(["logits"], {"x": embedded, "bias": hidden, "pos": places})[0])


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


def rounded(blocks: Bytes, down: Floats, up: Floats) -> tuple[NDArray[np.int8], Floats]:
    """A matrix with its update, in whole numbers: W + SCALE x up @ down of shape (out, in) -> int8 (in, out), (out,).

    The second is what a whole number counts, by row of W, divided by 127 for the tokens' own rounding.
    """
    whole = np.empty((len(up), down.shape[1]), dtype=np.int8)
    counts = np.empty(len(up), dtype=np.float32)
    for at in range(0, len(up), _ROWS):
        rows = slice(at, at + _ROWS)
        part = dequantized(blocks[rows]) + SCALE * (up[rows] @ down)
        counts[rows] = np.maximum(np.abs(part).max(axis=1), 1e-8) / 127
        whole[rows] = np.rint(part / counts[rows, None])
    return np.ascontiguousarray(whole.T), counts / np.float32(127)


def _summed(published: Mapping[str, Bytes], trained: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The graph's initialisers by name: the matrices rounded, the rest as it was trained."""
    for name, blocks in published.items():
        update = (trained[f"{name}.down"].astype(np.float32), trained[f"{name}.up"].astype(np.float32))
        yield name, (sums := rounded(blocks, *update))[0]
        yield f"{name}.scale", sums[1]
    for name, array in trained.items():
        if not name.endswith((".down", ".up")):
            yield name, np.ascontiguousarray(array, dtype=np.float32)
