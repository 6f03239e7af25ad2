"""Whether a knowledge base is sound: what SQLite knows of itself, and what must hold between the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import sqlite_utils

from kb.errors import DamagedFileError
from kb.store.migrations import check_version
from kb.store.sqlite import open_reader, translated

_MOST = 20
"""Problems of one kind that are listed; more of the same tell nothing new."""

_COUNTS = (
    ("passages without a vector", "SELECT count(*) FROM passages WHERE id NOT IN (SELECT id FROM passage_vectors)"),
    ("vectors without a passage", "SELECT count(*) FROM passage_vectors WHERE id NOT IN (SELECT id FROM passages)"),
    ("sentences without a vector", "SELECT count(*) FROM sentences WHERE id NOT IN (SELECT id FROM sentence_vectors)"),
    ("vectors without a sentence", "SELECT count(*) FROM sentence_vectors WHERE id NOT IN (SELECT id FROM sentences)"),
    ("vectors without an entity", "SELECT count(*) FROM entity_vectors WHERE id NOT IN (SELECT id FROM entities)"),
    (
        "mentions outside their passage's text",
        'SELECT count(*) FROM mentions m JOIN passages p ON p.id = m.passage WHERE m."end" > length(p.text) '
        'OR m.start < 0 OR m.start > m."end"',
    ),
    (
        "sentences outside their passage's text",
        'SELECT count(*) FROM sentences s JOIN passages p ON p.id = s.passage WHERE s."end" > length(p.text) '
        'OR s.start < 0 OR s.start >= s."end"',
    ),
    (
        "triples whose sentence is in another passage",
        "SELECT count(*) FROM triples t JOIN sentences s ON s.id = t.sentence WHERE s.passage <> t.passage",
    ),
    (
        "triples without a sentence",
        "SELECT count(*) FROM triples t WHERE NOT EXISTS (SELECT 1 FROM sentences s WHERE s.id = t.sentence)",
    ),
    ("documents without passages", "SELECT count(*) FROM documents WHERE id NOT IN (SELECT document FROM passages)"),
)
_DEGREES = (
    "names whose passages are miscounted",
    "SELECT count(*) FROM ("
    "SELECT 1 FROM (SELECT entity, count(DISTINCT passage) AS found FROM mentions GROUP BY entity) m "
    "LEFT JOIN degrees d ON d.entity = m.entity WHERE d.passages IS NOT m.found UNION ALL "
    "SELECT 1 FROM degrees WHERE entity NOT IN (SELECT entity FROM mentions))",
)
_UNFINISHED = (
    (
        "names that nothing refers to: the next change or removal forgets them",
        "SELECT count(*) FROM entities e WHERE NOT EXISTS (SELECT 1 FROM mentions WHERE entity = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM documents WHERE entity = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM triples WHERE head = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM triples WHERE tail = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM aliases WHERE entity = e.id)",
    ),
    (
        "documents not finished: run the build again",
        "SELECT count(*) FROM documents WHERE complete = 0 OR linked <> 1",
    ),
)


def check(path: Path) -> list[str]:
    """What is wrong with a file, a line each; nothing for a sound one.

    Raises NotAKnowledgeBase and NewerFileError; damage is not raised but listed.
    """
    return _problems(path, (*_COUNTS, *_UNFINISHED))


def damage_in(path: Path) -> list[str]:
    """As `check`, without what another build mends. Raises as `check` does."""
    return _problems(path, _COUNTS)


def _problems(path: Path, counts: Sequence[tuple[str, str]]) -> list[str]:
    try:
        database = open_reader(path)
    except DamagedFileError as error:
        return [str(error)]
    try:
        with translated(path):
            database.conn.execute("BEGIN")  # what is written meanwhile does not come between two looks
            check_version(database, path)
            if database["degrees"].exists():  # not in a file of an earlier clew that was not written to since
                counts = (*counts, _DEGREES)
            problems = list(_integrity(database))
            found = (
                _foreign_keys(database),
                _full_text(database),
                _vector_places(database),
                _counted(database, counts),
            )
            return problems or [line for lines in found for line in lines]
    except DamagedFileError as error:
        return [str(error)]
    finally:
        database.close()


def _integrity(database: sqlite_utils.Database) -> Iterator[str]:
    for (line,) in database.execute(f"PRAGMA integrity_check({_MOST})").fetchall():
        if line != "ok":
            yield f"SQLite: {line}"


def _foreign_keys(database: sqlite_utils.Database) -> Iterator[str]:
    for table, row, parent, _ in database.execute("PRAGMA foreign_key_check").fetchall()[:_MOST]:
        yield f"row {row} of {table} refers to a row of {parent} that is not there"


def _full_text(database: sqlite_utils.Database) -> Iterator[str]:
    """FTS5's own check writes, so the rows are counted instead."""
    for index, table in (("passages_fts", "passages"), ("entities_fts", "entities")):
        indexed = database.execute(f"SELECT count(*) FROM {index}_docsize").fetchone()[0]  # noqa: S608 - fixed names
        stored = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        if indexed != stored:
            yield f"the full text index {index} has {indexed} rows for {stored} {table}"


def _vector_places(database: sqlite_utils.Database) -> Iterator[str]:
    """sqlite-vec keeps twice where a vector stands: by its id, and beside its chunk's vectors, where it searches."""
    for table in ("passage_vectors", "sentence_vectors", "entity_vectors"):
        chunks = dict(database.execute(f"SELECT chunk_id, rowids FROM {table}_chunks").fetchall())  # noqa: S608
        places = database.execute(f"SELECT rowid, chunk_id, chunk_offset FROM {table}_rowids").fetchall()  # noqa: S608
        strange = sum(
            int.from_bytes(chunks.get(chunk, b"")[8 * place : 8 * place + 8], "little", signed=True) != row
            for row, chunk, place in places
        )
        if strange:
            yield f"{strange} of {len(places)} {table} are not where they should be"


def _counted(database: sqlite_utils.Database, counts: Sequence[tuple[str, str]]) -> Iterator[str]:
    for what, sql in counts:
        count = database.execute(sql).fetchone()[0]
        if count:
            yield f"{count} {what}"
