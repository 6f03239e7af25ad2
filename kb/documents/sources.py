"""Reading documents from files, folders and standard input.

`read_sources` is lazy and never stops at a bad document: each is one `SourceError` among the documents.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from kb.documents.extent import Extent
from kb.documents.file_stamps import FileName, Stamp, take_stamp
from kb.documents.found_files import FoundFile, Skipped, find_files, nothing_in, os_reason, told_apart
from kb.documents.naming import named_apart
from kb.documents.plaintext import Unreadable
from kb.documents.reading_files import BARE, folder_in_title, is_bare, read_file, read_stdin
from kb.documents.rows import Place, Row
from kb.documents.unpacking import brief
from kb.errors import SourceError, UsageError
from kb.records import Document, content_id

FILE_SECONDS = 300.0
"""For one document: a PDF of ten thousand pages takes some minutes."""


Item = Document | SourceError | Skipped

KeyOf = Callable[[Document, str], str]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was come to: it was not `read` where its stamp was known. It follows all that the file gave, and
    the stamp counts the documents among that; there is none where some of it cannot be read.
    """

    file: FileName
    stamp: Stamp | None
    read: bool


def read_sources(sources: Sequence[str], *, stdin: BinaryIO | None = None, everything: bool = False) -> Iterator[Item]:
    """Documents from files, folders (searched throughout, in the order of names) and "-", standard input.

    Yields a SourceError for each file, line or row that cannot be read, and a Skipped for each file in a folder that
    is left aside, or once for a whole folder: what .gitignore files in the folder name, virtual environments,
    node_modules and hidden folders. Hidden files are passed over. `everything` reads all of these. Of documents with
    equal ids and content the first is yielded; where the content differs, what a file has after the first is a
    SourceError, and what another file has is called `path#id`.

    Raises UsageError, before anything is read, if `sources` is empty, one does not exist, or none has a file of a type
    that is read; a folder without one beside others is a SourceError. Whether files can be read shows in what is
    yielded.
    """
    items = read_unknown(sources, lambda _: False, stdin=stdin, everything=everything)
    return (item for item in items if not isinstance(item, Seen))


def read_unknown(
    sources: Sequence[str],
    is_known: Callable[[Stamp], bool],
    *,
    stdin: BinaryIO | None = None,
    everything: bool = False,
    file_seconds: float = FILE_SECONDS,
    extent: Extent | None = None,
    stored: Mapping[str, FileName] = MappingProxyType({}),
    stamps: Mapping[FileName, Stamp] = MappingProxyType({}),
    tell_moved: Callable[[Mapping[str, str]], None] = lambda _: None,
    key_of: KeyOf = lambda document, _: document.key,
) -> Iterator[Item | Seen]:
    """As `read_sources`, without reading the files whose stamp `is_known`; every file is told as `Seen`.

    `stored` are the documents that there are, by key, with the file that each is of: `named_apart` keeps their keys,
    and knows by the `stamps` of these files which were moved.
    Before anything is read, `tell_moved` is given the folders of those that lie elsewhere now: from where to where.
    `key_of` says what a row with an id of its own is called: by that, or as it is given besides, by `path#id`.

    A document that takes longer than `file_seconds` to be read is a SourceError. That two documents have the same key
    shows only where both are read. `extent` is kept up to date. Raises UsageError as `read_sources` does.
    """
    if not sources:
        raise UsageError("there is nothing to read: name files, folders, or - for standard input")
    of_each = [find_files(source, everything) for source in sources]
    missing = [nothing_in(source, items) for source, items in zip(sources, of_each, strict=True)]
    if missing[0] and all(missing):
        raise UsageError(f"the folder {missing[0].path!r} {missing[0].reason}")
    found, moved = _named_apart([*chain.from_iterable(of_each), *filter(None, missing)], stored, stamps)
    tell_moved(moved)
    extent = extent or Extent()
    extent.total += sum(_size(item) for item in found)
    return _unique(_read_all(found, is_known, stdin, file_seconds, extent), key_of)


def _named_apart(
    found: Sequence[FoundFile | SourceError | Skipped],
    stored: Mapping[str, FileName],
    stamps: Mapping[FileName, Stamp],
) -> tuple[list[FoundFile | SourceError | Skipped], dict[str, str]]:
    """What was found, each file once, whether it was named with its folder or by itself, and with a name of its own;
    and the folders that were moved.
    """
    once = told_apart(found)
    named = named_apart([item.place for item in once if isinstance(item, FoundFile)], stored, stamps)
    places = iter(named.places)
    apart = [replace(item, place=next(places)) if isinstance(item, FoundFile) else item for item in once]
    return apart, named.moved


