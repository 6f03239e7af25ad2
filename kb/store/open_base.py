"""Opening a knowledge base, whichever engine it is in. What speaks to a server is imported only for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kb.errors import NotAKnowledgeBase, UsageError
from kb.store.addresses import ServerAddress
from kb.store.engine import Engine, WritingEngine
from kb.store.sqlite_engine import SqliteEngine, SqliteWriter


def open_to_read(place: Path, *, may_be_empty: bool = False) -> Engine:
    """Raises NotAKnowledgeBase, NewerFileError, DamagedFileError, LockedFileError, BadFileError; with `may_be_empty`
    what a build that was stopped at the very start has left is opened too.
    """
    if isinstance(place, ServerAddress):
        from kb.store.postgres.server_engine import ServerEngine

        return ServerEngine.to_read(place, may_be_empty=may_be_empty)
    return SqliteEngine.to_read(place, may_be_empty=may_be_empty)


def open_if_there(place: Path) -> Engine | None:
    """As `open_to_read`; None where there is nothing yet, as before the first build."""
    if not isinstance(place, ServerAddress) and (not place.exists() or place.stat().st_size == 0):
        return None
    engine = open_to_read(place, may_be_empty=True)
    if engine.has("m001_first"):
        return engine
    engine.close()
    return None


def open_to_write(place: Path, prepare: Callable[[WritingEngine], None]) -> WritingEngine:
    """The one writer, over a schema that is brought up to date; `prepare` works in the same transaction. It is made
    where there is none.

    Raises LockedFileError, which says who writes, WriteError, and what `open_to_read` raises.
    """
    if isinstance(place, ServerAddress):
        from kb.store.postgres.server_writer import ServerWriter

        return ServerWriter.to_write(place, prepare)
    return SqliteWriter.to_write(place, prepare)


def refuse_server(place: Path, what: str) -> Path:
    """The path of a file, for what is done to files only. Raises UsageError for a server's address."""
    if isinstance(place, ServerAddress):
        raise UsageError(f"{what} works on a file, and {str(place)!r} is a server: clew copy {place} FILE makes one")
    if not place.exists():
        raise NotAKnowledgeBase(f"there is no file {str(place)!r}; build it first: clew build SOURCES -o {place}")
    return place
