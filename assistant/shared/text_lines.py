"""The text of a passage as lines for people: what begins a line in the document begins one."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.shared.rendering import plain, plain_block
from kb.documents.structure import NARROWEST, is_heading, starts_line


def text_lines(text: str, limit: int) -> list[str]:
    """`plain(text, limit)` in lines: its headings, list items, rows and paragraphs; prose that was wrapped is joined.

    Joined by spaces they are what `plain` gives. [""] for an empty text.
    """
    left = plain(text, limit)
    lines: list[str] = []
    for one in _lines(plain_block(text[: 8 * limit])):
        if not left.startswith(f"{one} "):
            break  # here it is cut, or ends
        lines.append(one)
        left = left[len(one) + 1 :]
    return [*lines, left]


def _lines(text: str) -> Iterator[str]:
    """The lines of a text that are not empty, each with what was wrapped of it, on one line."""
    begun: list[str] = []
    at, before = 0, ""
    for line in text.split("\n"):
        runs_on = len(before) >= NARROWEST and not is_heading(before) and not starts_line(text, at)
        if begun and line.strip() and not runs_on:
            yield plain(" ".join(begun))
            begun = []
        if plain(line):
            begun.append(line)
        at, before = at + len(line) + 1, line.strip()
    if begun:
        yield plain(" ".join(begun))
