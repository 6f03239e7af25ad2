"""The whole graph as arrays, for work that looks at all of it at once (PageRank, link matrices).

Rows are numbered 0..n-1 in the order of ids: `passages[i]` and `entities[j]` give the ids back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.graph.stored_vectors import lengths

RARE_DEGREE = 10
"""Passages that may mention a name which still tells them apart from the rest."""

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]
Rows = Callable[[str], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Graph:
    """Passages, entities and what joins them; every pair is (row, row).

    mentions       shape (m, 2): passage, entity that it mentions
    abouts         shape (a, 2): entity, passage of a document that the entity's name is the title (or an alias) of
    documents      shape (passages,): the number of each passage's document; `ordinals`: its place there
    passage_vectors shape (passages, dimension), unit rows
    """

    passages: Ids
    entities: Ids
    documents: Ids
    ordinals: Ids
    mentions: Ids
    abouts: Ids
    passage_vectors: Floats

    def passage_rows(self, ids: Any) -> Ids:
        """Rows of passage ids, which must all be known."""
        return np.searchsorted(self.passages, np.asarray(ids, dtype=np.int64))

    def entity_rows(self, ids: Any) -> Ids:
        """Rows of entity ids; an id that is in no passage and no title is left out."""
        wanted = np.asarray(ids, dtype=np.int64)
        at = np.clip(np.searchsorted(self.entities, wanted), 0, max(len(self.entities) - 1, 0))
        return at[self.entities[at] == wanted] if len(self.entities) else at[:0]

    @cached_property
    def names(self) -> Any:
        """Sparse (passages, entities), CSR float32: 1 where a passage mentions an entity."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.mentions), dtype=np.float32)
        return csr_array((ones, (self.mentions[:, 0], self.mentions[:, 1])), (len(self.passages), len(self.entities)))

    @cached_property
    def rare_neighbours(self) -> Any:
        """Sparse (passages, passages), CSR float32: the summed rarity, 1 / degree, of the names that both mention.

        Only names in 2 to 10 passages count: the others join nothing, or everything.
        """
        from scipy.sparse import diags_array

        rare = (self.mention_degree >= 2) & (self.mention_degree <= RARE_DEGREE)
        weights = np.where(rare, 1.0 / np.maximum(self.mention_degree, 1), 0.0).astype(np.float32)
        shared = (self.names @ diags_array(weights) @ self.names.T).tocsr()
        shared.setdiag(0)
        shared.eliminate_zeros()
        return shared

    @cached_property
    def links(self) -> Any:
        """Sparse (passages, passages), CSR float32: how strongly one passage points to another by naming its title.

        A name that is the title of n documents gives each 1 / n; of a document's passages the first gets 1, the one of
        ordinal o gets 1 / (1 + o).
        """
        from scipy.sparse import csr_array

        count, width = len(self.passages), len(self.entities)
        names = self.names
        meanings = np.bincount(self.abouts[self.ordinals[self.abouts[:, 1]] == 0, 0], minlength=width)
        weights = 1.0 / (1.0 + self.ordinals[self.abouts[:, 1]]) / np.maximum(meanings[self.abouts[:, 0]], 1)
        about = csr_array((weights, (self.abouts[:, 0], self.abouts[:, 1])), (width, count))
        links = (names @ about).tocoo()
        apart = self.documents[links.row] != self.documents[links.col]
        strength = np.minimum(links.data[apart], 1.0).astype(np.float32)
        return csr_array((strength, (links.row[apart], links.col[apart])), (count, count))

    @cached_property
    def mention_degree(self) -> Ids:
        """Shape (entities,): how many passages mention each entity."""
        return np.bincount(self.mentions[:, 1], minlength=len(self.entities))


