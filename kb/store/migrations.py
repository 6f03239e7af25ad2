"""The schema, as numbered migrations. A released one is never edited: append another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import sqlite_utils
from sqlite_utils.migrations import Migrations

from kb.errors import NewerFileError, NotAKnowledgeBase
from kb.graph.stored_vectors import Table, chunks
from kb.store.sqlite import sqlite3

migrations = Migrations("clew")


@migrations()
def m001_first(db: sqlite_utils.Database) -> None:
    """Documents, passages, sentences, the graph, and full text search over passages and entities."""
    for statement in _statements(_FIRST):
        db.execute(statement)


@migrations()
def m002_model_answers(db: sqlite_utils.Database) -> None:
    """What language models answered, and what only they extract: types of entities, qualifiers of facts."""
    for statement in _statements(_MODEL_ANSWERS):
        db.execute(statement)


@migrations()
def m003_sections(db: sqlite_utils.Database) -> None:
    """Which headings stand above a passage, and full text search over them."""
    for statement in _statements(_SECTIONS):
        db.execute(statement)


@migrations()
def m004_file_stamps(db: sqlite_utils.Database) -> None:
    """What the files that documents come from looked like when they were read, so that unchanged ones are not."""
    db.execute(_FILE_STAMPS)


@migrations()
def m005_links(db: sqlite_utils.Database) -> None:
    """The links of passages as they were written, so that they lead where the documents are, in whatever order."""
    db.execute(_LINKS)


@migrations()
def m006_degrees(db: sqlite_utils.Database) -> None:
    """How many passages mention a name, so that a question about a common one need not count them."""
    for statement in _statements(_DEGREES):
        db.execute(statement)


@migrations()
def m007_eight_bits(db: sqlite_utils.Database) -> None:
    """Vectors of passages and names at eight bits a component, as those of sentences were: a quarter of their size."""
    tables: tuple[Table, ...] = ("passage", "entity")
    for table in tables if db["passage_vectors"].exists() else ():
        _keep_at_eight_bits(db, table)


def _keep_at_eight_bits(db: sqlite_utils.Database, table: Table) -> None:
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


def create_vectors(db: sqlite_utils.Database, table: str, dimension: int) -> None:
    """Create one of the three tables of vectors, at eight bits a component, where it is not there."""
    db.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING vec0("
        f"id INTEGER PRIMARY KEY, vector int8[{dimension}] distance_metric=cosine)"
    )


def migrate(db: sqlite_utils.Database, path: Path) -> bool:
    """Bring a file opened to write up to date; returns whether it was not. Raises NewerFileError."""
    check_version(db, path, may_be_empty=True)
    is_behind = bool(migrations.pending(db))
    migrations.apply(db)
    return is_behind


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


_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE entities (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,      -- the name, normalised; id derives from it
    name TEXT NOT NULL,            -- as first written
    kind TEXT NOT NULL             -- name, date or number
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,      -- the corpus's id, or the path below the source's root
    title TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities(id),   -- what the document is about
    source TEXT NOT NULL,
    root TEXT NOT NULL,
    format TEXT NOT NULL,
    digest TEXT NOT NULL,          -- SHA-256 of the content, to tell a changed document
    metadata TEXT NOT NULL,        -- JSON
    complete INTEGER NOT NULL,     -- 0 while passages are still to be written
    linked INTEGER NOT NULL        -- 0 until its title has been looked for in the other documents
);
CREATE INDEX documents_entity ON documents(entity);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,        -- characters into the document's text
    "end" INTEGER NOT NULL,
    page INTEGER,                  -- from 1
    title TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX passages_document ON passages(document, ordinal);
CREATE TABLE sentences (
    id INTEGER PRIMARY KEY,
    passage INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,        -- characters into the passage's text
    "end" INTEGER NOT NULL
);
CREATE INDEX sentences_passage ON sentences(passage);
CREATE TABLE aliases (
    key TEXT NOT NULL,             -- a normalised name
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,   -- the one that says so
    PRIMARY KEY (key, entity, document)
) WITHOUT ROWID;
CREATE INDEX aliases_document ON aliases(document);
CREATE INDEX aliases_entity ON aliases(entity);
CREATE TABLE mentions (
    passage INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,        -- characters into the passage's text
    "end" INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities(id),
    PRIMARY KEY (passage, start, entity)
) WITHOUT ROWID;
CREATE INDEX mentions_entity ON mentions(entity);
CREATE TABLE triples (
    id INTEGER PRIMARY KEY,
    head INTEGER NOT NULL REFERENCES entities(id),
    relation TEXT NOT NULL,
    tail INTEGER NOT NULL REFERENCES entities(id),
    passage INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    sentence INTEGER NOT NULL REFERENCES sentences(id) ON DELETE CASCADE,
    origin TEXT NOT NULL           -- rules, or the import that it comes from
);
CREATE INDEX triples_head ON triples(head);
CREATE INDEX triples_tail ON triples(tail);
CREATE INDEX triples_passage ON triples(passage);
CREATE INDEX triples_sentence ON triples(sentence);

CREATE TABLE synonyms (
    a INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    b INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    similarity REAL NOT NULL,      -- cosine of the names' vectors
    PRIMARY KEY (a, b)
) WITHOUT ROWID;
CREATE INDEX synonyms_b ON synonyms(b);

CREATE VIRTUAL TABLE passages_fts USING fts5(
    title, text, content='passages', content_rowid='id', tokenize="porter unicode61 remove_diacritics 2"
);
INSERT INTO passages_fts(passages_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER passages_inserted AFTER INSERT ON passages BEGIN
    INSERT INTO passages_fts(rowid, title, text) VALUES (new.id, new.title, new.text);
END;
CREATE TRIGGER passages_deleted AFTER DELETE ON passages BEGIN
    INSERT INTO passages_fts(passages_fts, rowid, title, text) VALUES ('delete', old.id, old.title, old.text);
END;

CREATE VIRTUAL TABLE entities_fts USING fts5(
    name, content='entities', content_rowid='id', tokenize="unicode61 remove_diacritics 2"
);
INSERT INTO entities_fts(entities_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER entities_inserted AFTER INSERT ON entities BEGIN
    INSERT INTO entities_fts(rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER entities_deleted AFTER DELETE ON entities BEGIN
    INSERT INTO entities_fts(entities_fts, rowid, name) VALUES ('delete', old.id, old.name);
END;
"""

