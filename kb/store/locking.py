"""One writer at a time: who it is stands in a file beside the knowledge base, whose lock ends with its process."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from kb.errors import LockedFileError
from kb.store.addresses import ServerAddress

try:
    import fcntl
except ImportError:  # Windows, where SQLite's own lock has to do
    fcntl = None  # type: ignore[assignment]

SUFFIX = "-writer"
"""Behind the name of a knowledge base: the file that its writer holds, with its process id and the time."""


class WriterLock:
    """Held from when it is made until `release`, or until the process is gone.

    Where no file can be made beside the knowledge base nothing is locked, and nothing can be written there either.
    Raises LockedFileError, which says who writes.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.with_name(path.name + SUFFIX)
        self._descriptor: int | None = None
        while fcntl is not None:
            try:
                descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError:
                return
            if not _taken(descriptor):
                os.close(descriptor)
                raise _locked(path, self._file)
            if _is_at(descriptor, self._file):
                self._descriptor = descriptor
                with suppress(OSError):  # on a full disk nobody is told who writes; the lock holds all the same
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, f"{os.getpid()} {datetime.now():%Y-%m-%d %H:%M:%S}\n".encode())
                return
            os.close(descriptor)  # the one before has just let go, and its file is gone

    def release(self) -> None:
        """Let the next one write; may be called twice."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with suppress(OSError):  # a file that stays says nothing, as nobody holds it
                self._file.unlink(missing_ok=True)
            os.close(descriptor)


def refuse_second_writer(path: Path) -> None:
    """Raise LockedFileError where another process writes to `path`; nothing is made, nothing is changed."""
    if fcntl is None or isinstance(path, ServerAddress):  # a server tells when the writer opens it
        return
    file = path.with_name(path.name + SUFFIX)
    if not file.exists():
        return
    with suppress(OSError):
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        try:
            if not _taken(descriptor):
                raise _locked(path, file)
        finally:
            os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except OSError:
        return False


def _locked(path: Path, file: Path) -> LockedFileError:
    who = ""
    with suppress(OSError, ValueError):
        pid, _, since = file.read_text("ascii").strip().partition(" ")
        who = f", process {int(pid)} since {since}"
    return LockedFileError(
        f"{str(path)!r} is being written by another process{who}; try again when it has finished, or with --wait"
    )
