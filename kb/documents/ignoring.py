"""What a folder holds that is no document of a person's: what `.gitignore` names, what programs install and cache."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_INSTALLED = frozenset(("node_modules", "__pycache__"))
_MOST_BYTES = 200_000
_MOST_STARS = 12
_LONGEST = 500


class Ignoring:
    """Says what is left aside below a folder, and why; `everything` leaves nothing aside."""

    def __init__(self, *, everything: bool = False) -> None:
        self._everything = everything
        self._rules: dict[PurePath, GitIgnoreSpec | None] = {}

    def enter(self, folder: PurePath, path: Path) -> None:
        """Note the rules that a folder brings for what is below it; to be called before its entries are asked for."""
        self._rules[folder] = None if self._everything else _rules(path / ".gitignore")

    def reason(self, path: PurePath, entry: os.DirEntry[str]) -> str:
        """Why a file or folder is left aside; "" where it is not."""
        if self._everything:
            return ""
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and entry.name.startswith("."):
            return "a hidden folder"
        with suppress(OSError):  # a link that leads in a circle
            if entry.is_dir():
                if entry.name in _INSTALLED:
                    return "a folder that programs fill"
                if (Path(entry.path) / "pyvenv.cfg").is_file():
                    return "a virtual environment"
        return "named in .gitignore" if self._is_ignored(path, is_folder=is_folder) else ""

    def _is_ignored(self, path: PurePath, *, is_folder: bool) -> bool:
        """What the nearest folder says that says anything, as Git has it."""
        for folder in path.parents:
            rules = self._rules.get(folder)
            if rules is not None:
                name = path.relative_to(folder).as_posix()
                said = rules.check_file(f"{name}/" if is_folder else name).include
                if said is not None:
                    return said
        return False


def _rules(path: Path) -> GitIgnoreSpec | None:
    """The rules of a `.gitignore` file; None where there is none, or it cannot be read."""
    from pathspec import GitIgnoreSpec

    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    # Many stars in a pattern would take a time that grows with the power of their number.
    short = (line for line in lines if len(line) <= _LONGEST and line.count("*") < _MOST_STARS)
    return GitIgnoreSpec.from_lines(filter(_is_pattern, short))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        return bool(GitIgnoreSpec.from_lines([line]))
    except ValueError:
        return False
