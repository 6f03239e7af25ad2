"""A knowledge base in a PostgreSQL database, opened to read: an `Engine` of kb/store/engine.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, cast

import numpy as np

from kb.errors import BadFileError
from kb.graph.stored_vectors import Codes, Ids, Table
from kb.store.addresses import ServerAddress
from kb.store.dense import KeptCodes
from kb.store.engine import Floats, Index, Query, Row
from kb.store.graph_rows import GraphRows, RowsByIds
from kb.store.postgres.connecting import check_base, check_pgvector, connect, state_in, translated
from kb.store.postgres.nearest import NearPassages
from kb.store.postgres.word_search import best_sql, matching_sql

_KEPT_VECTORS = 65_536
"""Vectors of passages that were looked at and are kept: 25 MB."""
_AT_ONCE = 10_000
"""Rows that are fetched at once of what is read whole."""
_EXPLORED = 400
"""Neighbours that the index goes through for a query before it looks whether that was enough."""
_NO_CHARACTER = "\uffff"
"""A code point that stands for none, in any text."""
_TEXTS = {"passages": "title, text", "entities": "name"}


class ServerEngine:
    """An `Engine` over a connection, which it opens again where that was lost between two questions."""

    def __init__(self, place: ServerAddress, connection: Any) -> None:
        self.place = place
        self._connection = connection

    @classmethod
    def to_read(cls, place: ServerAddress, *, may_be_empty: bool = False) -> ServerEngine:
        """Raises BadFileError where it cannot be reached, or holds no knowledge base that can be read."""
        engine = cls(place, _reader(place))
        try:
            engine.is_there = check_base(engine._connection, place, may_be_empty=may_be_empty)
            if engine.is_there:
                check_pgvector(engine._connection, place)
        except BaseException:
            engine.close()
            raise
        return engine

    is_there = True

    # -- reading ------------------------------------------------------------------------------------------------------

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        with self._open() as connection:
            return cast(list[Row], connection.execute(spelt(sql), [_bound(one) for one in parameters]).fetchall())

    def by_ids(self, sql: str, ids: Sequence[Any], suffix: str = "") -> list[Row]:
        if not len(ids):
            return []
        many = [one.item() if isinstance(one, np.generic) else one for one in ids]
        return self.rows(sql.rstrip().removesuffix("IN") + "= ANY(?)" + suffix, [many])

    def each(self, sql: str) -> Iterator[Row]:
        with self._open() as connection, connection.transaction(), connection.cursor(name="clew_each") as cursor:
            cursor.itersize = _AT_ONCE
            yield from cursor.execute(spelt(sql))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._open() as connection, connection.transaction(force_rollback=True):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """The connection, a new one where the last statement found it lost."""
        if self._connection.closed:
            self._connection = _reader(self.place)
        with translated(self.place):
            yield self._connection

    def has(self, migration: str) -> bool:
        return self.is_there

    def schema(self) -> str:
        return str(self.rows("SELECT schema FROM clew_base")[0][0])

    def count(self, table: str) -> int:
        return int(self.rows(f"SELECT count(*) FROM {table}")[0][0])  # noqa: S608 - our own names

    def size(self) -> int:
        sizes = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
        return int(self.rows(f"{sizes} WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace")[0][0])

    def state(self) -> tuple[int, ...]:
        with self._open() as connection:
            return state_in(connection, self.place) if self.is_there else ()

    def damaged(self, reason: object) -> BadFileError:
        return BadFileError(f"{str(self.place)!r} is damaged ({reason}); restore a copy, or build it again")

    def close(self) -> None:
        self._connection.close()

    @property
    def graph_rows(self) -> GraphRows:
        return RowsByIds(self.by_ids)

    # -- words --------------------------------------------------------------------------------------------------------

    def best(self, index: Index, words: Sequence[str], k: int) -> list[tuple[int | None, float]]:
        rows, tokens = self._sizes[index]
        if not tokens:
            return []
        return [(row[0], float(row[1])) for row in self.rows(*best_sql(index, words, rows, tokens, k))]

    @cached_property
    def _sizes(self) -> dict[Index, tuple[int, int]]:
        """How many rows an index has, and words in them."""
        sql = "SELECT count(*), coalesce(sum(words), 0)::bigint FROM {}_sizes"
        indexes: tuple[Index, ...] = ("passages", "entities")
        return {index: (counted[0], counted[1]) for index in indexes for counted in self.rows(sql.format(index))}

    def matching(self, index: Index, query: Query) -> tuple[str, tuple[Any, ...]]:
        return matching_sql(index, query)

    def texts(self, index: Index, query: Query, limit: int) -> list[tuple[str, ...]]:
        sql, bound = matching_sql(index, query)
        found = f"SELECT {_TEXTS[index]} FROM {index} WHERE id IN ({sql}) ORDER BY number LIMIT ?"  # noqa: S608
        return self.rows(found, (*bound, limit))

    def name_words(self, start: str, end: str) -> list[str]:
        sql = "SELECT DISTINCT word FROM entities_words WHERE word >= ? AND word < ? ORDER BY word"
        return [str(row[0]) for row in self.rows(sql, (start, end))]

    def known_name_words(self, words: Sequence[str]) -> list[str]:
        found = self.by_ids("SELECT DISTINCT word FROM entities_words WHERE word IN ", words, " ORDER BY word")
        return [str(row[0]) for row in found]

    # -- vectors ------------------------------------------------------------------------------------------------------

    def passage_vectors(self, dimension: int) -> NearPassages:
        codes = KeptCodes(lambda ids, size: self.codes_of("passage", ids, size), dimension, _KEPT_VECTORS)
        return NearPassages(codes, self._nearest)

    def _nearest(self, vector: Floats, k: int) -> list[Row]:
        sql = f"SELECT id, code FROM passage_vectors ORDER BY vector <=> ?::halfvec({len(vector)}) LIMIT ?"  # noqa: S608
        return self.rows(sql, (as_text(vector), k))

    def codes(self, table: Table, dimension: int) -> Iterator[tuple[Ids, Codes]]:
        rows = self.each(f"SELECT id, code FROM {table}_vectors")  # noqa: S608 - fixed names
        while some := list(islice(rows, _AT_ONCE)):
            joined = b"".join(row[1] for row in some)
            yield (
                np.array([row[0] for row in some], dtype=np.int64),
                np.frombuffer(joined, np.int8).reshape(-1, dimension),
            )

    def codes_of(self, table: Table, ids: Sequence[int], dimension: int) -> Mapping[int, bytes]:
        return dict(self.by_ids(f"SELECT id, code FROM {table}_vectors WHERE id IN ", ids))  # noqa: S608 - fixed names

    # -- soundness ----------------------------------------------------------------------------------------------------

    def integrity(self) -> Iterator[str]:
        """The server looks after its own files: its data checksums and `pg_amcheck`."""
        return iter(())

    def problems(self) -> Iterator[str]:
        for table in ("passages", "entities"):
            indexed, stored = self.count(f"{table}_sizes"), self.count(table)
            if indexed != stored:
                yield f"the full text index {table}_words has {indexed} rows for {stored} {table}"


def _reader(place: ServerAddress) -> Any:
    connection = connect(place, read_only=True)
    with translated(place):
        connection.execute(f"SET hnsw.ef_search = {_EXPLORED}; SET hnsw.iterative_scan = strict_order")
    return connection


def _bound(value: Any) -> Any:
    """A value that is asked for as the server takes it: it has no NUL, so that what has one is never found."""
    if isinstance(value, list):
        return [_bound(one) for one in value]
    return value.replace("\0", _NO_CHARACTER) if isinstance(value, str) else value


@lru_cache(maxsize=1024)
def spelt(sql: str) -> str:
    """A statement of ours as the driver takes it."""
    if sql.startswith("INSERT OR IGNORE "):
        sql = sql.replace("INSERT OR IGNORE ", "INSERT ", 1) + " ON CONFLICT DO NOTHING"
    return sql.replace("%", "%%").replace("?", "%s")


def as_text(vector: Floats) -> str:
    """A vector as pgvector reads it."""
    return "[" + ",".join(f"{one:.7g}" for one in vector.tolist()) + "]"
