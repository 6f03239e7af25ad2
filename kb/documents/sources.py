"""Reading documents from files, folders and standard input.

`read_sources` is lazy and never stops at a bad document: each is one `SourceError` among the documents.
"""

from __future__ import annotations

import json
import mimetypes
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import BinaryIO, cast

from kb.documents.chat_exports import people_of
from kb.documents.chat_text import read_txt
from kb.documents.code import CODE_READERS
from kb.documents.data_files import read_json
from kb.documents.extent import Extent
from kb.documents.file_stamps import FileName, Stamp, path_of, take_stamp
from kb.documents.formats import READERS
from kb.documents.ignoring import Ignoring
from kb.documents.mail import read_mbox
from kb.documents.naming import named_apart
from kb.documents.plaintext import Content, Unreadable, decode, first_words, one_line, readable_name, without_title
from kb.documents.rows import Place, Row, looks_like_jsonl, read_csv, read_jsonl
from kb.documents.unpacking import brief, megabytes
from kb.errors import SourceError, UsageError
from kb.records import Document, Link, content_id

MAX_BYTES = 50_000_000
"""Most bytes of a file that is read as one document. Where a line is a document, the line is limited instead."""

_STDIN: FileName = ("", "stdin")

_MAX_USERS = 10_000_000

_ROW_READERS = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".mbox": read_mbox,
}
FILE_SECONDS = 300.0
"""For one document: a PDF of ten thousand pages takes some minutes."""

SUFFIXES = (*READERS, *_ROW_READERS)
"""The file name suffixes that are read."""


_TEXT_NAMES = frozenset(
    "authors bugs changelog changes contributing copying copyright credits faq hacking history install licence license "
    "news notes notice porting readme release security thanks todo upgrade upgrading".split()
)
"""What files are called that are text whatever their names end in: README, INSTALL.unix, README.Debian, less-NEWS."""

_TYPES = mimetypes.MimeTypes()
"""The endings that are those of other files, the same on every machine: lists of a system name nearly every ending."""

_FOR_PEOPLE = re.compile(
    r"(?!(?:CODEOWNERS|ENTRIES|HEAD|INSTALLER|LOCK|METADATA|RECORD|ROOT|WHEEL)$)[A-Z]{2,}(?:[-_][A-Z]+)*"
)
"""A whole name in capitals is, by an old habit, a text to be read first: MAILING-LIST, PKG-INFO, ABOUT; not what
programs write for themselves.
"""

OTHER_TYPE = "not a type that is read"
"""Why a file in a folder is left aside whose suffix is none of these."""

_BARE = "source code without names and comments"
_EMPTY = "is empty"
_NO_TEXT = "has no text"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder in a folder that is left aside: of a type that is not read, ignored, or a link out of it."""

    path: str
    reason: str


Item = Document | SourceError | Skipped


def suffix_of(path: PurePath) -> str:
    """The suffix that says how a file is read: its name's, or ".txt" for what is called as texts without one are."""
    suffix = path.suffix.lower()
    words = re.split(r"[^a-z]+", path.name.lower())
    is_called_so = words[0] in _TEXT_NAMES or words[-1] in _TEXT_NAMES
    is_text = suffix not in SUFFIXES and is_called_so and _TYPES.guess_type(path.name) == (None, None)
    return ".txt" if is_text or _FOR_PEOPLE.fullmatch(path.name) else suffix


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that was come to: it was not `read` where its stamp was known. It follows all that the file gave, and
    the stamp counts the documents among that; there is none where some of it cannot be read.
    """

    file: FileName
    stamp: Stamp | None
    read: bool


@dataclass(frozen=True, slots=True)
class _File:
    path: Path | None  # None is standard input
    place: Place


def read_sources(sources: Sequence[str], *, stdin: BinaryIO | None = None, everything: bool = False) -> Iterator[Item]:
    """Documents from files, folders (searched throughout, in the order of names) and "-", standard input.

    Yields a SourceError for each file, line or row that cannot be read, and a Skipped for each file in a folder that
    is left aside, or once for a whole folder: what .gitignore files in the folder name, virtual environments,
    node_modules and hidden folders. Hidden files are passed over. `everything` reads all of these. Of documents with
    equal keys and content the first is yielded; where the content differs, each after the first is a SourceError.

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
) -> Iterator[Item | Seen]:
    """As `read_sources`, without reading the files whose stamp `is_known`; every file is told as `Seen`.

    `stored` are the documents that there are, by key, with the file that each is of: `named_apart` keeps their keys,
    and knows by the `stamps` of these files which were moved.
    Before anything is read, `tell_moved` is given the folders of those that lie elsewhere now: from where to where.

    A document that takes longer than `file_seconds` to be read is a SourceError. That two documents have the same key
    shows only where both are read. `extent` is kept up to date. Raises UsageError as `read_sources` does.
    """
    if not sources:
        raise UsageError("there is nothing to read: name files, folders, or - for standard input")
    of_each = [_find(source, everything) for source in sources]
    missing = [_nothing_in(source, items) for source, items in zip(sources, of_each, strict=True)]
    if missing[0] and all(missing):
        raise UsageError(f"the folder {missing[0].path!r} {missing[0].reason}")
    found, moved = _named_apart([*chain.from_iterable(of_each), *filter(None, missing)], stored, stamps)
    tell_moved(moved)
    extent = extent or Extent()
    extent.total += sum(_size(item) for item in found)
    return _unique(_read_all(found, is_known, stdin, file_seconds, extent))


