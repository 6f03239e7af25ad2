"""A knowledge base copied from one engine to another: the same documents, ids, vectors and answers.

A copy is whole or not there: on a server it is one transaction, a file gets its name when it is finished.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE
from tempfile import TemporaryDirectory

from kb.errors import BadFileError, LockedFileError, UsageError, WriteError
from kb.graph.stored_vectors import Table
from kb.store.addresses import ServerAddress
from kb.store.engine import Engine, Row, WritingEngine
from kb.store.fingerprint import fingerprint_of
from kb.store.locking import SUFFIX, WriterLock
from kb.store.migrations import LATEST
from kb.store.open_base import open_to_read
from kb.store.sqlite import close_writer, open_writer, translated
from kb.store.sqlite_engine import SqliteEngine, SqliteWriter, copy_file
from kb.store.stamps import FINISHED

Report = Callable[[str, int, int], None]
"""Is given what is copied, and how many of how many rows of it."""

_TABLES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("meta", ("key", "value"), "key"),
    ("entities", ("id", "key", "name", "kind"), "number"),
    (
        "documents",
        ("id", "key", "title", "entity", "source", "root", "format", "digest", "metadata", "complete", "linked"),
        "id",
    ),
    (
        "passages",
        ("id", "document", "ordinal", "start", "end", "page", "title", "text", "extraction", "section"),
        "number",
    ),
    ("sentences", ("id", "passage", "start", "end"), "id"),
    ("aliases", ("key", "entity", "document"), "key, entity, document"),
    ("mentions", ("passage", "start", "end", "entity"), "passage, start, entity"),
    ("triples", ("id", "head", "relation", "tail", "passage", "sentence", "origin", "qualifiers"), "id"),
    ("synonyms", ("a", "b", "similarity"), "a, b"),
    ("entity_types", ("entity", "passage", "type"), "entity, passage"),
    ("links", ("passage", "start", "end", "target", "title", "sender"), "passage, start"),
    ("file_stamps", ("root", "source", "documents", "stamp", "settled"), "root, source"),
    (
        "model_cache",
        ("key", "kind", "content", "model", "prompt_version", "value", "input_tokens", "output_tokens"),
        "key",
    ),
)
"""Each after those that it refers to, in the order in which its rows are written: they get new numbers by it."""
_VECTORS: tuple[Table, ...] = ("passage", "sentence", "entity")
_LOGS = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file while it is written to; a writer that is killed leaves it there."""
_TOLD = 1000
"""Rows between two reports."""


def copy(source: Path, target: Path, *, replace: bool = False, report: Report | None = None) -> str:
    """Copy the knowledge base at `source` to `target`, either a file or a server's address; returns the fingerprint
    that both have.

    Raises UsageError where `target` holds something and is not to be replaced, LockedFileError where another process
    writes to it, BadFileError where one of them cannot be used, or where what arrived is not what was sent; `target` is
    then as it was.
    """
    if str(source.resolve()) == str(target.resolve()):
        raise UsageError(f"{str(source)!r} cannot be copied to itself; name another place")
    with _opened(source) as engine:
        _refuse_itself(engine, target)
        meta: dict[str, str] = dict(engine.rows("SELECT key, value FROM meta"))
        if meta.get(FINISHED) == "0":
            raise BadFileError(f"{str(source)!r} is not finished; run its build again, and copy it then")
        with engine.snapshot(), _target(target, int(meta["embedding_dimension"]), replace) as writer:
            return _copied(engine, writer, int(meta["embedding_dimension"]), report or _silent)


def _refuse_itself(source: Engine, target: Path) -> None:
    """Raise UsageError where both are one base on a server, whose address has many spellings: it would wait for
    itself.
    """
    if isinstance(source.place, ServerAddress) and isinstance(target, ServerAddress):
        from kb.store.postgres.connecting import is_one_base

        if is_one_base(source.place, target):
            raise UsageError(f"{str(source.place)!r} cannot be copied to itself, {str(target)!r}; name another place")


