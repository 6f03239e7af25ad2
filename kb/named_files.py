"""Text files that the user names beside the documents: questions, results, plans, extractions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kb.errors import UsageError


def named_text(path: Path) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark; a shell's `<(…)` is read like a file.

    Raises UsageError where it cannot be read, is no UTF-8, or is a named pipe: nobody may ever write to that.
    """
    if _is_named_pipe(path):
        raise UsageError(f"{str(path)!r} is a named pipe; give a file, or <(…) of a shell")
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{str(path)!r} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def _is_named_pipe(path: Path) -> bool:
    """Whether a pipe has a name in the file system; those of a shell are only to be had by numbers, below /dev."""
    real = os.path.realpath(path)
    try:
        return stat.S_ISFIFO(os.lstat(real).st_mode) and not real.startswith("/dev/")
    except OSError:
        return False
