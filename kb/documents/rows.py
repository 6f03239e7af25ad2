"""Readers of JSON Lines and CSV: a document a line or row, streamed, so that a file may be of any size.

A line or row that cannot be read is a `SourceError` of its own; those around it are read all the same.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, BinaryIO

from kb.documents.csv_dialect import SAMPLE, delimiter_of, named_delimiter, title_lines
from kb.documents.plaintext import (
    Unreadable,
    clean,
    decode,
    first_words,
    one_line,
    readable_key,
    readable_name,
    without_title,
)
from kb.documents.table_shape import counts_rows, is_in_words, is_transposed, key_values, row_record, turned
from kb.errors import SourceError
from kb.records import Document

MAX_ROW = 5_000_000
"""Most bytes of one line or row: a thousand pages. More is a missing line end or quotation mark rather than a text."""

_SHORT = 60
"""Rows, of a thousand characters, up to which a CSV file is looked at as a whole: a thing has no more properties."""

_SHORT_VALUE = 100
"""Characters up to which what stands beside a text in a row or an object is a fact, and not another text."""

_REPEATED, _APART = 0.5, 0.8
"""Share of the rows that a column tells apart above which its cells name them, and from which another's do instead."""

_BESIDE = frozenset("note notes remark remarks comment comments source sources reason details description why".split())

_MAX_NESTING = 50
"""Levels of lists and objects in metadata; Python's JSON writer fails near a thousand."""

csv.field_size_limit(MAX_ROW)  # of the process: its own default of 131,072 characters is less than a long chapter


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file is: as the user named it, and as documents name it, `source` below the folder `root`.

    `prefix` stands in front of it in the keys of documents where another folder has a file of that name.
    """

    shown: str
    source: str
    root: str
    in_folder: bool = False
    prefix: str = ""

    @property
    def key(self) -> str:
        """The key of the file's document, or what those of its documents begin with."""
        return f"{self.prefix}{self.source}"


Row = tuple[int, Document | SourceError]
"""The number of the line, from 1, with what it holds."""

_CsvRow = tuple[int, list[str] | Unreadable]


def read_jsonl(file: BinaryIO, place: Place) -> Iterator[Row]:
    """A document for each line: an object with "text", and perhaps "id" and "title"; other keys are metadata."""
    found = False
    for number, line in _lines(file):
        try:
            if isinstance(line, Unreadable):
                raise line
            if line.strip():
                found = True
                yield number, _from_object(line, number, place)
        except Unreadable as error:
            found = True
            yield number, SourceError(place.shown, f"line {number}: {error}")
    if not found:
        raise Unreadable("is empty")


def looks_like_jsonl(file: BinaryIO) -> bool:
    """Whether the first line with text begins like a JSON object, and one of the first ten is one. Rewinds the file."""
    file.seek(0)
    head = [line for line in (file.readline(MAX_ROW) for _ in range(100)) if line.strip()][:10]
    file.seek(0)
    return bool(head) and head[0].lstrip(b"\xef\xbb\xbf \t").startswith(b"{") and any(map(_is_object, head))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _from_object(line: str, number: int, place: Place) -> Document:
    try:
        # NaN and Infinity are Python's own addition to JSON; as null they stay readable for others.
        record = _plain(json.loads(line.rstrip(), parse_constant=lambda _: None))
    except json.JSONDecodeError as error:
        fault = f"{error.msg.removesuffix(' at')} at column {error.colno}"
        raise Unreadable(f"is not JSON ({fault}): write one object a line") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("has too long a number or too many levels") from error
    if not isinstance(record, dict):
        raise Unreadable(f'is {_named(record)}, not an object: write {{"id": ..., "title": ..., "text": ...}}')
    text = record.pop("text", None)
    if not isinstance(text, str):
        raise Unreadable(f'needs "text" with a string, but has {_named(text)}')
    if not text.strip():
        raise Unreadable('has an empty "text"')
    # Numbers are told as they are written: 1.50 is no 1.5, and an id may have more digits than a number keeps.
    written = _plain(json.loads(line.rstrip(), parse_float=str, parse_int=str, parse_constant=lambda _: None))
    identity, title = _scalar(written.get("id"), "id"), _scalar(written.get("title"), "title")
    record = {key: value for key, value in record.items() if key not in ("id", "title")}
    beside = {key: written[key] for key in record if isinstance(written[key], str) and written[key]}
    text = _with_values(text, beside)
    return _document(place, "jsonl", identity or f"{place.key}#{number}", title, text, record)


