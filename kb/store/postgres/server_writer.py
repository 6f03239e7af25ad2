"""A knowledge base in a PostgreSQL database, opened to write: by one, whose whole transactions others see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from typing import Any

from kb.errors import UsageError
from kb.graph.stored_vectors import Codes, Table, unit_rows
from kb.store.addresses import ServerAddress
from kb.store.engine import Index, Row, WritingEngine
from kb.store.postgres.connecting import check_base, check_pgvector, connect, driver, take_lock, translated
from kb.store.postgres.server_engine import ServerEngine, as_text, spelt
from kb.store.postgres.server_schema import DROPPED, INDEXES, STEPS, TABLES, VECTOR_INDEXES, VECTORS
from kb.store.postgres.word_search import COLUMNS, places

_INDEXED_AT_ONCE = 2000
"""Rows whose words are in memory at once."""


class ServerWriter(ServerEngine):
    """A `WritingEngine`: the database is locked for as long as its connection lasts."""

    def __init__(self, place: ServerAddress, connection: Any) -> None:
        super().__init__(place, connection)
        self._depth = 0

    @classmethod
    def to_write(cls, place: ServerAddress, prepare: Callable[[WritingEngine], None]) -> ServerWriter:
        """As `open_to_write`."""
        writer = cls(place, connect(place, read_only=False))
        try:
            take_lock(writer._connection, place)
            with writer.atomic():
                if not check_base(writer._connection, place, may_be_empty=True):
                    writer._create(TABLES, INDEXES)
                writer._migrate()
                prepare(writer)
        except BaseException:
            writer.close()
            raise
        return writer

    def close(self) -> None:
        # By itself the server lets the lock go only once it has seen that the connection is gone.
        with suppress(driver().Error):
            self._connection.execute("SELECT pg_advisory_unlock_all()")
        super().close()

    @classmethod
    @contextmanager
    def filling(cls, place: ServerAddress, dimension: int, *, replace: bool) -> Iterator[ServerWriter]:
        """Where another knowledge base is copied to, in one transaction: until the block has come to its end the
        database is as it was. Raises UsageError where there is one already that is not to be replaced.
        """
        writer = cls(place, connect(place, read_only=False))
        try:
            take_lock(writer._connection, place)
            with writer.atomic():
                writer._make_room(replace)
                writer._create(TABLES, VECTORS.format(dimension=dimension))
                yield writer
                for index in COLUMNS:
                    writer._index_all(index)
                writer._create(INDEXES, VECTOR_INDEXES)  # in a tenth of the time that they take row by row
                writer._migrate()
            writer.optimize()
        finally:
            writer.close()

    def _make_room(self, replace: bool) -> None:
        if not check_base(self._connection, self.place, may_be_empty=True):
            return
        if not replace:
            raise UsageError(f"{str(self.place)!r} holds a knowledge base; name an empty database, or give --replace")
        with translated(self.place):
            self._connection.execute(DROPPED)

    def _create(self, *scripts: str) -> None:
        with translated(self.place):
            self._connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            check_pgvector(self._connection, self.place)
            for script in scripts:
                self._connection.execute(script)

    def _migrate(self) -> None:
        """Bring the schema up to date; killed, it is as it was."""
        with translated(self.place):
            (now,) = self._connection.execute("SELECT schema FROM clew_base").fetchone()
            for name, statements in STEPS.items():
                if name > now:
                    self._connection.execute(statements)
                    self._connection.execute("UPDATE clew_base SET schema = %s", (name,))

    # -- writing ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """The one connection: another would not have the lock."""
        with translated(self.place):
            yield self._connection

    @contextmanager
    def atomic(self) -> Iterator[None]:
        with translated(self.place), self._connection.transaction():
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._finish()
            finally:
                self._depth -= 1

    def durable(self) -> Any:
        return self.atomic()  # what a server has committed is on its disk

    def _part(self) -> AbstractContextManager[None]:
        """A transaction, where there is none."""
        return translated(self.place) if self._depth else self.atomic()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        with self._part():
            self._connection.execute(spelt(sql), tuple(parameters))

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        if many := list(rows):
            with self._part(), self._connection.cursor() as cursor:
                cursor.executemany(spelt(sql), many)

    def fill(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        sql = driver().sql
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
        with self._part(), self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)

    def add_codes(self, table: Table, ids: Iterable[int], codes: Codes) -> None:
        columns = ("id", "code", "vector") if table == "passage" else ("id", "code")
        self.fill(f"{table}_vectors", columns, _coded(table, ids, codes))

    def drop_codes(self, table: Table, ids: Iterable[int]) -> None:
        self.execute(f"DELETE FROM {table}_vectors WHERE id = ANY(?)", (list(ids),))  # noqa: S608 - fixed names

    def create_vectors(self, dimension: int) -> None:
        with translated(self.place):
            self._connection.execute(VECTORS.format(dimension=dimension))
            self._connection.execute(VECTOR_INDEXES)

    def optimize(self) -> None:
        with translated(self.place):
            self._connection.execute("VACUUM (ANALYZE)")

    # -- what a transaction ends with ---------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Put the words of what is new into the full text indexes, and tell whoever has the database open."""
        for index in COLUMNS:
            while ids := self._unindexed(index):
                columns = ", ".join(COLUMNS[index])
                self._index(index, self.by_ids(f"SELECT id, {columns} FROM {index} WHERE id IN ", ids))  # noqa: S608
                self._connection.execute("DELETE FROM unindexed WHERE of = %s AND id = ANY(%s)", (index, ids))
        self._connection.execute("UPDATE clew_base SET changes = changes + 1")

    def _unindexed(self, index: Index) -> list[int]:
        sql = "SELECT DISTINCT id FROM unindexed WHERE of = %s LIMIT %s"
        return [row[0] for row in self._connection.execute(sql, (index, _INDEXED_AT_ONCE)).fetchall()]

    def _index_all(self, index: Index) -> None:
        rows = self.each(f"SELECT id, {', '.join(COLUMNS[index])} FROM {index}")  # noqa: S608 - fixed names
        while some := list(islice(rows, _INDEXED_AT_ONCE)):
            self._index(index, some)

    def _index(self, index: Index, rows: Sequence[Row]) -> None:
        """Put rows, which begin with their ids, into a full text index, in which they are not."""
        found = places(index, [row[1:] for row in rows])
        words = ((word, row[0], at) for row, own in zip(rows, found, strict=True) for word, at in own)
        self.fill(f"{index}_words", ("word", "id", "place"), words)
        sizes = ((row[0], len(own)) for row, own in zip(rows, found, strict=True))
        self.fill(f"{index}_sizes", ("id", "words"), sizes)


def _coded(table: Table, ids: Iterable[int], codes: Codes) -> Iterator[tuple[Any, ...]]:
    for one, code in zip(ids, codes, strict=True):
        row = (int(one), code.tobytes())
        yield (*row, as_text(unit_rows(code[None])[0])) if table == "passage" else row
