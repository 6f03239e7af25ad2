"""Dense search by stages: all passages by their vectors at eight bits a component, the nearest of them exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kb.graph.by_ids import ByIds

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]

_SCANNED = 16_384
"""Passages whose vectors are widened from eight bits at once: 25 MB."""

_LOOK_UPS = {
    "passage": (
        "SELECT rowid, chunk_id, chunk_offset FROM passage_vectors_rowids WHERE rowid IN ",
        "SELECT rowid, vectors FROM passage_vectors_vector_chunks00 WHERE rowid IN ",
        "SELECT o.id, v.vector FROM passages o JOIN passage_vectors v ON v.id = o.id WHERE o.id IN ",
    ),
    "sentence": (
        "SELECT rowid, chunk_id, chunk_offset FROM sentence_vectors_rowids WHERE rowid IN ",
        "SELECT rowid, vectors FROM sentence_vectors_vector_chunks00 WHERE rowid IN ",
        "SELECT o.id, v.vector FROM sentences o JOIN sentence_vectors v ON v.id = o.id WHERE o.id IN ",
    ),
}
"""Where vectors stand, a chunk's, and one by itself: its owner comes first, as sqlite-vec would go through all else."""

_LOOK_UP_BYTES = 65_536
"""Bytes of a whole chunk that are read in the time that one vector takes by itself, 30 microseconds."""

_CHUNKS_AT_ONCE = 16

_SPARE = 32
"""Candidates beside those asked for that are compared exactly. Cosines at eight bits are right to 0.003, and with eight
beside them the nearest 40 of 32,000 were always found (docs/results.md)."""


class PassageCodes:
    """Every passage's vector at eight bits a component, each to its own scale.

    ids      shape (n,), ascending
    codes    shape (n, dimension)
    scales   shape (n,): a passage's code times its scale is its vector, but for rounding
    """

    def __init__(self, vectors: Iterable[tuple[Ids, Floats]], dimension: int, passages: int) -> None:
        """From ids and vectors, part by part. Raises ValueError where they are not those of so many passages."""
        parts = [(ids, *_coded(rows)) for ids, rows in vectors]
        ids = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in parts)])
        order = np.argsort(ids)
        self.ids: Ids = ids[order]
        codes = np.concatenate([np.zeros((0, dimension), dtype=np.int8), *(part[1] for part in parts)])
        self.codes = codes[order]
        self.scales: Floats = np.concatenate([np.zeros(0, dtype=np.float32), *(part[2] for part in parts)])[order]
        if len(self.ids) != passages or (np.diff(self.ids) == 0).any():
            raise ValueError(f"there are {len(self.ids)} vectors of {passages} passages")

    def scan(self, queries: Floats) -> Floats:
        """The cosines of all passages with the queries, shape (n, queries), right to about 0.003."""
        found = np.empty((len(self.ids), len(queries)), dtype=np.float32)
        for start in range(0, len(self.ids), _SCANNED):
            part = slice(start, start + _SCANNED)
            found[part] = (self.codes[part].astype(np.float32) @ queries.T) * self.scales[part, None]
        return found


class Scan:
    """The cosines of all passages with some queries: roughly of all, exactly of the nearest."""

    def __init__(self, codes: PassageCodes, exact: Callable[[Ids], Floats], queries: Floats) -> None:
        """`exact` gives passages' vectors by their ids; queries have shape (queries, dimension)."""
        self._codes, self._exact, self._queries = codes, exact, queries
        self._cosines = codes.scan(queries)

    def about(self, ids: Ids, query: int = 0) -> Floats:
        """The cosines of passages with a query, right to about 0.003; the ids must be known."""
        return np.asarray(self._cosines[np.searchsorted(self._codes.ids, ids), query])

    def nearest(self, k: int, query: int = 0) -> list[tuple[int, float]]:
        """(passage id, cosine) of the k nearest passages, best first, ties by id."""
        if k < 1:
            return []
        places = highest(self._cosines[:, query], k + _SPARE)
        ids = self._codes.ids[np.sort(places)]
        # Row by row: a product of the whole matrix rounds equal rows apart, by where they stand.
        cosines = np.einsum("ij,j->i", self._exact(ids), self._queries[query])
        return [(int(ids[at]), float(cosines[at])) for at in highest(cosines, k)]


def highest(scores: Floats, k: int) -> Ids:
    """Places of the k highest scores, best first, ties by place."""
    if len(scores) > 4 * k:
        candidates = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
    else:
        candidates = np.arange(len(scores))
    return candidates[np.lexsort((candidates, -scores[candidates]))][:k]


def _coded(rows: Floats) -> tuple[NDArray[np.int8], Floats]:
    largest = np.maximum(np.abs(rows).max(axis=1, initial=0.0), np.float32(1e-12))
    return np.round(rows * (127.0 / largest)[:, None]).astype(np.int8), (largest / 127.0).astype(np.float32)


class VectorsById:
    """Vectors of things that are looked at, one after the other: what was read once is kept, up to a number."""

    def __init__(self, table: Literal["passage", "sentence"], by_ids: ByIds, dimension: int, most: int) -> None:
        """`by_ids` runs a statement for many ids."""
        self._by_ids, self._dimension, self._most = by_ids, dimension, most
        self._kind: type = np.int8 if table == "sentence" else np.float32
        self._places, self._chunks, self._one_by_one = _LOOK_UPS[table]
        self._size = dimension * np.dtype(self._kind).itemsize
        self._known: dict[int, bytes] = {}

    def rows(self, ids: Iterable[int]) -> NDArray[Any]:
        """Shape (len(ids), dimension), float32 or int8. Raises ValueError where one has no vector."""
        wanted = [int(one) for one in ids]
        missing = [one for one in dict.fromkeys(wanted) if one not in self._known]
        if missing and len(self._known) + len(missing) > self._most:
            self._known.clear()
            missing = list(dict.fromkeys(wanted))
        self._read(missing)
        if any(len(self._known.get(one, b"")) != self._size for one in missing):
            raise ValueError("there are things without a vector")
        joined = b"".join([self._known[one] for one in wanted])
        return np.frombuffer(joined, dtype=self._kind).reshape(len(wanted), self._dimension)

    def _read(self, ids: Sequence[int]) -> None:
        inside: dict[int, list[tuple[int, int]]] = {}
        for one, chunk, place in self._by_ids(self._places, ids):
            inside.setdefault(chunk, []).append((one, place))
        size = self._size
        # A thousand vectors at once are read in the time of a few by themselves.
        whole = [chunk for chunk, of in inside.items() if len(of) * _LOOK_UP_BYTES > 1024 * size]
        for start in range(0, len(whole), _CHUNKS_AT_ONCE):
            for chunk, vectors in self._by_ids(self._chunks, whole[start : start + _CHUNKS_AT_ONCE]):
                for one, place in inside.pop(chunk):
                    self._known[one] = vectors[place * size : (place + 1) * size]
        self._known.update(self._by_ids(self._one_by_one, [one for of in inside.values() for one, _ in of]))
