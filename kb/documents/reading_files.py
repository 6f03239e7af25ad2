"""Reading one file, or standard input, to its documents."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from kb.documents.chat_exports import people_of
from kb.documents.chat_text import read_txt
from kb.documents.code import CODE_READERS
from kb.documents.data_files import read_json
from kb.documents.extent import Extent
from kb.documents.file_types import ROW_READERS, SUFFIXES, is_named_by_folder, suffix_of
from kb.documents.formats import READERS
from kb.documents.plaintext import Content, Unreadable, decode, first_words, one_line, readable_name, without_title
from kb.documents.rows import Place, Row, looks_like_jsonl, read_jsonl
from kb.documents.unpacking import megabytes
from kb.records import Document, Link

MAX_BYTES = 50_000_000
"""Most bytes of a file that is read as one document. Where a line is a document, the line is limited instead."""

_MAX_USERS = 10_000_000

BARE = "source code without names and comments"

_EMPTY = "is empty"

_NO_TEXT = "has no text"


def is_bare(place: Place, error: Unreadable) -> bool:
    """Whether a file in a folder is source code without names and comments, as many an __init__.py is."""
    suffix = PurePath(place.source).suffix.lower()
    return place.in_folder and suffix in CODE_READERS and str(error) in (_EMPTY, _NO_TEXT)


def read_stdin(stdin: BinaryIO, place: Place) -> Iterator[Row]:
    """The documents of a stream: a line each where it is JSONL, else all of it as one text. Raises Unreadable."""
    with tempfile.SpooledTemporaryFile(max_size=MAX_BYTES) as spool:  # of any size, and can be read twice
        shutil.copyfileobj(stdin, spool)
        stream = cast(BinaryIO, spool)
        if looks_like_jsonl(stream):
            yield from read_jsonl(stream, place)
            return
        data = _limited(stream, "text")
    yield 0, _document(data, "text", read_txt, place)


def read_file(path: Path, place: Place, extent: Extent) -> Iterator[Row]:
    """The documents of a file, with the number of their line, 0 where the file is one document.

    `extent` is told how far it has been read. Raises Unreadable with the reason, and OSError.
    """
    suffix = suffix_of(path) or ("" if place.in_folder else ".txt")  # who names a file without a suffix means its text
    if suffix not in SUFFIXES:
        raise Unreadable(f"{suffix} files are not read: save it as one of {', '.join(SUFFIXES)}")
    if path.exists() and not path.is_file():
        raise Unreadable("is not a regular file: pipe it in and name -")
    with path.open("rb") as stream:
        if suffix in ROW_READERS:
            yield from extent.follow(stream, ROW_READERS[suffix](stream, place))
            return
        data = _limited(stream, suffix)
    extent.within = len(data)
    file_format, read = READERS[suffix]
    if suffix == ".json":
        read = partial(read_json, people=partial(_people_near, path, place))
    yield 0, _document(data, file_format, read, place)


def _people_near(path: Path, place: Place) -> dict[str, str]:
    """The names in the users.json of a Slack export, beside a file or in the folder above, within what is read."""
    for folder in (path.parent, path.parent.parent):
        users = folder / "users.json"
        with suppress(OSError, ValueError, RecursionError, Unreadable):
            real = users.resolve(strict=True)
            if real.is_relative_to(place.root) and real.is_file() and real.stat().st_size <= _MAX_USERS:
                return people_of(json.loads(decode(real.read_bytes())))
    return {}


def _limited(stream: BinaryIO, kind: str) -> bytes:
    size = stream.seek(0, os.SEEK_END)
    if size > MAX_BYTES:
        raise Unreadable(f"has {megabytes(size)}, over the limit of {megabytes(MAX_BYTES)} for {kind}: split it")
    stream.seek(0)
    data = stream.read(MAX_BYTES)
    if not data.strip():
        raise Unreadable(_EMPTY)
    return data


def _document(data: bytes, file_format: str, read: Callable[[bytes], Content], place: Place) -> Document:
    content = read(data)
    if not content.text:
        raise Unreadable(_NO_TEXT)
    title = content.title or (_file_title(place) if place.root else first_words(content.text))
    text = content.text if content.pages else without_title(content.text, title)
    cut = len(content.text) - len(text)  # of the beginning
    links = tuple(Link(one.start - cut, one.end - cut, one.target) for one in content.links if one.start >= cut)
    return Document(
        place.key,
        title or place.source,
        text,
        place.source,
        place.root,
        file_format,
        content.metadata,
        content.pages,
        links,
    )


def _file_title(place: Place) -> str:
    """A file's name in words, with its folder's where it tells little without, as a date alone does, which a diary or a
    chat is called.
    """
    path = PurePath(place.source)
    title = readable_name(path.stem)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", path.stem):
        return f"{readable_name(path.parent.name)} {path.stem}".strip()
    folder = folder_in_title(place)
    return f"{folder}: {title}" if folder else title


def folder_in_title(place: Place) -> str:
    """The name of a file's folder where every folder has a file of that name, whether others are read or not: the title
    is "mill: README". "" for other files.
    """
    path = PurePath(place.root, place.source)
    return one_line(path.parent.name) if is_named_by_folder(path.name) else ""
