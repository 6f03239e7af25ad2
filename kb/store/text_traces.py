"""Where a text still stands: in tables, indexes, free pages and logs of a knowledge base, and in files.

Bytes are looked through as they are, without being decoded: free pages and logs are no text. What a text may look like
there, in any case, accents in one character or two, or escaped by JSON, is in the pattern that is searched for.
"""

from __future__ import annotations

import gzip
import json
import re
import struct
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

import sqlite_utils

from kb.name_keys import name_key
from kb.store.sqlite import open_reader, translated

_BLOCK = 4_000_000
"""Bytes of a file that are looked through at once."""

_LONGEST = 20_000
"""Bytes that a match may have, more than any name takes: blocks of a file overlap by so many."""

_MOST_GAP = 200
"""Characters of white space that two words may be apart: the end of a line, and what the next is indented by."""

_LAST_WITH_CASE = 0x1FFFF
"""No script behind it has small and large letters."""

_LOG = "log that is still to be written back: the file holds what it replaces"
"""What a log is a trace of, whatever it holds."""

_WORD = re.compile(r"\w+")
_SIGN = r"[^\w\s$€£%+&.,;:!?…'’\"“”„‘()\[\]–—-]"
_SIGNED = re.compile(rf"{_SIGN}(?!\w)|(?<!\w){_SIGN}|(?<!\S)\.(?=\w)")
"""Signs of a name that its key has not: "C#" is not "c", ".NET" not "net", and "@ana" not everybody called so."""
_OF_ITS_ROWS = re.compile(r"content(_rowid)?\s*=\s*'(\w+)'\s*,\s*")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Trace:
    """A place that holds a text, and how often."""

    place: str
    count: int
    unit: str

    def text(self) -> str:
        """As in "passages.text: 2 rows"."""
        return f"{self.place}: {self.count:,} {self.unit}{'' if self.count == 1 else 's'}"