def _copied(source: Engine, target: WritingEngine, dimension: int, report: Report) -> str:
    for table, columns, order in _TABLES:
        names = ", ".join(f'"{one}"' for one in columns)
        rows = source.each(f"SELECT {names} FROM {table} ORDER BY {order}")  # noqa: S608 - fixed names
        target.fill(table, columns, _told(rows, table, source.count(table), report))
    for kind in _VECTORS:
        done, total = 0, source.count(f"{kind}_vectors")
        for ids, codes in source.codes(kind, dimension):
            target.add_codes(kind, ids.tolist(), codes)
            done += len(ids)
            report(f"{kind} vectors", done, total)
    sent, arrived = fingerprint_of(source), fingerprint_of(target)
    if sent != arrived:
        raise BadFileError(f"what arrived at {str(target.place)!r} is not what {str(source.place)!r} holds; copy again")
    return sent


def _told(rows: Iterable[Row], table: str, total: int, report: Report) -> Iterator[Row]:
    done = 0
    for done, row in enumerate(rows, 1):
        yield row
        if done % _TOLD == 0:
            report(table, done, total)
    report(table, done, done)


@contextmanager
def _opened(place: Path) -> Iterator[Engine]:
    """What is copied; of a file of an earlier clew a copy in today's schema."""
    engine = open_to_read(place)
    try:
        if not isinstance(engine, SqliteEngine) or engine.has(LATEST):
            yield engine
            return
    finally:
        engine.close()
    with TemporaryDirectory() as folder:
        moved = Path(folder) / place.name
        copy_file(place, moved)
        SqliteWriter.to_write(moved, lambda _: None).close()
        engine = open_to_read(moved)
        try:
            yield engine
        finally:
            engine.close()


@contextmanager
def _target(place: Path, dimension: int, replace: bool) -> Iterator[WritingEngine]:
    if isinstance(place, ServerAddress):
        from kb.store.postgres.server_writer import ServerWriter

        with ServerWriter.filling(place, dimension, replace=replace) as writer:
            yield writer
        return
    _refuse(place, replace)
    lock = WriterLock(place)  # from here on nobody else writes to it, nor copies to it
    try:
        _refuse(place, replace)  # again: what was there is another one where somebody has just let go of the lock
        with _new_file(place) as unfinished, _written(unfinished, dimension) as writer:
            yield writer
    finally:
        lock.release()


def _refuse(place: Path, replace: bool) -> None:
    if place.exists() and not replace:
        raise UsageError(f"{str(place)!r} exists; name a new file, or give --replace")
    if place.exists():
        open_to_read(place, may_be_empty=True).close()  # nothing but a knowledge base is replaced by one


@contextmanager
def _written(unfinished: Path, dimension: int) -> Iterator[WritingEngine]:
    file = SqliteWriter.to_write(unfinished, lambda writer: writer.create_vectors(dimension))
    try:
        with file.atomic():
            yield file
    finally:
        file.close()


@contextmanager
def _new_file(place: Path) -> Iterator[Path]:
    """The path of a file beside `place`, which gets its name at the end of the block; what a kill left there goes."""
    unfinished = place.with_name(f"{place.name}-copying")
    _forget(unfinished)
    _fold_in_log(place)
    try:
        if place.exists():  # who may read the one may read the other, from the first byte on
            mode = S_IMODE(place.stat().st_mode)
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            unfinished.chmod(mode)
        yield unfinished
        for suffix in _LOGS:  # SQLite would replay them into the new file
            _beside(place, suffix).unlink(missing_ok=True)
        unfinished.replace(place)
    except OSError as error:
        raise WriteError(f"{str(place)!r} cannot be written ({error.strerror or error})") from error
    finally:
        _forget(unfinished)


def _fold_in_log(place: Path) -> None:
    """Have a killed writer's log in its file: killed in the middle, a copy is not to take finished work with it."""
    if not place.exists() or not any(_beside(place, suffix).exists() for suffix in _LOGS):
        return
    with translated(place):
        close_writer(open_writer(place))
    log = _beside(place, "-wal")
    if log.exists() and log.stat().st_size:
        raise LockedFileError(f"{str(place)!r} is being read by another process; try again when it has finished")


def _forget(unfinished: Path) -> None:
    for suffix in ("", *_LOGS, SUFFIX):
        with suppress(OSError):
            _beside(unfinished, suffix).unlink(missing_ok=True)


def _beside(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)


def _silent(_what: str, _done: int, _total: int) -> None:
    return
