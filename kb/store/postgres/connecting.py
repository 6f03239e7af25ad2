"""Connections to a server, and what its errors mean for a user. No message has the password."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from kb.errors import (
    BadFileError,
    ClewError,
    LockedFileError,
    NewerFileError,
    NotAKnowledgeBase,
    UsageError,
    WriteError,
)
from kb.store.addresses import ServerAddress, not_understood

SCHEMA = "p001_first"
"""The latest step of the schema, in `clew_base`."""
LEAST_PGVECTOR = (0, 8)
"""The first with halfvec and with index scans that go on until there are enough rows."""
_CONNECT_SECONDS = "10"
_READS = "SET default_transaction_read_only = on"
_WRITES = "SELECT set_config('lock_timeout', '60s', false) WHERE current_setting('lock_timeout') = '0'"
"""Who writes waits a minute for whoever reads, where the address or the role says nothing else, but not for ever."""

_SHORTEST = 4
"""Letters of a password that is looked for everywhere in a message."""

_DENIED = ("28P01", "28000")
_FULL = ("53100", "53200", "54000")
_LOST = ("08", "57P")


def driver() -> Any:
    """psycopg. Raises UsageError where it is not installed."""
    try:
        import psycopg
    except ImportError as error:
        raise UsageError("a knowledge base on a server needs psycopg; run: pip install 'clew[postgres]'") from error
    return psycopg


def connect(address: ServerAddress, *, read_only: bool) -> Any:
    """A connection in which each statement is a transaction of its own.

    Raises UsageError without psycopg or for an address that the driver does not understand, BadFileError where the
    server is away or lets nobody in.
    """
    psycopg = driver()
    with translated(address, "cannot be reached"):
        try:
            connection = psycopg.connect(str(address), autocommit=True, client_encoding="UTF8", **_settings(address))
        except psycopg.ProgrammingError as error:
            if error.sqlstate:
                raise
            raise not_understood() from None  # what the driver says quotes what it stumbles over
        connection.execute(_READS if read_only else _WRITES)
        return connection


def _settings(address: ServerAddress) -> dict[str, str]:
    """The secrets of an address, and what it leaves open."""
    settings = {"fallback_application_name": "clew", **address.secrets}
    if not address.parameters & {"connect_timeout", "service"} and "PGCONNECT_TIMEOUT" not in os.environ:
        settings["connect_timeout"] = _CONNECT_SECONDS
    return settings


@contextmanager
def translated(address: ServerAddress, what: str = "answers with an error") -> Iterator[None]:
    """Turn the driver's errors within the block into ours, each with what to do."""
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        raise _as_clew_error(address, error, what) from None  # what the driver holds may have the password in it
    except UnicodeEncodeError as error:
        raise WriteError(f"{str(address)!r} cannot hold half a character ({error.reason})") from None


def _as_clew_error(address: ServerAddress, error: Any, what: str) -> ClewError:
    where, code = repr(str(address)), error.sqlstate or ""
    said = _said(address, error)
    if code in _DENIED or "authentication failed" in said or "no password supplied" in said:
        return BadFileError(
            f"{where} does not let this user in: check the name, and the password in ~/.pgpass or PGPASSWORD"
        )
    if code == "3D000" or (said.endswith("does not exist") and "FATAL:  database" in said):
        return NotAKnowledgeBase(f"{where}: there is no such database; make it first: createdb {address.name}")
    if code == "42501":
        return WriteError(f"{where} does not let this user do that ({said}); grant it, or use another role")
    if code == "25006":
        return WriteError(f"{where} is read-only here; write to the primary server, as a role that may")
    if code == "55P03":
        return LockedFileError(f"{where} is in use by another process for too long ({said}); try again, or with --wait")
    if code in _FULL:
        return WriteError(
            f"the disk or the memory of the server is full: {where} keeps all finished work ({said}); make room there "
            "and run again"
        )
    if isinstance(error, driver().DataError) and "NUL" in said:
        return WriteError(f"{where} cannot hold the character NUL, which a text has; leave it out, or use a file")
    if not code and not isinstance(error, driver().OperationalError | driver().InterfaceError):
        raise error  # a mistake in how it is asked
    if code.startswith(_LOST) or not code:
        return _lost(where, said, what)
    if code in ("42P01", "42703"):
        return BadFileError(f"{where} lacks a part of its schema ({said}); restore a copy, or build it again")
    return BadFileError(f"{where} {what} ({said})")


def _lost(where: str, said: str, what: str) -> BadFileError:
    if what == "cannot be reached":
        return BadFileError(f"{where} cannot be reached ({said}); check that the server runs and takes connections")
    return BadFileError(
        f"the connection to {where} was lost ({said}); nothing finished is: run it again when the server is back"
    )


