"""Passages that say again what better ones say: copies of a document, a book's pages and the same book on one page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.answer_rules.text import fold
from tools.types import Hit

COPIED = 0.8
"""The share of a passage, in one run, that better ones say in the same words from which it is a copy: of two versions
of a text, the lines that differ stand between those that do not.
"""

LEAST = 300
"""Characters that are said again at least: what is shorter may be the same of another day or thing."""

_ENDS = re.compile(r"\n+|(?<=[.!?])\s+")


def without_copies(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order without those that are copies of better ones; () gives []."""
    said: set[str] = set()
    kept = list[Hit]()
    for hit in hits:
        pieces = [fold(piece).strip() for piece in _ENDS.split(hit.passage.text)]
        if _longest_run(pieces, said) < max(LEAST, COPIED * sum(map(len, pieces))):
            kept.append(hit)
            said.update(pieces)
    return kept


def _longest_run(pieces: Sequence[str], said: set[str]) -> int:
    """The characters of the longest run of pieces that are said already."""
    longest = run = 0
    for piece in pieces:
        run = run + len(piece) if not piece or piece in said else 0
        longest = max(longest, run)
    return longest
