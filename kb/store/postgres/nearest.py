"""The passages nearest to a vector: candidates by the HNSW index over half precision, compared again by their codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from kb.graph.stored_vectors import Ids
from kb.store.dense import SPARE, KeptCodes, highest, scaled_rows
from kb.store.engine import Floats, Row

Nearest = Callable[[Floats, int], list[Row]]
"""(id, code) of about the k passages nearest to a vector."""


class NearPassages:
    """Passages' vectors that are looked up, never read whole."""

    def __init__(self, codes: KeptCodes, nearest: Nearest) -> None:
        self._codes, self._nearest = codes, nearest

    def rows(self, ids: Iterable[int]) -> Floats:
        return scaled_rows(self._codes.rows(ids))

    def scan(self, queries: Floats, refuse_unknown: Callable[[Ids], None]) -> NearScan:
        return NearScan(self, self._nearest, queries)


class NearScan:
    """The cosines of those passages that are asked for. An index knows no passage that is not there."""

    def __init__(self, passages: NearPassages, nearest: Nearest, queries: Floats) -> None:
        self._passages, self._nearest, self._queries = passages, nearest, queries

    def about(self, ids: Ids, query: int = 0) -> Floats:
        return np.asarray(self._passages.rows(ids.tolist()) @ self._queries[query])

    def nearest(self, k: int, query: int = 0) -> list[tuple[int, float]]:
        if k < 1:
            return []
        found = sorted(self._nearest(self._queries[query], k + SPARE))
        if not found:
            return []
        codes = np.frombuffer(b"".join(code for _, code in found), dtype=np.int8).reshape(len(found), -1)
        cosines = np.einsum("ij,j->i", scaled_rows(codes), self._queries[query])
        return [(found[at][0], float(cosines[at])) for at in highest(cosines, k)]
