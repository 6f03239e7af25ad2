"""What a command that is being typed may go on with: its name, and arguments where they are cheap to list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.shared.rendering import plain
from screens.slash_commands import BY_NAME, Command, completions

LISTED = 50
"""Files that are offered at most: more are found by typing on."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to go on: `text` is what the prompt then holds; `label` and `help` say it in a list.

    `is_whole` says that there is nothing left to type, so that it can be sent as it is.
    """

    text: str
    label: str
    help: str = ""
    is_whole: bool = False


def command_choices(text: str, offered: Sequence[Command]) -> tuple[Choice, ...]:
    """The commands among those `offered` that `text`, the beginning of one, may become."""
    return tuple(
        Choice(f"/{command.name} ", command.usage, command.help, not command.needs_argument)
        for command in completions(text)
        if command in offered
    )


def argument_choices(text: str) -> tuple[Choice, ...]:
    """What the last word of `text`, a command with arguments, may become: one of its fixed words, or a file.

    Lists a folder, so it belongs into a thread. Nothing for what cannot be read, and for any other argument.
    """
    head, space, last = text.rpartition(" ")
    command = BY_NAME.get(head[1:].split(" ")[0].casefold()) if text.startswith("/") and space else None
    specs = command.argument.split() if command and "\n" not in text else []
    place = len(head.split()) - 1
    if not 0 <= place < len(specs):
        return ()
    spec = specs[place].strip("[]")
    if "|" in spec:
        words = [word for word in spec.split("|") if word.islower() and word.startswith(last.casefold())]
        return tuple(Choice(f"{head} {word} ", word, is_whole=True) for word in words)
    if spec in ("FILE", "FOLDER"):
        return tuple(Choice(f"{head} {path}", path, is_whole=True) for path in _paths(last, spec == "FOLDER"))
    return ()


def _paths(start: str, folders_only: bool) -> list[str]:
    """The paths that begin with `start`, folders with a slash after them; hidden ones only where that is typed."""
    folder, slash, name = start.rpartition("/")
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            found = [
                f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
                for entry in entries
                if entry.name.startswith(name) and (name.startswith(".") or not entry.name.startswith("."))
                if (not folders_only or entry.is_dir()) and plain(entry.name) == entry.name and " " not in entry.name
            ]
    except (OSError, ValueError, RuntimeError):
        return []
    return sorted(found)[:LISTED]
