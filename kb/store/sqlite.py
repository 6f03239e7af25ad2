"""Connections to the one file: which driver, which pragmas, and what SQLite's errors mean for a user.

The driver is the one that sqlite-utils uses (pysqlite3 where installed, else the standard library's), or sqlean.py
where neither can load extensions: sqlite-vec is one.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlite_utils
import sqlite_vec
from sqlite_utils import utils as sqlite_utils_utils

from kb.errors import BadFileError, ClewError, DamagedFileError, LockedFileError, NotAKnowledgeBase, WriteError

APPLICATION_ID = 0x636C6577
"""`clew` in ASCII, at byte 68 of every file: how a knowledge base is told from other SQLite files."""

_SIGNS_OF_DAMAGE = (
    "malformed", "not a database", "corrupt", "could not fetch", "could not decode", "vec0", "fts5", "chunk",
)  # fmt: skip
"""What SQLite, its full text index and sqlite-vec say of bytes that are not what they wrote."""

_SIGNS_OF_WRITING = ("could not insert", "could not write", "could not update", "could not mark", "error inserting")
"""What sqlite-vec says where a write failed; of the disk, the error that it met is lost."""

_SIGNS_OF_READERS = ("locked", "busy")
"""What SQLite says where somebody else has the file open."""

_OURS = ("IntegrityError", "ProgrammingError", "NotSupportedError")
"""What SQLite raises for a mistake in how it is asked, whatever the file holds."""

_MAGIC = b"SQLite format 3\x00"
_WRITE_TIMEOUT_SECONDS = 5.0


def _driver() -> Any:
    chosen: Any = vars(sqlite_utils_utils)["sqlite3"]
    if hasattr(chosen.Connection, "enable_load_extension"):
        return chosen
    return importlib.import_module("sqlean")


sqlite3 = _driver()


def open_reader(path: Path) -> sqlite_utils.Database:
    """A read-only connection. A file on read-only media opens too, even if a writer left it in WAL mode.

    Raises NotAKnowledgeBase, DamagedFileError.
    """
    _check_header(path)
    with translated(path):
        try:
            return _prepare(_connect(path, "mode=ro"))
        except sqlite3.OperationalError:
            # SQLite cannot open a file in WAL mode where it may not create the -shm file beside it.
            return _prepare(_connect(path, "mode=ro&immutable=1"))


_VECTOR_COLUMNS = {
    "rowids": "rowid, id, chunk_id, chunk_offset",
    "chunks": "chunk_id, size, validity, rowids",
    "vector_chunks00": "rowid, vectors",
}


def _check_vector_tables(database: sqlite_utils.Database) -> None:
    """Raise SQLite's error where the tables of sqlite-vec are not as it made them: it crashes where they are not."""
    sql = "SELECT name FROM sqlite_master WHERE name IN ('passage_vectors', 'sentence_vectors', 'entity_vectors')"
    for (table,) in database.execute(sql).fetchall():
        for suffix, columns in _VECTOR_COLUMNS.items():
            database.execute(f"SELECT {columns} FROM {table}_{suffix} LIMIT 0")  # noqa: S608 - fixed names


def open_writer(path: Path) -> sqlite_utils.Database:
    """A connection that may write, in WAL mode, creating the file where there is none.

    Raises NotAKnowledgeBase, DamagedFileError, LockedFileError, WriteError.
    """
    if path.exists() and not (path.is_file() and path.stat().st_size == 0):
        _check_header(path)
    with translated(path):
        database = _prepare(_connect(path, "mode=rwc"))
        # Also where there was a first page: SQLite takes one back whose writer was killed.
        if not database.execute("PRAGMA page_count").fetchone()[0]:
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        # What is forgotten is overwritten, not just unlinked.
        database.execute("PRAGMA secure_delete = ON")
        return database


def give_back_room(database: sqlite_utils.Database) -> None:
    """Make a file smaller of which a quarter or more is free pages, as that of an earlier clew is once it was moved.

    Where the disk has no room for a copy, or somebody reads, the pages stay in the file, for what is written next.
    """
    free, pages = (database.execute(f"PRAGMA {one}").fetchone()[0] for one in ("freelist_count", "page_count"))
    if 4 * free < pages or not free:
        return
    with suppress(sqlite3.OperationalError):
        database.execute("VACUUM")


