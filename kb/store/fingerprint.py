"""One hash for what a knowledge base holds, whatever file it lies in and wherever that was built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from kb.records import EXTRACTION
from kb.store.engine import Engine
from kb.store.open_base import open_to_read

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
_OF_A_MODEL = (
    "SELECT id, qualifiers FROM triples WHERE qualifiers <> '{}' ORDER BY id",
    "SELECT entity, passage, type FROM entity_types ORDER BY entity, passage",
)
"""What only a model extracts. It is left out where there is none of it, so that files without keep the fingerprints
that they had before there was a place for it.
"""

LARGE = 20_000
"""Documents from which on a whole fingerprint takes longer than anybody waits for beside an answer."""

_OF_DOCUMENTS = (
    *_QUERIES[:1],
    "SELECT key, digest, complete, linked FROM documents ORDER BY id",
    f"SELECT count(*), max(key) FROM model_cache WHERE kind = '{EXTRACTION}'",  # noqa: S608 - our own name
)
"""What tells that the content of a large file is still the same: its documents' own hashes, from which all else follows
but what a model has extracted.
"""


def fingerprint(path: Path) -> str:
    """SHA-256, in hexadecimal, over the documents, passages, names and facts of the file at `path`, with what
    qualifies facts and the types of names.

    Paths that documents were read from are left out, so that a build of the same corpus elsewhere has the same one;
    so are vectors and synonyms, which follow from the text and the named embedding model but for the last digits that
    machines differ in. Raises NotAKnowledgeBase, NewerFileError, DamagedFileError, LockedFileError.
    """
    engine = open_to_read(path)
    try:
        return fingerprint_of(engine)
    finally:
        engine.close()


def quick_fingerprint(path: Path) -> str:
    """As `fingerprint`; of a file of more than LARGE documents over their own hashes alone, "documents:" before it: a
    million documents' passages, names and facts take minutes to be read, these seconds.
    """
    engine = open_to_read(path)
    try:
        if engine.count("documents") <= LARGE or not engine.has("m002_model_answers"):
            return fingerprint_of(engine)
        digest = hashlib.sha256()
        for query in _OF_DOCUMENTS:
            for row in engine.each(query):
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
        return f"documents:{digest.hexdigest()}"
    finally:
        engine.close()


def fingerprint_of(engine: Engine) -> str:
    """As `fingerprint`, of what is open."""
    digest = hashlib.sha256()
    for query in _QUERIES:
        digest.update(f"{query}\n".encode())
        for line in _lines(engine, query):
            digest.update(line)
    for query in _OF_A_MODEL if engine.has("m002_model_answers") else ():
        for number, line in enumerate(_lines(engine, query)):
            digest.update(b"" if number else f"{query}\n".encode())
            digest.update(line)
    return digest.hexdigest()


def _lines(engine: Engine, query: str) -> Iterator[bytes]:
    for row in engine.each(query):
        yield json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
