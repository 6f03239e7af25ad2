"""What a knowledge base holds of the files that it was read from: their documents, and what they looked like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import sqlite_utils

from kb.documents.file_stamps import FileName, Stamp
from kb.store.migrations import check_version
from kb.store.sqlite import open_reader, translated

FINISHED = "finished"
"""The entry of `meta` that is "1" after a build has come to its end, and "0" while one is at work or was stopped."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document's row as far as a build needs it: what it was, whether all of it is there, and where it came from."""

    digest: str
    complete: bool
    root: str
    source: str


@dataclass(frozen=True, slots=True)
class Stored:
    """What a knowledge base holds, as far as it takes to tell whether anything has changed; empty where none is."""

    documents: Mapping[str, StoredDocument] = field(default_factory=dict)
    stamps: Mapping[FileName, Stamp] = field(default_factory=dict)
    meta: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Stored:
        """Read it from the file at `path`, without any change to that file. Raises BadFileError."""
        if not path.exists() or path.stat().st_size == 0:
            return cls()
        db = open_reader(path)
        try:
            with translated(path):
                check_version(db, path, may_be_empty=True)
                return cls.of(db) if db["documents"].exists() else cls()
        finally:
            db.close()

    @classmethod
    def of(cls, db: sqlite_utils.Database) -> Stored:
        """Read it through an open connection."""
        meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
        return cls(_stored_documents(db), _stored_stamps(db), meta)

    def by_file(self) -> dict[FileName, list[str]]:
        """The keys of the documents of each file that are wholly there."""
        found: dict[FileName, list[str]] = {}
        for key, one in self.documents.items():
            if one.complete:
                found.setdefault((one.root, one.source), []).append(key)
        return found


def _stored_documents(db: sqlite_utils.Database) -> dict[str, StoredDocument]:
    """What is stored of each document, by key."""
    rows = db.execute("SELECT key, digest, complete, root, source FROM documents").fetchall()
    return {key: StoredDocument(digest, bool(complete), root, source) for key, digest, complete, root, source in rows}


def _stored_stamps(db: sqlite_utils.Database) -> dict[FileName, Stamp]:
    if not db["file_stamps"].exists():  # the file is of an earlier clew, and was not written to since
        return {}
    rows = db.execute("SELECT root, source, stamp, settled, documents FROM file_stamps").fetchall()
    return {
        (root, source): Stamp((root, source), text, bool(settled), documents)
        for root, source, text, settled, documents in rows
    }


def write_stamps(db: sqlite_utils.Database, stamps: Iterable[Stamp], outdated: Iterable[Stamp]) -> None:
    """Write stamps in the place of those of the same files, and forget the outdated ones, in the caller's
    transaction.
    """
    rows = [(*one.file, one.documents, one.text, one.settled) for one in stamps]
    db.conn.executemany(
        "INSERT OR REPLACE INTO file_stamps(root, source, documents, stamp, settled) VALUES (?, ?, ?, ?, ?)", rows
    )
    db.conn.executemany("DELETE FROM file_stamps WHERE root = ? AND source = ?", [one.file for one in outdated])
