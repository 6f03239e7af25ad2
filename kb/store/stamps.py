"""What files looked like when they were read: those that look the same hold the same, and are not read again."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import sqlite_utils

from kb.store.migrations import check_version
from kb.store.sqlite import open_reader, translated

FINISHED = "finished"
"""The entry of `meta` that is "1" after a build has come to its end, and "0" while one is at work or was stopped."""

_RACY_NS = 2_000_000_000
"""A file that changed so little before its stamp was taken may change again without looking different: file systems
tell times in steps, of up to two seconds.
"""

_LIBRARIES = (
    "beautifulsoup4", "docutils", "lxml", "markdown-it-py", "openpyxl", "pypdf", "python-docx", "python-pptx", "PyYAML",
)  # fmt: skip

FileName = tuple[str, str]
"""The root and the source of a file, as in documents."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file looked like just before it was read, and how many documents it gave."""

    file: FileName
    text: str
    settled: bool
    documents: int = 0


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
                if not db["documents"].exists():
                    return cls()
                meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
                return cls(stored_documents(db), _stored_stamps(db), meta)
        finally:
            db.close()

    def by_file(self) -> dict[FileName, list[str]]:
        """The keys of the documents of each file that are wholly there."""
        found: dict[FileName, list[str]] = {}
        for key, one in self.documents.items():
            if one.complete:
                found.setdefault((one.root, one.source), []).append(key)
        return found


def stored_documents(db: sqlite_utils.Database) -> dict[str, StoredDocument]:
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


def take_stamp(path: Path, file: FileName, kind: str) -> Stamp | None:
    """The stamp of a file as it is now, None where it cannot be looked at; `kind` tells how it is read."""
    try:
        seen = path.stat()
    except (OSError, ValueError):
        return None
    text = f"{_reading()} {kind} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns} {seen.st_ino}"
    return Stamp(file, text, seen.st_mtime_ns + _RACY_NS < time.time_ns())


@lru_cache(maxsize=1)
def _reading() -> str:
    """What files are read by: another clew, or another library, may read the same bytes differently."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for path in (package / "records.py", *sorted((package / "documents").glob("*.py"))):
        digest.update(path.read_bytes())
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\n".encode())
    return digest.hexdigest()[:16]


def _version(library: str) -> str:
    """The version of a library, "none" where an extra has not been installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
