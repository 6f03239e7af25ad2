"""The schema, in the parts that the migrations of `kb/store/migrations.py` add. A released one is never edited."""

from __future__ import annotations

FIRST = """
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

MODEL_ANSWERS = """
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

SECTIONS = """
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

FILE_STAMPS = """
CREATE TABLE file_stamps (
    root TEXT NOT NULL,            -- root and source as in documents
    source TEXT NOT NULL,
    documents INTEGER NOT NULL,    -- how many the file gave
    stamp TEXT NOT NULL,           -- size, times and inode, and what read it
    settled INTEGER NOT NULL,      -- 0 where the file had changed so lately that another change might not show
    PRIMARY KEY (root, source)
) WITHOUT ROWID;
"""

LINKS = """
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

DEGREES = """
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

NUMBERS = """
ALTER TABLE entities ADD COLUMN number INTEGER;    -- what the file's other tables know it by
ALTER TABLE entities ADD COLUMN passages INTEGER NOT NULL DEFAULT 0;    -- that mention it
UPDATE entities SET number = n.number, passages = coalesce((SELECT passages FROM degrees WHERE entity = n.id), 0)
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM entities) n WHERE n.id = entities.id;
CREATE UNIQUE INDEX entities_number ON entities(number);
ALTER TABLE passages ADD COLUMN number INTEGER;
UPDATE passages SET number = n.number
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM passages) n WHERE n.id = passages.id;
CREATE UNIQUE INDEX passages_number ON passages(number);

