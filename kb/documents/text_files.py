"""Reader of plain text: paragraphs that are wrapped, and the tables and lists that are drawn in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kb.documents.drawn_tables import drawn
from kb.documents.plaintext import BULLET, Block, Content, decode, has_room, joined, one_line, tidy
from kb.documents.structure import NARROWEST, starts_line

_WITHIN = re.compile(r"[^\W\d_]\u2010$")
"""The end of a line within a word, as manuals are printed ("se‐"); a hyphen that is typed may be the word's own."""


def read_text(data: bytes) -> Content:
    """Plain text; its title is a short first line that does not run on in the second."""
    text = tidy(decode(data))
    paragraphs = [list(_parts(paragraph.split("\n"))) for paragraph in text.split("\n\n")]
    title = _title_line(text) if not paragraphs[0] or paragraphs[0][0].kind == "" else ""
    return Content(title, joined(part for parts in paragraphs for part in parts))


def _parts(lines: Sequence[str]) -> Iterator[Block]:
    """What a paragraph is made of: rows that its lines draw, and prose between them."""
    at = 0
    for found in drawn(lines):
        if at < found.start:
            yield Block(_unwrapped("\n".join(lines[at : found.start])))
        yield from found.rows
        at = found.end
    if at < len(lines):
        yield Block(_unwrapped("\n".join(lines[at:])))


def _unwrapped(paragraph: str) -> str:
    """A hard-wrapped paragraph as one line. Lines that were ended on purpose, as a poem's or a list's, stay."""
    lines = paragraph.split("\n")
    width = max(map(len, lines))
    if width < NARROWEST:
        return paragraph
    parts = [lines[0]]
    at = 0
    for line, following in pairwise(lines):
        at += len(line) + 1
        wrapped = not starts_line(paragraph, at) and not has_room(line, following, width)
        if wrapped and _WITHIN.search(line):
            parts[-1] = parts[-1][:-1]
            parts.append(following.lstrip())
        else:
            parts += (" " if wrapped else "\n", following)
    return "".join(parts)


def _title_line(text: str) -> str:
    first, _, rest = text.partition("\n")
    if not rest or len(first) > 120 or first.endswith((".", "。", ",", ";", ":")) or BULLET.match(first):
        return ""
    paragraph = rest.split("\n\n", 1)[0].split("\n")
    width = max(map(len, [first, *paragraph]))
    # In hard-wrapped text a line ends where the next word has no room.
    wrapped = width >= NARROWEST and not has_room(first, paragraph[0], width)
    return "" if wrapped else one_line(first)