def _plain(value: Any, level: int = 0) -> Any:
    """`value` with every string cleaned. Raises ValueError where it is nested too deeply."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (dict, list)) and level > _MAX_NESTING:
        raise ValueError
    if isinstance(value, dict):
        return {clean(key): _plain(item, level + 1) for key, item in value.items()}
    return [_plain(item, level + 1) for item in value] if isinstance(value, list) else value


def _scalar(value: object, key: str) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if not isinstance(value, str):
        raise Unreadable(f'needs "{key}" with a string or a number, but has {_named(value)}')
    return one_line(value)


def _named(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")


def _document(place: Place, file_format: str, key: str, title: str, text: str, metadata: Mapping[str, Any]) -> Document:
    text = text.strip()
    title = title or first_words(text) or key
    text = without_title(text, title)
    return Document(key, title, text, place.source, place.root, file_format, metadata)


def read_csv(file: BinaryIO, place: Place) -> Iterator[Row]:
    """A document for each row below the header. Columns "id", "title" or "name", and "text" have their meaning.

    In a short file, columns may be what has a document each, or all rows tell of one thing (`table_shape.py`).
    """
    lines = _RowLines(file)
    delimiter = "\t" if place.source.lower().endswith(".tsv") else lines.guess_delimiter()
    columns: list[str] = []
    found = False
    rows = _csv_rows(lines, delimiter)
    first = list(_opening(rows))
    first = first[title_lines([cells for _, cells in first]) :]
    whole = [cells for _, cells in first if not isinstance(cells, Unreadable) and any(cells)]
    rest = next(rows, None)
    if 1 < len(whole) == len(first) and rest is None:
        if pairs := key_values(whole[0], whole[1:]):
            yield first[0][0], _from_pairs(pairs, place)
            return
        if is_transposed(whole[0], whole[1:]):
            header, things = turned(whole[0], whole[1:])
            first = list(enumerate([[header[0] or "Name", *header[1:]], *things], first[0][0]))
    naming = _naming_column([cells for _, cells in first if not isinstance(cells, Unreadable)])
    for number, cells in chain(first, [rest] if rest else [], rows):
        try:
            if isinstance(cells, Unreadable):
                raise cells
            if not columns:
                columns = _column_names(cells)
                continue
            found = True
            if any(cells):
                yield number, _from_row(columns, cells, number, place, naming)
        except Unreadable as error:
            if not columns:  # without its header, no row can be understood
                raise Unreadable(f"line {number}: {error}") from error
            found = True
            yield number, SourceError(place.shown, f"line {number}: {error}")
    if not found:
        raise Unreadable("has a header and no rows" if columns else "is empty")


def _opening(rows: Iterator[_CsvRow]) -> Iterator[_CsvRow]:
    """The first rows, as far as they are short: more would be held for nothing."""
    size = 0
    for row in islice(rows, _SHORT):
        yield row
        size += 0 if isinstance(row[1], Unreadable) else sum(map(len, row[1]))
        if size > _SHORT * 1000:
            return


def _from_pairs(pairs: Sequence[tuple[str, str]], place: Place) -> Document:
    """A file of keys and values as a document: of its "title" or "name", or of what the file is called."""
    named = {key.casefold(): value for key, value in reversed(pairs)}
    title = one_line(named.get("title") or named.get("name") or readable_name(PurePath(place.source).stem))
    text = "\n".join(f"{readable_key(key)}: {value}" if key else value for key, value in pairs)
    return _document(place, "csv", place.key, title, text, {})


def _csv_rows(lines: _RowLines, delimiter: str) -> Iterator[_CsvRow]:
    while True:
        lines.row.clear()
        try:
            # Strict, as otherwise a missing quotation mark swallows the rest of the file in silence.
            cells = next(csv.reader(lines, delimiter=delimiter, strict=True))
        except StopIteration:
            return
        except Unreadable as error:
            yield lines.fail(), error
        except csv.Error as error:
            yield lines.fail(), Unreadable(f"is not CSV ({error}): check its quotation marks")
        else:
            yield lines.row[0][0], [clean(cell).strip() for cell in cells]


class _RowLines(Iterator[str]):
    """Lines for a csv.reader, which may take several for a row, with what it takes to go on behind a faulty one."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = _lines(file)
        self._again: list[tuple[int, str | Unreadable]] = []
        self._size = 0
        self.row: list[tuple[int, str | Unreadable]] = []

    def guess_delimiter(self) -> str:
        """The delimiter of the file, of which a line that names it is passed over. Raises Unreadable if no line has
        text.
        """
        opening: list[tuple[int, str | Unreadable]] = []
        size = 0
        for number, line in self._lines:
            text = "" if isinstance(line, Unreadable) else line
            if isinstance(line, Unreadable) and not opening:
                raise line
            if not opening and (named := named_delimiter(text)):
                return named
            if opening or text.strip():
                opening.append((number, line))
                size += len(text)
            if len(opening) >= SAMPLE or size > _SHORT * 1000:
                break
        if not opening:
            raise Unreadable("is empty")
        self._again += reversed(opening)
        return delimiter_of([line for _, line in opening if isinstance(line, str)])

    def fail(self) -> int:
        """The number of the line at which the row began. The lines after that one are read once more, as rows."""
        self._again += reversed(self.row[1:])
        return self.row[0][0]

    def __next__(self) -> str:
        self.row.append(self._again.pop() if self._again else next(self._lines))
        line = self.row[-1][1]
        if isinstance(line, Unreadable):
            if len(self.row) > 1:
                raise csv.Error("a quotation mark is not closed")
            raise line
        self._size = len(line) + (self._size if len(self.row) > 1 else 0)
        if self._size > MAX_ROW:
            raise csv.Error(f"over the limit of {MAX_ROW / 1e6:g} MB a row")
        return line


