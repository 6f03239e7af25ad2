"""Changes to the config file, a line at a time: what else stands in it stays as it is, comments included."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from assistant.shared.config import OWN_SCORER, SHIPPED_SCORER, checked, checked_values, file_values, from_text, known
from assistant.shared.model_choice import is_file
from assistant.shared.user_folders import config_file
from assistant.shared.writing import replace_file
from kb.errors import UsageError


def set_value(key: str, text: str, source: str = "the command line") -> Path:
    """Write a setting, given as text by `source`, into the config file; gives the file.

    Raises UsageError for an unknown key, a value that is none, and a file that is not understood or cannot be written.
    """
    setting = known(key, source)
    value = checked(setting, from_text(setting, text.strip()), source, stored=True)
    if (key == "model" and is_file(value)) or (key == "scorer" and value not in (OWN_SCORER, SHIPPED_SCORER)):
        value = str(Path(value).expanduser().absolute())  # a later chat may begin in another folder
    return _rewrite(key, f"{key} = {toml(value)}", {**file_values(), key: value})


def unset_value(key: str) -> Path:
    """Take a setting out of the config file; gives the file. Raises UsageError, also where it is not in there."""
    known(key, "the command line")
    values = file_values()
    if key not in values:
        raise UsageError(f"{key!r} is not set in the config file {str(config_file())!r}")
    return _rewrite(key, "", {name: value for name, value in values.items() if name != key})


def _rewrite(key: str, line: str, expected: dict[str, Any]) -> Path:
    path = config_file()
    with suppress(OSError):
        path = path.resolve()  # so that a link stays one
    text = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    changed = _replaced(text, key, line)
    try:
        as_meant = checked_values(changed, str(path)) == expected
    except UsageError:
        as_meant = False
    if not as_meant:
        raise UsageError(f"the config file {str(path)!r} is written in a way that clew cannot edit; change {key} there")
    try:
        replace_file(path, changed.encode())
    except OSError as error:
        raise UsageError(f"the config file {str(path)!r} cannot be written: {error.strerror}") from error
    return path


def _replaced(text: str, key: str, line: str) -> str:
    """`text` with the line of `key` replaced, or `line` at its end where there is none; "" takes the line out."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    # What follows the heading of a table is part of that.
    top = next((index for index, old in enumerate(lines) if old.lstrip().startswith("[")), len(lines))
    for index, old in enumerate(lines[:top]):
        body = old.rstrip("\r\n")
        if _values(body).keys() == {key}:
            kept = [part for part in (line, _comment(body)) if part]
            lines[index] = "  ".join(kept) + old[len(body) :] if kept else ""
            return "".join(lines)
    if top and not lines[top - 1].endswith("\n"):
        lines[top - 1] += end
    return "".join([*lines[:top], line + end, *lines[top:]])


def _values(text: str) -> dict[str, Any]:
    """What a line says by itself; nothing for one that is only a part of something."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _comment(line: str) -> str:
    """What follows a value on its line, from the first # that is no part of it."""
    values = _values(line)
    starts = (at for at, sign in enumerate(line) if sign == "#")
    return next((line[at:] for at in starts if _values(line[:at]) == values), "")


def toml(value: Any) -> str:
    """A value as TOML writes it; for our texts, which hold no control characters, that is as JSON does."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(name)} = {toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
