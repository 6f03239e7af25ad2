"""Reading the sources of a build: of the files that look as they did when they were read, nothing."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import BinaryIO

from kb.documents.extent import Extent
from kb.documents.file_stamps import FileName, Stamp, is_gone, path_of
from kb.documents.found_files import Skipped, path_of_source, shown
from kb.documents.sources import FILE_SECONDS, Seen, read_unknown, took_too_long
from kb.errors import SourceError
from kb.records import Document
from kb.store.stamps import Stored, StoredDocument


@dataclass(frozen=True, slots=True)
class Sources:
    """What is to be read, and how; `everything` is that of `read_sources`, `file_seconds` that of `read_unknown`."""

    names: Sequence[str]
    stdin: BinaryIO | None = None
    everything: bool = False
    file_seconds: float = FILE_SECONDS

    @property
    def can_be_read_again(self) -> bool:
        """Whether nothing of them is standard input."""
        return "-" not in self.names


class Reading:
    """The documents of sources as they are gone through, without the files that `stored` has as they are.

    Of a document that was given away only its key is kept. `keys` are those of all documents so far; `unread` are the
    keys of documents in files that look as they did, which are among them. `moved` are the stored folders that lie
    elsewhere now, from where to where; they count as if they had always.
    """

    def __init__(self, sources: Sources, stored: Stored) -> None:
        self.sources = sources
        self._begin(stored)
        if not sources.can_be_read_again:
            self._files.clear()  # nothing is left unread: it could not be gone back to

    def _begin(self, stored: Stored) -> None:
        self.stored = stored
        self.moved: dict[str, str] = {}
        self._here = stored
        self.extent = Extent()
        self.keys: set[str] = set()
        self._paths: set[str] = set()
        self.unread: set[str] = set()
        self.problems: list[SourceError] = []
        self.skipped: list[Skipped] = []
        self._files = stored.by_file()
        self._told: set[FileName] = set()
        self._new: list[Stamp] = []
        self._outdated: list[Stamp] = []

    def documents(self) -> Iterator[Document]:
        """What is read, to be gone through once. Raises UsageError where there is nothing to read.

        Where a document has the key of one in a file that is left unread, all is read from the beginning, as which of
        the two has it shows only where both are read; documents are then given a second time.
        """
        while (yield from self._go_through()):
            self.read_everything(self.stored)

    @property
    def files(self) -> int:
        """How many files had documents so far, read or not: one may have many, as a table has one a row."""
        return len(self._paths)

    def is_of(self, stored: Stored) -> bool:
        """Whether this is what was stored when reading began."""
        return (self.stored.documents, self.stored.stamps) == (stored.documents, stored.stamps)

    def read_everything(self, stored: Stored) -> None:
        """Begin anew, over another state of what is stored or the same, without leaving any file unread."""
        self._begin(stored)
        self._files = {}

    def _go_through(self) -> Generator[Document, None, bool]:
        """Generates documents; returns whether to go through all from the beginning."""
        before = 0
        sources = self.sources
        items = read_unknown(
            sources.names, self._is_known, stdin=sources.stdin, everything=sources.everything,
            file_seconds=sources.file_seconds, extent=self.extent,
            stored={key: (one.root, one.source) for key, one in self.stored.documents.items()},
            stamps=self.stored.stamps, tell_moved=self._take_moved, key_of=self._key_of,
        )  # fmt: skip
        for item in items:
            if isinstance(item, Document):
                if item.key in self.unread:
                    return True
                self.keys.add(item.key)
                self._paths.add(path_of((item.root, item.source)))
                yield item
            elif isinstance(item, Seen):
                if not self._take_seen(item, len(self.keys) - len(self.unread) - before):
                    return True
                before = len(self.keys) - len(self.unread)
            elif isinstance(item, Skipped):
                self.skipped.append(item)
            else:
                self.problems.append(item)
        return False

    def _take_moved(self, moved: Mapping[str, str]) -> None:
        if moved:
            self.moved |= moved
            self._here = self.stored.with_moved(moved)
            self._files = self._here.by_file() if self._files else {}

    def _key_of(self, row: Document, in_file: str) -> str:
        """What a row with an id of its own is called: by `in_file` where it is stored so, or where the id is that of
        another file that is still there, and says something else by it.
        """
        path = path_of((row.root, row.source))
        called_so, known = (self._here.documents.get(key) for key in (in_file, row.key))
        if called_so is not None and path_of((called_so.root, called_so.source)) == path:
            return in_file
        if known is None or path_of((known.root, known.source)) == path:
            return row.key
        is_same = replace(row, source=known.source).digest == known.digest
        return row.key if is_same or _is_no_more(known) else in_file

    def _is_known(self, stamp: Stamp) -> bool:
        known = self._here.stamps.get(stamp.file)
        if known is None or not known.settled or known.text != stamp.text:
            return False
        return known.documents == len(self._files.get(stamp.file, ()))

    def _take_seen(self, seen: Seen, given: int) -> bool:
        """Note a file; False where it was left unread and one of its documents has the key of one that was read."""
        if not seen.read:
            keys = self._files.get(seen.file, [])
            if not self.keys.isdisjoint(keys) and not self.unread.issuperset(self.keys.intersection(keys)):
                return False
            self.unread.update(keys)
            self.keys.update(keys)
            self._paths.add(path_of(seen.file))
            return True
        # Where another file has the key of one of its documents, that shows only while both are read.
        is_whole = seen.stamp is not None and seen.stamp.documents == given > 0 and seen.file not in self._told
        known = self._here.stamps.get(seen.file)
        if is_whole and seen.stamp is not None:
            self._new += [seen.stamp] if not _covers(known, seen.stamp) else []
        elif known is not None or seen.file in self._told:
            self._outdated.append(known or Stamp(seen.file, "", settled=False))
        self._told.add(seen.file)
        return True

    def leave_out(self, document: Document) -> None:
        """Take back a document that was given away, as it took too long to be cut: its file is read again next time."""
        self.keys.discard(document.key)
        self.problems.append(SourceError(document.source, took_too_long(self.sources.file_seconds)))

    def vanished(self) -> list[str]:
        """The keys of stored documents that are gone from the sources, once these have been gone through.

        Gone from a folder are those at or below it, whichever folder they were read with; from a file that was named
        those of its own, and of others beside it that are there no more. A source that gave nothing has lost nothing.
        Half a document, written by a build that was stopped, is gone where the rest of it cannot be read.
        """
        # What can no longer be read has not vanished: all that came from a file with a problem stays, and all that lies
        # in a folder with one.
        unreadable = {problem.path for problem in self.problems}
        closed = tuple(f"{shown(os.path.realpath(path))}/" for path in unreadable)
        scanned = {path_of_source(source) for source in self.sources.names}
        scanned &= {way for path in self._paths for way in _ways_to(path)}
        beside = {str(PurePosixPath(path).parent) for path in scanned & self._paths}
        return [
            key
            for key, one in self._here.documents.items()
            if key not in self.keys
            and _is_within(path_of((one.root, one.source)), scanned, beside)
            and not (one.complete and self._is_unreadable(one, unreadable, closed))
        ]

    @staticmethod
    def _is_unreadable(one: StoredDocument, unreadable: set[str], closed: tuple[str, ...]) -> bool:
        is_below = path_of((one.root, one.source)).startswith(closed)
        return is_below or any(path.endswith(one.source) for path in unreadable)

    def take_stamps(self) -> tuple[list[Stamp], list[Stamp]]:
        """Stamps of files all of whose documents were given away, since this was asked for the last time: those that
        are not stored, or say more than those that are; and stored ones of files that are to be read the next time.
        """
        taken = self._new, self._outdated
        self._new, self._outdated = [], []
        return taken


def _is_no_more(one: StoredDocument) -> bool:
    """Whether the file of a document is gone, and not its folder as well, which may be on another disk; of what was
    piped in that cannot be told.
    """
    path = PurePosixPath(path_of((one.root, one.source)))
    return bool(one.root) and is_gone(str(path)) and not is_gone(str(path.parent))


def _ways_to(path: str) -> Iterator[str]:
    """The path of a file, and those of all folders above."""
    yield path
    yield from map(str, PurePosixPath(path).parents)


def _is_within(path: str, scanned: Set[str], beside: Set[str]) -> bool:
    """Whether a file lies in what was scanned, or lay in a folder of which files were named."""
    if not scanned.isdisjoint(_ways_to(path)):
        return True
    return str(PurePosixPath(path).parent) in beside and is_gone(path)


def _covers(stored: Stamp | None, stamp: Stamp) -> bool:
    if stored is None or (stored.text, stored.documents) != (stamp.text, stamp.documents):
        return False
    return stored.settled or not stamp.settled
