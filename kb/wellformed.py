"""Text that can be written down: JSON and command lines may carry halves of characters, and UTF-8 has none."""

from __future__ import annotations

import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


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
