"""How fast passages are written to a knowledge base that holds many, without the cost of embedding them.

    python -m benchmarks.write_rate [--stored N ...] [--new N] [--changed N]

For each number of stored passages a file of as many documents of one passage is made in a temporary folder, with random
vectors, and with the names and facts that are extracted from its text; then new documents are written as a build writes
them, and stored ones are changed. Printed: passages a second, of the processor's time, as other work on the machine
does not count then.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kb.documents.links import Targets
from kb.documents.passages import sentences
from kb.graph.passage_work import PassageWork
from kb.graph.rule_extraction import rule_work, surroundings
from kb.records import Document, Piece
from kb.store.embeddings import Embedded
from kb.store.writer import Writer

BATCH = 128
DIMENSION = 384
SENTENCES = 4
SYLLABLES = ("ba", "den", "fu", "gor", "hi", "kel", "lo", "mar", "nu", "ris", "sta", "ve")


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
        for start in range(0, stored, BATCH):
            put(writer, [work(number) for number in range(start, min(start + BATCH, stored))])
        new_works = [work(stored + number) for number in range(new)]
        changed_works = [work(number, "changed") for number in range(changed)]
        fresh, again = rate(writer, new_works), rate(writer, changed_works)
    print(f"{stored:7,} stored   new {fresh:8.1f}/s   changed {again:8.1f}/s", flush=True)


def work(number: int, word: str = "new") -> PassageWork:
    text = " ".join(
        f"In {1800 + number % 200} {name(number)} {name(number % 2000)} of {name(number % 97)} "
        f"met {name(number + one)} {name(number % 999)}, {word}."
        for one in range(SENTENCES)
    )
    document = Document(f"note-{number}.md", f"Note {number}", text, f"note-{number}.md", "/notes")
    piece = Piece(0, 0, len(text), None, text)
    around = surroundings(document, piece, (), Targets({}))
    return rule_work(document, piece, tuple(sentences(text)), around, is_last=True)


def name(number: int) -> str:
    """A name for a number: some are in few documents, some in many."""
    syllables = []
    while number or not syllables:
        number, digit = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[digit])
    return "".join(syllables).capitalize()


def vectors(count: int) -> list[Embedded]:
    rows = np.random.default_rng(count).standard_normal((SENTENCES + 1, DIMENSION)).astype(np.float32)
    return [Embedded(rows[0], rows[1:])] * count


def put(writer: Writer, works: Sequence[PassageWork]) -> None:
    for start in range(0, len(works), BATCH):
        batch = works[start : start + BATCH]
        with writer.together():
            for one in batch:
                writer.begin_document(one.document)
            writer.write(batch, vectors(len(batch)))


def rate(writer: Writer, works: Sequence[PassageWork]) -> float:
    started = time.process_time()
    put(writer, works)
    return len(works) / (time.process_time() - started)


if __name__ == "__main__":
    main()
