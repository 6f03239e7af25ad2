"""Keeping a knowledge base equal to folders: one update for all changes that come together."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb.build import build
from kb.errors import LockedFileError, UsageError
from kb.store.embeddings import DEFAULT_MODEL, load_embedder
from kb.store.stamps import Stored

if TYPE_CHECKING:
    from watchfiles.main import FileChange

    from kb.build import BuildReport, Report

TOGETHER = 800
"""Milliseconds over which changes are one update at most, so that a folder in which much happens is not waited for."""
STILL = 100
"""Milliseconds without a change that end an update's changes."""
LOOK = 1000
"""Milliseconds after which it is looked whether a folder that was away is there again."""
RETRY = 0.5
"""Seconds between two attempts to write while another process does."""


@dataclass(frozen=True, slots=True)
class Update:
    """What an update did, in documents; `problems` are (path, reason) of what cannot be read and was not told yet."""

    added: int
    changed: int
    removed: int
    unchanged: int
    passages: int
    seconds: float
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def wrote(self) -> bool:
        """Whether the file holds something else than before."""
        return bool(self.added or self.changed or self.removed)

    def text(self) -> str:
        """One line for people, as in "3 changed, 1 removed · 0.4 s"."""
        counts = (("added", self.added), ("changed", self.changed), ("removed", self.removed))
        told = ", ".join(f"{count:,} {name}" for name, count in counts if count)
        return f"{told or 'nothing to do'} · {self.seconds:.1f} s"


class Watcher:
    """Keeps the file at `path` equal to `folders` until `stop` is set: `begin`, then `follow`.

    `tell` gets each update that did something or met something unreadable; `note` gets a line about what is waited for,
    once for each reason. Making one opens nothing.
    """

    def __init__(
        self, folders: Sequence[str], path: Path, tell: Callable[[Update], None], note: Callable[[str], None]
    ) -> None:
        self.stop = threading.Event()
        self.updating = False
        self._folders = folders
        self._path = path
        self._tell = tell
        self._note = note
        self._model = DEFAULT_MODEL
        self._told: set[tuple[str, str]] = set()
        self._trouble = ""

    def begin(self, progress: Report | None = None) -> Update:
        """Build. Raises UsageError for what is no folder, or where none has documents, and BadFileError."""
        for folder in self._folders:
            if not Path(folder).is_dir():
                raise UsageError(f"{folder!r} is not a folder; name the folders that are to be watched")
        self._model = Stored.read(self._path).meta.get("embedding_model", DEFAULT_MODEL)
        return self._build(progress)

    def follow(self) -> None:
        """Watch until `stop` is set. Raises UsageError where that cannot be, BadFileError."""
        self._warm_up()
        while not self.stop.is_set():
            self._follow()

    def _follow(self) -> None:
        """Update at every change, until `stop` is set, or a folder was away or replaced and has to be watched anew."""
        begun_with, caught_up = self._identities(), False
        for changes in self._changes():
            now = self._identities()
            is_another = now != begun_with or self._has_gone(changes)
            # What changed before the watch began is no change to it.
            if changes or self._trouble or is_another or not caught_up:
                was_away, caught_up = bool(self._trouble), True
                self._update()
                if (was_away or is_another) and not self._trouble:
                    return

    def _identities(self) -> list[tuple[int, int] | None]:
        """What tells each folder from another one in its place; None where there is none."""
        return [_identity(folder) for folder in self._folders]

    def _has_gone(self, changes: set[FileChange]) -> bool:
        """Whether a folder has gone, though there is one in its place, with its identity even: a system gives those
        that are free again.
        """
        folders = {os.path.realpath(folder) for folder in self._folders}
        return any(change.name == "deleted" and path in folders for change, path in changes)

    def _update(self) -> None:
        self.updating = True
        try:
            update = self._build()
        except UsageError as error:  # a folder is away, or empty: its documents stay until it is there again
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._note(f"{error}; the knowledge base stays as it is")
            return
        finally:
            self.updating = False
        self._trouble = ""
        if update.wrote or update.problems:
            self._tell(update)

    def _build(self, progress: Report | None = None) -> Update:
        started, waiting = time.perf_counter(), False
        while True:
            try:
                report = build(self._folders, self._path, model=self._model, progress=progress)
                return self._as_update(report, time.perf_counter() - started)
            except LockedFileError:
                if self.stop.is_set():
                    raise
                if not waiting:
                    self._note(f"waiting, as {str(self._path)!r} is being written by another process")
                    waiting = True
            self.stop.wait(RETRY)

    def _as_update(self, report: BuildReport, seconds: float) -> Update:
        problems = {(one.path, one.reason) for one in report.problems}
        new, self._told = problems - self._told, problems
        return Update(
            report.added, report.changed, report.removed, report.unchanged, report.passages, seconds,
            tuple(sorted(new)),
        )  # fmt: skip

    def _warm_up(self) -> None:
        """Load what embeds, which takes seconds, before a change waits for it."""
        embedder = load_embedder(self._model)
        embedder.count_tokens(["ready"])
        embedder.embed_passages(["ready"], [[(0, 5)]])

    def _changes(self) -> Iterator[set[FileChange]]:
        """What changed, each time that something did; nothing, when nothing has for a while."""
        import watchfiles
        from watchfiles._rust_notify import WatchfilesRustInternalError

        paths = [os.path.realpath(folder) for folder in self._folders]
        try:
            yield from watchfiles.watch(
                *paths,
                watch_filter=lambda _, path: self._matters(path, paths),
                debounce=TOGETHER,
                step=STILL,
                rust_timeout=LOOK,
                yield_on_timeout=True,
                stop_event=self.stop,
                raise_interrupt=True,
                ignore_permission_denied=True,
            )
        except (OSError, WatchfilesRustInternalError) as error:
            raise UsageError(
                f"the folders cannot be watched ({error}); with many folders raise the system's limit of watches, "
                "or set WATCHFILES_FORCE_POLLING=1"
            ) from error

    def _matters(self, path: str, folders: Sequence[str]) -> bool:
        """Whether a change at `path` may be one of documents: not in what is hidden, nor the knowledge base itself."""
        own = os.path.realpath(self._path)
        if path in (own, *(f"{own}-{log}" for log in ("wal", "shm", "journal", "writer"))):
            return False
        below = min(
            (os.path.relpath(path, folder) for folder in folders if _is_below(path, folder)), key=len, default=""
        )
        return not any(part.startswith((".", "~$")) for part in Path(below).parts)


def _is_below(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        found = Path(folder).stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None
