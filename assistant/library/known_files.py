"""The knowledge bases that were used, as a list of the user's own, and the files that a typed path may become."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.shared.user_folders import state_folder
from assistant.shared.writing import replace_file
from kb.errors import UsageError, WriteError
from kb.store.addresses import place

SUFFIX = ".clew"
KEPT = 200
"""Files that are remembered; the ones used longest ago go."""
LISTED = 100
"""Paths that are offered at most; typing on finds the others."""


@dataclass(frozen=True, slots=True)
class Known:
    """A knowledge base that was used: when last, as ISO time in UTC, and how many passages it had, if that is known."""

    path: Path
    used: str
    passages: int | None
    is_there: bool


class Library:
    """The list in `library.json` of a folder, by default the user's. A file that holds no list reads as an empty one.

    Each change reads the file anew and replaces it at once, so that a kill leaves one or the other. Of two processes
    that change it in the same millisecond, one wins: it is a convenience, and no knowledge base is lost with it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or state_folder() / "library.json"

    def all(self) -> list[Known]:
        """What was used, the latest first; `is_there` is false where the file is gone."""
        return [
            Known(path, one["used"], one["passages"], path.is_file())
            for one in self._read()
            for path in (place(one["path"]),)
        ]

    def note(self, path: Path, passages: int | None = None) -> None:
        """Put a file on top, as used now. WriteError where the list cannot be written."""
        own = _absolute(path)
        used = datetime.now(UTC).isoformat(timespec="seconds")
        others = [one for one in self._read() if one["path"] != own]
        self._write([{"path": own, "used": used, "passages": passages}, *others][:KEPT])

    def drop(self, path: Path) -> None:
        """Take a file off the list, and nothing else. UsageError where it is not on it, WriteError as `note`."""
        own, listed = _absolute(path), self._read()
        others = [one for one in listed if one["path"] != own]
        if len(others) == len(listed):
            raise UsageError(f"{str(path)!r} is not in the library; clew library lists what is")
        self._write(others)

    def _read(self) -> list[dict[str, Any]]:
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return []
        listed = found.get("files") if isinstance(found, dict) else None
        return [one for one in listed if _is_entry(one)] if isinstance(listed, list) else []

    def _write(self, listed: Sequence[dict[str, Any]]) -> None:
        try:
            replace_file(self.file, (json.dumps({"files": listed}, ensure_ascii=True, indent=1) + "\n").encode())
        except OSError as error:
            raise WriteError(f"cannot write {str(self.file)!r} ({error.strerror or error})") from error


def _is_entry(one: object) -> bool:
    return (
        isinstance(one, dict)
        and isinstance(one.get("path"), str)
        and isinstance(one.get("used"), str)
        and isinstance(one.setdefault("passages", None), int | None)
    )


def _absolute(path: Path) -> str:
    return str(path.expanduser().resolve())


def typed_path(text: str) -> Path:
    """The path that was typed; "~" is the user's own folder. UsageError where that is not known."""
    try:
        return place(text.strip()).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{text[:80]!r}: there is no such user") from error


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file."""
    return _absolute(one) == _absolute(other)


def matching(known: Sequence[Known], words: str) -> list[Known]:
    """Those of `known` whose path has all of the words, in any case; a file's own name counts before its folder's."""
    wanted = words.casefold().split()
    found = [one for one in known if all(word in str(one.path).casefold() for word in wanted)]
    return sorted(found, key=lambda one: not all(word in one.path.name.casefold() for word in wanted))


def completed(text: str, suffixes: Sequence[str] = (SUFFIX,)) -> list[str]:
    """What the path `text` may become: folders, with a slash behind them, then files with one of the suffixes.

    As it was typed so far, "~" included. None of the hidden ones unless a dot is typed; none of what cannot be read.
    """
    folder, slash, start = text.rpartition("/")
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            found = [
                (not entry.is_dir(), entry.name)
                for entry in entries
                if entry.name.startswith(start) and entry.name.startswith(".") <= start.startswith(".")
                if entry.is_dir() or entry.name.casefold().endswith(tuple(suffixes))
            ]
    except (OSError, ValueError, RuntimeError):  # a folder that cannot be read, no path at all, no such user
        return []
    return [f"{folder}{slash}{name}{'' if is_file else '/'}" for is_file, name in sorted(found)[:LISTED]]