def _named_apart(
    found: Sequence[_File | SourceError | Skipped],
    stored: Mapping[str, FileName],
    stamps: Mapping[FileName, Stamp],
) -> tuple[list[_File | SourceError | Skipped], dict[str, str]]:
    """What was found, each file once, whether it was named with its folder or by itself, and with a name of its own;
    and the folders that were moved.
    """
    once: dict[tuple[str, ...], _File | SourceError | Skipped] = {}
    for item in found:
        once.setdefault(
            (f"{item.place.root}/{item.place.source}",) if isinstance(item, _File) else (item.path, item.reason), item
        )
    named = named_apart([item.place for item in once.values() if isinstance(item, _File)], stored, stamps)
    places = iter(named.places)
    apart = [replace(item, place=next(places)) if isinstance(item, _File) else item for item in once.values()]
    return apart, named.moved


def _size(item: _File | SourceError | Skipped) -> int:
    with suppress(OSError, ValueError):
        return item.path.stat().st_size if isinstance(item, _File) and item.path is not None else 0
    return 0


def _find(source: str, everything: bool) -> list[_File | SourceError | Skipped]:
    if source == "-":
        return [_File(None, Place("standard input", _STDIN[1], _STDIN[0]))]
    path = Path(source)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        reason = _os_reason(error) if isinstance(error, PermissionError) else "does not exist"
        raise UsageError(f"{source!r} {reason}: name a file, a folder, or - for standard input") from error
    if not is_folder:
        return [_File(path, Place(_shown(source), _shown(path.name), _shown(os.path.realpath(path.parent))))]
    return _Folder(source, everything).search()


def path_of_source(source: str) -> str:
    """Where the files of a source lie, at or below which: as `path_of` tells where they are."""
    if source == "-":
        return path_of(_STDIN)
    path = Path(source)
    if path.is_dir():
        return _shown(os.path.realpath(path))
    return path_of((_shown(os.path.realpath(path.parent)), _shown(path.name)))


def _nothing_in(source: str, found: Sequence[object]) -> SourceError | None:
    """That a folder has no file of a type that is read, None where it has one."""
    if any(isinstance(item, (_File, SourceError)) for item in found):
        return None
    others = f" ({_count(found)})" if found else ""
    return SourceError(_shown(source), f"has no file that can be read{others}: put in {', '.join(SUFFIXES)}")


def _count(found: Sequence[object]) -> str:
    types = sum(isinstance(item, Skipped) and item.reason == OTHER_TYPE for item in found)
    aside = len(found) - types
    parts = [f"it has {types:,} of other types"] if types else []
    return ", ".join(parts + ([f"{aside:,} left aside: --all reads hidden and ignored ones"] if aside else []))


def _os_reason(error: Exception) -> str:
    return f"cannot be read ({error.strerror})" if isinstance(error, OSError) else "cannot be read"


def _shown(path: str | PurePath) -> str:
    """A path for messages and keys: forward slashes, and nothing that is not text."""
    text = path.as_posix() if isinstance(path, PurePath) else path
    return one_line(os.fsencode(text).decode("utf-8", "replace")) if not text.isprintable() else text


