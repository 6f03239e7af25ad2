"""Sessions: named conversations, kept as files of JSON lines in the user's own folder and only ever appended to.

A file opens with `{"clew_session": 1, "id", "kb", "at"}`. Then come turns, `{"turn", "parent", "at", "reply"}`, names
that it was given, `{"name"}`, and the branches that were gone to, `{"head"}`. A question that is edited is one more
turn with the same parent, so that nothing said is ever lost; ids are random, so that two chats in one session keep the
turns of both. A line that is torn, foreign or of another version is skipped in reading and left where it is.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from assistant.agent.replying.reply import Reply
from assistant.shared.rendering import plain
from assistant.shared.user_folders import state_folder
from kb.errors import BadFileError, ClewError, UsageError, WriteError
from kb.private_folders import make_private_folder
from kb.store.addresses import place

VERSION = 1
_MARK = "clew_session"
NAME_LENGTH = 80

_STRING = rb'("[^"\\]*(?:\\.[^"\\]*)*")'
# The beginning of a turn's line as `_write` writes it: a list needs no more, and the rest is most of the line.
_TURN = re.compile(
    rb'\{"turn": %s, "parent": %s, "at": %s, "reply": \{"question": %s, "answer": %s, "explanation": %s, '
    rb'"found": (?:true|false), "missing": %s, ' % ((_STRING,) * 7)
)


@dataclass(frozen=True)
class Turn:
    """A question and its reply in a session: `parent` is the id of the turn before, "" for a first one.

    What lists and searches need is at hand; the whole reply is read from the file when it is first asked for.
    """

    id: str
    parent: str
    at: str
    question: str
    answer: str
    explanation: str
    missing: str
    _source: Reply | _Place = field(repr=False, compare=False)

    @cached_property
    def reply(self) -> Reply:
        """The reply, checked. ClewError where its line does not hold one, or is gone.

        Takes a millisecond or two, which 500 turns must not cost at once.
        """
        return self._source if isinstance(self._source, Reply) else Reply.from_json(self._source.read())

    @classmethod
    def of(cls, parent: str, reply: Reply, at: str = "") -> Turn:
        """A turn that holds `reply`, of now unless `at` is given."""
        words = (reply.question, reply.answer, reply.explanation, reply.missing)
        return cls(secrets.token_hex(4), parent, at or _now(), *words, reply)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a turn's line stands in a file, which is only ever appended to."""

    path: Path
    offset: int
    length: int

    def read(self) -> Mapping[str, Any]:
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                record = _record(file.read(self.length)) or {}
        except OSError as error:
            raise BadFileError(f"cannot read the session {str(self.path)!r} ({error.strerror or error})") from error
        reply = record.get("reply")
        return reply if isinstance(reply, dict) else {}


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
        return max((turn.at for turn in self.turns.values()), default="") or self.at

    @property
    def is_deleted(self) -> bool:
        """Whether its file is gone."""
        return not self._pending and not self.path.exists()

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

    def place(self, turn: str) -> tuple[int, int]:
        """Which of how many branches `turn` is, from 1; (1, 1) where it was asked once."""
        ids = [one.id for one in self.branches(turn)]
        return ids.index(turn) + 1, len(ids)

    def append(self, reply: Reply) -> Turn:
        """Keep a turn after the head, which it becomes. WriteError where the folder or the disk refuses it."""
        turn = Turn.of(self.head, reply)
        self._extend([turn])
        return turn

    def _extend(self, turns: Sequence[Turn]) -> None:
        self._write(
            *({"turn": one.id, "parent": one.parent, "at": one.at, "reply": one.reply.to_record()} for one in turns)
        )
        self.turns |= {one.id: one for one in turns}
        self.head = turns[-1].id if turns else self.head

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

    def _write(self, *records: Mapping[str, Any]) -> None:
        """Append lines and have them on the disk on return. The first ones make the file: empty sessions need none."""
        lines = [*self._pending, *records]
        data = b"".join(json.dumps(one, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for one in lines)
        # A session that was deleted meanwhile is not made anew without its beginning.
        create = os.O_CREAT if self._pending else 0
        try:
            make_private_folder(self.path.parent)
            with os.fdopen(os.open(self.path, os.O_RDWR | os.O_APPEND | create, 0o600), "r+b") as file:
                file.write(data if _ends_with_newline(file) else b"\n" + data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if self._pending:  # without its whole beginning the file would be no session, now or later
                with suppress(OSError):
                    self.path.unlink()
            raise WriteError(
                f"cannot keep the session in {str(self.path)!r} ({error.strerror or error}); it goes on without that"
            ) from error
        self._pending = []


class SessionFolder:
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
        logs = [log for path in sorted(self.folder.glob("*.jsonl")) if (log := _read(path, wanted)) is not None]
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

    def chosen(self, knowledge_base: Path, name: str | None, is_new: bool) -> SessionLog | None:
        """A new session, with this name if it is given, or the one over the file that has it; None for neither."""
        if is_new:
            return self.create(knowledge_base, name or "")
        return self.find(name, knowledge_base) if name is not None else None

    def search(self, words: str, knowledge_base: Path | None = None) -> list[tuple[SessionLog, Turn]]:
        """The turns whose question, answer or explanation has all of `words`, in any case; latest session first."""
        return matching(self.all(knowledge_base), words)

    def fork(self, log: SessionLog, turn: str | None = None, name: str = "") -> SessionLog:
        """A new session that holds the turns up to `turn`, by default all of the branch; the old one stays as it is."""
        copy = self.create(place(log.knowledge_base), name or f"{log.title[: NAME_LENGTH - 7]} (fork)")
        turns: list[Turn] = []
        for old in readable(log.line(turn)):
            turns.append(Turn.of(turns[-1].id if turns else "", old.reply, old.at))
        copy._extend(turns)
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


def matching(logs: Iterable[SessionLog], words: str) -> list[tuple[SessionLog, Turn]]:
    """The turns of `logs` that have all of `words`, in any case, among what was said or in their session's name."""
    wanted = words.casefold().split()
    return [
        (log, turn)
        for log in logs
        for turn in log.turns.values()
        if all(word in _searched(turn, log) for word in wanted)
    ]


def readable(turns: Iterable[Turn]) -> list[Turn]:
    """Those of `turns` whose reply can be read, which is done here."""
    found = []
    for turn in turns:
        try:
            _ = turn.reply
        except ClewError:
            continue
        found.append(turn)
    return found


def _searched(turn: Turn, log: SessionLog) -> str:
    return "\n".join((log.name, turn.question, turn.answer, turn.explanation, turn.missing)).casefold()


def _read(path: Path, knowledge_base: str | None) -> SessionLog | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as lines:
            return _from_lines(path, lines, knowledge_base)
    except OSError as error:
        raise BadFileError(f"cannot read the session {str(path)!r} ({error.strerror or error})") from error


def _from_lines(path: Path, lines: Iterable[bytes], knowledge_base: str | None) -> SessionLog | None:
    log: SessionLog | None = None
    offset = 0
    for line in lines:
        if log is None:
            record = _record(line)
            if record is None or record.get(_MARK) != VERSION:
                return None
            log = SessionLog(path, path.stem, str(record.get("kb", "")), str(record.get("at", "")))
            if knowledge_base not in (None, log.knowledge_base):
                return None
        elif (turn := _turn(line, _Place(path, offset, len(line)))) is not None:
            if (not turn.parent or turn.parent in log.turns) and turn.id not in log.turns:
                log.turns[turn.id] = turn
                log.head = turn.id
        elif (record := _record(line)) is not None:
            _take(log, record)
        offset += len(line)
    return log


def _turn(line: bytes, place: _Place) -> Turn | None:
    """The turn of a line; None for another line, or one that is torn."""
    if not line.startswith(b'{"turn"') or not line.rstrip().endswith(b"}}"):
        return None
    if found := _TURN.match(line):
        try:
            values: list[Any] = [json.loads(part) for part in found.groups()]
        except ValueError:
            return None
    else:  # written otherwise than by `_write`
        record = _record(line) or {}
        reply = record.get("reply")
        said = reply if isinstance(reply, dict) else {}
        values = [record.get(key) for key in ("turn", "parent", "at")]
        values += [said.get(key) for key in ("question", "answer", "explanation", "missing")]
        if not all(isinstance(value, str) for value in values):
            return None
    own, parent, at, question, answer, explanation, missing = values
    return Turn(own, parent, at, question, answer, explanation, missing, place)


def _take(log: SessionLog, record: Mapping[str, Any]) -> None:
    head, name = record.get("head"), record.get("name")
    if isinstance(head, str) and head in log.turns:
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
    return datetime.now(UTC).isoformat(timespec="microseconds")
