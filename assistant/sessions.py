"""Sessions: named conversations, kept as files of JSON lines in the user's own folder and only ever appended to.

A file opens with `{"clew_session": 1, "id", "kb", "at"}`. Then come turns, `{"turn", "parent", "at", "reply"}`, names
that it was given, `{"name"}`, and the branches that were gone to, `{"head"}`. A question that is edited is one more turn
with the same parent, so that nothing said is ever lost; ids are random, so that two chats in one session keep the turns
of both. A line that is torn, foreign or of another version is skipped in reading and left where it is.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from assistant.places import state_folder
from assistant.rendering import plain
from assistant.reply import Reply
from kb.errors import BadFileError, ClewError, UsageError, WriteError

VERSION = 1
_MARK = "clew_session"
NAME_LENGTH = 80


@dataclass(frozen=True)
class Turn:
    """A question and its reply in a session: `parent` is the id of the turn before, "" for a first one.

    `reply` raises ClewError where the line does not hold one.
    """

    id: str
    parent: str
    at: str
    record: Mapping[str, Any] = field(repr=False)

    @property
    def question(self) -> str:
        """What was asked; reading it does not need the whole reply."""
        return str(self.record.get("question", ""))

    @cached_property
    def reply(self) -> Reply:
        """The reply, checked when first asked for: that takes a millisecond, which 500 turns must not cost at once."""
        return Reply.from_json(self.record)


@dataclass(slots=True)
class SessionLog:
    """A session as its file has it. `head` is the id of the turn at which it stands, "" before the first."""

    path: Path
    id: str
    knowledge_base: str
    at: str
    name: str = ""
    turns: dict[str, Turn] = field(default_factory=dict)
    head: str = ""
    _pending: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Its name, or else its first question, as one plain line."""
        first = next(iter(self.turns.values()), None)
        return plain(self.name, NAME_LENGTH) or (plain(first.question, NAME_LENGTH) if first else "") or "new session"

    @property
    def latest(self) -> str:
        """When it was last added to, as ISO time in UTC."""
        return max((turn.at for turn in self.turns.values()), default=self.at)

    def line(self, head: str | None = None) -> list[Turn]:
        """The turns that lead to `head`, by default where the session stands, oldest first."""
        turns: list[Turn] = []
        at = self.head if head is None else head
        while at in self.turns:
            turns.append(self.turns[at])
            at = self.turns[at].parent
        return turns[::-1]

    def branches(self, turn: str) -> list[Turn]:
        """The turns asked in the same place as `turn`, itself included, in the order in which they were asked."""
        parent = self.turns[turn].parent
        return [one for one in self.turns.values() if one.parent == parent]

    def append(self, reply: Reply) -> Turn:
        """Keep a turn after the head, which it becomes. WriteError where the folder or the disk refuses it."""
        turn = Turn(secrets.token_hex(4), self.head, _now(), reply.to_record())
        self._write({"turn": turn.id, "parent": turn.parent, "at": turn.at, "reply": turn.record})
        self.turns[turn.id] = turn
        self.head = turn.id
        return turn

    def go_before(self, turn: str) -> None:
        """Stand before `turn`: the next reply is a branch beside it. Not kept until there is one."""
        self.head = self.turns[turn].parent

    def select(self, turn: str) -> None:
        """Stand at the end of the branch of `turn`, at its newest descendant. UsageError where there is none."""
        if turn not in self.turns:
            raise UsageError(f"this session has no turn {turn[:20]!r}")
        end = turn
        # A turn comes after its parent, so one pass finds every descendant of what was found before.
        below = {turn}
        for one in self.turns.values():
            if one.parent in below:
                below.add(one.id)
                end = one.id
        self._write({"head": end})
        self.head = end

    def rename(self, name: str) -> None:
        """Give it another name. UsageError for one without letters or digits, WriteError where it cannot be kept."""
        name = checked_name(name)
        self._write({"name": name})
        self.name = name

    def _write(self, record: Mapping[str, Any]) -> None:
        """Append a line and have it on the disk on return. The first one makes the file: empty sessions need none."""
        lines = [*self._pending, record]
        data = b"".join(json.dumps(one, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for one in lines)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as file:
                file.write(data if _ends_with_newline(file) else b"\n" + data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(
                f"cannot keep the session in {str(self.path)!r} ({error.strerror or error}); it goes on without that"
            ) from error
        self._pending = []


class Sessions:
    """All sessions of a folder, by default the user's. Making one touches no file."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or state_folder() / "sessions"

    def create(self, knowledge_base: Path, name: str = "") -> SessionLog:
        """A new session over a knowledge base; its file is made with the first thing to keep."""
        now, own = _now(), secrets.token_hex(4)
        log = SessionLog(self.folder / f"{own}.jsonl", own, str(knowledge_base.resolve()), now)
        log._pending = [{_MARK: VERSION, "id": own, "kb": log.knowledge_base, "at": now}]
        if name:
            log.name = checked_name(name)
            log._pending.append({"name": log.name})
        return log

    def all(self, knowledge_base: Path | None = None) -> list[SessionLog]:
        """The sessions, of one knowledge base where it is given, latest first; what is no session is left out."""
        wanted = str(knowledge_base.resolve()) if knowledge_base else None
        logs = [log for path in sorted(self.folder.glob("*.jsonl")) if (log := _read(path)) is not None]
        logs = [log for log in logs if wanted is None or log.knowledge_base == wanted]
        return sorted(logs, key=lambda log: (log.latest, log.id), reverse=True)

    def find(self, name: str, knowledge_base: Path | None = None) -> SessionLog:
        """The session with this id, beginning of an id, or name. UsageError where none or several have it."""
        logs = self.all(knowledge_base)
        exact = [log for log in logs if name in (log.id, log.name)]
        found = exact or [log for log in logs if log.id.startswith(name) or log.title.casefold() == name.casefold()]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{len(found)} sessions are called {name[:NAME_LENGTH]!r}; take one by its id: "
                + ", ".join(log.id for log in found[:8])
            )
        raise UsageError(f"there is no session {name[:NAME_LENGTH]!r}; 'clew sessions' lists them")

    def search(self, words: str, knowledge_base: Path | None = None) -> list[tuple[SessionLog, Turn]]:
        """The turns whose question, answer or explanation has all of `words`, in any case; latest session first."""
        wanted = words.casefold().split()
        return [
            (log, turn)
            for log in self.all(knowledge_base)
            for turn in log.turns.values()
            if all(word in _searched(turn, log) for word in wanted)
        ]

    def fork(self, log: SessionLog, turn: str | None = None, name: str = "") -> SessionLog:
        """A new session that holds the turns up to `turn`, by default all of the branch; the old one stays as it is."""
        copy = self.create(Path(log.knowledge_base), name or f"{log.title[: NAME_LENGTH - 7]} (fork)")
        for one in log.line(turn):
            copy.append(one.reply)
        return copy

    def delete(self, log: SessionLog) -> None:
        """Delete a session for good. WriteError where the folder refuses it."""
        try:
            log.path.unlink(missing_ok=True)
        except OSError as error:
            raise WriteError(f"cannot delete {str(log.path)!r} ({error.strerror or error})") from error


def checked_name(name: str) -> str:
    """A name as one plain line. UsageError where nothing is left of it, or it is too long."""
    tidy = plain(name)
    if not any(character.isalnum() for character in tidy) or len(tidy) > NAME_LENGTH:
        raise UsageError(f"{tidy[:NAME_LENGTH]!r} is no name for a session: letters or digits, at most {NAME_LENGTH}")
    return tidy


def replies_of(turns: Sequence[Turn]) -> list[Reply]:
    """The replies of turns; those that cannot be read are left out."""
    replies = []
    for turn in turns:
        try:
            replies.append(turn.reply)
        except ClewError:
            continue
    return replies


def _searched(turn: Turn, log: SessionLog) -> str:
    parts = (log.name, *(str(turn.record.get(key, "")) for key in ("question", "answer", "explanation", "missing")))
    return " ".join(parts).casefold()


def _read(path: Path) -> SessionLog | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as lines:
            return _from_lines(path, lines)
    except OSError as error:
        raise BadFileError(f"cannot read the session {str(path)!r} ({error.strerror or error})") from error


def _from_lines(path: Path, lines: Iterable[bytes]) -> SessionLog | None:
    log: SessionLog | None = None
    for line in lines:
        record = _record(line)
        if log is None:
            if record is None or record.get(_MARK) != VERSION:
                return None
            log = SessionLog(path, path.stem, str(record.get("kb", "")), str(record.get("at", "")))
        elif record is not None:
            _take(log, record)
    return log


def _take(log: SessionLog, record: Mapping[str, Any]) -> None:
    turn, parent, head, name = (record.get(key) for key in ("turn", "parent", "head", "name"))
    if isinstance(turn, str) and isinstance(parent, str) and isinstance(record.get("reply"), dict):
        if (not parent or parent in log.turns) and turn not in log.turns:
            log.turns[turn] = Turn(turn, parent, str(record.get("at", "")), record["reply"])
            log.head = turn
    elif isinstance(head, str) and head in log.turns:
        log.head = head
    elif isinstance(name, str):
        log.name = plain(name, NAME_LENGTH)


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _ends_with_newline(file: Any) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
