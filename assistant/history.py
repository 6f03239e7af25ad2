"""The chat's history: one JSON line for each finished turn, in a file beside the knowledge base.

A line is `{"clew_chat": 1, "at": "2026-01-31T12:00:00+00:00", "question": ..., "reply": {...}}`, with `reply` as
`Reply.to_record` makes it. The file is only ever appended to. A line that is torn, foreign or of another version is
left where it is and skipped in reading.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.reply import Reply
from kb.errors import BadFileError, ClewError, WriteError

VERSION = 1
_MARK = "clew_chat"


@dataclass(frozen=True, slots=True)
class Kept:
    """The latest replies, oldest first, and how many earlier turns the file holds besides."""

    replies: tuple[Reply, ...] = ()
    older: int = 0


class History:
    """The history of the chat over one knowledge base. Making one touches no file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def beside(cls, knowledge_base: Path) -> History:
        """The history of `folder/name.clew`: `folder/name.chat.jsonl`."""
        return cls(knowledge_base.with_name(f"{knowledge_base.stem}.chat.jsonl"))

    def load(self, limit: int = 20) -> Kept:
        """The last `limit` turns; none where there is no file yet. BadFileError where the file cannot be read."""
        try:
            self._refuse_special_file()
            with self.path.open("rb") as file:
                return _last_turns(file, limit)
        except FileNotFoundError:
            return Kept()
        except OSError as error:
            raise BadFileError(
                f"cannot read the chat history {str(self.path)!r} ({_reason(error)}); earlier turns are not shown"
            ) from error

    def append(self, reply: Reply) -> None:
        """Write the turn and have it on the disk on return. WriteError where the folder or the disk refuses it.

        A line that an earlier run left unfinished is closed first, so that it cannot swallow this one.
        """
        line = json.dumps(_line(reply), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        try:
            self._refuse_special_file()
            with self.path.open("a+b") as file:
                file.write(line if _ends_with_newline(file) else b"\n" + line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(
                f"cannot keep the chat in {str(self.path)!r} ({_reason(error)}); it goes on without being kept"
            ) from error

    def _refuse_special_file(self) -> None:
        if self.path.exists() and not self.path.is_file():
            raise OSError("not a regular file")


def _line(reply: Reply) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {_MARK: VERSION, "at": now, "question": reply.question, "reply": reply.to_record()}


def _ends_with_newline(file: Any) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _last_turns(lines: Iterable[bytes], limit: int) -> Kept:
    records: deque[dict[str, Any]] = deque(maxlen=limit)
    turns = 0
    for line in lines:
        if (record := _record(line)) is not None:
            records.append(record)
            turns += 1
    replies = tuple(reply for record in records if (reply := _reply(record)) is not None)
    return Kept(replies, older=turns - len(records))


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and value.get(_MARK) == VERSION and isinstance(value.get("reply"), dict):
        return value
    return None


def _reply(record: dict[str, Any]) -> Reply | None:
    try:
        return Reply.from_json(record["reply"])
    except ClewError:
        return None


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


class Recall:
    """Walks through earlier questions from a prompt, and back to the draft that it held."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self._place: int | None = None
        self._draft = ""

    @property
    def walking(self) -> bool:
        """Whether an earlier question stands in the prompt."""
        return self._place is not None

    def add(self, question: str) -> None:
        """Remember a question as the latest, and end the walk."""
        self.questions.append(question)
        self._place = None

    def older(self, text: str) -> str:
        """What to show in place of `text` one step back; `text` itself where there is nothing older."""
        if self._place is None:
            self._draft, self._place = text, len(self.questions)
        self._place -= 1
        if self._place < 0:
            self._place = 0 if self.questions else None
            return text
        return self.questions[self._place]

    def newer(self, text: str) -> str:
        """What to show in place of `text` one step forward: in the end the draft."""
        if self._place is None:
            return text
        self._place += 1
        if self._place < len(self.questions):
            return self.questions[self._place]
        self._place = None
        return self._draft
