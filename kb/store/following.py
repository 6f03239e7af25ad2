"""Telling that another process has changed a file that is open to read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kb.errors import BadFileError
from kb.store.addresses import ServerAddress
from kb.store.file_state import file_state

if TYPE_CHECKING:
    from kb.store.stamps import Stored

PATIENCE = 10
"""Looks at a file that stays as it is after which a build that has not come to its end counts as stopped."""


class FileWatch:
    """Compares a file with what it was when it was opened. For one thread at a time; making one looks at nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: tuple[int, ...] = ()
        self._seen: tuple[int, ...] = ()
        self._looks = 0
        self._documents: Mapping[str, str] = {}
        self._told: Mapping[str, str] = {}

    def opening(self) -> None:
        """Take the file as it is now for what is known of it: call this before it is opened."""
        self._state = file_state(self._path)
        try:
            self._documents = self._digests(_stored(self._path)[0])
        except BadFileError:  # who opens it is told
            self._documents = {}
        self._told = self._documents

    def look(self) -> bool:
        """Whether the file is another one than at the last look, or at `opening`, and nobody is in the middle of
        writing it. It is then to be opened again.
        """
        state = file_state(self._path)
        if not state or state == self._state:
            return False
        self._looks = self._looks + 1 if state == self._seen else 0
        self._seen = state
        try:
            stored, is_finished = _stored(self._path)
        except BadFileError:  # as it is being written, or replaced by a copy
            return False
        if not is_finished and self._looks < PATIENCE:
            return False
        self._state, self._documents = state, self._digests(stored)
        return True

    def is_lost(self) -> bool:
        """Whether the file was there, and is no more; of a server, which may be out of reach, that is not told."""
        return bool(self._state) and not isinstance(self._path, ServerAddress) and not self._path.exists()

    def forget(self) -> None:
        """Have the next look find the file changed, as it could not be opened after the last one."""
        self._state = ()

    @property
    def changed(self) -> int:
        """How many documents are new, others or gone since `told`, or since `opening`."""
        before, now = self._told, self._documents
        return sum(before.get(key) != now.get(key) for key in before.keys() | now.keys())

    def told(self) -> None:
        """Count changes from here on."""
        self._told = self._documents

    def _digests(self, stored: Stored) -> dict[str, str]:
        return {key: one.digest for key, one in stored.documents.items()}


def _stored(path: Path) -> tuple[Stored, bool]:
    """What the file holds, and whether the build that wrote it has come to its end.

    Imported where it is needed: what draws the chat has no use for what reads the file.
    """
    from kb.store.stamps import FINISHED, Stored

    stored = Stored.read(path)
    return stored, stored.meta.get(FINISHED) != "0"