def close_writer(database: sqlite_utils.Database) -> None:
    """Fold the log into the file and leave WAL mode, so that the file alone is the knowledge base.

    While a reader is at work the log stays beside the file, and is folded in the next time. So it does on a full disk,
    for which SQLite's error is raised: the file alone, mailed or copied, would not have what was written.
    """
    try:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        if not any(sign in str(error).lower() for sign in _SIGNS_OF_READERS):
            raise
    finally:
        database.close()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors within the block into ours, each with what to do."""
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter for a message with the file's own bytes
        raise _as_clew_error(path, error) from error


def _as_clew_error(path: Path, error: Exception) -> ClewError:
    message = str(error).lower()
    if any(sign in message for sign in _SIGNS_OF_READERS):
        return LockedFileError(f"{str(path)!r} is being written by another process; try again when it has finished")
    if "readonly" in message or "read-only" in message:
        return WriteError(f"{str(path)!r} is read-only; copy it to where you may write, and use the copy")
    if "full" in message:
        return WriteError(f"the disk is full: {str(path)!r} keeps all finished work; free some space and run again")
    if any(sign in message for sign in _SIGNS_OF_DAMAGE) and not any(sign in message for sign in _SIGNS_OF_WRITING):
        return damaged(path, error)
    if "unable to open" in message:
        return NotAKnowledgeBase(f"{str(path)!r} cannot be opened; check the path and its permissions")
    # Which way it went, not every driver tells.
    if "disk i/o" in message or any(sign in message for sign in _SIGNS_OF_WRITING):
        return BadFileError(
            f"{str(path)!r} cannot be read or written ({error}); it keeps all finished work: check the disk, and the "
            "limit of the size of files (ulimit -f)"
        )
    if "no such table" in message or "no such column" in message:
        return DamagedFileError(
            f"{str(path)!r} lacks a part of its schema ({error}); restore a copy, or build it again"
        )
    if type(error).__name__ in _OURS:
        raise error
    # Our statements are fixed, so that what else SQLite or sqlite-vec complain of is what they find in the file.
    return damaged(path, error)


def damaged(path: Path, reason: object) -> DamagedFileError:
    """What to raise for a file that holds what nobody wrote."""
    return DamagedFileError(f"{str(path)!r} is damaged ({reason}); restore a copy, or build it anew in its place")


def _connect(path: Path, options: str) -> Any:
    uri = f"file:{quote(str(path.absolute()))}?{options}"
    connection = sqlite3.connect(uri, uri=True, timeout=_WRITE_TIMEOUT_SECONDS, check_same_thread=False)
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    connection.enable_load_extension(False)
    return connection


def _prepare(connection: Any) -> sqlite_utils.Database:
    # Reads the header page, so that a file which cannot be used fails here and not in the middle of a question.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    connection.execute("PRAGMA foreign_keys = ON")
    database = sqlite_utils.Database(connection)
    _check_vector_tables(database)
    return database


def _check_header(path: Path) -> None:
    if path.is_dir():
        raise NotAKnowledgeBase(
            f"{str(path)!r} is a folder; name a knowledge base, or build one: clew build {path} -o FILE"
        )
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise NotAKnowledgeBase(f"{str(path)!r} is no regular file; name a knowledge base")
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        raise NotAKnowledgeBase(
            f"there is no file {str(path)!r}; build it first: clew build SOURCES -o {path}"
        ) from None
    except OSError as error:
        raise NotAKnowledgeBase(f"{str(path)!r} cannot be read ({error.strerror}); check its permissions") from error
    if not header.startswith(_MAGIC):
        raise NotAKnowledgeBase(f"{str(path)!r} is no clew knowledge base; build one: clew build SOURCES -o FILE")
    if len(header) < 100:
        raise DamagedFileError(f"{str(path)!r} is truncated; restore a copy, or build it again")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise NotAKnowledgeBase(f"{str(path)!r} is a SQLite file, but no clew knowledge base; name another file")
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    if path.stat().st_size < page_size * int.from_bytes(header[28:32], "big") and not _has_log(path):
        raise DamagedFileError(f"{str(path)!r} is truncated; restore a copy, or build it again")


def _has_log(path: Path) -> bool:
    """Whether SQLite finds something beside the file that it is to be read with."""
    file = Path(os.path.realpath(path))  # not a link to it
    logs = [file.with_name(file.name + suffix) for suffix in ("-wal", "-journal")]
    return any(log.exists() and log.stat().st_size > 0 for log in logs)
