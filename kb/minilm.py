"""The forward pass of all-MiniLM-L6-v2 in numpy, for short texts.

A question is one line, and importing torch and sentence-transformers to embed it takes four to six seconds; this takes a
tenth of one. Documents are embedded by sentence-transformers; a test holds the two together (cosine above 0.9999).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

HEADS = 12
LAYERS = 6
_EPSILON = np.float32(1e-12)
_BATCH = 32


class NumpyMiniLM:
    """Six-layer BERT with mean pooling and unit length (Wang et al. 2020, MiniLM), float32."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import ThreadpoolController
        from tokenizers import Tokenizer

        # On one line of text a second BLAS thread gains little and waits for long where the cores are busy.
        self._threads = ThreadpoolController()
        self._weights: dict[str, Floats] = load_file(str(folder / "model.safetensors"))
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit rows, shape (len(texts), 384); shape (0, 384) for no text."""
        out = np.zeros((len(texts), 384), dtype=np.float32)
        encodings = self._tokenizer.encode_batch(list(texts))
        by_length = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        with self._threads.limit(limits=1, user_api="blas"):
            for start in range(0, len(by_length), _BATCH):
                rows = by_length[start : start + _BATCH]
                out[rows] = self._forward([encodings[i].ids for i in rows])
        return out

    def _forward(self, ids: list[list[int]]) -> Floats:
        width = max(map(len, ids))
        tokens = np.array([row + [0] * (width - len(row)) for row in ids])
        mask = np.array([[1.0] * len(row) + [0.0] * (width - len(row)) for row in ids], dtype=np.float32)
        w = self._weights
        hidden = (
            w["embeddings.word_embeddings.weight"][tokens]
            + w["embeddings.position_embeddings.weight"][:width]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._norm(hidden, "embeddings.LayerNorm")
        bias = ((mask - 1.0) * np.float32(1e9))[:, None, None, :]
        for layer in range(LAYERS):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}")
        pooled = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), dtype=np.float32)

    def _layer(self, hidden: Floats, bias: Floats, name: str) -> Floats:
        from scipy.special import erf

        batch, width, size = hidden.shape
        query, key, value = (
            self._dense(hidden, f"{name}.attention.self.{part}")
            .reshape(batch, width, HEADS, size // HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(size // HEADS)) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention = scores / scores.sum(axis=-1, keepdims=True)
        context = (attention @ value).transpose(0, 2, 1, 3).reshape(batch, width, size)
        attended = self._dense(context, f"{name}.attention.output.dense")
        hidden = self._norm(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = self._dense(hidden, f"{name}.intermediate.dense")
        inner = inner * np.float32(0.5) * (1 + erf(inner * np.float32(1 / np.sqrt(2))))
        return self._norm(hidden + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _dense(self, x: Floats, name: str) -> Floats:
        return np.asarray(x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _norm(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
        return np.asarray(centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])
