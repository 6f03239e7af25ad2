"""Which files are read, told by their names."""

from __future__ import annotations

import mimetypes
import re
from pathlib import PurePath

from kb.documents.formats import READERS
from kb.documents.mail import read_mbox
from kb.documents.rows import read_csv, read_jsonl

ROW_READERS = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".mbox": read_mbox,
}

SUFFIXES = (*READERS, *ROW_READERS)
"""The file name suffixes that are read."""

_TEXT_NAMES = frozenset(
    "authors bugs changelog changes contributing copying copyright credits faq hacking history install licence license "
    "news notes notice porting readme release security thanks todo upgrade upgrading".split()
)
"""What files are called that are text whatever their names end in: README, INSTALL.unix, README.Debian, less-NEWS."""

_TYPES = mimetypes.MimeTypes()
"""The endings that are those of other files, the same on every machine: lists of a system name nearly every ending."""

_FOR_PEOPLE = re.compile(
    r"(?!(?:CODEOWNERS|ENTRIES|HEAD|INSTALLER|LOCK|METADATA|RECORD|ROOT|WHEEL)$)[A-Z]{2,}(?:[-_][A-Z]+)*"
)
"""A whole name in capitals is, by an old habit, a text to be read first: MAILING-LIST, PKG-INFO, ABOUT; not what
programs write for themselves.
"""


def suffix_of(path: PurePath) -> str:
    """The suffix that says how a file is read: its name's, or ".txt" for what is called as texts without one are."""
    suffix = path.suffix.lower()
    words = re.split(r"[^a-z]+", path.name.lower())
    is_called_so = words[0] in _TEXT_NAMES or words[-1] in _TEXT_NAMES
    is_text = suffix not in SUFFIXES and is_called_so and _TYPES.guess_type(path.name) == (None, None)
    return ".txt" if is_text or _FOR_PEOPLE.fullmatch(path.name) else suffix


def is_named_by_folder(name: str) -> bool:
    """Whether every folder has a file of that name, so that it tells little without its folder's: README, index."""
    return name.split(".")[0].lower() in _TEXT_NAMES | {"index"} or _FOR_PEOPLE.fullmatch(name) is not None
