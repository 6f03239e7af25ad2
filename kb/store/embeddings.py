"""Embedding models: the bundled all-MiniLM-L6-v2, and any other sentence-transformers model by name or folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Spans = Sequence[tuple[int, int]]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Embedded:
    """A passage's vector, shape (dimension,), and its sentences' vectors, shape (sentences, dimension); unit length."""

    passage: Floats
    sentences: Floats


class Embedder(Protocol):
    """What the knowledge base needs of an embedding model."""

    name: str
    dimension: int
    max_tokens: int

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted and nothing truncated."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit rows, shape (len(texts), dimension), of short texts: questions, names, relations."""

    def embed_names(self, texts: Sequence[str]) -> Floats:
        """As `embed`, for many names at once while a file is built."""

    def embed_passages(self, texts: Sequence[str], spans: Sequence[Spans]) -> list[Embedded]:
        """Each text's vector and those of the stretches `spans` of it, in characters."""


@lru_cache(maxsize=2)
def load_embedder(name: str = DEFAULT_MODEL) -> Embedder:
    """The model called `name`: the bundled one, a folder, or one in the local model cache.

    Nothing is downloaded. Raises UsageError where the model is not there, or its weights are not the expected ones.
    """
    return BundledMiniLM() if name == DEFAULT_MODEL else NamedModel(name)


class BundledMiniLM:
    """all-MiniLM-L6-v2 as it ships: in numpy for short texts, by ONNX Runtime for passages."""

    name = DEFAULT_MODEL
    dimension = 384
    max_tokens = 256

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in encoded]

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.asarray(self._numpy.embed(texts))

    def embed_names(self, texts: Sequence[str]) -> Floats:
        return self.embed(texts)

    def embed_passages(self, texts: Sequence[str], spans: Sequence[Spans]) -> list[Embedded]:
        """Sentences are pooled from the passage's own token vectors (late chunking): no second pass, and what a pronoun
        refers to is in them.
        """
        found = self._passages.tokens(texts)
        return [_pool(rows, offsets, ranges) for (rows, offsets), ranges in zip(found, spans, strict=True)]

    @cached_property
    def _tokenizer(self) -> Any:
        from kb.store.minilm import load_tokenizer

        return load_tokenizer()

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer, without padding and truncation."""
        return self._tokenizer

    def token_vectors(self, ids: Ints, places: Ints, types: Ints) -> Floats:
        """The embedded tokens, for models that were trained on top of them: see `NumpyMiniLM.token_vectors`."""
        return np.asarray(self._numpy.token_vectors(ids, places, types))

    @cached_property
    def _numpy(self) -> Any:
        from kb.store.minilm import NumpyMiniLM

        return NumpyMiniLM(self.max_tokens)

    @cached_property
    def _passages(self) -> Any:
        return self._numpy.passages()


class NamedModel:
    """Any sentence-transformers model, from a folder or the local cache; sentences are embedded on their own."""

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            self._model = _sentence_transformer(name)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"the embedding model {name!r} is not on this machine; "
                "name a folder that holds one, or leave --embedding out"
            ) from error
        self.dimension = int(self._model.get_embedding_dimension())
        self.max_tokens = int(self._model.max_seq_length or 512)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encoded = self._model.tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def embed(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors = self._model.encode(list(texts), batch_size=_BATCH, show_progress_bar=False)
        return _unit(np.asarray(vectors, dtype=np.float32))

    def embed_names(self, texts: Sequence[str]) -> Floats:
        return self.embed(texts)

    def embed_passages(self, texts: Sequence[str], spans: Sequence[Spans]) -> list[Embedded]:
        sentences = [text[start:end] for text, ranges in zip(texts, spans, strict=True) for start, end in ranges]
        vectors, sentence_vectors = self.embed(texts), self.embed(sentences)
        ends = np.cumsum([len(ranges) for ranges in spans])
        return [
            Embedded(vector, sentence_vectors[end - len(ranges) : end])
            for vector, ranges, end in zip(vectors, spans, ends, strict=True)
        ]


def _sentence_transformer(path: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise UsageError(f"the embedding model {path!r} needs more: pip install 'clew[models]'") from error
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    with nothing_downloaded():
        return SentenceTransformer(path, device="cpu", local_files_only=True)


@contextmanager
def nothing_downloaded() -> Iterator[None]:
    """Have the libraries that load models look nothing up on the network in the block, whoever imported them before.

    `local_files_only` is not enough: some of what they ask about a name goes by the environment alone, which they read
    when they are imported.
    """
    from huggingface_hub import constants

    before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def _pool(tokens: Floats, offsets: list[tuple[int, int]], spans: Spans) -> Embedded:
    """Mean-pool token vectors, shape (tokens, dimension), over the text and over each span."""
    starts = np.array([start for start, _ in offsets])
    ends = np.array([end for _, end in offsets])
    tokens = tokens[: len(offsets)]
    whole = tokens.mean(axis=0)
    parts = np.empty((len(spans), tokens.shape[1]), dtype=np.float32)
    for row, (start, end) in enumerate(spans):
        inside = (starts < end) & (ends > start)
        # A span beyond the model's limit has no tokens of its own: the passage speaks for it.
        parts[row] = tokens[inside].mean(axis=0) if inside.any() else whole
    return Embedded(_unit(whole[None])[0], _unit(parts))


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), dtype=np.float32)
