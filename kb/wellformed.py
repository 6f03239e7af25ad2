"""Text that can be written down: JSON and command lines may carry halves of characters, and UTF-8 has none; what a
program told its terminal is no text.
"""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


_ESCAPES = re.compile(
    r"(?:\x1b\[[0-?]*|\x9b[0-?]+)[ -/]*[@-~]"
    r"|\x1b[]P^_X][^\x07\x1b\x90\x9c\x9d\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]+[0-~]|\x1b[78=>cDEHM]"
)
"""Control sequences (CSI) and strings (OSC, DCS and the like) of ECMA-48, sets of characters, and single
ones. The eight-bit beginning of a sequence counts before a number only, that of a string never: in text that was read
in a wrong encoding they are marks.
"""


def without_escapes(text: str) -> str:
    """Without the sequences by which a program colours its text, moves the cursor or names the window."""
    return _ESCAPES.sub("", text)


def well_formed(text: str) -> str:
    """With halves of surrogate pairs joined, or replaced by U+FFFD where the other half is missing."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALF.search(text) else text


def well_formed_json(value: Any) -> Any:
    """A value of JSON's types with all its texts well formed."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed_json(key): well_formed_json(one) for key, one in value.items()}
    return [well_formed_json(one) for one in value] if isinstance(value, list) else value
