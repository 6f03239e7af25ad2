"""Finding the files of what a user names: files, folders throughout, and standard input."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from kb.documents.file_stamps import FileName, path_of
from kb.documents.file_types import SUFFIXES, suffix_of
from kb.documents.ignoring import Ignoring
from kb.documents.plaintext import clean, one_line
from kb.documents.rows import Place
from kb.errors import SourceError, UsageError

_STDIN: FileName = ("", "stdin")

OTHER_TYPE = "not a type that is read"
"""Why a file in a folder is left aside whose suffix is none of these."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder in a folder that is left aside: of a type that is not read, ignored, or a link out of it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to be read: its path, None for standard input, and how it is called."""

    path: Path | None
    place: Place


def find_files(source: str, everything: bool) -> list[FoundFile | SourceError | Skipped]:
    """The files of one source, in the order of their names: what is left aside and what cannot be looked into as well.

    Raises UsageError where it does not exist. A file that is named is given whatever its type.
    """
    if source == "-":
        return [FoundFile(None, Place("standard input", _STDIN[1], _STDIN[0]))]
    path = Path(source)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        reason = os_reason(error) if isinstance(error, PermissionError) else "does not exist"
        raise UsageError(f"{source!r} {reason}: name a file, a folder, or - for standard input") from error
    if not is_folder:
        return [FoundFile(path, Place(shown(source), shown(path.name), shown(os.path.realpath(path.parent))))]
    return _Folder(source, everything).search()


def path_of_source(source: str) -> str:
    """Where the files of a source lie, at or below which: as `path_of` tells where they are."""
    if source == "-":
        return path_of(_STDIN)
    path = Path(source)
    if path.is_dir():
        return shown(os.path.realpath(path))
    return path_of((shown(os.path.realpath(path.parent)), shown(path.name)))


def nothing_in(source: str, found: Sequence[object]) -> SourceError | None:
    """That a folder has no file of a type that is read, None where it has one."""
    if any(isinstance(item, (FoundFile, SourceError)) for item in found):
        return None
    others = f" ({_count(found)})" if found else ""
    return SourceError(shown(source), f"has no file that can be read{others}: put in {', '.join(SUFFIXES)}")


def _count(found: Sequence[object]) -> str:
    types = sum(isinstance(item, Skipped) and item.reason == OTHER_TYPE for item in found)
    aside = len(found) - types
    parts = [f"it has {types:,} of other types"] if types else []
    return ", ".join(parts + ([f"{aside:,} left aside: --all reads hidden and ignored ones"] if aside else []))


def os_reason(error: Exception) -> str:
    """Why a file cannot be read, in the words of the system where it has any."""
    return f"cannot be read ({error.strerror})" if isinstance(error, OSError) else "cannot be read"


def shown(path: str | PurePath) -> str:
    """A path for messages and keys: forward slashes, and nothing that is not text."""
    text = path.as_posix() if isinstance(path, PurePath) else path
    return one_line(os.fsencode(text).decode("utf-8", "replace")) if not text.isprintable() else text


def told_apart(found: Sequence[FoundFile | SourceError | Skipped]) -> list[FoundFile | SourceError | Skipped]:
    """What was found, each file once, whether it was named with its folder or by itself, and each by a name of its own:
    of files whose names look the same, as they differ in what is no text or in how a letter is made up of others, all
    but one have a mark of theirs in it.
    """
    once: dict[tuple[str, str], FoundFile | SourceError | Skipped] = {}
    called: dict[str, list[str]] = {}
    for item in found:
        if not isinstance(item, FoundFile):
            once.setdefault((item.path, f"\0{item.reason}"), item)
            continue
        name, real = clean(path_of((item.place.root, item.place.source))), _real_path(item)
        if (name, real) not in once:
            once[name, real] = item
            called.setdefault(name, []).append(real)
    keeps = {name: name if name in paths else min(paths) for name, paths in called.items()}
    return [
        item if not isinstance(item, FoundFile) or keeps[name] == real else _marked(item, real)
        for (name, real), item in once.items()
    ]


def _real_path(item: FoundFile) -> str:
    """Where a file is, its name as the disk has it."""
    return str(Path(os.path.realpath(item.path.parent), item.path.name)) if item.path is not None else ""


def _marked(item: FoundFile, real: str) -> FoundFile:
    """A file called `notes (5b2e1c).md`, by a digest of what its name below the root really is."""
    source = PurePath(item.place.source)
    below = "/".join(PurePath(real).parts[-len(source.parts) :])
    mark = hashlib.sha256(os.fsencode(below)).hexdigest()[:6]
    marked = shown(source.with_name(f"{source.stem} ({mark}){source.suffix}"))
    return replace(item, place=replace(item.place, source=marked))


class _Folder:
    """The files below a folder. A link is followed if it leads to something inside that is not found otherwise."""

    def __init__(self, source: str, everything: bool) -> None:
        self._everything = everything
        self._ignoring = Ignoring(everything=everything)
        self._source = Path(source)
        self._root = Path(os.path.realpath(source))
        self._seen: set[Path] = set()
        self._links: list[PurePath] = []
        self._found: dict[PurePath, FoundFile | SourceError | Skipped] = {}

    def search(self) -> list[FoundFile | SourceError | Skipped]:
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
            place = Place(shown(self._source / path), shown(path), shown(self._root), in_folder=True)
            self._found[path] = FoundFile(self._source / path, place)

    @contextmanager
    def _guarded(self, path: PurePath) -> Iterator[None]:
        """Whatever one entry is, the others are read: a link may lead where nobody may look, or to no possible name."""
        try:
            yield
        except OSError as error:
            self._cannot_read(path, error)

    def _cannot_read(self, path: PurePath, error: OSError) -> None:
        self._found[path] = SourceError(shown(self._source / path), os_reason(error))

    def _skip(self, path: PurePath, reason: str) -> None:
        self._found[path] = Skipped(shown(self._source / path), reason)
