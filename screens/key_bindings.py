"""Which keys run which command: those of the table, changed by what the user's settings say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from textual.binding import Binding
from textual.keys import Keys

from assistant.shared.rendering import plain
from kb.errors import UsageError
from screens.slash_commands import BY_NAME, Command

_NAMED = {key.value for key in Keys} | {"question_mark"}
_KEY = re.compile(r"(?:(?:ctrl|alt|shift|super|meta)\+)*(?P<base>[a-z0-9]|[a-z0-9_]{2,})")
_FUNCTION = re.compile(r"f\d{1,2}|escape|shift\+f\d{1,2}")

RESERVED = frozenset(
    (
        *("enter", "tab", "up", "down", "pageup", "pagedown", "ctrl+j", "shift+enter", "alt+enter", "ctrl+p", "ctrl+c"),
        # A terminal sends these for enter, tab, backspace and escape.
        *("ctrl+m", "ctrl+i", "ctrl+h", "ctrl+left_square_bracket"),
        *(f"alt+{number}" for number in range(1, 10)),
    )
)
"""Keys that the prompt, the palette and citations need."""


def bound_keys(changes: Mapping[str, str], commands: Iterable[Command]) -> dict[str, tuple[str, ...]]:
    """The keys of each command, with those that `changes` gives by a command's name instead of its own; "" for none.

    Raises UsageError for a name that is no command, a key that cannot be bound and one that is given twice.
    """
    for name in changes:
        if name not in BY_NAME:
            raise UsageError(f"[keys] names {plain(name, 40)!r}, which is no command; /help lists them")
    keys = {command.name: _split(changes.get(command.name, command.keys)) for command in commands}
    for name in changes.keys() & keys.keys():
        for key in keys[name]:
            _check(name, key)
    _refuse_clashes(keys)
    return keys


def _split(keys: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(key.strip().lower().replace("?", "question_mark") for key in keys.split(",") if key.strip())
    )


def _check(name: str, key: str) -> None:
    shown = plain(key, 30)
    if key in RESERVED:
        raise UsageError(f"[keys] gives {name} the key {shown!r}, which the prompt needs itself")
    match = _KEY.fullmatch(key)
    if match is None or (len(match["base"]) > 1 and match["base"] not in _NAMED):
        raise UsageError(f"[keys] gives {name} {shown!r}, which is no key; they are written like ctrl+x, alt+x or f5")
    if not (is_chord(key) or _FUNCTION.fullmatch(key) or key in _split(BY_NAME[name].keys)):
        raise UsageError(f"[keys] gives {name} the key {shown!r}, which is for typing; take ctrl+, alt+ or f1 to f24")


def _refuse_clashes(keys: Mapping[str, Sequence[str]]) -> None:
    owners: dict[str, str] = {}
    for name, own in keys.items():
        for key in own:
            if key in owners:
                raise UsageError(f"[keys] gives {plain(key, 30)!r} to both {owners[key]} and {name}; change one")
            owners[key] = name


def is_chord(key: str) -> bool:
    """Whether it is pressed together with ctrl or alt: such keys work wherever the focus is."""
    return key.startswith(("ctrl+", "alt+", "super+", "meta+"))


def bindings(keys: Mapping[str, Sequence[str]]) -> list[Binding]:
    """A binding for each key, under its command's name."""
    return [
        Binding(key, f"command('{name}')", BY_NAME[name].help, id=name, priority=is_chord(key))
        for name, own in keys.items()
        for key in own
    ]


def shown_keys(keys: Iterable[str]) -> str:
    """Keys for people: "f1, ?"."""
    return ", ".join(key.replace("question_mark", "?") for key in keys)
