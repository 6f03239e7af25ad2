"""What the readers tell by themselves, of passages that answer and of near misses.

    python -m benchmarks.readers_alone FOLDER [--every N] [--first]

FOLDER holds collections (benchmarks/collections/README.md), which no reader should have read; with `--every` one of
their rows in so many is drawn, with a seed. The second reader is asked, or the first. Printed for each sort of row: of
100 the exact spans and their F1, how often it says that a passage answers where it does and not where it does not, how
often it is certain (both probabilities together 0.5 and more) and exact, or certain of a passage that does not answer,
and how often yes or no is right.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assistant.evaluation.evaluate import best_f1, exact_match
from benchmarks.collection_rows import collection_rows
from benchmarks.row import Row
from tools.reading.abbreviated import Read
from tools.reading.reader import load_reader
from tools.reading.second_reader import load_second_reader
from tools.reading.spans import Reading

_AT_ONCE = 64
_CERTAIN = 0.5


def measure(rows: Sequence[Row], read: Read) -> dict[str, list[float]]:
    """Each measure with what it is for each row that it is taken of."""
    told: dict[str, list[float]] = defaultdict(list)
    for at in range(0, len(rows), _AT_ONCE):
        some = rows[at : at + _AT_ONCE]
        for row, reading in zip(some, read([(row.question, "", row.passage) for row in some]), strict=True):
            for name, value in _measured(row, reading).items():
                told[name].append(value)
    return told


def _measured(row: Row, reading: Reading) -> dict[str, float]:
    best = max(reading.spans, key=lambda span: span.probability, default=None)
    text = row.passage[best.start : best.end] if best else ""
    certain = best is not None and reading.answered * best.probability >= _CERTAIN
    says = reading.answered >= _CERTAIN
    if row.kind == "none":
        return {"says that it does not answer": not says, "certain of what does not answer": certain}
    if row.kind != "span":
        return {"yes or no right": (reading.yes > reading.no) == (row.kind == "yes")}
    gold = [row.passage[row.start : row.end]]
    exact = exact_match(text, gold)
    return {
        "exact": exact,
        "F1": best_f1(text, gold),
        "says that it answers": says,
        "certain and exact": certain and exact,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", action="store_true", help="ask the first reader")
    arguments = parser.parse_args()
    rows = list(collection_rows(arguments.folder, random.Random(1)))
    rows = random.Random(2).sample(rows, len(rows) // arguments.every) if arguments.every > 1 else rows
    read = load_reader().read if arguments.first else load_second_reader().read
    for name, values in measure(rows, read).items():
        print(f"{name}: {100 * float(np.mean(values)):.1f} of {len(values)}")


if __name__ == "__main__":
    main()
