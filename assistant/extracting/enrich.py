"""Which passages questions have touched, most asked first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from assistant.run_lines import read_run

TOUCHED = 10
"""Passages of a result that count as touched, the best ones, as in transcripts."""


def touched_in_results(path: Path) -> Mapping[int, int]:
    """Ids of passages with how many lines of a results file of `clew run` have them among their first ten.

    Raises UsageError where the file cannot be read, or is none of results.
    """
    lines = read_run(path).values()
    return Counter(one.id for line in lines for one in set(line.passages[:TOUCHED]) if one.id)


def most_asked_first(counts: Iterable[Mapping[int, int]]) -> list[int]:
    """Ids of passages by how many questions touched them, all counts together, most first, ties by id."""
    total: Counter[int] = Counter()
    for one in counts:
        total.update(one)
    return sorted(total, key=lambda passage: (-total[passage], passage))
