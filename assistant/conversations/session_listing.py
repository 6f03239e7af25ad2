"""Sessions as they are listed: each with what was found in it, as lines for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant.conversations.session_files import SessionLog, Turn, matching
from assistant.shared.rendering import Line, Part, as_text, counted, plain
from kb.store.addresses import place


@dataclass(frozen=True, slots=True)
class Listed:
    """A session and the turns in it that have the words that were looked for, latest last; none where none were."""

    log: SessionLog
    turns: tuple[Turn, ...] = ()


def found_sessions(logs: Iterable[SessionLog], words: str) -> list[Listed]:
    """The sessions that have all of `words` in their name or in one turn, in the order of `logs`; all for no words."""
    logs = list(logs)
    if not words.split():
        return [Listed(log) for log in logs]
    found: dict[str, list[Turn]] = {}
    for log, turn in matching(logs, words):
        found.setdefault(log.id, []).append(turn)
    named = {log.id for log in logs if all(word in log.title.casefold() for word in words.casefold().split())}
    return [Listed(log, tuple(found.get(log.id, ()))) for log in logs if log.id in found or log.id in named]


def listed_lines(item: Listed, *, with_file: bool, is_here: bool = False) -> list[Line]:
    """A session as one or two lines: title, when, how many questions, and the latest turn that was found in it."""
    log = item.log
    details = [
        "here now" if is_here else "",
        when(log.latest),
        counted(len(log.turns), "question"),
        plain(place(log.knowledge_base).name, 60) if with_file else "",
    ]
    dim: Part = (f"  {' · '.join(part for part in details if part)}", "dim")
    lines = [Line(((log.title, "strong"), dim))]
    if item.turns:
        turn = item.turns[-1]
        answer = plain(turn.answer or as_text(turn.explanation) or turn.missing, 120)
        lines.append(Line(((f"{plain(turn.question, 160)}", ""), (f" → {answer}", "dim")), indent=2))
    return lines


def when(at: str) -> str:
    """An ISO time in UTC as the local day and time for people; what is none as it is."""
    try:
        local = datetime.fromisoformat(at).astimezone()
    except ValueError:
        return plain(at, 20)
    today = datetime.now(UTC).astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
