"""What can go wrong for a user, as one tree.

    ClewError                   anything that is told to the user in one line
    ├── UsageError              the command or its arguments are wrong                      exit 2
    ├── SourceError             a document cannot be read; the others are not affected      exit 2
    ├── BadFileError            a knowledge base cannot be used, or its server              exit 3
    │   ├── NotAKnowledgeBase   missing, or some other kind of file
    │   ├── NewerFileError      written by a newer clew
    │   ├── DamagedFileError    truncated or corrupt
    │   ├── LockedFileError     another process is writing to it
    │   ├── WrongModelError     built with another embedding model than the one at hand
    │   └── WriteError          read-only, or the disk is full
    ├── ModelFailure            a language model cannot be reached, or misbehaves           exit 4
    └── ClusterFailure          a cluster to build on cannot be reached, or fails           exit 4

Exit 0 is an answer and exit 1 is an honest "not found in this knowledge base".
"""

from __future__ import annotations


class ClewError(Exception):
    """Base of all errors that a user can cause or meet; `str()` is one line for them."""

    exit_code = 2


class UsageError(ClewError):
    """The command or an argument is wrong."""


class SourceError(ClewError):
    """One document cannot be read. `path` names it as the user did."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class BadFileError(ClewError):
    """A knowledge base cannot be used as asked."""

    exit_code = 3


class NotAKnowledgeBase(BadFileError):
    """The path is missing, or it holds something else."""


class NewerFileError(BadFileError):
    """The file's schema is newer than this clew knows."""


class DamagedFileError(BadFileError):
    """The file is truncated or corrupt."""


class LockedFileError(BadFileError):
    """Another process holds the file for writing."""


class WrongModelError(BadFileError):
    """The file's vectors come from another embedding model."""


class WriteError(BadFileError):
    """The file or its disk refuses to be written."""


class ModelFailure(ClewError):
    """A language model cannot be reached or does not keep to the protocol."""

    exit_code = 4


class ClusterFailure(ClewError):
    """A cluster that a build is to run on cannot be reached, does not fit this clew, or has given up a task."""

    exit_code = 4
