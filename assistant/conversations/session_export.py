"""Turns of a session as a file for people or programs: Markdown or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from assistant.conversations.session_files import SessionLog, Turn, readable
from assistant.shared.rendering import escape_markdown, plain_block, reply_line
from assistant.shared.writing import write_new
from kb.errors import UsageError

FORMATS = (".md", ".json")
_WORDS_IN_NAME = 6


def chosen_turns(log: SessionLog, which: str) -> list[Turn]:
    """The turns of the branch that `which` names: "all", "last", or a number of the last ones.

    UsageError for anything else, and where there is none.
    """
    number = {"all": None, "last": 1}.get(which, int(which) if which.isdecimal() and len(which) < 10 else 0)
    if number == 0:
        raise UsageError(f"which answers are {which[:40]!r}? Say last, all, or how many of the last")
    line = readable(log.line()[-number:] if number else log.line())
    if not line:
        raise UsageError("there is no answer to export yet")
    return line


def export(log: SessionLog, which: str, path: Path | None = None) -> Path:
    """Write turns of a session to `path`, Markdown or JSON by its ending, and return it; what is chosen is as for
    `chosen_turns`. Without a path, a new Markdown file named after the session is made in the working folder.

    UsageError for another ending or a file that is there already, WriteError where it cannot be written.
    """
    turns = chosen_turns(log, which)
    target = free_path(log) if path is None else path.expanduser()
    if target.suffix.casefold() not in FORMATS:
        raise UsageError(f"{str(target)!r} is neither .md nor .json; name the file for one of them")
    text = to_json(log, turns) if target.suffix.casefold() == ".json" else to_markdown(log, turns)
    write_new(target, text)
    return target


def free_path(log: SessionLog) -> Path:
    """A Markdown file named after the session that is not there yet."""
    words = re.findall(r"[^\W_]+", log.title.casefold())[:_WORDS_IN_NAME]
    stem = "-".join(words) or "session"
    names = (f"{stem}.md" if number == 1 else f"{stem}-{number}.md" for number in count(1))
    return next(path for name in names if not (path := Path(name)).exists())


def to_markdown(log: SessionLog, turns: Sequence[Turn]) -> str:
    """The turns as Markdown: each question as a heading, its answer with sources, and how it was come by."""
    blocks = [f"# {escape_markdown(log.title)}"]
    for turn in turns:
        lines = [line for line in plain_block(turn.question).splitlines() if line.strip()]
        blocks.append(f"## {escape_markdown(' '.join(lines))}")
        blocks.append(turn.reply.markdown())
        blocks.append(f"*{turn.at[:16].replace('T', ' ')} UTC · {escape_markdown(reply_line(turn.reply))}*")
    return "\n\n".join(block for block in blocks if block) + "\n"


def to_json(log: SessionLog, turns: Sequence[Turn]) -> str:
    """The turns as one JSON document: the session, and each reply as `clew ask --json` prints it, with its time."""
    return json.dumps(
        session_record(log) | {"turns": [_turn_record(turn) for turn in turns]}, ensure_ascii=False, indent=1
    )


def session_record(log: SessionLog) -> dict[str, Any]:
    """A session as plain JSON types, without its turns."""
    return {
        "id": log.id,
        "name": log.name,
        "title": log.title,
        "knowledge_base": log.knowledge_base,
        "begun": log.at,
        "latest": log.latest,
        "questions": len(log.turns),
    }


def _turn_record(turn: Turn) -> dict[str, Any]:
    return {"turn": turn.id, "parent": turn.parent, "at": turn.at, **turn.reply.to_json()}