class _Folder:
    """The files below a folder. A link is followed if it leads to something inside that is not found otherwise."""

    def __init__(self, source: str, everything: bool) -> None:
        self._everything = everything
        self._ignoring = Ignoring(everything=everything)
        self._source = Path(source)
        self._root = Path(os.path.realpath(source))
        self._seen: set[Path] = set()
        self._links: list[PurePath] = []
        self._found: dict[PurePath, _File | SourceError | Skipped] = {}

    def search(self) -> list[_File | SourceError | Skipped]:
        self._visit(PurePath(), self._root)
        while self._links:
            links, self._links = sorted(self._links), []
            for link in links:
                with self._guarded(link):
                    self._follow(link)
        return [self._found[path] for path in sorted(self._found, key=lambda path: path.parts)]

    def _visit(self, folder: PurePath, real: Path) -> None:
        waiting = [(folder, real)]  # no recursion: folders can be nested more deeply than Python calls
        while waiting:
            folder, real = waiting.pop()
            if real in self._seen:
                continue
            self._seen.add(real)
            self._ignoring.enter(folder, self._source / folder)
            try:
                with os.scandir(self._source / folder) as entries:
                    for entry in entries:
                        with self._guarded(folder / entry.name):
                            waiting += self._take(entry, folder, real)
            except OSError as error:
                self._cannot_read(folder, error)

    def _take(self, entry: os.DirEntry[str], folder: PurePath, real_folder: Path) -> Iterator[tuple[PurePath, Path]]:
        """Note a file or a link; a folder is given back, to be visited."""
        path, real = folder / entry.name, real_folder / entry.name
        if entry.name.startswith("~$"):  # the lock file of an open Word document
            return
        if reason := self._ignoring.reason(path, entry):
            self._skip(path, reason)
            return
        if entry.name.startswith(".") and not self._everything:
            return
        if entry.is_symlink():
            self._links.append(path)
        elif entry.is_dir():
            yield path, real
        else:
            self._add(path, real)

    def _follow(self, link: PurePath) -> None:
        real = Path(os.path.realpath(self._source / link))
        if not real.is_relative_to(self._root):
            self._skip(link, "a link that leaves the folder")
        elif real.is_dir():
            self._visit(link, real)
        elif real.exists():
            self._add(link, real)
        else:
            self._skip(link, "a link that leads nowhere")

    def _add(self, path: PurePath, real: Path) -> None:
        if real in self._seen:
            return
        self._seen.add(real)
        if suffix_of(path) not in SUFFIXES:
            self._skip(path, OTHER_TYPE)
        elif not real.is_file():
            self._skip(path, "not a regular file")
        else:
            place = Place(_shown(self._source / path), _shown(path), _shown(self._root), in_folder=True)
            self._found[path] = _File(self._source / path, place)

    @contextmanager
    def _guarded(self, path: PurePath) -> Iterator[None]:
        """Whatever one entry is, the others are read: a link may lead where nobody may look, or to no possible name."""
        try:
            yield
        except OSError as error:
            self._cannot_read(path, error)

    def _cannot_read(self, path: PurePath, error: OSError) -> None:
        self._found[path] = SourceError(_shown(self._source / path), _os_reason(error))

    def _skip(self, path: PurePath, reason: str) -> None:
        self._found[path] = Skipped(_shown(self._source / path), reason)


_Found = tuple[str, int, Item | Seen]
"""The path as the user named it, the number of the line or 0, and a document or what is wrong."""


def _read_all(
    found: Sequence[_File | SourceError | Skipped],
    is_known: Callable[[Stamp], bool],
    stdin: BinaryIO | None,
    file_seconds: float,
    extent: Extent,
) -> Iterator[_Found]:
    for item in found:
        if not isinstance(item, _File):
            yield "", 0, item
        elif item.path is None:
            yield from _told(item.place, _read_stdin(stdin or sys.stdin.buffer, item.place))
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
    stamp = take_stamp(path, file, f"{kind} {_folder_in_title(place)}".rstrip())
    read = stamp is None or not is_known(stamp)
    documents = 0
    for found in _told(place, _read_file(path, place, extent)) if read else ():
        if isinstance(found[2], Document):
            documents += 1
        else:
            stamp = None
        yield found
    yield place.shown, 0, Seen(file, replace(stamp, documents=documents) if stamp else None, read)


def _told(place: Place, rows: Iterator[Row]) -> Iterator[_Found]:
    shown = place.shown
    try:
        yield from ((shown, line, row) for line, row in rows)
    except Unreadable as error:
        yield shown, 0, Skipped(shown, _BARE) if _is_bare(place, error) else SourceError(shown, str(error))
    except OSError as error:
        yield shown, 0, SourceError(shown, _os_reason(error))
    except Exception as error:  # noqa: BLE001 - whatever one file does to its reader, the others are read
        yield shown, 0, SourceError(shown, f"cannot be read ({type(error).__name__}: {brief(error)})")


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
            one, found = (place.shown, 0, SourceError(place.shown, took_too_long(seconds))), iter(())
        if one is None:
            return
        yield one


def _is_bare(place: Place, error: Unreadable) -> bool:
    """Whether a file in a folder is source code without names and comments, as many an __init__.py is."""
    suffix = PurePath(place.source).suffix.lower()
    return place.in_folder and suffix in CODE_READERS and str(error) in (_EMPTY, _NO_TEXT)


