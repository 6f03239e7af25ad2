"""What the documents of several folders are called, so that a README of each can lie in one knowledge base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType

from kb.documents.file_stamps import FileName, Stamp, is_gone, path_of
from kb.documents.rows import Place


@dataclass(frozen=True, slots=True)
class Named:
    """The places of files with what keeps their names apart, and the folders that lie elsewhere now: from where to
    where.
    """

    places: list[Place]
    moved: dict[str, str]


def named_apart(
    places: Sequence[Place],
    stored: Mapping[str, FileName],
    stamps: Mapping[FileName, Stamp] = MappingProxyType({}),
) -> Named:
    """The places of files, with the folder's name in front in a folder that has a file called as another folder's.

    `stored` are the documents of a knowledge base by key, with the file that each is of: they are called as they are.
    Of folders that have none there the first is called by its paths alone. A folder of which nothing is left where it
    was, and that lies elsewhere now by the `stamps` of its files, is still itself. So is a file that is stored as one
    of another folder, such as one above or below.
    """
    names = _Names(stored, stamps)
    known = {path_of(file): file for file in stored.values()}
    files = [known.get(path_of(file), file) for file in ((one.root, one.source) for one in places)]
    places = [replace(one, root=root, source=source) for one, (root, source) in zip(places, files, strict=True)]
    folders: dict[str, list[str]] = {}
    for place in places:
        folders.setdefault(place.root, []).append(place.source)
    prefixes = {file: prefix for root, sources in folders.items() for file, prefix in names.give(root, sources)}
    return Named([replace(place, prefix=prefixes[place.root, place.source]) for place in places], names.moved)


class _Names:
    """Which file has which name; `moved` are the folders that were recognised elsewhere."""

    def __init__(self, stored: Mapping[str, FileName], stamps: Mapping[FileName, Stamp]) -> None:
        self.moved: dict[str, str] = {}
        self._stamps = stamps
        self._owners: dict[str, FileName] = {}
        self._prefixes: dict[FileName, str] = {}
        self._roots: dict[str, str] = {}
        for key, file in sorted(stored.items()):
            prefix = _prefix(key, file[1])
            if prefix is not None:
                self._take(prefix, file)
        for file in stored.values():
            if file not in self._prefixes:  # where the keys of its rows do not show its name
                self._owners.setdefault(file[1], file)
        self._stored: dict[str, set[str]] = {}
        for root, source in stored.values():
            self._stored.setdefault(root, set()).add(source)

    def _take(self, prefix: str, file: FileName) -> None:
        self._owners[prefix + file[1]] = file
        self._prefixes.setdefault(file, prefix)
        self._roots.setdefault(file[0], prefix)

    def give(self, root: str, sources: Sequence[str]) -> Iterator[tuple[FileName, str]]:
        """What stands in front of the name of each file of a folder."""
        own = self._roots.get(root)
        if own is None and (before := self._moved_from(root, sources)):
            own = self._roots.get(before, "")
            moved = {name: (root, source) for name, (of, source) in self._owners.items() if of == before}
            self._owners |= moved
            self.moved[before] = root
        if own is None:
            own = next((way for way in _ways(root) if all(self._is_free(way, (root, one)) for one in sources)), "")
        for source in sources:
            file = root, source
            prefix = self._prefixes.get(file)
            if prefix is None:
                prefix = next((way for way in (own, *_ways(root)) if self._is_free(way, file)), own)
                self._take(prefix, file)
            yield file, prefix

    def _is_free(self, prefix: str, file: FileName) -> bool:
        return self._owners.get(prefix + file[1], file) == file

    def _moved_from(self, root: str, sources: Sequence[str]) -> str | None:
        """The folder that this one was: nothing is left of it, half of the files of either have the name of one of the
        other, and half of these the size and time too; of a lone file the folder's name has to be the same as well.
        """
        wanted = frozenset(sources)
        found: list[tuple[int, str]] = []
        for before in self._stored.keys() - self.moved.keys() - {""}:
            shared = self._stored[before] & wanted
            is_half = shared and 2 * len(shared) >= max(len(wanted), len(self._stored[before]))
            is_named = len(shared) > 1 or PurePosixPath(before).name == PurePosixPath(root).name
            if is_half and is_named and is_gone(before):
                same = sum(self._is_same_file(before, root, source) for source in shared)
                found += [(-same, before)] if 2 * same >= len(shared) else []
        return min(found)[1] if found else None

    def _is_same_file(self, before: str, root: str, source: str) -> bool:
        stamp = self._stamps.get((before, source))
        return stamp is not None and stamp.has_size_and_time_of(path_of((root, source)))


def _prefix(key: str, source: str) -> str | None:
    """What stands in front of a file's name in the key of a document of it; None for an id of the document's own."""
    at = key.find(source) if source else -1
    while at >= 0:
        if key[:at][-1:] in ("", "/") and key[at + len(source) :][:1] in ("", "#"):
            return key[:at]
        at = key.find(source, at + 1)
    return None


def _ways(root: str) -> Iterator[str]:
    """What may stand in front of a folder's names: nothing, its own name, that with the one above, and so on."""
    parts = PurePosixPath(root).parts
    yield ""
    for start in range(len(parts) - 1, 0, -1):
        yield f"{'/'.join(parts[start:])}/"
