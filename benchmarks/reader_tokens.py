"""The rows that both readers learn from, as tokens.

    python -m benchmarks.reader_tokens --data READING -o rows.npz

Rows of `benchmarks/reading_rows.py`, and of the collections of people's own documents, each of these drawn several
times with other passages that do not answer. A row says how often it is read; those that only measure, never. With
`--beside N` it is the rows of `implied/` and a sample of N others, so that two cores can train with them without
forgetting the rest. The file holds every passage once, so that it is small, and needs nothing but numpy to be read.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.row import KINDS

COLLECTIONS = Path(__file__).with_name("collections")
_OTHERS = 1
_OWN = {"reading": 1, "strangers": 2, "from_memory": 2, "jotted": 3, "misleading": 3, "loosely": 8}
"""How often each row is read: of the reading folder, and of each folder of questions over our own collections."""

_HELD = ("strangers_choosing", "jotted_choosing", "loosely_choosing")
_LONGEST_QUESTION = 72


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A row as token ids of BERT, uint16; `place` are the first and last token of the passage that answer or decide."""

    source: str
    question: NDArray[np.uint16]
    passage: NDArray[np.uint16]
    kind: int
    place: tuple[int, int] | None
    times: int

    @property
    def span(self) -> bool:
        return KINDS[self.kind] == "span"


class Pieces:
    """Arrays of tokens one behind the other, each kept once."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}
        self._parts: list[NDArray[np.uint16]] = []

    def add(self, ids: Sequence[int]) -> int:
        part = np.asarray(ids, dtype=np.uint16)
        at = self._known.setdefault(part.tobytes(), len(self._parts))
        if at == len(self._parts):
            self._parts.append(part)
        return at

    def arrays(self, name: str) -> dict[str, Any]:
        ends = np.cumsum([len(part) for part in self._parts])
        return {name: np.concatenate(self._parts), f"{name}_ends": ends}


def write_rows(data: Path, path: Path, beside: int | None = None) -> int:
    """Draws the rows and writes them, of those that are not of `implied/` at most `beside`; how many there are."""
    from benchmarks.row import Row
    from kb.store.minilm import load_tokenizer

    tokenizer: Any = load_tokenizer()
    drawn: Counter[Row] = _thinned(_drawn(data), beside)
    pieces, listed, sources = Pieces(), [], sorted({row.source for row in drawn})
    rows = list(drawn)
    for at in range(0, len(rows), 4096):
        part = rows[at : at + 4096]
        asked = tokenizer.encode_batch([row.question for row in part], add_special_tokens=False)
        read = tokenizer.encode_batch([row.passage for row in part], add_special_tokens=False)
        for row, question, passage in zip(part, asked, read, strict=True):
            place = row.place(passage.offsets)
            if place is None and row.placed:
                continue
            kept = [pieces.add(ids) for ids in (question.ids[:_LONGEST_QUESTION], passage.ids)]
            listed.append((*kept, KINDS.index(row.kind), *(place or (-1, -1)), drawn[row], sources.index(row.source)))
    table = np.array(listed, dtype=np.int32)
    np.savez_compressed(path, rows=table, sources=np.array(sources), **pieces.arrays("tokens"))
    return len(listed)


def _drawn(data: Path) -> Counter[Any]:
    """Each row and how often it is read."""
    from benchmarks.collection_rows import collection_rows, implied_rows
    from benchmarks.reading_rows import all_rows

    drawn = Counter(dict.fromkeys(all_rows(data), _OTHERS))
    for name, times in _OWN.items():
        for seed in range(times):
            drawn.update(collection_rows(COLLECTIONS / name, random.Random(seed)))
    drawn.update(dict.fromkeys(implied_rows(COLLECTIONS / "implied"), 1))
    for name in _HELD:
        drawn.update(dict.fromkeys(collection_rows(COLLECTIONS / name, random.Random(1)), 0))
    drawn.update(dict.fromkeys(implied_rows(COLLECTIONS / "implied_choosing"), 0))
    return drawn


def _thinned(drawn: Counter[Any], beside: int | None) -> Counter[Any]:
    """The rows of `implied/`, and of all others a sample of `beside` that are each read once, and of an eighth as many
    that only measure; all as they are for None.
    """
    if beside is None:
        return drawn
    kept = Counter({row: times for row, times in drawn.items() if "implied" in row.source})
    for most, read in ((beside, 1), (beside // 8, 0)):
        others = [row for row, times in drawn.items() if row not in kept and bool(times) == bool(read)]
        kept.update(dict.fromkeys(random.Random(0).sample(others, min(most, len(others))), read))
    return kept


def read_rows(path: Path) -> list[TokenRow]:
    """The rows of a file that `write_rows` wrote."""
    with np.load(path) as kept:
        parts = np.split(kept["tokens"], kept["tokens_ends"][:-1])
        sources = kept["sources"].tolist()
        return list(_read(kept["rows"].tolist(), parts, sources))


def _read(listed: list[list[int]], parts: list[NDArray[np.uint16]], sources: list[str]) -> Iterator[TokenRow]:
    for question, passage, kind, first, last, times, source in listed:
        place = (first, last) if first >= 0 else None
        yield TokenRow(sources[source], parts[question], parts[passage], kind, place, times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--beside", type=int, metavar="N", help="rows that are not of implied/; all if not given")
    arguments = parser.parse_args()
    print(f"{write_rows(arguments.data, arguments.out, arguments.beside)} rows")


if __name__ == "__main__":
    main()