def _said(address: ServerAddress, error: Any) -> str:
    """The first line of what the server says, without a secret."""
    text = str(error.diag.message_primary or error).strip().splitlines() or [type(error).__name__]
    said = text[0]
    for secret in address.secrets.values():
        # A short one is part of many words: it is a secret only where it stands as one.
        shown = re.escape(secret) if len(secret) >= _SHORTEST else rf"(?<=[:=]){re.escape(secret)}(?=@|&|\s|$)"
        said = re.sub(shown, "***", said)
    return said


def check_base(connection: Any, address: ServerAddress, *, may_be_empty: bool = False) -> bool:
    """Whether there is a knowledge base; with `may_be_empty` an empty database, which has none, is no error.

    Raises NewerFileError for a schema of a newer clew, NotAKnowledgeBase where the tables are somebody else's.
    """
    with translated(address):
        rows = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        ).fetchall()
        tables = {row[0] for row in rows}
        if "clew_base" in tables:
            (schema,) = connection.execute("SELECT schema FROM clew_base").fetchone()
            if schema > SCHEMA:
                raise NewerFileError(
                    f"{str(address)!r} was written by a newer clew (schema {schema!r}); upgrade clew to open it"
                )
            return True
    if tables:
        raise NotAKnowledgeBase(f"{str(address)!r} holds tables that are not clew's; name another database")
    if not may_be_empty:
        raise NotAKnowledgeBase(
            f"{str(address)!r} is empty; fill it: clew build SOURCES -o ADDRESS, or clew copy FILE ADDRESS"
        )
    return False


def state_of(address: ServerAddress) -> tuple[int, ...]:
    """What changes when the database is written to, by a connection of its own; () where it cannot be asked, which
    says nothing of what is there.
    """
    try:
        with closing(connect(address, read_only=True)) as connection:
            return state_in(connection, address)
    except ClewError:
        return ()


def is_one_base(one: ServerAddress, other: ServerAddress) -> bool:
    """Whether two addresses lead to one knowledge base: to one schema of one database, made at one moment, on servers
    that are one or of which that cannot be told. Raises BadFileError where one of them cannot be asked.
    """
    (mark, server), (other_mark, other_server) = _marks(one), _marks(other)
    return mark is not None and mark == other_mark and (None in (server, other_server) or server == other_server)


def _marks(address: ServerAddress) -> tuple[tuple[Any, ...] | None, int | None]:
    """What tells a knowledge base from others, None where there is none, and its server from others, None where this
    role may not know. A standby is its primary here: what replaces the one replaces the other.
    """
    with closing(connect(address, read_only=True)) as connection:
        if not check_base(connection, address, may_be_empty=True):
            return None, None
        with translated(address):
            sql = "SELECT current_database(), current_schema(), created FROM clew_base"
            mark = tuple(connection.execute(sql).fetchone())
            may = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
            if not connection.execute(may).fetchone()[0]:
                return mark, None
            return mark, int(connection.execute("SELECT system_identifier FROM pg_control_system()").fetchone()[0])


def state_in(connection: Any, address: ServerAddress) -> tuple[int, ...]:
    """As `state_of`, by an open connection. Raises BadFileError."""
    with translated(address):
        row = connection.execute("SELECT created, changes FROM clew_base").fetchone()
        return int(row[0]), int(row[1])


def take_lock(connection: Any, address: ServerAddress) -> None:
    """Be the one writer for as long as the connection lasts. Raises LockedFileError, which says who it is."""
    with translated(address):
        (schema,) = connection.execute("SELECT current_schema()").fetchone()
        key = int.from_bytes(hashlib.sha256(f"clew {schema}".encode()).digest()[:8], "big", signed=True)
        if connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()[0]:
            return
        row = connection.execute(
            "SELECT a.pid, to_char(a.backend_start, 'YYYY-MM-DD HH24:MI:SS') FROM pg_locks l "
            "JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.granted "
            "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            "AND ((l.classid::bigint << 32) | l.objid::bigint) = %s",
            (key,),
        ).fetchone()
    who = f", the server's process {row[0]} since {row[1]}" if row else ""
    raise LockedFileError(
        f"{str(address)!r} is being written by another process{who}; try again when it has finished, or with --wait"
    )


def check_pgvector(connection: Any, address: ServerAddress) -> None:
    """Raise BadFileError where the server has no pgvector, or one that is too old."""
    with translated(address):
        row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if row is None:
        raise BadFileError(
            f"{str(address)!r} lacks pgvector; install it on the server, and run there as its owner: "
            "CREATE EXTENSION vector"
        )
    if tuple(int(part) for part in row[0].split(".")[:2]) < LEAST_PGVECTOR:
        raise BadFileError(
            f"{str(address)!r} has pgvector {row[0]}, and clew needs 0.8; upgrade it on the server, and run there: "
            "ALTER EXTENSION vector UPDATE"
        )
