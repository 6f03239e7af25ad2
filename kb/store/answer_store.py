"""Models' answers outside a knowledge base: one SQLite file of the user's, for what is asked while a file is only read.

It has the columns of a knowledge base's own table, and the path of the file that an answer is about.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import BadFileError
from kb.private_folders import make_private_folder
from kb.records import answer_key
from kb.store.knowledge_base import KnowledgeBase
from kb.store.model_cache import ModelAnswer
from kb.store.sqlite import sqlite3

MAX_ROWS = 50_000
"""Answers that are kept, some 20 MB; the oldest go."""

_WAIT_SECONDS = 1.0
"""For another process that is writing: a write takes milliseconds, and an answer that is not kept is asked again."""
_MARKS = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,          -- as in a knowledge base's model_cache
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    value TEXT NOT NULL,           -- JSON
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    file TEXT NOT NULL,            -- path, resolved, of the knowledge base that it is about
    created INTEGER NOT NULL       -- seconds since 1970
)
"""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer with what it was asked for, of which model, and under which version of the prompt."""

    kind: str
    model: str
    prompt_version: str
    answer: ModelAnswer

    @property
    def key(self) -> str:
        """The key that it is kept under."""
        return answer_key(self.kind, self.answer.content, self.model, self.prompt_version)


class AnswerStore:
    """The answers in the file at `path`, made with its folder where there is none; readable by its owner only.

    Several processes may use it at once. What is put is whole or not there, whenever the process is killed. All methods
    raise BadFileError where the file cannot be used.
    """

    def __init__(self, path: Path, max_rows: int = MAX_ROWS) -> None:
        self.path, self._max_rows = path, max_rows
        try:
            make_private_folder(path.parent)
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise BadFileError(f"{str(path)!r} cannot be made ({error.strerror or error})") from error
        with _told(path):
            self._db: Any = sqlite3.connect(str(path), timeout=_WAIT_SECONDS, check_same_thread=False)
        try:
            with _told(path):
                _use_log(self._db)
                self._db.execute("PRAGMA synchronous = NORMAL")
                # What is forgotten is overwritten, not just unlinked.
                self._db.execute("PRAGMA secure_delete = ON")
                self._db.execute(_SCHEMA)
                self._db.commit()
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the file; the object is of no use afterwards."""
        self._db.close()

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """The JSON of those answers that are there, by key."""
        with _told(self.path):
            return dict(_selected(self._db, keys))

    def put(self, answers: Sequence[StoredAnswer], file: Path, created: int) -> None:
        """Keep answers about `file`, all or none; one with a key that is there replaces the older one."""
        rows = [
            (one.key, one.kind, one.answer.content, one.model, one.prompt_version, one.answer.value,
             one.answer.input_tokens, one.answer.output_tokens, str(file.resolve()), created)
            for one in answers
        ]  # fmt: skip
        with _told(self.path), self._db:
            self._db.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            (count,) = self._db.execute("SELECT count(*) FROM answers").fetchone()
            if count > self._max_rows:
                oldest = "SELECT rowid FROM answers ORDER BY rowid LIMIT ?"
                self._db.execute(f"DELETE FROM answers WHERE rowid IN ({oldest})", (count - self._max_rows,))  # noqa: S608

    def about(self, file: Path) -> list[StoredAnswer]:
        """All answers about the knowledge base at `file`, oldest first."""
        sql = (
            "SELECT kind, model, prompt_version, content, value, input_tokens, output_tokens FROM answers "
            "WHERE file = ? ORDER BY rowid"
        )
        with _told(self.path):
            rows = self._db.execute(sql, (str(file.resolve()),)).fetchall()
        return [StoredAnswer(kind, model, version, ModelAnswer(*rest)) for kind, model, version, *rest in rows]

    def forget(self, file: Path) -> int:
        """Drop all answers about the knowledge base at `file`; returns how many there were."""
        with _told(self.path):
            with self._db:
                dropped = self._db.execute("DELETE FROM answers WHERE file = ?", (str(file.resolve()),)).rowcount
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(dropped)


def answers_in(kb: KnowledgeBase, keys: Sequence[str]) -> dict[str, str]:
    """The JSON of those answers that the knowledge base itself holds, by key; none in a file of an older schema."""
    if not kb._engine.has("m002_model_answers"):
        return {}
    return dict(kb._engine.by_ids("SELECT key, value FROM model_cache WHERE key IN ", keys))


def _selected(db: Any, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    for start in range(0, len(keys), _MARKS):
        part = tuple(keys[start : start + _MARKS])
        marks = ",".join("?" * len(part))
        sql = f"SELECT key, value FROM answers WHERE key IN ({marks})"  # noqa: S608 - marks only
        yield from db.execute(sql, part).fetchall()


def _use_log(db: Any) -> None:
    """Put the file into WAL mode. SQLite does not wait for another process that is doing the same; this does."""
    end = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors within the block into BadFileError."""
    try:
        yield
    except sqlite3.Error as error:
        raise BadFileError(f"{str(path)!r} cannot be used ({error})") from error
