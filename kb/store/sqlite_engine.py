"""A knowledge base in one SQLite file: FTS5 for words, sqlite-vec's tables for vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlite_utils

from kb.errors import BadFileError, WriteError
from kb.graph.stored_vectors import Codes, Ids, Table, chunks
from kb.store.dense import PassageCodes
from kb.store.engine import Index, Phrase, Query, Row, WritingEngine
from kb.store.file_state import file_state
from kb.store.graph_rows import GraphRows, RowsByIds, RowsByNumbers
from kb.store.locking import WriterLock
from kb.store.migrations import check_version, create_vectors, migrate
from kb.store.sqlite import close_writer, damaged, give_back_room, open_reader, open_writer, sqlite3, translated

_MARKS = 512
"""Ids bound in one statement, well under SQLite's limit of variables."""
_MOST = 20
"""Problems of one kind that are listed; more of the same tell nothing new."""

_BM25 = {"passages": "bm25(passages_fts, 2.0, 1.0)", "entities": "bm25(entities_fts)"}
_TEXTS = {"passages": "title, text", "entities": "name"}
_VECTORS = ("passage_vectors", "sentence_vectors", "entity_vectors")

_PLACES = "SELECT rowid, chunk_id, chunk_offset FROM {}_vectors_rowids WHERE rowid IN "
_CHUNKS = "SELECT rowid, vectors FROM {}_vectors_vector_chunks00 WHERE rowid IN "
"""Where vectors stand, and rows of them."""

_TIED = 64
"""Ranked besides those asked for, for the ids to tell which of equal ones come first."""

_FTS_COLUMNS = {
    "data": (("id", "INTEGER", 1), ("block", "BLOB", 0)),
    "idx": (("segid", "", 1), ("term", "", 2), ("pgno", "", 0)),
    "docsize": (("id", "INTEGER", 1), ("sz", "BLOB", 0)),
    "config": (("k", "", 1), ("v", "", 0)),
}
"""The name, type and place in the key of each column in which FTS5 keeps an index."""
_TYPES = {"TEXT": ("text", "null"), "INTEGER": ("integer", "null")}
"""What stands in a column, by the type that it was declared with."""
ORDINARY_TABLES = (
    "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%' "
    "AND name NOT LIKE '%_vectors%' AND name NOT LIKE '%_fts%' ORDER BY name"
)
"""All but SQLite's own and those of its extensions, which keep theirs as they like."""


