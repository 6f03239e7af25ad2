"""Dense search: all passages by their vectors, which are kept and compared at eight bits a component."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kb.graph.stored_vectors import Codes, lengths

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]

_SCANNED = 2_048
"""Passages whose vectors are widened from eight bits at once: 3 MB, which a processor keeps at hand. By 16,384 at
once a million take 2.5 times as long.
"""

_RUN = 256
"""Scores of which the highest is found at once."""

SPARE = 32
"""Candidates beside those asked for that are compared again, one by one: a scan of all rounds equal ones apart."""


class PassageCodes:
    """Every passage's vector at eight bits a component, each to its own scale.

    ids    shape (n,), ascending
    """

    def __init__(self, vectors: Iterable[tuple[Ids, Codes]], dimension: int, passages: int) -> None:
        """From ids and codes, part by part. Raises ValueError where they are not those of so many passages."""
        ids = np.empty(passages, dtype=np.int64)
        # In the order of the file: to bring a million vectors into that of their ids takes the memory of all of them.
        self._codes: Codes = np.empty((passages, dimension), dtype=np.int8)
        self._scales: Floats = np.empty(passages, dtype=np.float32)
        known = 0
        for some, rows in vectors:
            part = slice(known, known + len(some))
            known = part.stop
            if known <= passages:
                ids[part], self._codes[part] = some, rows
                # A passage's code times its scale is its vector, of length 1.
                self._scales[part] = np.float32(1.0) / lengths(rows)
        if known != passages:
            raise ValueError(f"there are {known} vectors of {passages} passages")
        self._placed, self._order = ids, np.argsort(ids)
        self.ids: Ids = ids[self._order]
        if (np.diff(self.ids) == 0).any():
            raise ValueError("a passage has two vectors")

    def rows(self, ids: Iterable[int]) -> Floats:
        """Unit rows, shape (len(ids), dimension). Raises ValueError where a passage has no vector."""
        wanted = np.array([int(one) for one in ids], dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, wanted), max(len(self.ids) - 1, 0))
        if len(wanted) and (not len(self.ids) or (self.ids[at] != wanted).any()):
            raise ValueError("there are passages without a vector")
        kept = self._order[at]
        return np.asarray(self._codes[kept].astype(np.float32) * self._scales[kept, None])

    def places(self, ids: Ids) -> Ids:
        """Where the vectors of passages stand; the ids must be known."""
        return np.asarray(self._order[np.searchsorted(self.ids, ids)])

    def ids_at(self, places: Ids) -> Ids:
        """Whose vectors stand there."""
        return self._placed[places]

    def scan(self, queries: Floats, refuse_unknown: Callable[[Ids], None]) -> CodesScan:
        """The cosines of all passages with the queries, shape (queries, dimension)."""
        return CodesScan(self, refuse_unknown, queries)

    def cosines(self, queries: Floats) -> Floats:
        """The cosines of all passages with the queries, shape (queries, n), as the vectors stand: to bring those of a
        million into the order of their ids takes longer than to work them out.
        """
        found = np.empty((len(queries), len(self.ids)), dtype=np.float32)
        room = np.empty((min(_SCANNED, len(self.ids)), self._codes.shape[1]), dtype=np.float32)
        for start in range(0, len(self.ids), _SCANNED):
            codes = self._codes[start : start + _SCANNED]
            part = slice(start, start + len(codes))
            np.copyto(room[: len(codes)], codes)
            np.matmul(queries, room[: len(codes)].T, out=found[:, part])
            found[:, part] *= self._scales[part]
        return found


class CodesScan:
    """The cosines of all passages with some queries, all worked out at once."""

    def __init__(self, codes: PassageCodes, refuse_unknown: Callable[[Ids], None], queries: Floats) -> None:
        """`refuse_unknown` raises where ids are not those of passages; queries have shape (queries, dimension)."""
        self._codes, self._refuse_unknown, self._queries = codes, refuse_unknown, queries
        self._cosines = codes.cosines(queries)

    def about(self, ids: Ids, query: int = 0) -> Floats:
        """The cosines of passages with a query; the ids must be known."""
        return np.asarray(self._cosines[query, self._codes.places(ids)])

    def nearest(self, k: int, query: int = 0) -> list[tuple[int, float]]:
        """(passage id, cosine) of the k nearest passages, best first, ties by id."""
        if k < 1:
            return []
        ids = np.sort(self._codes.ids_at(highest(self._cosines[query], k + SPARE)))
        self._refuse_unknown(ids)
        # Row by row: a product of the whole matrix rounds equal rows apart, by where they stand.
        cosines = np.einsum("ij,j->i", self._codes.rows(ids), self._queries[query])
        return [(int(ids[at]), float(cosines[at])) for at in highest(cosines, k)]


def scaled_rows(codes: Codes) -> Floats:
    """Unit rows as `PassageCodes` makes them, to the last digit."""
    return np.asarray(codes.astype(np.float32) * (np.float32(1.0) / lengths(codes))[:, None])


def highest(scores: Floats, k: int) -> Ids:
    """Places of the k highest scores, best first, ties by place."""
    is_long = len(scores) > 4 * k
    candidates = np.flatnonzero(scores >= _at_least(scores, k)) if is_long else np.arange(len(scores))
    return candidates[np.lexsort((candidates, -scores[candidates]))][:k]


def _at_least(scores: Floats, k: int) -> np.float32:
    """A score that at least k have: that of the k-th best run of scores where there are enough of them, as to find the
    best of each is much quicker than to part them all.
    """
    whole = len(scores) // _RUN * _RUN
    tops = scores[:whole].reshape(-1, _RUN).max(axis=1) if whole > 4 * k * _RUN else scores
    return np.float32(np.partition(tops, -k)[-k])


class KeptCodes:
    """Codes that are looked at, one after the other: what was read once is kept, up to a number."""

    def __init__(self, read: Callable[[Sequence[int], int], Mapping[int, bytes]], dimension: int, most: int) -> None:
        """`read` gives the codes, of this dimension, of those ids that have one."""
        self._read, self._dimension, self._most = read, dimension, most
        self._known: dict[int, bytes] = {}

    def rows(self, ids: Iterable[int]) -> Codes:
        """Shape (len(ids), dimension). Raises ValueError where one has no vector."""
        wanted = [int(one) for one in ids]
        missing = [one for one in dict.fromkeys(wanted) if one not in self._known]
        if missing and len(self._known) + len(missing) > self._most:
            self._known.clear()
            missing = list(dict.fromkeys(wanted))
        self._known.update(self._read(missing, self._dimension) if missing else {})
        if any(len(self._known.get(one, b"")) != self._dimension for one in missing):
            raise ValueError("there is something without a vector")
        joined = b"".join([self._known[one] for one in wanted])
        return np.frombuffer(joined, dtype=np.int8).reshape(len(wanted), self._dimension)