_MODEL_ANSWERS = """
CREATE TABLE model_cache (
    key TEXT PRIMARY KEY,          -- SHA-256 of kind, content, model and prompt_version
    kind TEXT NOT NULL,            -- what was asked for, such as extraction
    content TEXT NOT NULL,         -- SHA-256 of what it was asked of: a passage's title and text
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    value TEXT NOT NULL,           -- JSON
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL
);
ALTER TABLE passages ADD COLUMN extraction TEXT NOT NULL DEFAULT '';   -- key of the answer that its facts come from
ALTER TABLE triples ADD COLUMN qualifiers TEXT NOT NULL DEFAULT '{}';  -- JSON: {name: value}
CREATE TABLE entity_types (
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    passage INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,    -- the one that it is said of
    type TEXT NOT NULL,
    PRIMARY KEY (entity, passage)
) WITHOUT ROWID;
CREATE INDEX entity_types_passage ON entity_types(passage);
"""

_SECTIONS = """
ALTER TABLE passages ADD COLUMN section TEXT NOT NULL DEFAULT '';   -- the headings above its beginning
DROP TRIGGER passages_inserted;
DROP TRIGGER passages_deleted;
DROP TABLE passages_fts;
CREATE VIRTUAL TABLE passages_fts USING fts5(
    title, text, section, content='passages', content_rowid='id',
    tokenize="porter unicode61 remove_diacritics 2"
);
INSERT INTO passages_fts(passages_fts) VALUES ('rebuild');
INSERT INTO passages_fts(passages_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER passages_inserted AFTER INSERT ON passages BEGIN
    INSERT INTO passages_fts(rowid, title, text, section) VALUES (new.id, new.title, new.text, new.section);
END;
CREATE TRIGGER passages_deleted AFTER DELETE ON passages BEGIN
    INSERT INTO passages_fts(passages_fts, rowid, title, text, section)
    VALUES ('delete', old.id, old.title, old.text, old.section);
END;
"""

_FILE_STAMPS = """
CREATE TABLE file_stamps (
    root TEXT NOT NULL,            -- root and source as in documents
    source TEXT NOT NULL,
    documents INTEGER NOT NULL,    -- how many the file gave
    stamp TEXT NOT NULL,           -- size, times and inode, and what read it
    settled INTEGER NOT NULL,      -- 0 where the file had changed so lately that another change might not show
    PRIMARY KEY (root, source)
) WITHOUT ROWID;
"""

_LINKS = """
CREATE TABLE links (
    passage INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    start INTEGER NOT NULL,        -- characters into the passage's text
    "end" INTEGER NOT NULL,
    target TEXT NOT NULL,          -- as written: a path, a title, a name
    title TEXT NOT NULL,           -- of the document that it was found to mean, or nothing
    sender TEXT NOT NULL,          -- of that document, where it is a mail that is answered, or nothing
    PRIMARY KEY (passage, start)
) WITHOUT ROWID;
"""

_DEGREES = """
CREATE TABLE degrees (
    entity INTEGER PRIMARY KEY,
    passages INTEGER NOT NULL      -- that mention it; a name that none does has no row
);
INSERT INTO degrees(entity, passages) SELECT entity, count(DISTINCT passage) FROM mentions GROUP BY entity;
CREATE TRIGGER mentions_inserted AFTER INSERT ON mentions
WHEN (SELECT count(*) FROM mentions WHERE passage = new.passage AND entity = new.entity) = 1 BEGIN
    INSERT INTO degrees(entity, passages) VALUES (new.entity, 1)
    ON CONFLICT(entity) DO UPDATE SET passages = passages + 1;
END;
CREATE TRIGGER mentions_deleted AFTER DELETE ON mentions
WHEN NOT EXISTS (SELECT 1 FROM mentions WHERE passage = old.passage AND entity = old.entity) BEGIN
    UPDATE degrees SET passages = passages - 1 WHERE entity = old.entity;
    DELETE FROM degrees WHERE entity = old.entity AND passages = 0;
END;
"""
