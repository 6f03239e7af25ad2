"""Texts cut short, and texts of documents kept from ending the fence that they are shown to a model in."""

from __future__ import annotations

import re

LINE_CHARACTERS = 300
"""Of one path or chain in words; a graph has twice that."""

_FENCE = re.compile(r"[<＜﹤](?=" + "".join(rf"[^\w<>]*{letter}" for letter in "passage") + ")", re.IGNORECASE)
"""What reads as the end or the beginning of a passage, whatever invisible characters stand within it."""


def clip(text: str, limit: int) -> str:
    """`text` cut at a word to at most `limit` characters, marked with an ellipsis where something is missing."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 2]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut) + " …"


def unfenced(text: str) -> str:
    """`text` with nothing in it that reads as the end or the beginning of a passage."""
    return _FENCE.sub("‹", text)


def attribute(text: str, limit: int = 200) -> str:
    """Text of a document in a line of the tool's own: no fence, no line end and no quotation mark of its own."""
    return clip(" ".join(unfenced(text).replace('"', "'").split()), limit)