def _column_names(cells: list[str]) -> list[str]:
    names: dict[str, None] = {}  # in order, and quick to look up: a table may have tens of thousands of columns
    for number, cell in enumerate(cells, 1):
        name = one_line(cell) or f"column {number}"
        while name in names:
            name = f"{name} {number}"
        names[name] = None
    return list(names)


def _from_row(columns: list[str], cells: list[str], number: int, place: Place, naming: int) -> Document:
    if any(cells[len(columns) :]):
        raise Unreadable(f"has {len(cells)} values for {len(columns)} columns: quote those that hold the delimiter")
    values = {name: cell for name, cell in zip(columns, cells, strict=False) if cell}
    known = {name.lower(): name for name in reversed(columns)}
    identity = values.pop(known.get("id", ""), "")
    is_own = identity and not place.in_folder and not place.prefix
    key = identity if is_own else f"{place.key}#{identity or number}"
    title_column = next((known[name] for name in ("title", "name") if known.get(name) in values), "")
    if "text" in known:
        text = values.pop(known["text"], "")
        if not text:
            raise Unreadable(f"has an empty {known['text']!r}")
    else:
        text = ""
    if not title_column and naming < len(columns) and columns[naming] in values:
        title_column = columns[naming]
    title_column = title_column or _first_worded(values)
    title = one_line(values.get(title_column, ""))
    beside = {name: value for name, value in values.items() if name != title_column}
    if text:
        text = _with_values(text, beside)
    else:
        about = columns.index(title_column) if title_column else None
        text = row_record([*map(readable_key, columns)], cells, about)
    if title_column.lower() in ("title", "name"):
        del values[title_column]
    return _document(place, "csv", key, title, text, values)


