"""What a knowledge base holds, by its fingerprint, without reading the whole file for every question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.shared.user_folders import state_folder
from assistant.shared.writing import replace_file
from kb.store.addresses import ServerAddress
from kb.store.file_state import file_state

REMEMBERED = 100
"""Files whose fingerprints are remembered."""


def known_fingerprint(path: Path) -> str:
    """The quick fingerprint of the content, remembered until the file is written to: to compute it takes a second for
    8,000 documents. Raises as `kb.store.fingerprint.fingerprint` does.
    """
    from kb.store.fingerprint import quick_fingerprint

    key, stamp = str(path.absolute()), _written(path)
    known = _remembered()
    if stamp and known.get(key, {}).get("stamp") == stamp:
        return str(known[key]["fingerprint"])
    value = quick_fingerprint(path)
    if stamp and _written(path) == stamp:
        known.pop(key, None)
        _remember({**known, key: {"stamp": stamp, "fingerprint": value}})
    return value


def _written(path: Path) -> list[int]:
    """What changes when the file is written to, its log included; empty where that cannot be told."""
    if isinstance(path, ServerAddress):
        return list(file_state(path))
    stamps: list[int] = []
    for name in (path, path.with_name(path.name + "-wal")):
        try:
            status = name.stat()
        except FileNotFoundError:
            continue
        stamps += [status.st_size, status.st_mtime_ns, status.st_ino]
    return stamps


def _memory() -> Path:
    return state_folder() / "fingerprints.json"


def _remembered() -> dict[str, dict[str, Any]]:
    try:
        known = json.loads(_memory().read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: value for key, value in known.items() if isinstance(value, dict)} if isinstance(known, dict) else {}


def _remember(known: Mapping[str, Mapping[str, Any]]) -> None:
    """Only a help: where it cannot be written, the next question takes its second again."""
    latest = dict(list(known.items())[-REMEMBERED:])
    try:
        replace_file(_memory(), json.dumps(latest).encode())
    except OSError:
        return
