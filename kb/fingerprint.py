"""One hash for what a knowledge base holds, whatever file it lies in and wherever that was built."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from kb.migrations import check_version
from kb.sqlite import open_reader, translated

_QUERIES = (
    "SELECT key, value FROM meta WHERE key IN ('embedding_model', 'embedding_dimension', 'extractor') ORDER BY key",
    "SELECT key, title, entity, digest, metadata, complete, linked FROM documents ORDER BY key",
    'SELECT id, document, ordinal, start, "end", page, title, text FROM passages ORDER BY id',
    'SELECT id, passage, start, "end" FROM sentences ORDER BY id',
    "SELECT id, key, name, kind FROM entities ORDER BY id",
    "SELECT key, entity, document FROM aliases ORDER BY key, entity, document",
    'SELECT passage, start, "end", entity FROM mentions ORDER BY passage, start, entity',
    "SELECT id, head, relation, tail, passage, sentence, origin FROM triples ORDER BY id",
)


def fingerprint(path: Path) -> str:
    """SHA-256, in hexadecimal, over the documents, passages, names and facts of the file at `path`.

    Paths that documents were read from are left out, so that a build of the same corpus elsewhere has the same one;
    so are vectors and synonyms, which follow from the text and the named embedding model but for the last digits that
    machines differ in. Raises NotAKnowledgeBase, NewerFileError, DamagedFileError, LockedFileError.
    """
    digest = hashlib.sha256()
    db = open_reader(path)
    try:
        with translated(path):
            check_version(db, path)
            for query in _QUERIES:
                digest.update(f"{query}\n".encode())
                for row in db.execute(query):
                    digest.update(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    finally:
        db.close()
    return digest.hexdigest()