def _with_values(text: str, values: Mapping[str, str]) -> str:
    """A text, and below it the short values beside it: "Country: Scotland"."""
    short = [
        f"{readable_key(name)}: {one_line(value)}"
        for name, value in values.items()
        if value.strip() and len(value) <= _SHORT_VALUE and "://" not in value
    ]
    return "\n".join([f"{text.rstrip()}\n", *short]) if short else text


def _naming_column(opening: Sequence[Sequence[str]]) -> int:
    """The first column that has words in most of the rows below the header, no mere codes ("M9") where there is one: a
    row whose own cell there looks like a code ("tea 62") is still called by it. Past all columns for none.

    Where its cells come again and again ("type", "on duty"), the first of all if that tells the rows apart (a code, a
    week, a day) and does not count them, else another in words that does.
    """
    header, rows = opening[0] if opening else (), [row for row in opening[1:] if any(row)]
    first = _columns_of(header, rows, is_in_words) or _columns_of(header, rows, _has_letters)
    if not first or _tells_apart(rows, first[0]) > _REPEATED:
        return first[0] if first else len(header)
    if not counts_rows(header[0]) and _tells_apart(rows, 0) == 1:
        return 0
    worded = _columns_of(header, rows, _is_in_mere_words)
    return next((at for at in worded if not _is_beside(header[at]) and _tells_apart(rows, at) >= _APART), first[0])


def _columns_of(header: Sequence[str], rows: Sequence[Sequence[str]], is_name: Callable[[str], bool]) -> list[int]:
    """The columns of which most rows have such a cell, in their order."""
    return [
        at
        for at, name in enumerate(header)
        if 2 * sum(is_name(row[at]) for row in rows if at < len(row)) > len(rows)
        and name.strip().lower() not in ("id", "text")
    ]


def _is_in_mere_words(cell: str) -> bool:
    return is_in_words(cell) and not re.search(r"\d", cell)


def _is_beside(name: str) -> bool:
    """Whether what stands in a column of this name is said about the rows and names none."""
    return any(word in _BESIDE for word in re.findall(r"[^\W_]+", name.lower()))


def _tells_apart(rows: Sequence[Sequence[str]], at: int) -> float:
    """The share of the rows that have a cell there which no other has."""
    cells = [row[at].strip().lower() for row in rows if at < len(row) and row[at].strip()]
    return len(set(cells)) / len(rows) if rows else 0.0


def _has_letters(cell: str) -> bool:
    return re.search(r"[^\W\d_]", cell) is not None


def _first_worded(values: Mapping[str, str]) -> str:
    """The first column with letters, one that is no mere code where there is one."""
    worded = [name for name, value in values.items() if _has_letters(value)]
    return next((name for name in worded if is_in_words(values[name])), worded[0] if worded else "")


def _lines(file: BinaryIO) -> Iterator[tuple[int, str | Unreadable]]:
    """Numbered lines of a file, each decoded by itself. Raises Unreadable where the file as a whole is binary."""
    read = _line_reader(file)
    number = 0
    while line := read(MAX_ROW + 1):
        number += 1
        if len(line) > MAX_ROW:
            while line and not line.endswith(b"\n"):
                line = read(MAX_ROW + 1)
            yield number, Unreadable(f"is longer than {MAX_ROW / 1e6:g} MB: split it")
            continue
        try:
            yield number, decode(line)
        except Unreadable as error:
            yield number, error


def _line_reader(file: BinaryIO) -> Callable[[int], bytes]:
    """`file.readline`, in UTF-8 if the file is in UTF-16. The file must be seekable."""
    head = file.read(4096)
    file.seek(0)
    if not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        if b"\0" in head:
            raise Unreadable("is binary, not text")
        return file.readline
    wide = _Lent(file, encoding="utf-16", errors="replace", newline="\n")
    return lambda limit: wide.readline(limit).encode()


class _Lent(io.TextIOWrapper):
    """Text of a file that stays open when nobody reads it as text any more."""

    def __del__(self) -> None:
        with contextlib.suppress(ValueError):
            self.detach()
