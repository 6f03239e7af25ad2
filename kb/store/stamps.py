"""What a knowledge base holds of the files that it was read from: their documents, and what they looked like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.documents.file_stamps import FileName, Stamp
from kb.store.engine import Engine, WritingEngine
from kb.store.open_base import open_if_there

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
        """Read it from what is at `path`, without any change to that. Raises BadFileError."""
        engine = open_if_there(path)
        if engine is None:
            return cls()
        try:
            return cls.of(engine)
        finally:
            engine.close()

    @classmethod
    def of(cls, engine: Engine) -> Stored:
        """Read it through an open connection."""
        meta: dict[str, str] = dict(engine.rows("SELECT key, value FROM meta"))
        return cls(_stored_documents(engine), _stored_stamps(engine), meta)

    def with_moved(self, moved: Mapping[str, str]) -> Stored:
        """The same, where folders lie elsewhere: `moved` says from where to where."""
        documents = {key: replace(one, root=moved.get(one.root, one.root)) for key, one in self.documents.items()}
        stamps = [replace(one, file=(moved.get(one.file[0], one.file[0]), one.file[1])) for one in self.stamps.values()]
        return Stored(documents, {one.file: one for one in stamps}, self.meta)

    def by_file(self) -> dict[FileName, list[str]]:
        """The keys of the documents of each file that are wholly there."""
        found: dict[FileName, list[str]] = {}
        for key, one in self.documents.items():
            if one.complete:
                found.setdefault((one.root, one.source), []).append(key)
        return found


def _stored_documents(engine: Engine) -> dict[str, StoredDocument]:
    """What is stored of each document, by key."""
    rows = engine.rows("SELECT key, digest, complete, root, source FROM documents")
    return {key: StoredDocument(digest, bool(complete), root, source) for key, digest, complete, root, source in rows}


def _stored_stamps(engine: Engine) -> dict[FileName, Stamp]:
    if not engine.has("m004_file_stamps"):  # the file is of an earlier clew, and was not written to since
        return {}
    rows = engine.rows("SELECT root, source, stamp, settled, documents FROM file_stamps")
    return {
        (root, source): Stamp((root, source), text, bool(settled), documents)
        for root, source, text, settled, documents in rows
    }


def write_stamps(engine: WritingEngine, stamps: Iterable[Stamp], outdated: Iterable[Stamp]) -> None:
    """Write stamps in the place of those of the same files, and forget the outdated ones, in the caller's
    transaction.
    """
    rows = [(*one.file, one.documents, one.text, int(one.settled)) for one in stamps]
    engine.many(
        "INSERT INTO file_stamps(root, source, documents, stamp, settled) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (root, source) DO UPDATE SET documents = excluded.documents, stamp = excluded.stamp, "
        "settled = excluded.settled",
        rows,
    )
    engine.many("DELETE FROM file_stamps WHERE root = ? AND source = ?", [one.file for one in outdated])


def move_folders(engine: WritingEngine, moved: Mapping[str, str]) -> None:
    """Have documents and stamps be of the folders where their files lie now, in the caller's transaction."""
    for before, now in moved.items():
        engine.execute("DELETE FROM file_stamps WHERE root = ?", (now,))
        for table in ("documents", "file_stamps"):
            engine.execute(f"UPDATE {table} SET root = ? WHERE root = ?", (now, before))  # noqa: S608 - fixed names