class SqliteEngine:
    """An `Engine` over an open connection, which it closes."""

    def __init__(self, path: Path, db: sqlite_utils.Database) -> None:
        self.place, self.db = path, db

    @classmethod
    def to_read(cls, path: Path, *, may_be_empty: bool = False) -> SqliteEngine:
        """Raises NotAKnowledgeBase, NewerFileError, DamagedFileError, LockedFileError."""
        db = open_reader(path)
        try:
            with translated(path):
                check_version(db, path, may_be_empty=may_be_empty)
        except BaseException:
            db.close()
            raise
        return cls(path, db)

    # -- reading ------------------------------------------------------------------------------------------------------

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        with translated(self.place):
            return list(self.db.conn.execute(sql, tuple(parameters)).fetchall())

    def by_ids(self, sql: str, ids: Sequence[Any], suffix: str = "") -> list[Row]:
        rows: list[Row] = []
        for statement, part in _in_pieces(sql, ids, suffix):
            rows += self.rows(statement, part)
        return rows

    def _each_by_ids(self, sql: str, ids: Sequence[Any]) -> Iterator[Row]:
        """The rows of `by_ids` one by one: large ones are read twice as quickly where the last is gone."""
        with translated(self.place):
            for statement, part in _in_pieces(sql, ids):
                for row in self.db.conn.execute(statement, part):  # noqa: UP028 - as in `each`
                    yield row

    def each(self, sql: str) -> Iterator[Row]:
        with translated(self.place):
            # Not `yield from`: given up half way, it would close the cursor, which fails where the file is closed.
            for row in self.db.conn.execute(sql):  # noqa: UP028
                yield row

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with translated(self.place):
            self.db.conn.execute("BEGIN")
        try:
            yield
        finally:
            self.db.conn.rollback()

    def has(self, migration: str) -> bool:
        return bool(self._has_schema and self.rows("SELECT 1 FROM _sqlite_migrations WHERE name = ?", (migration,)))

    @cached_property
    def _has_schema(self) -> bool:
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = '_sqlite_migrations'"))

    def schema(self) -> str:
        return str(self.rows("SELECT name FROM _sqlite_migrations ORDER BY rowid DESC LIMIT 1")[0][0])

    def count(self, table: str) -> int:
        short = {"mentions": "mention_rows", "triples": "facts"} if self._has_numbers else {}
        return int(self.rows(f"SELECT count(*) FROM {short.get(table, table)}")[0][0])  # noqa: S608 - our own names

    def size(self) -> int:
        return self.place.stat().st_size

    def state(self) -> tuple[int, ...]:
        return file_state(self.place)

    def damaged(self, reason: object) -> BadFileError:
        return damaged(self.place, reason)

    def close(self) -> None:
        self.db.close()

    @cached_property
    def _has_numbers(self) -> bool:
        return self.has("m008_numbers")

    @property
    def graph_rows(self) -> GraphRows:
        return RowsByNumbers(self.by_ids) if self._has_numbers else RowsByIds(self.by_ids)

    # -- words --------------------------------------------------------------------------------------------------------

    @cached_property
    def _number(self) -> str:
        """The column of passages and of entities by which the full text indexes know them."""
        return "number" if self._has_numbers else "id"

    def best(self, index: Index, words: Sequence[str], k: int) -> list[tuple[int | None, float]]:
        # Ranked by the index alone: to look up what each of them is takes a third of the time, and a few are wanted.
        ranked = self.rows(
            f"SELECT rowid, -{_BM25[index]} AS score FROM {index}_fts "  # noqa: S608 - fixed names
            f"WHERE {index}_fts MATCH ? ORDER BY score DESC LIMIT ?",
            (_asked([[Phrase(word)] for word in words]), k + _TIED),
        )
        if len(ranked) == k + _TIED and ranked[-1][1] == ranked[k - 1][1]:
            return self._best_of_all(index, words, k)
        ids = f"SELECT {self._number}, id FROM {index} WHERE {self._number} IN "  # noqa: S608 - fixed names
        known: dict[int, int] = dict(self.by_ids(ids, [number for number, _ in ranked]))
        found = [(known.get(number), float(score)) for number, score in ranked]
        return sorted(found, key=lambda one: (-one[1], one[0] or 0))[:k]

    def _best_of_all(self, index: Index, words: Sequence[str], k: int) -> list[tuple[int | None, float]]:
        """Where more are as good as the last than were looked at: the ids of all that match tell which come first."""
        rows = self.rows(
            f"SELECT o.id, -{_BM25[index]} AS score "  # noqa: S608 - fixed names
            f"FROM {index}_fts LEFT JOIN {index} o ON o.{self._number} = {index}_fts.rowid "
            f"WHERE {index}_fts MATCH ? ORDER BY score DESC, o.id LIMIT ?",
            (_asked([[Phrase(word)] for word in words]), k),
        )
        return [(row[0], float(row[1])) for row in rows]

    def matching(self, index: Index, query: Query) -> tuple[str, tuple[Any, ...]]:
        sql = (
            f"SELECT o.id FROM {index}_fts f JOIN {index} o ON o.{self._number} = f.rowid "  # noqa: S608 - fixed names
            f"WHERE {index}_fts MATCH ?"
        )
        return sql, (_asked(query),)

    def texts(self, index: Index, query: Query, limit: int) -> list[tuple[str, ...]]:
        sql = f"SELECT {_TEXTS[index]} FROM {index}_fts WHERE {index}_fts MATCH ? ORDER BY rowid LIMIT ?"  # noqa: S608
        return self.rows(sql, (_asked(query), limit))

    def name_words(self, start: str, end: str) -> list[str]:
        return self._name_words("SELECT term FROM temp.entity_words WHERE term >= ? AND term < ?", (start, end))

    def known_name_words(self, words: Sequence[str]) -> list[str]:
        some = words[:_MARKS]
        sql = f"SELECT term FROM temp.entity_words WHERE term IN ({','.join('?' * len(some))})"  # noqa: S608 - marks
        return self._name_words(sql, some)

    def _name_words(self, sql: str, bound: Sequence[str]) -> list[str]:
        # A view of the index, in memory only: the file is not written to.
        self.rows("CREATE VIRTUAL TABLE IF NOT EXISTS temp.entity_words USING fts5vocab('main', 'entities_fts', 'row')")
        return [str(row[0]) for row in self.rows(sql, bound)]

    # -- vectors ------------------------------------------------------------------------------------------------------

    def passage_vectors(self, dimension: int) -> PassageCodes:
        return PassageCodes(self.codes("passage", dimension), dimension, self.count("passages"))

    def codes(self, table: Table, dimension: int) -> Iterator[tuple[Ids, Codes]]:
        return chunks(self.each, table, dimension)

    def codes_of(self, table: Table, ids: Sequence[int], dimension: int) -> Mapping[int, bytes]:
        inside: dict[int, list[tuple[int, int]]] = {}
        for one, chunk, at in self.by_ids(_PLACES.format(table), ids):
            inside.setdefault(chunk, []).append((one, at))
        found: dict[int, bytes] = {}
        for chunk, vectors in self._each_by_ids(_CHUNKS.format(table), sorted(inside)):
            for one, at in inside[chunk]:
                found[one] = vectors[at * dimension : (at + 1) * dimension]
        return found

    # -- soundness ----------------------------------------------------------------------------------------------------

    def integrity(self) -> Iterator[str]:
        for (line,) in self.rows(f"PRAGMA integrity_check({_MOST})"):
            if line != "ok":
                yield f"SQLite: {line}"

    def problems(self) -> Iterator[str]:
        for table, row, parent, _ in self.rows("PRAGMA foreign_key_check")[:_MOST]:
            yield f"row {row} of {table} refers to a row of {parent} that is not there"
        yield from self._full_text()
        yield from self._vector_places()
        yield from self._json()
        yield from self._strange_types()

    def _full_text(self) -> Iterator[str]:
        """FTS5's own check writes, so the rows are counted and compared by their numbers instead."""
        for index, table in (("passages_fts", "passages"), ("entities_fts", "entities")):
            for part, columns in _FTS_COLUMNS.items():
                if tuple(self.rows("SELECT name, type, pk FROM pragma_table_info(?)", (f"{index}_{part}",))) != columns:
                    yield f"the full text index {index} keeps its {part} in a table that is not as it was made"
            indexed, stored = self.count(f"{index}_docsize"), self.count(table)
            if indexed != stored:
                yield f"the full text index {index} has {indexed} rows for {stored} {table}"
            strange = self.rows(
                f"SELECT count(*) FROM {index}_docsize WHERE id NOT IN (SELECT {self._number} FROM {table})"  # noqa: S608 - fixed names
            )[0][0]
            if strange:
                yield f"the full text index {index} has {strange} rows of no {table}"

    def _vector_places(self) -> Iterator[str]:
        """sqlite-vec keeps twice where a vector stands: by its id, and with its chunk, where it looks. There
        it also keeps a bit for each, lowest first, that says whether one is there.
        """
        for table in _VECTORS:
            chunks = {
                chunk: (rowids, int.from_bytes(bits, "little"))
                for chunk, rowids, bits in self.rows(f"SELECT chunk_id, rowids, validity FROM {table}_chunks")  # noqa: S608 - fixed names
                if isinstance(rowids, bytes) and isinstance(bits, bytes)
            }
            places = self.rows(f"SELECT rowid, chunk_id, chunk_offset FROM {table}_rowids")  # noqa: S608
            strange, bits_of = 0, dict.fromkeys(chunks, 0)
            for row, chunk, at in places:
                rowids, bits = chunks.get(chunk, (b"", 0))
                there = int.from_bytes(rowids[8 * at : 8 * at + 8], "little", signed=True)
                strange += there != row or not bits >> at & 1
                bits_of[chunk] = bits_of.get(chunk, 0) + 1
            if strange:
                yield f"{strange} of {len(places)} {table} are not where they should be"
            elif more := sum(bits.bit_count() - bits_of[chunk] for chunk, (_, bits) in chunks.items()):
                yield f"{table} has {more} places for vectors that are none"

    def _json(self) -> Iterator[str]:
        """What is kept as JSON, of facts in a file of this clew's."""
        for table, column in (("documents", "metadata"), *([("facts", "qualifiers")] if self._has_numbers else [])):
            spoilt = self.rows(
                f"SELECT count(*) FROM {table} WHERE {column} <> '{{}}' AND "  # noqa: S608 - fixed names
                f"CASE WHEN json_valid({column}) THEN json_type({column}) <> 'object' ELSE 1 END"
            )[0][0]
            if spoilt:
                yield f"{spoilt} {table} whose {column} cannot be read"

    def _strange_types(self) -> Iterator[str]:
        """SQLite keeps any value in any column, bytes where a text should stand as well."""
        for (table,) in self.rows(ORDINARY_TABLES):
            columns = self.rows("SELECT name, type FROM pragma_table_info(?)", (table,))
            kept = [(name, _TYPES[declared]) for name, declared in columns if declared in _TYPES]
            for name, kinds in kept:
                strange = self.rows(f'SELECT count(*) FROM "{table}" WHERE typeof("{name}") NOT IN {kinds}')[0][0]  # noqa: S608 - the file's own names
                if strange:
                    yield f"{strange} {table} whose {name} is no {kinds[0]}"


