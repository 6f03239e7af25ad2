"""What language models have answered, kept in the file that the answers are about, so that nothing is paid twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlite_utils

from kb.store.sqlite import open_reader, translated

EXTRACTION = "extraction"
"""The kind of answer that tells what a passage says."""

_MARKS = 500
"""Keys bound in one statement, well under SQLite's limit of variables."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """What a model is shown of a passage; where it stands is no part of it."""

    title: str
    text: str

    @property
    def content(self) -> str:
        """SHA-256 of title and text, in hexadecimal."""
        return _sha256(self.title, self.text)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An answer to be kept: `value` is JSON, the tokens are this answer's share of its request's."""

    content: str
    value: str
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TokensSpent:
    """What the answers that a file holds have cost."""

    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


def answer_key(kind: str, content: str, model: str, prompt_version: str) -> str:
    """The key of an answer: SHA-256, in hexadecimal, of all that it depends on."""
    return _sha256(kind, content, model, prompt_version)


class ModelCache:
    """The answers in one file that is opened to write. Each `put` is a transaction of its own."""

    def __init__(self, path: Path, database: sqlite_utils.Database) -> None:
        self._path = path
        self._db = database

    def get(self, key: str) -> str | None:
        """An answer's JSON; None for one that is not there."""
        with translated(self._path):
            row = self._db.execute("SELECT value FROM model_cache WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys whose answers are there."""
        with translated(self._path):
            return known_answers(self._db, keys)

    def put(self, kind: str, model: str, prompt_version: str, answers: Sequence[ModelAnswer]) -> None:
        """Keep answers, all or none; they are on the disk when this returns, so that not even a power cut loses them.

        An answer with a key that is there replaces the older one.
        """
        rows = [
            (answer_key(kind, one.content, model, prompt_version), kind, one.content, model, prompt_version,
             one.value, one.input_tokens, one.output_tokens)
            for one in answers
        ]  # fmt: skip
        with translated(self._path):
            self._db.execute("PRAGMA synchronous = FULL")
            with self._db.atomic():
                self._db.conn.executemany("INSERT OR REPLACE INTO model_cache VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._db.execute("PRAGMA synchronous = NORMAL")

    def prune(self, *, judgements: bool) -> int:
        """Forget what was extracted from passages that no document has any more; returns how many answers that were.

        With `judgements` all other answers go too: nobody knows which of them rest on what has been removed.
        """
        with translated(self._path), self._db.atomic():
            if judgements:
                self._db.execute("DELETE FROM model_cache WHERE kind <> ?", (EXTRACTION,))
            cached = self._db.execute("SELECT key, content FROM model_cache WHERE kind = ?", (EXTRACTION,)).fetchall()
            if not cached:
                return 0
            passages = self._db.execute("SELECT title, text FROM passages")
            present = {PassageText(title, text).content for title, text in passages}
            stale = [(key,) for key, content in cached if content not in present]
            self._db.conn.executemany("DELETE FROM model_cache WHERE key = ?", stale)
            return len(stale)


def known_answers(database: sqlite_utils.Database, keys: Iterable[str]) -> set[str]:
    """Those of the keys whose answers a file holds, in the schema that has them."""
    wanted = list(dict.fromkeys(keys))
    found: set[str] = set()
    for start in range(0, len(wanted), _MARKS):
        part = wanted[start : start + _MARKS]
        sql = f"SELECT key FROM model_cache WHERE key IN ({','.join('?' * len(part))})"  # noqa: S608 - marks only
        found.update(row[0] for row in database.execute(sql, part).fetchall())
    return found


def tokens_spent(path: Path, model: str, prompt_version: str) -> TokensSpent:
    """What a model's extractions in the file at `path` have cost; nothing where there is no file. Only reads."""
    if not path.exists() or path.stat().st_size == 0:
        return TokensSpent()
    database = open_reader(path)
    try:
        with translated(path):
            if not database["model_cache"].exists():
                return TokensSpent()
            sums = "SELECT count(*), ifnull(sum(input_tokens), 0), ifnull(sum(output_tokens), 0) FROM model_cache "
            which = "WHERE kind = ? AND model = ? AND prompt_version = ?"
            return TokensSpent(*database.execute(sums + which, (EXTRACTION, model, prompt_version)).fetchone())
    finally:
        database.close()


def _sha256(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