def _size(item: FoundFile | SourceError | Skipped) -> int:
    with suppress(OSError, ValueError):
        return item.path.stat().st_size if isinstance(item, FoundFile) and item.path is not None else 0
    return 0


_Found = tuple[Place, int, Item | Seen]
"""The file, the number of the line or 0, and a document or what is wrong."""

_NOWHERE = Place("", "", "")


def _read_all(
    found: Sequence[FoundFile | SourceError | Skipped],
    is_known: Callable[[Stamp], bool],
    stdin: BinaryIO | None,
    file_seconds: float,
    extent: Extent,
) -> Iterator[_Found]:
    for item in found:
        if not isinstance(item, FoundFile):
            yield _NOWHERE, 0, item
        elif item.path is None:
            yield from _told(item.place, read_stdin(stdin or sys.stdin.buffer, item.place))
        else:
            size, read = _size(item), True
            for one in _timed(_read_seen(item.path, item.place, is_known, extent), item.place, file_seconds):
                read = one[2].read if isinstance(one[2], Seen) else read
                yield one
            extent.end_file(size, read=read)


def _read_seen(path: Path, place: Place, is_known: Callable[[Stamp], bool], extent: Extent) -> Iterator[_Found]:
    file = place.root, place.source
    # Before the file is read: what changes meanwhile is then newer than the stamp.
    kind = "in a folder" if place.in_folder else "named"
    stamp = take_stamp(path, file, f"{kind} {folder_in_title(place)}".rstrip())
    read = stamp is None or not is_known(stamp)
    documents = 0
    for found in _told(place, read_file(path, place, extent)) if read else ():
        if isinstance(found[2], Document):
            documents += 1
        else:
            stamp = None
        yield found
    yield place, 0, Seen(file, replace(stamp, documents=documents) if stamp else None, read)


def _told(place: Place, rows: Iterator[Row]) -> Iterator[_Found]:
    shown = place.shown
    try:
        yield from ((place, line, row) for line, row in rows)
    except Unreadable as error:
        yield place, 0, Skipped(shown, BARE) if is_bare(place, error) else SourceError(shown, str(error))
    except OSError as error:
        yield place, 0, SourceError(shown, os_reason(error))
    except Exception as error:  # noqa: BLE001 - whatever one file does to its reader, the others are read
        yield place, 0, SourceError(shown, f"cannot be read ({type(error).__name__}: {brief(error)})")


class _TookTooLong(BaseException):
    """The time for a document is over; no reader is to take it for damage."""


def took_too_long(seconds: float) -> str:
    """Why a document is left out that was not read, or not cut, within `seconds`."""
    return f"takes longer than {seconds:g} seconds to read: split it, or allow more with --file-seconds"


def _timed(found: Iterator[_Found], place: Place, seconds: float) -> Iterator[_Found]:
    """What `found` gives, each within `seconds`: a file that takes longer ends in a SourceError.

    Only the main thread can be interrupted, and only where the system has a timer for that.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield from found
        return

    def interrupt(*_: object) -> None:
        raise _TookTooLong

    while True:
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                one = next(found, None)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
        except _TookTooLong:
            one, found = (place, 0, SourceError(place.shown, took_too_long(seconds))), iter(())
        if one is None:
            return
        yield one


def _unique(found: Iterator[_Found], key_of: KeyOf) -> Iterator[Item | Seen]:
    """Documents whose key is new; where another has it, nothing if their content is equal, else a SourceError.

    A row with an id that is another file's in other words is called by its file's name as well.
    """
    first: dict[str, tuple[int, Place, int]] = {}
    for place, line, item in found:
        if not isinstance(item, Document):
            yield item
            continue
        content = content_id(item.title, item.text, repr(sorted(item.metadata.items())))
        if item.key != place.key and not item.key.startswith(f"{place.key}#"):
            in_file = f"{place.key}#{item.key}"
            other, of, _ = first.get(item.key, (content, place, 0))
            is_taken = other != content and of.key != place.key
            item = replace(item, key=in_file if is_taken else key_of(item, in_file))
        if item.key not in first:
            first[item.key] = content, place, line
            yield item
        elif first[item.key][0] != content:
            yield _taken(item.key, place, line, *first[item.key][1:])


def _taken(key: str, place: Place, line: int, of: Place, at: int) -> SourceError:
    where = f"line {line}: " if line else ""
    other = f"{of.shown}, line {at}" if at else of.shown
    return SourceError(place.shown, f"{where}{key!r} is already the id of another document ({other}): give it its own")
