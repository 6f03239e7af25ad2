"""How fast passages are written to a knowledge base that holds many, without the cost of embedding them.

    python -m benchmarks.write_rate [--stored N ...] [--new N] [--changed N]

For each number of stored passages a file of as many documents of one passage is made in a temporary folder, with random
vectors; then new documents are written as a build writes them, and stored ones are changed. Printed: passages a second,
of the processor's time, as other work on the machine does not count then.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kb.graph.passage_work import PassageWork
from kb.records import Document, Piece
from kb.store.embeddings import Embedded
from kb.store.writer import Writer

BATCH = 128
DIMENSION = 384
SENTENCES = 4


class RandomEmbedder:
    """Stands in the place of a model: the writer asks for no more than its name and its size."""

    name = "random"
    dimension = DIMENSION
    max_tokens = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stored", type=int, nargs="+", default=[5_000, 15_000])
    parser.add_argument("--new", type=int, default=256)
    parser.add_argument("--changed", type=int, default=64)
    options = parser.parse_args()
    for stored in options.stored:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder) / "rate.clew", stored, options.new, options.changed)


def measure(path: Path, stored: int, new: int, changed: int) -> None:
    with Writer(path, RandomEmbedder()) as writer:  # type: ignore[arg-type]
        for start in range(0, stored, 1000):
            fill(writer, [work(number) for number in range(start, min(start + 1000, stored))])
        fresh = rate(new, lambda: put(writer, [work(stored + number) for number in range(new)]))
        again = rate(changed, lambda: put(writer, [work(number, "changed") for number in range(changed)]))
    print(f"{stored:7,} stored   new {fresh:8.1f}/s   changed {again:8.1f}/s", flush=True)


def work(number: int, word: str = "new") -> PassageWork:
    text = " ".join(f"This is sentence {one} of note {number}, {word}." for one in range(SENTENCES))
    size = len(text) // SENTENCES
    spans = tuple((one * size, (one + 1) * size) for one in range(SENTENCES))
    document = Document(f"note-{number}.md", f"Note {number}", text, f"note-{number}.md", "/notes")
    return PassageWork(document, Piece(0, 0, len(text), None, text), True, spans, (), ())


def vectors(count: int) -> list[Embedded]:
    rows = np.random.default_rng(count).standard_normal((SENTENCES + 1, DIMENSION)).astype(np.float32)
    return [Embedded(rows[0], rows[1:])] * count


def fill(writer: Writer, works: Sequence[PassageWork]) -> None:
    with writer._engine.atomic():
        for one in works:
            writer._insert_document(one.document)
        writer.write(works, vectors(len(works)))


def put(writer: Writer, works: Sequence[PassageWork]) -> None:
    for start in range(0, len(works), BATCH):
        batch = works[start : start + BATCH]
        for one in batch:
            writer.begin_document(one.document)
        writer.write(batch, vectors(len(batch)))


def rate(count: int, run: Callable[[], None]) -> float:
    started = time.process_time()
    run()
    return count / (time.process_time() - started)


if __name__ == "__main__":
    main()