DROP TRIGGER entities_inserted;
DROP TRIGGER entities_deleted;
DROP TABLE entities_fts;
CREATE VIRTUAL TABLE entities_fts USING fts5(
    name, content='entities', content_rowid='number', tokenize="unicode61 remove_diacritics 2"
);
INSERT INTO entities_fts(entities_fts) VALUES ('rebuild');
INSERT INTO entities_fts(entities_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER entities_inserted AFTER INSERT ON entities BEGIN
    UPDATE entities SET number = (SELECT coalesce(max(number), 0) + 1 FROM entities) WHERE id = new.id;
    INSERT INTO entities_fts(rowid, name) SELECT number, name FROM entities WHERE id = new.id;
END;
CREATE TRIGGER entities_deleted AFTER DELETE ON entities BEGIN
    INSERT INTO entities_fts(entities_fts, rowid, name) VALUES ('delete', old.number, old.name);
END;

DROP TRIGGER passages_inserted;
DROP TRIGGER passages_deleted;
DROP TABLE passages_fts;
CREATE VIRTUAL TABLE passages_fts USING fts5(
    title, text, section, content='passages', content_rowid='number',
    tokenize="porter unicode61 remove_diacritics 2"
);
INSERT INTO passages_fts(passages_fts) VALUES ('rebuild');
INSERT INTO passages_fts(passages_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER passages_inserted AFTER INSERT ON passages BEGIN
    UPDATE passages SET number = (SELECT coalesce(max(number), 0) + 1 FROM passages) WHERE id = new.id;
    INSERT INTO passages_fts(rowid, title, text, section)
    SELECT number, title, text, section FROM passages WHERE id = new.id;
END;
CREATE TRIGGER passages_deleted AFTER DELETE ON passages BEGIN
    INSERT INTO passages_fts(passages_fts, rowid, title, text, section)
    VALUES ('delete', old.number, old.title, old.text, old.section);
END;

CREATE TABLE mention_rows (
    passage INTEGER NOT NULL REFERENCES passages(number) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities(number),
    PRIMARY KEY (passage, start, entity)
) WITHOUT ROWID;
INSERT INTO mention_rows(passage, start, "end", entity)
    SELECT p.number, m.start, m."end", e.number FROM passages p JOIN mentions m ON m.passage = p.id
    JOIN entities e ON e.id = m.entity ORDER BY p.number, m.start, e.number;
CREATE INDEX mention_rows_entity ON mention_rows(entity);
DROP TABLE mentions;
DROP TABLE degrees;
CREATE VIEW mentions AS SELECT p.id AS passage, m.start AS start, m."end" AS "end", e.id AS entity
    FROM mention_rows m JOIN passages p ON p.number = m.passage JOIN entities e ON e.number = m.entity;
CREATE TRIGGER mentions_insert INSTEAD OF INSERT ON mentions BEGIN
    INSERT INTO mention_rows(passage, start, "end", entity) VALUES (
        (SELECT number FROM passages WHERE id = new.passage), new.start, new."end",
        (SELECT number FROM entities WHERE id = new.entity)
    );
END;
CREATE TRIGGER mentions_delete INSTEAD OF DELETE ON mentions BEGIN
    DELETE FROM mention_rows WHERE passage = (SELECT number FROM passages WHERE id = old.passage)
    AND start = old.start AND entity = (SELECT number FROM entities WHERE id = old.entity);
END;
CREATE VIEW degrees AS SELECT id AS entity, passages FROM entities WHERE passages > 0;
CREATE TRIGGER mentions_inserted AFTER INSERT ON mention_rows
WHEN (SELECT count(*) FROM mention_rows WHERE passage = new.passage AND entity = new.entity) = 1 BEGIN
    UPDATE entities SET passages = passages + 1 WHERE number = new.entity;
END;
CREATE TRIGGER mentions_deleted AFTER DELETE ON mention_rows
WHEN NOT EXISTS (SELECT 1 FROM mention_rows WHERE passage = old.passage AND entity = old.entity) BEGIN
    UPDATE entities SET passages = passages - 1 WHERE number = old.entity;
END;

CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    head INTEGER NOT NULL REFERENCES entities(number),
    relation TEXT NOT NULL,
    tail INTEGER NOT NULL REFERENCES entities(number),
    passage INTEGER NOT NULL REFERENCES passages(number) ON DELETE CASCADE,
    start INTEGER NOT NULL,        -- where its sentence begins
    origin TEXT,                   -- nothing for rules
    qualifiers TEXT                -- nothing for none
);
INSERT INTO facts(id, head, relation, tail, passage, start, origin, qualifiers)
    SELECT f.id, h.number, f.relation, t.number, p.number, s.start, nullif(f.origin, 'rules'),
    nullif(f.qualifiers, '{}')
    FROM triples f JOIN entities h ON h.id = f.head JOIN entities t ON t.id = f.tail
    JOIN passages p ON p.id = f.passage JOIN sentences s ON s.id = f.sentence ORDER BY f.id;
CREATE INDEX facts_head ON facts(head);
CREATE INDEX facts_tail ON facts(tail);
CREATE INDEX facts_passage ON facts(passage);
DROP TABLE triples;
DROP INDEX sentences_passage;
CREATE UNIQUE INDEX sentences_passage ON sentences(passage, start);
CREATE VIEW triples AS SELECT f.id AS id, h.id AS head, f.relation AS relation, t.id AS tail, p.id AS passage,
    (SELECT s.id FROM sentences s WHERE s.passage = p.id AND s.start = f.start) AS sentence,
    coalesce(f.origin, 'rules') AS origin, coalesce(f.qualifiers, '{}') AS qualifiers
    FROM facts f JOIN entities h ON h.number = f.head JOIN entities t ON t.number = f.tail
    JOIN passages p ON p.number = f.passage;
CREATE TRIGGER triples_insert INSTEAD OF INSERT ON triples BEGIN
    INSERT INTO facts(id, head, relation, tail, passage, start, origin, qualifiers) VALUES (
        new.id, (SELECT number FROM entities WHERE id = new.head), new.relation,
        (SELECT number FROM entities WHERE id = new.tail), (SELECT number FROM passages WHERE id = new.passage),
        (SELECT start FROM sentences WHERE id = new.sentence), nullif(new.origin, 'rules'),
        nullif(new.qualifiers, '{}')
    );
END;
CREATE TRIGGER triples_update INSTEAD OF UPDATE ON triples BEGIN
    UPDATE facts SET relation = new.relation, head = (SELECT number FROM entities WHERE id = new.head),
    tail = (SELECT number FROM entities WHERE id = new.tail) WHERE id = old.id;
END;
CREATE TRIGGER triples_delete INSTEAD OF DELETE ON triples BEGIN
    DELETE FROM facts WHERE id = old.id;
END;
"""

FACTS_OF_PASSAGES = """
DROP INDEX facts_passage;
CREATE INDEX facts_passage ON facts(passage, start, head, tail);
"""
