"""Small worlds of lines from several documents, each with questions that two of the lines answer together.

A list of `benchmarks/collections/linked/` holds a world in each line: its `lines`, each `from` a file, and `questions`,
each with the `path` of lines that lead to its `answer`, which stands in the last of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.reading_rows import read_lines
from kb.store.embeddings import load_embedder
from tools.linked.line_pool import Line, LinePool

AT_ONCE = 20
"""Worlds whose lines stand in one pool: some 240, as in the folder of a small club."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the places in its pool of the lines that lead to the answer, and the answer in the last of them."""

    question: str
    path: tuple[int, ...]
    answer: str
    cosines: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Pool:
    """The lines of some worlds, and what is asked of them."""

    lines: LinePool
    asked: Sequence[Asked]


def pools(folder: Path, seed: int = 3) -> Iterator[Pool]:
    """The worlds of all lists of a folder in an order drawn, twenty to a pool."""
    worlds = [told for listed in sorted(folder.glob("*.jsonl")) for told in read_lines(listed)]
    random.Random(seed).shuffle(worlds)
    for at in range(0, len(worlds), AT_ONCE):
        yield _pool(worlds[at : at + AT_ONCE])


def _pool(worlds: Sequence[dict[str, Any]]) -> Pool:
    embedder = load_embedder()
    lines: list[Line] = []
    asked: list[tuple[str, tuple[int, ...], str]] = []
    for world in worlds:
        places = {}
        for told in world["lines"]:
            places[told["id"]] = len(lines)
            lines.append(Line(len(lines), Path(told["from"]).stem, told["text"]))
        for one in world["questions"]:
            asked.append((one["q"], tuple(dict.fromkeys(places[name] for name in one["path"])), one["answer"]))
    vectors = embedder.embed([one.text for one in lines])
    cosines = embedder.embed([question for question, _, _ in asked]) @ vectors.T
    return Pool(LinePool(lines), [Asked(*one, row) for one, row in zip(asked, cosines, strict=True)])
