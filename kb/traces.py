"""Where a text still stands: in tables, indexes, free pages and logs of a knowledge base, and in files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import sqlite_utils

from kb.name_keys import name_key
from kb.store.sqlite import open_reader, translated

_BLOCK = 4_000_000
"""Bytes of a file that are looked through at once."""

_WORD = re.compile(r"\w+")


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
    """The places that hold `text`, whatever its case: in the file at `path`, in the log beside it, and in all files
    below `own`. [] where nothing does, and for a text without letters and digits.

    It only reads. Raises BadFileError for a file that cannot be used.
    """
    forms = _forms(text)
    if not forms:
        return []
    database = open_reader(path)
    try:
        with translated(path):
            found = [*_in_tables(database, forms), *_in_indexes(database, text)]
            free = _free_pages(database, path)
            size = int(database.execute("PRAGMA page_size").fetchone()[0])
    finally:
        database.close()
    places = Counter("free page" if at // size + 1 in free else "page" for at in _places(path, forms))
    if places["free page"]:
        found.append(Trace(f"{path.name}, free pages", places["free page"], "free page"))
    if places["page"]:
        found.append(Trace(f"{path.name}, bytes of pages in use", places["page"], "place"))
    beside = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    files = [*beside, *(sorted(own.rglob("*")) if own else ())]
    counts = ((file, sum(1 for _ in _places(file, forms))) for file in files if file.is_file())
    return found + [
        Trace(str(file) if own in file.parents else file.name, count, "place") for file, count in counts if count
    ]


def _forms(text: str) -> list[bytes]:
    """The bytes that the text may stand there as: as it is, as a name's key, and as JSON writes it; in small letters,
    as far as ASCII has them.
    """
    if not any(map(str.isalnum, text)):
        return []
    written = (
        text,
        text.casefold(),
        name_key(text),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
    )
    return list(dict.fromkeys(one.encode("utf-8", "replace").lower() for one in written if one))


def _in_tables(database: sqlite_utils.Database, forms: list[bytes]) -> Iterator[Trace]:
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    for (table,) in sorted(tables.fetchall()):
        for _, column, *_ in database.execute(f'PRAGMA table_info("{table}")').fetchall():
            where = " OR ".join(f'instr(lower(CAST("{column}" AS BLOB)), ?)' for _ in forms)
            sql = f'SELECT count(*) FROM "{table}" WHERE {where}'  # noqa: S608 - names from the schema
            count = int(database.execute(sql, [form.decode() for form in forms]).fetchone()[0])
            if count:
                yield Trace(f"{table}.{column}", count, "row")


def _in_indexes(database: sqlite_utils.Database, text: str) -> Iterator[Trace]:
    """An index holds words in a form of its own, which a look at its bytes does not find."""
    phrase = '"' + " ".join(_WORD.findall(text)) + '"'
    for index in ("passages_fts", "entities_fts"):
        sql = f"SELECT count(*) FROM {index} WHERE {index} MATCH ?"  # noqa: S608 - fixed names
        count = int(database.execute(sql, (phrase,)).fetchone()[0])
        if count:
            yield Trace(f"full text index {index}", count, "row")


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


def _places(path: Path, forms: list[bytes]) -> Iterator[int]:
    """The offsets at which one of the forms begins; nothing for a file that cannot be read or is not there."""
    pattern = re.compile(b"|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))
    longest = max(map(len, forms))
    try:
        with path.open("rb") as file:
            before, offset = b"", 0
            while block := file.read(_BLOCK):
                data = before + block.lower()
                last = len(data) - longest + 1 if len(block) == _BLOCK else len(data)
                for match in pattern.finditer(data):
                    if match.start() < last:
                        yield offset + match.start()
                before = data[max(last, 0) :]
                offset += max(last, 0)
    except OSError:
        return
