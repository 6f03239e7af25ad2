"""The rung that works for a model at an endpoint: kept among the user's own files, or told by the model's size."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from assistant.models.calling.rungs import RUNGS, Rung
from assistant.shared.model_choice import ModelChoice, without_secrets
from assistant.shared.user_folders import state_folder
from assistant.shared.writing import replace_file

SMALL = 3_000_000_000
"""Parameters below which a model is only asked for an answer from the start: one of 1.5 billion wrote tool
calls as text, and as JSON gave up on answers that it had before it (docs/models.md).
"""

MOST = 200
"""Models that are remembered; then the one that was written down first is forgotten."""

_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d{1,4}(?:\.\d{1,3})?)([bm])(?![A-Za-z0-9])", re.IGNORECASE)


def remembered(choice: ModelChoice) -> Rung | None:
    """The rung that the model was last found to manage, None where nothing is known."""
    rung = _all().get(_name(choice))
    return next((one for one in RUNGS if one == rung), None)


def remember(choice: ModelChoice, rung: Rung | None) -> None:
    """Keep a rung for later sessions, None to forget it. A file that cannot be written is nobody's trouble."""
    known = {name: one for name, one in _all().items() if name != _name(choice)}
    if rung is not None:
        known[_name(choice)] = rung
    kept = dict(list(known.items())[-MOST:])
    with suppress(OSError):
        replace_file(_file(), json.dumps(kept, indent=1).encode())


def parameters_in(name: str) -> int:
    """How many parameters a model's name says it has ("qwen2.5:1.5b"), the most where it says several; 0 for none."""
    scale = {"b": 1e9, "m": 1e6}
    return max((int(float(number) * scale[unit.lower()]) for number, unit in _SIZE.findall(name)), default=0)


def is_small(parameters: int) -> bool:
    """Whether a model with so many parameters, 0 where that is not known, is too small to choose tools."""
    return 0 < parameters < SMALL


def _all() -> dict[str, str]:
    try:
        known = json.loads(_file().read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(name): str(rung) for name, rung in known.items()} if isinstance(known, dict) else {}


def _name(choice: ModelChoice) -> str:
    return f"{without_secrets(choice.base_url)} {choice.name}".strip()


def _file() -> Path:
    return state_folder() / "rungs.json"
