"""The forward pass of all-MiniLM-L6-v2: in numpy for short texts, by ONNX Runtime for passages.

A question is one line, and importing torch and sentence-transformers to embed it takes four to six seconds; numpy takes
a tenth of one. ONNX Runtime takes two thirds of torch's time in float32, as it pads nothing. A test holds the three
together (cosine above 0.9999).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

HEADS = 12
LAYERS = 6
WIDTH = 384
FOLDER = Path(__file__).with_name("weights")
FILES = {
    "minilm.safetensors": "ef4f66adbac55a55f9d5a2d865d84a17f42e2f202b49d0235c77d3cdd5b19ce9",
    "tokenizer.json.gz": "f74a8cb90001f0ea28e531721aa3126e20d43e8a4d9ea706a9a24272ba42701a",
    "minilm.onnx": "7890b9bb3ff17116903a9613526638bca1a6d33e95e7bb110a3ac1fd0369b821",
}
"""The files that ship, with their digests: weights in float16, tokenizer, a graph of the layers without weights. They
are made by `benchmarks/export_embedder.py`.
"""
Embedded = Callable[[Ints, Ints, Ints], Floats]
_EPSILON = np.float32(1e-12)
_BATCH = 32


def load_tokenizer() -> Any:
    """The model's tokenizer, one that nobody else has, without padding and truncation; "[SEP]" in a text is five
    characters, and nothing that ends it.
    """
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_buffer(gzip.decompress((FOLDER / "tokenizer.json.gz").read_bytes()))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


def check_files(model: str, folder: Path, digests: Mapping[str, str]) -> None:
    """Raises UsageError where one of the files that ship of a `model` is missing, or another, by its SHA-256."""
    for name, digest in digests.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise UsageError(f"the {model}'s {name} is missing ({error.strerror}); install clew again") from error
        if found != digest:
            raise UsageError(f"the {model}'s {name} is not the expected one; install clew again")


class NumpyMiniLM:
    """Six-layer BERT with mean pooling and unit length (Wang et al. 2020, MiniLM), float32."""

    def __init__(self, max_tokens: int) -> None:
        from safetensors import safe_open
        from threadpoolctl import ThreadpoolController

        check_files("embedding model", FOLDER, FILES)
        # On one line of text a second BLAS thread gains little and waits for long where the cores are busy.
        self._threads = ThreadpoolController()
        # One by one, for reading holds the interpreter: together they would stop other threads for a tenth of a second.
        with safe_open(str(FOLDER / "minilm.safetensors"), "numpy") as weights:
            self._weights: dict[str, Floats] = {
                name: weights.get_tensor(name).astype(np.float32)
                for name in weights.keys()  # noqa: SIM118
            }
        self._tokenizer = load_tokenizer()
        self._tokenizer.enable_truncation(max_tokens)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit rows, shape (len(texts), 384); shape (0, 384) for no text."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        with self._threads.limit(limits=1, user_api="blas"):
            parts = [self._forward(ids[start : start + _BATCH]) for start in range(0, len(ids), _BATCH)]
        return np.concatenate([np.zeros((0, 384), dtype=np.float32), *parts])

    def passages(self) -> PassageMiniLM:
        """The same model for passages."""
        return PassageMiniLM(self._tokenizer, self.token_vectors, self._weights)

    def token_vectors(self, ids: Ints, places: Ints, types: Ints) -> Floats:
        """What the first layer is given: shape (..., 384) for token ids, their places and types (0, 1), all (...,)."""
        w = self._weights
        hidden = (
            w["embeddings.word_embeddings.weight"][ids]
            + w["embeddings.position_embeddings.weight"][places]
            + w["embeddings.token_type_embeddings.weight"][types]
        )
        return self._norm(hidden, "embeddings.LayerNorm")

    def _forward(self, ids: list[list[int]]) -> Floats:
        """All texts' tokens lie in one matrix, one text behind the other, so that none is padded to the longest."""
        ends = np.cumsum([len(row) for row in ids])
        spans = [slice(end - len(row), end) for row, end in zip(ids, ends, strict=True)]
        places = np.concatenate([np.arange(len(row)) for row in ids])
        hidden = self.token_vectors(np.concatenate(ids), places, np.zeros_like(places))
        for layer in range(LAYERS):
            hidden = self._layer(hidden, spans, f"encoder.layer.{layer}")
        pooled = np.stack([hidden[span].mean(axis=0) for span in spans])
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), dtype=np.float32)

    def _layer(self, hidden: Floats, spans: list[slice], name: str) -> Floats:
        from scipy.special import erf

        query, key, value = (self._dense(hidden, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        context = np.concatenate([_attend(query[span], key[span], value[span]) for span in spans])
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


class PassageMiniLM:
    """The same model run by ONNX Runtime, a text to a thread: none is padded to another's length, and none's vector
    depends on what else is embedded with it.
    """

    def __init__(self, tokenizer: Any, embedded: Embedded, weights: Mapping[str, Floats]) -> None:
        """`embedded` is what the first layer is given, as `NumpyMiniLM.token_vectors`."""
        from kb.networks import cores, open_network

        self._tokenizer, self._embedded = tokenizer, embedded
        self._session = open_network((FOLDER / "minilm.onnx").read_bytes(), 1, dict(_turned(weights)))
        self._workers = cores()

    def tokens(self, texts: Sequence[str]) -> Iterator[tuple[Floats, list[tuple[int, int]]]]:
        """Of each text the vectors of its tokens, shape (tokens, 384), and where each token stands in it."""
        encodings = self._tokenizer.encode_batch(list(texts))
        # Its threads end with the texts: a process that is forked later has none, and would wait for them.
        with ThreadPoolExecutor(self._workers, "embedding") as pool:
            rows = pool.map(self._run, [one.ids for one in encodings])
            for encoding, found in zip(encodings, rows, strict=True):
                yield found, encoding.offsets

    def _run(self, ids: list[int]) -> Floats:
        row = np.array(ids, dtype=np.int64)
        x = self._embedded(row, np.arange(len(row)), np.zeros_like(row))
        return np.asarray(self._session.run(["hidden"], {"x": x[None]})[0][0])


def _turned(weights: Mapping[str, Floats]) -> Iterator[tuple[str, Floats]]:
    """The graph's weights by name: matrices as (in, out), those of queries, keys and values side by side."""
    for layer in range(LAYERS):
        own = f"encoder.layer.{layer}"
        three = [f"{own}.attention.self.{part}" for part in ("query", "key", "value")]
        yield f"{layer}.attend.weight", np.concatenate([weights[f"{name}.weight"] for name in three]).T.copy()
        yield f"{layer}.attend.bias", np.concatenate([weights[f"{name}.bias"] for name in three])
        for name, part in (
            ("merge", "attention.output.dense"), ("widen", "intermediate.dense"), ("narrow", "output.dense"),
        ):  # fmt: skip
            yield f"{layer}.{name}.weight", weights[f"{own}.{part}.weight"].T.copy()
            yield f"{layer}.{name}.bias", weights[f"{own}.{part}.bias"]
        for name, part in (("between", "attention.output.LayerNorm"), ("after", "output.LayerNorm")):
            yield f"{layer}.{name}.weight", weights[f"{own}.{part}.weight"]
            yield f"{layer}.{name}.bias", weights[f"{own}.{part}.bias"]


def _attend(query: Floats, key: Floats, value: Floats) -> Floats:
    """Multi-head attention within one text; all of shape (tokens, size)."""
    tokens, size = query.shape
    heads = [part.reshape(tokens, HEADS, size // HEADS).transpose(1, 0, 2) for part in (query, key, value)]
    scores = heads[0] @ heads[1].transpose(0, 2, 1) / np.float32(np.sqrt(size // HEADS))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = scores / scores.sum(axis=-1, keepdims=True)
    return np.asarray((weights @ heads[2]).transpose(1, 0, 2).reshape(tokens, size))
