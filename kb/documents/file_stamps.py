"""What a file looks like: one that looks as it did when it was read holds the same, and is not read again."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path, PurePosixPath

_RACY_NS = 2_000_000_000
"""A file that changed so little before its stamp was taken may change again without looking different: file systems
tell times in steps, of up to two seconds.
"""


_LIBRARIES = (
    "beautifulsoup4", "docutils", "lxml", "markdown-it-py", "openpyxl", "pypdf", "python-docx", "python-pptx", "PyYAML",
)  # fmt: skip


FileName = tuple[str, str]
"""The root and the source of a file, as in documents."""


def path_of(file: FileName) -> str:
    """Where a file is."""
    return str(PurePosixPath(*file))


def is_gone(path: str) -> bool:
    """Whether nothing is there: what cannot be looked at may be."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file looked like just before it was read, and how many documents it gave."""

    file: FileName
    text: str
    settled: bool
    documents: int = 0

    def has_size_and_time_of(self, path: str) -> bool:
        """Whether a file has the size and the time of this one, as it has where this one was moved there."""
        try:
            seen = Path(path).stat()
        except (OSError, ValueError):
            return False
        return self.text.split()[-4:-2] == [str(seen.st_size), str(seen.st_mtime_ns)]


def take_stamp(path: Path, file: FileName, kind: str) -> Stamp | None:
    """The stamp of a file as it is now, None where it cannot be looked at; `kind` tells how it is read."""
    try:
        seen = path.stat()
    except (OSError, ValueError):
        return None
    text = f"{_reading()} {kind} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns} {seen.st_ino}"
    return Stamp(file, text, seen.st_mtime_ns + _RACY_NS < time.time_ns())


@lru_cache(maxsize=1)
def _reading() -> str:
    """What files are read by: another clew, or another library, may read the same bytes differently."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for path in (package / "records.py", *sorted((package / "documents").glob("*.py"))):
        digest.update(path.read_bytes())
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\n".encode())
    return digest.hexdigest()[:16]


def _version(library: str) -> str:
    """The version of a library, "none" where an extra has not been installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