def load_graph(rows: Rows, vectors: tuple[Ids, Floats]) -> Graph:
    """Read the graph; `rows` runs a query, and `vectors` are those of passages, by ascending ids.

    An empty file gives empty arrays.
    """
    passages = sorted(rows("SELECT id, document, ordinal FROM passages"))
    ids = np.array([row[0] for row in passages], dtype=np.int64)
    document_ids = np.array([row[1] for row in passages], dtype=np.int64)
    pairs = _pairs(rows("SELECT DISTINCT passage, entity FROM mentions ORDER BY passage, entity"), 2)
    abouts = _pairs(
        rows(
            "SELECT DISTINCT e.id, p.id FROM aliases a "
            "JOIN entities e ON e.key = a.key JOIN passages p ON p.document = a.document"
        ),
        2,
    )
    entities = np.unique(np.concatenate([pairs[:, 1], abouts[:, 0]]))
    mentions = np.column_stack([known_rows(ids, pairs[:, 0]), np.searchsorted(entities, pairs[:, 1])])
    about_rows = np.column_stack([known_rows(entities, abouts[:, 0]), known_rows(ids, abouts[:, 1])])
    return Graph(
        passages=ids,
        entities=entities,
        documents=np.unique(document_ids, return_inverse=True)[1].astype(np.int64),
        ordinals=np.array([row[2] for row in passages], dtype=np.int64),
        mentions=mentions,
        abouts=about_rows[np.lexsort((about_rows[:, 1], about_rows[:, 0]))],
        passage_vectors=vectors[1][known_rows(vectors[0], ids)],
    )


def known_rows(known: Ids, wanted: Ids) -> Ids:
    """The rows of `wanted` among the ascending ids `known`. Raises ValueError for one that is not there."""
    at = np.searchsorted(known, wanted)
    if len(wanted) and (not len(known) or (known[np.minimum(at, len(known) - 1)] != wanted).any()):
        raise ValueError("rows refer to others that are not there")
    return at


def _pairs(found: list[tuple[Any, ...]], width: int) -> Ids:
    return np.array(found, dtype=np.int64).reshape(-1, width)


class SentenceVectors:
    """Sentences' vectors, of those that are looked at, or of all."""

    def __init__(
        self,
        look_up: Callable[[Sequence[int]], NDArray[np.int8]],
        read_all: Callable[[], SentenceRows],
        dimension: int,
        sound: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`look_up` gives the stored rows of sentences by their ids, shape (n, dimension); within `sound` a ValueError
        becomes what is said of a damaged file.
        """
        self._look_up, self._read_all, self._dimension, self._sound = look_up, read_all, dimension, sound

    @cached_property
    def all(self) -> SentenceRows:
        """All of them, read once."""
        return self._read_all()

    def places(self, ids: Any) -> Ids:
        """Where sentences stand in `all`. One without a vector is looked up, which says what is wrong with the file; it
        is damage as well where that finds one.
        """
        wanted, known = np.asarray(ids, dtype=np.int64), self.all.ids
        if (unknown := wanted[~np.isin(wanted, known)]).size:
            self._look_up(unknown.tolist())
        with self._sound():
            return known_rows(known, wanted)

    def some(self, ids: Any) -> SentenceRows:
        """Those of some sentences, whose ids must be known."""
        distinct = np.unique(np.asarray(ids, dtype=np.int64))
        return SentenceRows(distinct, self._look_up(distinct.tolist()))

    def cosines(self, ids: Any, queries: Floats) -> Floats:
        """Cosine of each sentence with each query, shape (len(ids), len(queries)); the ids must be known."""
        return np.asarray(self.rows_of(ids) @ queries.T, dtype=np.float32)

    def rows_of(self, ids: Any) -> Floats:
        """The sentences' vectors as unit rows, shape (len(ids), dimension); the ids must be known."""
        some = self.some(ids)
        at = np.searchsorted(some.ids, np.asarray(ids, dtype=np.int64))
        return np.asarray((some.rows.astype(np.float32) / some.norms[:, None])[at])


@dataclass(frozen=True)
class SentenceRows:
    """Vectors of sentences, of all or of some.

    `ids` are ascending, shape (n,); `rows` are int8, shape (n, dimension), each to its own scale.
    """

    ids: Ids
    rows: NDArray[np.int8]

    @cached_property
    def norms(self) -> Floats:
        """Shape (n,): the length of each row, at least 1e-6."""
        return lengths(self.rows)