class SqliteWriter(SqliteEngine):
    """A `WritingEngine` over an open connection, with the lock that it lets go when it is closed."""

    def __init__(self, path: Path, db: sqlite_utils.Database, lock: WriterLock | None = None) -> None:
        super().__init__(path, db)
        self._lock = lock

    @classmethod
    def to_write(cls, path: Path, prepare: Callable[[WritingEngine], None]) -> SqliteWriter:
        """As `open_to_write`."""
        lock = WriterLock(path)
        try:
            db = open_writer(path)
            try:
                writer = cls(path, db, lock)
                # All at once: a file that is there has all its tables.
                with writer.atomic():
                    migrate(db, path)
                    prepare(writer)
                give_back_room(db)
            except BaseException:
                db.close()
                raise
        except BaseException:
            lock.release()
            raise
        return writer

    def close(self) -> None:
        try:
            with translated(self.place):
                close_writer(self.db)
        finally:
            if self._lock is not None:
                self._lock.release()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        with translated(self.place):
            self.db.execute(sql, parameters)

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with translated(self.place):
            self.db.conn.executemany(sql, rows)

    def fill(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        names = ", ".join(f'"{one}"' for one in columns)
        marks = ", ".join("?" * len(columns))
        self.many(f"INSERT INTO {table}({names}) VALUES ({marks})", rows)  # noqa: S608 - our own names

    @contextmanager
    def atomic(self) -> Iterator[None]:
        # Within another one no savepoint: SQLite would keep each page's former state in a list, which it goes through
        # for every row that is written, so that a row costs the more the larger the file is.
        with translated(self.place), nullcontext() if self.db.conn.in_transaction else self.db.atomic():
            yield

    @contextmanager
    def durable(self) -> Iterator[None]:
        self.execute("PRAGMA synchronous = FULL")
        with self.atomic():
            yield
        self.execute("PRAGMA synchronous = NORMAL")

    def add_codes(self, table: Table, ids: Iterable[int], codes: Codes) -> None:
        rows = ((one, code.tobytes()) for one, code in zip(ids, codes, strict=True))
        self.many(f"INSERT INTO {table}_vectors(id, vector) VALUES (?, vec_int8(?))", rows)  # noqa: S608 - fixed names

    def drop_codes(self, table: Table, ids: Iterable[int]) -> None:
        # By their ids: a table of vectors looks up an id, but goes through all its rows for a subquery.
        self.many(f"DELETE FROM {table}_vectors WHERE id = ?", ((one,) for one in ids))  # noqa: S608 - fixed names

    def create_vectors(self, dimension: int) -> None:
        for table in _VECTORS:
            create_vectors(self.db, table, dimension)

    def optimize(self) -> None:
        self.execute("PRAGMA optimize")


def copy_file(path: Path, out: Path) -> None:
    """Write a file as it is to `out`, while others may write to it. Raises BadFileError."""
    source = SqliteEngine.to_read(path)
    try:
        with translated(out), closing(sqlite3.connect(str(out))) as target:
            source.db.conn.backup(target)
    except OSError as error:
        raise WriteError(f"{str(out)!r} cannot be written ({error.strerror})") from error
    finally:
        source.close()


def _in_pieces(sql: str, ids: Sequence[Any], suffix: str = "") -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Statements, and what is bound in each. As many marks as a power of two, the last id again in what is left: one of
    another length would be prepared anew, which takes half of the time of most.
    """
    for start in range(0, len(ids), _MARKS):
        part = tuple(ids[start : start + _MARKS])
        part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))
        yield f"{sql}({','.join('?' * len(part))}){suffix}", part


def _asked(query: Query) -> str:
    """What FTS5 is asked."""
    return " OR ".join(f"({' AND '.join(map(_phrase, group))})" for group in query)


def _phrase(phrase: Phrase) -> str:
    column = f"{phrase.column} : " if phrase.column else ""
    words = phrase.words.replace('"', '""')
    return f'{column}"{words}"{"*" if phrase.is_start else ""}'
