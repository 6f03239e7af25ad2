"""Mentions and facts of some passages or names as arrays of ids: of tables that hold ids, and of those that hold the
numbers that a file knows passages and names by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kb.graph.by_ids import ByIds, as_array
from kb.graph.passage_graph import known_rows

Ids = NDArray[np.int64]
Of = Literal["passage", "entity"]


class GraphRows(Protocol):
    """Raises ValueError or TypeError where a row refers to what is not there."""

    def mentions(self, of: Of, ids: Sequence[int]) -> Ids:
        """(passage, entity) of what some passages mention, or of what mentions some entities: shape (n, 2), each pair
        once, in no order. Ids that are unknown have none.
        """

    def facts_and_mentions(self, passages: Sequence[int]) -> tuple[Ids, Ids]:
        """(id, head, tail, passage, sentence) of the facts of some passages, shape (n, 5), and their mentions as above:
        both in no order.
        """


class RowsByIds:
    """`GraphRows` of tables that hold ids."""

    def __init__(self, by_ids: ByIds) -> None:
        self._by_ids = by_ids

    def mentions(self, of: Of, ids: Sequence[int]) -> Ids:
        return as_array(self._by_ids(f"SELECT DISTINCT passage, entity FROM mentions WHERE {of} IN ", ids), 2)  # noqa: S608 - fixed names

    def facts_and_mentions(self, passages: Sequence[int]) -> tuple[Ids, Ids]:
        sql = "SELECT id, head, tail, passage, sentence FROM triples WHERE passage IN "
        return as_array(self._by_ids(sql, passages), 5), self.mentions("passage", passages)


class RowsByNumbers:
    """`GraphRows` of a file's tables that hold numbers: the id of each is looked up once, where the views of the same
    rows look one up for every row.
    """

    def __init__(self, by_ids: ByIds) -> None:
        self._by_ids = by_ids

    def mentions(self, of: Of, ids: Sequence[int]) -> Ids:
        known = self._known(of, "id", ids)
        passages, entities = self._mentions(of, known)
        by_passage = known if of == "passage" else self._known("passage", "number", passages)
        by_entity = known if of == "entity" else self._known("entity", "number", entities)
        return np.column_stack([_ids(by_passage, passages), _ids(by_entity, entities)])

    def facts_and_mentions(self, passages: Sequence[int]) -> tuple[Ids, Ids]:
        known = self._known("passage", "id", passages)
        sql = "SELECT id, head, tail, passage, start FROM facts WHERE passage IN "
        facts, head, tail, at, start = as_array(self._by_ids(sql, known[0].tolist()), 5).T
        mentioning, mentioned = self._mentions("passage", known)
        names = self._known("entity", "number", np.concatenate([head, tail, mentioned]))
        carrying = _ids(known, at)
        return (
            np.column_stack([facts, _ids(names, head), _ids(names, tail), carrying, self._sentences(carrying, start)]),
            np.column_stack([_ids(known, mentioning), _ids(names, mentioned)]),
        )

    def _mentions(self, of: Of, known: Ids) -> Ids:
        """Passages and entities by their numbers, shape (2, n)."""
        sql = f"SELECT passage, entity FROM mention_rows WHERE {of} IN "  # noqa: S608 - fixed names
        passages, entities = as_array(self._by_ids(sql, known[0].tolist()), 2).T
        # Each once is found here: SQLite takes longer to leave out those that are named again.
        pairs = np.sort(passages << 32 | entities)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        return np.stack([pairs >> 32, pairs & 0xFFFF_FFFF])

    def _known(self, of: Of, by: Literal["id", "number"], some: Sequence[int] | Ids) -> Ids:
        """Numbers, ascending, and ids of those that have one of some numbers or ids: shape (2, n)."""
        table = "passages" if of == "passage" else "entities"
        wanted = np.unique(np.asarray(some, dtype=np.int64)).tolist()
        found = as_array(self._by_ids(f"SELECT number, id FROM {table} WHERE {by} IN ", wanted), 2)  # noqa: S608
        return found[np.argsort(found[:, 0])].T

    def _sentences(self, passages: Ids, starts: Ids) -> Ids:
        """The ids of the sentences that begin there."""
        sql = "SELECT passage, start, id FROM sentences WHERE passage IN "
        distinct = np.unique(passages)
        at, start, sentences = as_array(self._by_ids(sql, distinct.tolist()), 3).T
        places = np.searchsorted(distinct, at) << 32 | start
        order = np.argsort(places)
        return np.asarray(
            sentences[order][known_rows(places[order], np.searchsorted(distinct, passages) << 32 | starts)]
        )


def _ids(known: Ids, numbers: Ids) -> Ids:
    return np.asarray(known[1][known_rows(known[0], numbers)])
