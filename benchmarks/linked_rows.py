"""Two lines as one text for the second reader to learn from: those that answer a question, and those that only look so.

The wrong ones are what `tools/linked/pairing.py` finds likeliest for the question among the lines of its world and
nineteen others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.linked_questions import Asked, pools
from benchmarks.row import Row
from tools.linked.line_pool import Line, LinePool
from tools.linked.pairing import linked_pairs

_AMONG, _WRONG = 14, 6
"""The likeliest pairs among which wrong ones are drawn, and how many."""

_HALF = 0.25
"""How often the line with the answer beside one that does not lead to it is a row, in which nothing answers."""

_BARE = 0.3
"""Share of the rows without titles."""


def linked_rows(folder: Path, seed: int = 0) -> Iterator[Row]:
    """For each question the lines of its path in an order drawn, and wrong pairs."""
    draw = random.Random(seed)
    for pool in pools(folder):
        for one in pool.asked:
            yield _right(pool.lines, one, draw)
            for first, second in _wrong(pool.lines, one, draw):
                lines = [pool.lines.lines[first], pool.lines.lines[second]]
                yield Row("linked wrong", one.question, _joined(lines, draw)[0], "none")


def _right(lines: LinePool, asked: Asked, draw: random.Random) -> Row:
    last = lines.lines[asked.path[-1]]
    path = [lines.lines[at] for at in asked.path]
    text, places = _joined(path, draw)
    start = places[last] + last.text.index(asked.answer)
    return Row(f"linked {len(path)}", asked.question, text, "span", start, start + len(asked.answer))


def _wrong(lines: LinePool, asked: Asked, draw: random.Random) -> list[tuple[int, int]]:
    likeliest = linked_pairs(lines, asked.question, asked.cosines, _AMONG)
    answer, last = asked.answer.casefold(), asked.path[-1]
    wrong = [one for one in likeliest if not any(answer in lines.lines[at].text.casefold() for at in one)]
    chosen = draw.sample(wrong, min(_WRONG, len(wrong)))
    halves = [one for one in likeliest if last in one and not set(one) <= set(asked.path)]
    if halves and draw.random() < _HALF:
        chosen.append(draw.choice(halves))
    return chosen


def _joined(lines: Sequence[Line], draw: random.Random) -> tuple[str, dict[Line, int]]:
    """Lines in an order drawn, one below the other, and where the text of each begins."""
    order, is_bare = draw.sample(list(lines), len(lines)), draw.random() < _BARE
    text, places = "", {}
    for line in order:
        told = line.text if is_bare else line.shown
        text += told if not text else f"\n{told}"
        places[line] = len(text) - len(line.text)
    return text, places
