"""Vectors as sqlite-vec keeps them, a thousand to a row: all of a table in a tenth of the time of one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Table = Literal["passage", "sentence", "entity"]
"""What has vectors."""

_CHUNKS = {
    "passage": "SELECT c.validity, c.rowids, v.vectors FROM passage_vectors_chunks c "
    "JOIN passage_vectors_vector_chunks00 v ON v.rowid = c.chunk_id",
    "sentence": "SELECT c.validity, c.rowids, v.vectors FROM sentence_vectors_chunks c "
    "JOIN sentence_vectors_vector_chunks00 v ON v.rowid = c.chunk_id",
    "entity": "SELECT c.validity, c.rowids, v.vectors FROM entity_vectors_chunks c "
    "JOIN entity_vectors_vector_chunks00 v ON v.rowid = c.chunk_id",
}
"""With a chunk's vectors come their ids, and a bit for each that is there."""


def chunks(
    each: Callable[[str], Iterator[tuple[Any, ...]]], table: Table, dimension: int
) -> Iterator[tuple[Ids, NDArray[Any]]]:
    """Ids and vectors, shape (n, dimension), int8 for sentences and float32 for others; `each` runs a query.

    Raises ValueError where they do not fit together.
    """
    kind = np.int8 if table == "sentence" else np.float32
    for validity, rowids, vectors in each(_CHUNKS[table]):
        there = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little").astype(bool)
        rows = np.frombuffer(vectors, dtype=kind).reshape(-1, dimension)[there]
        if not np.isfinite(rows).all():
            raise ValueError("a vector holds what is no number")
        yield np.frombuffer(rowids, dtype=np.int64)[there], rows


def all_vectors(
    each: Callable[[str], Iterator[tuple[Any, ...]]], table: Table, dimension: int
) -> tuple[Ids, NDArray[Any]]:
    """The ids of all vectors of a table, ascending, and the vectors in that order."""
    kind = np.int8 if table == "sentence" else np.float32
    found = list(chunks(each, table, dimension))
    ids = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in found)])
    rows = np.concatenate([np.zeros((0, dimension), dtype=kind), *(part[1] for part in found)])
    order = np.argsort(ids)
    return ids[order], rows[order]
