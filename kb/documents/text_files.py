"""Reader of plain text: paragraphs that are wrapped, and the tables and lists that are drawn in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kb.documents.asked_here import with_questions
from kb.documents.drawn_tables import drawn
from kb.documents.licence_files import licence_text
from kb.documents.plain_headings import with_headings, without_rulers
from kb.documents.plaintext import BULLET, Block, Content, decode, has_room, joined, one_line, tidy
from kb.documents.record_blocks import with_records
from kb.documents.structure import NARROWEST, starts_line

_WITHIN = re.compile(r"[^\W\d_]\u2010$")
"""The end of a line within a word, as manuals are printed ("se‐"); a hyphen that is typed may be the word's own."""


def read_text(data: bytes) -> Content:
    """Plain text; its title is a short first line that does not run on in the second, and no question or release."""
    text = tidy(decode(data))
    if licences := licence_text(text):
        return Content("", licences)
    text = with_records(with_headings(text))
    paragraphs = [list(_parts(paragraph.split("\n"))) for paragraph in text.split("\n\n")]
    blocks = list(with_questions(part for parts in paragraphs for part in parts))
    is_row = bool(paragraphs[0]) and paragraphs[0][0].kind != ""
    title = "" if is_row or (blocks and blocks[0].text.startswith("## ")) else _title_line(text)
    return Content(title, joined(blocks))


def _parts(lines: Sequence[str]) -> Iterator[Block]:
    """What a paragraph is made of: rows that its lines draw, and prose between them."""
    at = 0
    for found in drawn(lines):
        if at < found.start:
            yield from _prose(lines[at : found.start])
        yield from found.rows
        at = found.end
    if at < len(lines):
        yield from _prose(lines[at:])


def _prose(lines: Sequence[str]) -> Iterator[Block]:
    if words := without_rulers(lines):
        yield Block(_unwrapped("\n".join(words)))


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
    if first.startswith("# "):
        return one_line(first[2:])
    if not rest or len(first) > 120 or first.endswith((".", "。", ",", ";", ":")) or BULLET.match(first):
        return ""
    paragraph = rest.split("\n\n", 1)[0].split("\n")
    width = max(map(len, [first, *paragraph]))
    # In hard-wrapped text a line ends where the next word has no room.
    wrapped = width >= NARROWEST and not has_room(first, paragraph[0], width)
    return "" if wrapped else one_line(first)
