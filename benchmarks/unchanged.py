"""How long `clew build` takes over a folder of notes in which nothing has changed.

    python -m benchmarks.unchanged [--notes N] [--rounds N]

The folder and the file are made in a temporary folder; what embeds the first time is a stand-in, as its vectors do not
matter here. Then the command is run as a user runs it. Printed for each round: seconds, and seconds of the processor.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kb import build as kb_build
from kb.store.embeddings import DEFAULT_MODEL, Embedded, Floats, Spans

DIMENSION = 384


class RandomEmbedder:
    """Embeds nothing, under the name of the model that the command looks for."""

    name = DEFAULT_MODEL
    dimension = DIMENSION
    max_tokens = 256

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def embed(self, texts: Sequence[str]) -> Floats:
        rows = self._random.standard_normal((len(texts), DIMENSION)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_names = embed

    def embed_passages(self, texts: Sequence[str], spans: Sequence[Spans]) -> list[Embedded]:
        return [Embedded(self.embed([""])[0], self.embed([""] * len(ranges))) for ranges in spans]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = make(Path(folder), options.notes)
        for number in range(options.rounds):
            seconds, cpu = timed(Path(folder) / "notes", path)
            print(f"round {number + 1}: {seconds:.2f} s, {cpu:.2f} s of the processor", flush=True)


def make(folder: Path, count: int) -> Path:
    notes = folder / "notes"
    for number in range(count):
        note = notes / f"{number // 100}" / f"note-{number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"# Note {number}\n\nThis is what was thought on day {number}.\n", encoding="utf-8")
        os.utime(note, (1_700_000_000, 1_700_000_000))
    kb_build.load_embedder = lambda name: RandomEmbedder()  # type: ignore[assignment]
    kb_build.build([str(notes)], folder / "notes.clew")
    return folder / "notes.clew"


def timed(notes: Path, path: Path) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "assistant", "build", str(notes), "-o", str(path), "--quiet"], check=True)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
