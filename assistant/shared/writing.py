"""Writing files so that a kill at any moment leaves the old one or the new one, and never a part."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from kb.errors import UsageError, WriteError
from kb.private_folders import make_private_folder


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` in the place of what `path` holds, in one step. Raises OSError.

    A new file is its owner's alone; the mode of an old one stays.
    """
    make_private_folder(path.parent)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_new(path: Path, text: str | bytes) -> None:
    """Write a file that is not there yet, whole or not at all.

    Raises UsageError where there is one, WriteError where it cannot be written.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            with part.open("xb") as file:
                file.write(text.encode("utf-8", "replace") if isinstance(text, str) else text)
                file.flush()
                os.fsync(file.fileno())
            _put_in_place(part, path)
        finally:
            part.unlink(missing_ok=True)
    except FileExistsError as error:
        raise UsageError(f"{str(path)!r} is there already; name another file, or delete it") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WriteError(f"cannot write {str(path)!r} ({reason})") from error


def _put_in_place(part: Path, path: Path) -> None:
    """Give `part` its name, which nothing may have."""
    try:
        os.link(part, path)  # unlike a rename, this never takes the place of another file
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError from None
        part.rename(path)
