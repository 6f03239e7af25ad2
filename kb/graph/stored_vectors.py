"""Vectors as they are kept: at eight bits a component, many to a row of sqlite-vec's tables.

So many at once are read in a tenth of the time of one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Codes = NDArray[np.int8]
Floats = NDArray[np.float32]
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
"""With a chunk's vectors come their ids, and a bit for each that is there: chunks are of eight or a multiple of it."""
_AT_ONCE = 16
"""Chunks that are taken together: of some there are thousands, with a few vectors each."""


def eight_bits(rows: Floats) -> Codes:
    """Rows of shape (n, dimension) at eight bits a component, each to its own scale, which cosine does not see."""
    largest = np.maximum(np.abs(rows).max(axis=1, initial=0.0), np.float32(1e-12))
    return np.asarray(np.round(rows * (127.0 / largest)[:, None]), dtype=np.int8)


def lengths(codes: Codes) -> Floats:
    """Shape (n,): the length of each row, at least 1e-6."""
    squares = np.einsum("ij,ij->i", codes, codes, dtype=np.float32)
    return np.asarray(np.maximum(np.sqrt(squares), np.float32(1e-6)))


def unit_rows(codes: Codes) -> Floats:
    """The vectors that codes of shape (n, dimension) stand for, of length 1; their cosines are right to about 0.003."""
    return np.asarray(codes.astype(np.float32) / lengths(codes)[:, None])


def chunks(
    each: Callable[[str], Iterator[tuple[Any, ...]]], table: Table, dimension: int
) -> Iterator[tuple[Ids, Codes]]:
    """Ids and codes, shape (n, dimension); `each` runs a query. A file that was not written to since `m007_eight_bits`
    keeps passages' and names' vectors as floats of four bytes: they are told by their size, and coded.

    Raises ValueError where they do not fit together.
    """
    rows_of = each(_CHUNKS[table])
    while some := list(islice(rows_of, _AT_ONCE)):
        validity, rowids, vectors = map(b"".join, zip(*some, strict=True))
        there = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little").astype(bool)
        is_coded = len(vectors) == len(there) * dimension
        rows = np.frombuffer(vectors, dtype=np.int8 if is_coded else np.float32).reshape(-1, dimension)[there]
        if not is_coded and not np.isfinite(rows).all():
            raise ValueError("a vector holds what is no number")
        yield np.frombuffer(rowids, dtype=np.int64)[there], rows if is_coded else eight_bits(rows)


def joined(parts: Iterable[tuple[Ids, Codes]], dimension: int) -> tuple[Ids, Codes]:
    """Parts of ids and codes in one, by ascending ids."""
    found = list(parts)
    ids = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in found)])
    codes = np.concatenate([np.zeros((0, dimension), dtype=np.int8), *(part[1] for part in found)])
    order = np.argsort(ids)
    return ids[order], codes[order]
