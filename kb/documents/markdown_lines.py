"""What the lines of a paragraph in Markdown are: one text, `Key: value` lines, terms and their definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from kb.documents.passages import STARTERS
from kb.documents.plaintext import BULLET, Block, has_room
from kb.documents.structure import starts_line

DEFINITION = re.compile(r"^:[ \t]+(?=\S)", re.MULTILINE)
"""The start of a definition, at the start of a line."""

_WRAPPED = 60
"""Columns of a paragraph from which a full line of it may have been wrapped, whatever begins the next."""

_FIRST_WORD = re.compile(r"\W*(\w+)")


def lines_joined(lines: Sequence[str], hangs: Sequence[bool]) -> str:
    """The lines of a paragraph as one, where they run on; `hangs` tells which are written further in than the first.

    Definitions (": text") and the terms above them stay lines.
    """
    last_definition = max((number for number, line in enumerate(lines) if DEFINITION.match(line)), default=0)
    paragraph = "\n".join(lines)
    width = max(map(len, lines))
    text, at = lines[0], 0
    for number, (before, line) in enumerate(pairwise(lines), 1):
        at += len(before) + 1
        if last_definition:
            kept = number <= last_definition and not hangs[number]
        elif BULLET.match(line):
            kept = False
        elif starts_line(before):
            kept = starts_line(line) or not (hangs[number] or _runs_on(before, line, width))
        else:
            kept = starts_line(lines[0]) and starts_line(paragraph, at)
        text += f"{chr(10) if kept else ' '}{line}"
    return text


def _runs_on(before: str, line: str, width: int) -> bool:
    """Whether the value in the line before goes on in this one: it has no end, and this begins in lower case or had no
    room there; in a narrow paragraph, where a value may end anywhere, it must not begin as sentences do either.
    """
    if before.endswith((".", "!", "?", ";")):
        return False
    if line[:1].islower():
        return True
    first = _FIRST_WORD.match(line)
    may_run_on = width >= _WRAPPED or (first is not None and first[1] not in STARTERS)
    return may_run_on and not has_room(before, line, width)


def defined(text: str, term: str) -> tuple[list[Block], str]:
    """A line `Term: text` for each definition in a paragraph, and the last term; `term` is what stands above it."""
    blocks: list[Block] = []
    terms, is_told = [term] if term and DEFINITION.match(text) else [], False
    for line in text.split("\n"):
        if definition := DEFINITION.match(line):
            blocks.append(Block(f"{', '.join(terms)}: {line[definition.end() :]}" if terms else line, "item"))
            is_told = True
        else:
            terms, is_told = [*([] if is_told else terms), line.rstrip(":").rstrip()], False
    if terms and not is_told:
        blocks.append(Block(", ".join(terms)))
    return blocks, ", ".join(terms)