def traces_of(path: Path, text: str, own: Path | None = None) -> list[Trace]:
    """The places that hold `text`: in the file at `path`, in the log beside it, and in all files below `own`, of which
    gzipped ones are unpacked. Its case does not count, nor which white space is between its words. [] where nothing
    holds it, and for a text without letters and digits. Signs count: what holds "c" does not hold "C#". What may hold
    anything is a trace as well: a file that cannot be read to its end, free pages that were not overwritten, on which a
    text may lie in parts, and a log, as what it is to replace is still in the file, in parts perhaps.

    It only reads. Raises BadFileError for a file that cannot be used.
    """
    if not any(map(str.isalnum, text)):
        return []
    pattern = _pattern(text)
    database = open_reader(path)
    try:
        with translated(path):
            _register(database, pattern)
            found = [*_in_tables(database), *_in_indexes(database, text)]
            free = _free_pages(database, path)
            size = int(database.execute("PRAGMA page_size").fetchone()[0])
    finally:
        database.close()
    found += _not_overwritten(path, free, size)
    with path.open("rb") as file:
        places = Counter("free page" if at // size + 1 in free else "page" for at in _places(file, pattern))
    if places["free page"]:
        found.append(Trace(f"{path.name}, free pages", places["free page"], "free page"))
    if places["page"]:
        found.append(Trace(f"{path.name}, bytes of pages in use", places["page"], "place"))
    beside = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    found += [Trace(log.name, 1, _LOG) for log in beside if log.is_file() and log.stat().st_size]
    for file in [*beside, *(sorted(own.rglob("*")) if own else ())]:
        if file.is_file():
            found += _in_file(file, pattern, str(file) if own in file.parents else file.name)
    return found


def _pattern(text: str) -> re.Pattern[bytes]:
    """What the text may stand there as: as it is, and as a name's key, which has no accents and not all signs."""
    written = (text,) if _SIGNED.search(text) else (text, name_key(text))
    forms = {" ".join(unicodedata.normalize("NFC", one).casefold().split()) for one in written} - {""}
    return re.compile(b"|".join(map(_any_form, sorted(forms, key=len, reverse=True))))


def _any_form(folded: str) -> bytes:
    """A pattern for all that `folded`, case-folded and with single spaces, may be written as."""
    kinds = _same_when_folded()
    parts, at = [], 0
    while at < len(folded):
        if folded[at] == " ":
            spaces = b"|".join(_written(char) for char in kinds[" "])
            parts.append(b"(?:%s){1,%d}" % (spaces, _MOST_GAP))
            at += 1
            continue
        # Some characters fold into several: ß into ss.
        several = next((part for end in (3, 2) if len(part := folded[at : at + end]) == end and part in kinds), "")
        one_by_one = b"".join(_char(char, kinds) for char in several or folded[at])
        parts.append(b"(?:%s)" % b"|".join((*map(_written, kinds[several]), one_by_one)) if several else one_by_one)
        at += len(several) or 1
    return b"".join(parts)


def _char(folded: str, kinds: Mapping[str, tuple[str, ...]]) -> bytes:
    forms = [unicodedata.normalize(form, char) for char in (folded, *kinds.get(folded, ())) for form in ("NFC", "NFD")]
    return b"(?:%s)" % b"|".join(b"".join(map(_written, one)) for one in dict.fromkeys(forms))


def _written(char: str) -> bytes:
    """A pattern for a character in UTF-8, or as JSON escapes it, also in JSON within JSON."""
    plain = re.escape(char.encode("utf-8", "replace"))
    escaped = json.dumps(char)[1:-1]
    if escaped == char:
        return plain
    units = [re.escape(part.encode()) for part in escaped.split("\\") if part] or [b""]
    return b"(?:%s|%s)" % (plain, b"".join(rb"\\{1,16}(?i:%s)" % unit for unit in units))


@lru_cache(maxsize=1)
def _same_when_folded() -> Mapping[str, tuple[str, ...]]:
    """The characters that fold into the same, by what they fold into; all white space by a space."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for char in map(chr, range(_LAST_WITH_CASE + 1)):
        if char.isspace():
            kinds[" "].append(char)
        elif (folded := char.casefold()) != char:
            kinds[folded].append(char)
    return {folded: tuple(chars) for folded, chars in kinds.items()}


def _register(database: sqlite_utils.Database, pattern: re.Pattern[bytes]) -> None:
    """Let SQL ask whether a value `holds` the text. As bytes: what is no valid text any more is looked through too."""

    def holds(value: bytes | None) -> bool:
        return pattern.search(value or b"") is not None

    database.register_function(holds, name="holds")
    database.execute("PRAGMA temp_store = MEMORY")  # what is looked for must not get into a file by that


def _in_tables(database: sqlite_utils.Database) -> Iterator[Trace]:
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    for (table,) in sorted(tables.fetchall()):
        for column in _columns(database, table):
            sql = f'SELECT count(*) FROM "{table}" WHERE holds(CAST("{column}" AS BLOB))'  # noqa: S608 - from the schema
            count = int(database.execute(sql).fetchone()[0])
            if count:
                yield Trace(f"{table}.{column}", count, "row")


def _columns(database: sqlite_utils.Database, table: str) -> list[str]:
    return [row[1] for row in database.execute(f'PRAGMA table_info("{table}")').fetchall()]


def _in_indexes(database: sqlite_utils.Database, text: str) -> Iterator[Trace]:
    """An index holds words in a form of its own, which a look at its bytes does not find."""
    phrase = '"' + " ".join(_WORD.findall(text)) + '"'
    for index, table in (("passages_fts", "passages"), ("entities_fts", "entities")):
        sql = f"SELECT count(*) FROM {index} WHERE {index} MATCH ?"  # noqa: S608 - fixed names
        count = int(database.execute(sql, (phrase,)).fetchone()[0])
        if count and (count := count - _saying_others(database, index, table, phrase)):
            yield Trace(f"full text index {index}", count, "row")


def _saying_others(database: sqlite_utils.Database, index: str, table: str, phrase: str) -> int:
    """How many rows an index rightly finds that do not hold the text: signs and endings are nothing to it.

    They are indexed once more, as a row that the index finds without their having such words is a trace.
    """
    made = str(database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()[0])
    number = dict(_OF_ITS_ROWS.findall(made))["_rowid"]
    columns = _columns(database, index)
    database.execute(_OF_ITS_ROWS.sub("", made).replace(f"TABLE {index}", "TABLE temp.again"))
    database.execute(
        f"INSERT INTO temp.again(rowid, {', '.join(columns)}) "  # noqa: S608 - fixed names, and from the schema
        f"SELECT {number}, {', '.join(columns)} FROM {table} "
        f"WHERE {number} IN (SELECT rowid FROM {index} WHERE {index} MATCH ?) "
        f"AND NOT ({' OR '.join(f'holds(CAST({column} AS BLOB))' for column in columns)})",
        (phrase,),
    )
    count = int(database.execute("SELECT count(*) FROM temp.again WHERE again MATCH ?", (phrase,)).fetchone()[0])
    database.execute("DROP TABLE temp.again")
    return count


def _free_pages(database: sqlite_utils.Database, path: Path) -> set[int]:
    """The numbers of the pages that no table has: they are chained from the header, each with a list of others."""
    size = int(database.execute("PRAGMA page_size").fetchone()[0])
    free: set[int] = set()
    with path.open("rb") as file:
        file.seek(32)
        trunk = int.from_bytes(file.read(4), "big")
        while trunk and trunk not in free:
            free.add(trunk)
            file.seek((trunk - 1) * size)
            page = file.read(size)
            count = min(int.from_bytes(page[4:8], "big"), size // 4 - 2)
            free.update(int.from_bytes(page[8 + 4 * at : 12 + 4 * at], "big") for at in range(count))
            trunk = int.from_bytes(page[:4], "big")
    return free


def _not_overwritten(path: Path, free: Set[int], size: int) -> Iterator[Trace]:
    """Free pages that hold something: those that clew leaves are zeros, but for numbers of other free pages."""
    pages, kept = path.stat().st_size // size, 0
    with path.open("rb") as file:
        for number in sorted(free):
            file.seek((number - 1) * size)
            page = file.read(size)
            kept += any(one > pages for (one,) in struct.iter_unpack(">I", page[: len(page) // 4 * 4]))
    if kept:
        yield Trace(f"{path.name}, not overwritten when they were freed", kept, "free page")


def _in_file(file: Path, pattern: re.Pattern[bytes], place: str) -> Iterator[Trace]:
    count = 0
    try:
        with file.open("rb") as stream:
            packed = stream.read(2) == _GZIP
            stream.seek(0)
            for _ in _places(cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if packed else stream, pattern):
                count += 1
    except (OSError, EOFError, zlib.error):
        yield Trace(place, 1, "part that cannot be read")
    if count:
        yield Trace(place, count, "place")


def _places(file: BinaryIO, pattern: re.Pattern[bytes]) -> Iterator[int]:
    """The offsets at which a match begins."""
    before, offset = b"", 0
    while block := file.read(_BLOCK):
        data = before + block
        last = max(len(data) - _LONGEST, 0)  # what begins behind it may end in the next block
        yield from (offset + match.start() for match in pattern.finditer(data) if match.start() < last)
        before, offset = data[last:], offset + last
    yield from (offset + match.start() for match in pattern.finditer(before))
