"""A corpus grown by respelled copies of itself, and their vectors without a model to embed them.

A copy of a document is the same words with its names in other letters, so that it is about things of its own; the
commonest names are left as they are, so that what many documents name, ever more do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.records import Document
from kb.store.embeddings import Embedded, load_embedder

KEPT = 300
"""Names that no copy respells, the commonest."""

MOST_COPIES = 104
"""A copy turns vowels and consonants by its number, 5 and 21 of them: the 105th would be the original."""

_NOISE = 0.1
"""Length of what is added to a copy's unit vector, so that no two are equal: their cosine is then about 0.995."""

_WORD = re.compile(r"[^\W\d_]+")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"

Floats = NDArray[np.float32]


def names_in(documents: Sequence[Document]) -> frozenset[str]:
    """Words that are nearly always written with a capital, without the `KEPT` commonest of them."""
    words = Counter(word for one in documents for word in _WORD.findall(f"{one.title} {one.text}"))
    capital = {word: n for word, n in words.items() if word[0].isupper() and words[word.lower()] * 5 < n}
    common = sorted(capital, key=lambda word: (-capital[word], word))[:KEPT]
    return frozenset(capital.keys() - set(common))


def grown(documents: Sequence[Document], count: int) -> Iterator[Document]:
    """The documents, then respelled copies of them, `count` in all but no fewer than there are."""
    names = names_in(documents)
    yield from documents
    for at in range(len(documents), count):
        copy, place = divmod(at, len(documents))
        yield _respelled(documents[place], names, copy)


def _respelled(document: Document, names: frozenset[str], copy: int) -> Document:
    letters = _letters(copy)

    def spelled(match: re.Match[str]) -> str:
        return match[0].translate(letters) if match[0] in names else match[0]

    title, text = _WORD.sub(spelled, document.title), _WORD.sub(spelled, document.text)
    if title == document.title:  # only common names: as it stands, it would be the title of every copy
        title = _WORD.sub(lambda match: match[0].translate(letters), title)
    return replace(document, key=f"{document.key}-{copy}", title=title, text=text)


def _letters(copy: int) -> dict[int, str]:
    if not 0 < copy <= MOST_COPIES:
        raise ValueError(f"copy {copy} is not one of 1 to {MOST_COPIES}")
    turned: dict[int, str] = {}
    for row in (_VOWELS, _CONSONANTS):
        for at, letter in enumerate(row):
            other = row[(at + copy) % len(row)]
            turned |= {ord(letter): other, ord(letter.upper()): other.upper()}
    return turned


class StoredVectors:
    """The bundled model for the original documents, and what it made of them for their copies.

    A copy is known by its words with every capitalised one masked: its vector is the original's with a little noise,
    the same each time. Names that the originals do not have get the mean of vectors of their words, drawn by their
    letters. Other texts of a copy get a vector drawn by all of their letters.
    """

    def __init__(self, path: Path) -> None:
        """`path` is where `save` keeps the vectors of the originals; where there is no file, all is embedded."""
        self._model = load_embedder()
        self.name, self.dimension, self.max_tokens = self._model.name, self._model.dimension, self._model.max_tokens
        self._path = path
        self._learns = not path.exists()
        self._passages: dict[bytes, Embedded] = {}
        self._names: dict[bytes, Floats] = {}
        self._tokens: dict[bytes, int] = {}
        self.drawn = 0
        if not self._learns:
            self._load()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Those of the original, so that a copy is cut where it is."""
        keys = [_digest(_masked(text)) for text in texts]
        missing = [at for at, key in enumerate(keys) if key not in self._tokens]
        counted = self._model.count_tokens([texts[at] for at in missing])
        for at, count in zip(missing, counted, strict=True):
            self._tokens.setdefault(keys[at], count)
        return [self._tokens[key] for key in keys]

    def embed(self, texts: Sequence[str]) -> Floats:
        return self._model.embed(texts)

    def embed_names(self, texts: Sequence[str]) -> Floats:
        if self._learns:
            vectors = self._model.embed_names(texts)
            self._names |= {_digest(text): row for text, row in zip(texts, vectors, strict=True)}
            return vectors
        return np.stack([self._name(text) for text in texts])

    def embed_passages(self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]) -> list[Embedded]:
        if self._learns:
            found = self._model.embed_passages(texts, spans)
            self._passages |= {_digest(_masked(text)): one for text, one in zip(texts, found, strict=True)}
            return found
        return [self._passage(text, len(ranges)) for text, ranges in zip(texts, spans, strict=True)]

    def save(self) -> None:
        """Keep what the originals' vectors are, for copies."""
        passages = list(self._passages.values())
        np.savez(
            self._path,
            keys=np.array(list(self._passages), dtype="S16"),
            passages=np.stack([one.passage for one in passages]).astype(np.float16),
            sentences=np.concatenate([one.sentences for one in passages]).astype(np.float16),
            counts=np.array([len(one.sentences) for one in passages]),
            name_keys=np.array(list(self._names), dtype="S16"),
            names=np.stack(list(self._names.values())).astype(np.float16),
            token_keys=np.array(list(self._tokens), dtype="S16"),
            tokens=np.array(list(self._tokens.values())),
        )

    def _load(self) -> None:
        kept = {name: array for name, array in np.load(self._path).items()}  # noqa: C416 - each look reads the file
        ends = np.cumsum(kept["counts"])
        for key, row, end, count in zip(kept["keys"], kept["passages"], ends, kept["counts"], strict=True):
            self._passages[_key(key)] = Embedded(row, kept["sentences"][end - count : end])
        self._names = {_key(key): row for key, row in zip(kept["name_keys"], kept["names"], strict=True)}
        self._tokens = {_key(key): int(n) for key, n in zip(kept["token_keys"], kept["tokens"], strict=True)}

    def _passage(self, text: str, count: int) -> Embedded:
        known = self._passages.get(_digest(_masked(text)))
        rows = np.zeros((count + 1, self.dimension), dtype=np.float32)
        if known is not None and len(known.sentences) == count:
            rows[0], rows[1:] = known.passage, known.sentences
            return _noisy(rows, text, _NOISE)
        self.drawn += 1
        return _noisy(rows, text, 1.0)

    def _name(self, name: str) -> Floats:
        if (known := self._names.get(_digest(name))) is not None:
            return known.astype(np.float32)
        words = _WORD.findall(name.casefold()) or [name]
        return _unit(np.stack([_drawn(word, 1, self.dimension)[0] for word in words]).mean(axis=0, keepdims=True))[0]


def _masked(text: str) -> str:
    return _WORD.sub(lambda match: "X" * len(match[0]) if match[0][0].isupper() else match[0], text)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def _key(stored: bytes) -> bytes:
    return stored.ljust(16, b"\0")  # numpy drops zeros at the end


def _drawn(text: str, rows: int, dimension: int) -> Floats:
    return np.random.default_rng(list(_digest(text))).standard_normal((rows, dimension), dtype=np.float32)


def _noisy(rows: Floats, text: str, length: float) -> Embedded:
    noisy = _unit(rows + length * _unit(_drawn(text, *rows.shape)))
    return Embedded(noisy[0], noisy[1:])


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