def _read_stdin(stdin: BinaryIO, place: Place) -> Iterator[Row]:
    with tempfile.SpooledTemporaryFile(max_size=MAX_BYTES) as spool:  # of any size, and can be read twice
        shutil.copyfileobj(stdin, spool)
        stream = cast(BinaryIO, spool)
        if looks_like_jsonl(stream):
            yield from read_jsonl(stream, place)
            return
        data = _limited(stream, "text")
    yield 0, _document(data, "text", read_txt, place)


def _read_file(path: Path, place: Place, extent: Extent) -> Iterator[Row]:
    suffix = suffix_of(path) or ("" if place.in_folder else ".txt")  # who names a file without a suffix means its text
    if suffix not in SUFFIXES:
        raise Unreadable(f"{suffix} files are not read: save it as one of {', '.join(SUFFIXES)}")
    if path.exists() and not path.is_file():
        raise Unreadable("is not a regular file: pipe it in and name -")
    with path.open("rb") as stream:
        if suffix in _ROW_READERS:
            yield from extent.follow(stream, _ROW_READERS[suffix](stream, place))
            return
        data = _limited(stream, suffix)
    extent.within = len(data)
    file_format, read = READERS[suffix]
    if suffix == ".json":
        read = partial(read_json, people=partial(_people_near, path, place))
    yield 0, _document(data, file_format, read, place)


def _people_near(path: Path, place: Place) -> dict[str, str]:
    """The names in the users.json of a Slack export, beside a file or in the folder above, within what is read."""
    for folder in (path.parent, path.parent.parent):
        users = folder / "users.json"
        with suppress(OSError, ValueError, RecursionError, Unreadable):
            real = users.resolve(strict=True)
            if real.is_relative_to(place.root) and real.is_file() and real.stat().st_size <= _MAX_USERS:
                return people_of(json.loads(decode(real.read_bytes())))
    return {}


def _limited(stream: BinaryIO, kind: str) -> bytes:
    size = stream.seek(0, os.SEEK_END)
    if size > MAX_BYTES:
        raise Unreadable(f"has {megabytes(size)}, over the limit of {megabytes(MAX_BYTES)} for {kind}: split it")
    stream.seek(0)
    data = stream.read(MAX_BYTES)
    if not data.strip():
        raise Unreadable(_EMPTY)
    return data


def _document(data: bytes, file_format: str, read: Callable[[bytes], Content], place: Place) -> Document:
    content = read(data)
    if not content.text:
        raise Unreadable(_NO_TEXT)
    title = content.title or (_file_title(place) if place.root else first_words(content.text))
    text = content.text if content.pages else without_title(content.text, title)
    cut = len(content.text) - len(text)  # of the beginning
    links = tuple(Link(one.start - cut, one.end - cut, one.target) for one in content.links if one.start >= cut)
    return Document(
        place.key,
        title or place.source,
        text,
        place.source,
        place.root,
        file_format,
        content.metadata,
        content.pages,
        links,
    )


def _file_title(place: Place) -> str:
    """A file's name in words, with its folder's where it tells little without, as a date alone does, which a diary or a
    chat is called.
    """
    path = PurePath(place.source)
    title = readable_name(path.stem)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", path.stem):
        return f"{readable_name(path.parent.name)} {path.stem}".strip()
    folder = _folder_in_title(place)
    return f"{folder}: {title}" if folder else title


def _folder_in_title(place: Place) -> str:
    """The name of a file's folder where every folder has a file of that name, whether others are read or not: the title
    is "mill: README". "" for other files.
    """
    path = PurePath(place.root, place.source)
    is_common = path.name.split(".")[0].lower() in _TEXT_NAMES | {"index"} or _FOR_PEOPLE.fullmatch(path.name)
    return one_line(path.parent.name) if is_common else ""


def _unique(found: Iterator[_Found]) -> Iterator[Item | Seen]:
    """Documents whose key is new; where another has it, nothing if their content is equal, else a SourceError."""
    first: dict[str, tuple[int, str]] = {}
    for path, line, item in found:
        if not isinstance(item, Document):
            yield item
            continue
        content = content_id(item.title, item.text, repr(sorted(item.metadata.items())))
        where = f"line {line}: " if line else ""
        if item.key not in first:
            first[item.key] = (content, f"{path}, {where[:-2]}" if line else path)
            yield item
        elif first[item.key][0] != content:
            yield SourceError(
                path,
                f"{where}{item.key!r} is already the id of another document ({first[item.key][1]}): give it its own",
            )
