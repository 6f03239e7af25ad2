"""The schema, as numbered migrations. A released one is never edited: append another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import sqlite_utils
from sqlite_utils.migrations import Migrations

from kb.errors import NewerFileError, NotAKnowledgeBase
from kb.graph.stored_vectors import Table, chunks
from kb.store import schema_parts
from kb.store.sqlite import damaged, sqlite3

migrations = Migrations("clew")


@migrations()
def m001_first(db: sqlite_utils.Database) -> None:
    """Documents, passages, sentences, the graph, and full text search over passages and entities."""
    for statement in _statements(schema_parts.FIRST):
        db.execute(statement)


@migrations()
def m002_model_answers(db: sqlite_utils.Database) -> None:
    """What language models answered, and what only they extract: types of entities, qualifiers of facts."""
    for statement in _statements(schema_parts.MODEL_ANSWERS):
        db.execute(statement)


@migrations()
def m003_sections(db: sqlite_utils.Database) -> None:
    """Which headings stand above a passage, and full text search over them."""
    for statement in _statements(schema_parts.SECTIONS):
        db.execute(statement)


@migrations()
def m004_file_stamps(db: sqlite_utils.Database) -> None:
    """What the files that documents come from looked like when they were read, so that unchanged ones are not."""
    db.execute(schema_parts.FILE_STAMPS)


@migrations()
def m005_links(db: sqlite_utils.Database) -> None:
    """The links of passages as they were written, so that they lead where the documents are, in whatever order."""
    db.execute(schema_parts.LINKS)


@migrations()
def m006_degrees(db: sqlite_utils.Database) -> None:
    """How many passages mention a name, so that a question about a common one need not count them."""
    for statement in _statements(schema_parts.DEGREES):
        db.execute(statement)


@migrations()
def m007_eight_bits(db: sqlite_utils.Database) -> None:
    """Vectors of passages and names at eight bits a component, as those of sentences were: a quarter of their size."""
    tables: tuple[Table, ...] = ("passage", "entity")
    for table in tables if db["passage_vectors"].exists() else ():
        _write_vectors_anew(db, table)


@migrations()
def m008_numbers(db: sqlite_utils.Database) -> None:
    """Short numbers of passages and names in the place of their ids, nine bytes each, where there are many of them.

    What is read stays the same: `mentions`, `triples` and `degrees` are views now, which may be written to as well.
    """
    for statement in _statements(schema_parts.NUMBERS):
        db.execute(statement)


@migrations()
def m009_facts_of_passages(db: sqlite_utils.Database) -> None:
    """What the facts of a passage join stands in the index of passages: the facts themselves, which stand in the order
    of their ids, lie each on a page of its own.
    """
    for statement in _statements(schema_parts.FACTS_OF_PASSAGES):
        db.execute(statement)


@migrations()
def m010_small_chunks(db: sqlite_utils.Database) -> None:
    """Vectors of sentences and names, which are looked up, a few to a row instead of a thousand."""
    tables: tuple[Table, ...] = ("sentence", "entity")
    for table in tables:
        made = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (f"{table}_vectors",)).fetchone()
        if made and "chunk_size" not in made[0]:
            _write_vectors_anew(db, table)


def _write_vectors_anew(db: sqlite_utils.Database, table: Table) -> None:
    (dimension,) = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'embedding_dimension'").fetchone()
    # Set aside in a file that SQLite forgets: sqlite-vec's tables cannot be renamed.
    db.execute("CREATE TEMP TABLE coded (id INTEGER, code BLOB)")
    for ids, codes in chunks(lambda sql: iter(db.execute(sql)), table, dimension):
        rows = zip(ids.tolist(), (code.tobytes() for code in codes), strict=True)
        db.conn.executemany("INSERT INTO temp.coded VALUES (?, ?)", rows)
    db.execute(f"DROP TABLE {table}_vectors")
    create_vectors(db, f"{table}_vectors", dimension)
    db.execute(f"INSERT INTO {table}_vectors(id, vector) SELECT id, vec_int8(code) FROM temp.coded")  # noqa: S608
    db.execute("DROP TABLE temp.coded")


_LOOKED_UP = ("sentence_vectors", "entity_vectors")
_FEW = 56
"""Vectors of these to a row: what is read of one is all of it. They fill all but a sixtieth of SQLite's pages."""


def create_vectors(db: sqlite_utils.Database, table: str, dimension: int) -> None:
    """Create one of the three tables of vectors, at eight bits a component, where it is not there."""
    size = f", chunk_size={_FEW}" if table in _LOOKED_UP else ""
    db.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING vec0("
        f"id INTEGER PRIMARY KEY, vector int8[{dimension}] distance_metric=cosine{size})"
    )


def migrate(db: sqlite_utils.Database, path: Path) -> None:
    """Bring a file opened to write up to date. Raises NewerFileError, DamagedFileError."""
    check_version(db, path, may_be_empty=True)
    try:
        migrations.apply(db)
    except (ValueError, sqlite3.IntegrityError) as error:  # what nobody wrote cannot be moved
        raise damaged(path, error) from error


def check_version(db: sqlite_utils.Database, path: Path, *, may_be_empty: bool = False) -> None:
    """Raise NewerFileError for a schema of a newer clew, NotAKnowledgeBase where the schema is not there at all."""
    known = {migration.name for migration in migrations._migrations}
    applied = [migration.name for migration in migrations.applied(db)]
    unknown = [name for name in applied if name not in known]
    if unknown:
        raise NewerFileError(
            f"{str(path)!r} was written by a newer clew (schema {unknown[-1]!r}); upgrade clew to open it"
        )
    # A build that was stopped at the very start may have come as far as the table of migrations.
    if not applied and set(db.table_names()) - {migrations.migrations_table}:
        raise NotAKnowledgeBase(f"{str(path)!r} holds tables that are not clew's; name another file")
    if not applied and not may_be_empty:
        raise NotAKnowledgeBase(f"{str(path)!r} is empty: its build was stopped at the very start; run the build again")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: `executescript` would commit the migration's transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if statement.strip() and sqlite3.complete_statement(statement):
            yield statement
            statement = ""


LATEST = "m010_small_chunks"
"""The step that today's schema ends with."""
