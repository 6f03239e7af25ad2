"""What tells that a file, or a database on a server, has changed since."""

from __future__ import annotations

import os
from pathlib import Path

from kb.store.addresses import ServerAddress


def file_state(path: Path) -> tuple[int, ...]:
    """What changes when the file is written to or replaced; () where it is not there.

    A writer's log counts, an empty one is but a reader's trace. A server is asked for it.
    """
    if isinstance(path, ServerAddress):
        from kb.store.postgres.connecting import state_of

        return state_of(path)
    log = _log(path)
    try:
        file = path.stat()
        written = log.stat() if log.exists() else None
    except OSError:
        return ()
    in_log = (written.st_size, written.st_mtime_ns) if written and written.st_size else (0, 0)
    return file.st_ino, file.st_mtime_ns, file.st_size, *in_log


def has_log(path: Path) -> bool:
    """Whether a writer's log lies beside a file, with work that is not in the file itself."""
    if isinstance(path, ServerAddress):
        return False
    log = _log(path)
    return log.exists() and log.stat().st_size > 0


def _log(path: Path) -> Path:
    """Where SQLite keeps a writer's log: beside the file itself, not beside a link to it."""
    file = Path(os.path.realpath(path))
    return file.with_name(f"{file.name}-wal")
