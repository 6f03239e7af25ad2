"""Reading the sources of a build: of the files that look as they did when they were read, nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from kb.documents.sources import FILE_SECONDS, Seen, Skipped, read_unknown
from kb.errors import SourceError
from kb.records import Document
from kb.store.stamps import FileName, Stamp, Stored, StoredDocument

_TOLD = 500
"""Documents between two reports of progress."""


@dataclass(slots=True)
class Reading:
    """What sources gave: the documents that were read, and the keys of those in files that were `unread`.

    `stored` is what the knowledge base held before, `stamps` what there is to know of each file that was read: None
    where it is to be read the next time too.
    """

    stored: Stored = field(default_factory=Stored)
    documents: list[Document] = field(default_factory=list)
    unread: dict[str, FileName] = field(default_factory=dict)
    stamps: dict[FileName, Stamp | None] = field(default_factory=dict)
    problems: list[SourceError] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def keys(self) -> set[str]:
        """The keys of all documents that are in the sources."""
        return {one.key for one in self.documents} | self.unread.keys()

    def roots(self) -> set[str]:
        """The roots that these documents come from."""
        return {one.root for one in self.documents} | {root for root, _ in self.unread.values()}

    def vanished(self, stored: Mapping[str, StoredDocument]) -> list[str]:
        """The keys of stored documents that are gone from the sources."""
        roots, present = self.roots(), self.keys()
        # What can no longer be read has not vanished: all that came from a file with a problem stays.
        unreadable = {problem.path for problem in self.problems}
        return [
            key
            for key, one in stored.items()
            if one.root in roots and key not in present and not any(path.endswith(one.source) for path in unreadable)
        ]

    def holds(self, stored: Mapping[str, StoredDocument]) -> bool:
        """Whether the unread documents are stored as they were before: no other process has changed them since."""
        return all(stored.get(key) == self.stored.documents[key] for key in self.unread)

    def new_stamps(self) -> list[Stamp]:
        """The stamps that are not stored, or say more than those that are."""
        found = [one for one in self.stamps.values() if one is not None]
        return [one for one in found if not _covers(self.stored.stamps.get(one.file), one)]

    def outdated(self) -> list[Stamp]:
        """The stored stamps of files that are to be read the next time."""
        stored = self.stored.stamps
        return [stored[file] for file, stamp in self.stamps.items() if stamp is None and file in stored]


def _covers(stored: Stamp | None, stamp: Stamp) -> bool:
    if stored is None or (stored.text, stored.documents) != (stamp.text, stamp.documents):
        return False
    return stored.settled or not stamp.settled


def read_changed(
    sources: Sequence[str],
    path: Path | None,
    *,
    stdin: BinaryIO | None = None,
    everything: bool = False,
    file_seconds: float = FILE_SECONDS,
    report: Callable[[int], None],
) -> Reading:
    """What is in `sources`, without reading those files that the knowledge base at `path` has as they are; all of them
    where `path` is None. `everything` is that of `read_sources`, `file_seconds` that of `read_unknown`.

    `report` gets the number of documents so far, now and then. Raises UsageError where there is nothing to read,
    BadFileError for an unusable file.
    """
    reading = _read(sources, path, stdin, everything, file_seconds, report)
    if any(one.key in reading.unread for one in reading.documents):
        # Which of two files has a key that both claim shows only where both are read.
        return _read(sources, None, stdin, everything, file_seconds, report)
    return reading


def _read(
    sources: Sequence[str],
    path: Path | None,
    stdin: BinaryIO | None,
    everything: bool,
    file_seconds: float,
    report: Callable[[int], None],
) -> Reading:
    reading, files = Reading(), dict[FileName, list[str]]()

    def is_known(stamp: Stamp) -> bool:
        known = reading.stored.stamps.get(stamp.file)
        if known is None or not known.settled or known.text != stamp.text:
            return False
        return known.documents == len(files.get(stamp.file, ()))

    items = read_unknown(sources, is_known, stdin=stdin, everything=everything, file_seconds=file_seconds)
    if path is not None and "-" not in sources:  # standard input cannot be read again, should that be needed
        reading.stored = Stored.read(path)
        files = reading.stored.by_file()
    before = 0
    for item in items:
        if isinstance(item, Document):
            reading.documents.append(item)
            if len(reading.documents) % _TOLD == 0:
                report(len(reading.documents))
        elif isinstance(item, Seen):
            _take_seen(reading, item, len(reading.documents) - before, files.get(item.file, ()))
            before = len(reading.documents)
        elif isinstance(item, Skipped):
            reading.skipped.append(item)
        else:
            reading.problems.append(item)
    return reading


def _take_seen(reading: Reading, seen: Seen, given: int, stored: Sequence[str]) -> None:
    if not seen.read:
        reading.unread.update(dict.fromkeys(stored, seen.file))
        return
    # Where another file has the key of one of its documents, that shows only while both are read.
    is_whole = seen.stamp is not None and seen.stamp.documents == given > 0 and seen.file not in reading.stamps
    reading.stamps[seen.file] = seen.stamp if is_whole else None
