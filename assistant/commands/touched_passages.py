"""What enriching starts from: the passages that questions have touched, and what a model has judged on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from assistant.evaluation.run_lines import read_run
from assistant.models.judging.cache import absorb, judgements_file
from kb.build import stored_model
from kb.store.embeddings import load_embedder
from kb.store.writer import Writer

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


def take_in_judgements(file: Path) -> int:
    """Copy what a model has judged about the knowledge base at `file` from the user's cache into it, so that it goes
    with the file; returns how many judgements. Raises BadFileError.
    """
    if not judgements_file().exists():
        return 0
    with Writer(file, load_embedder(stored_model(file))) as writer:
        return absorb(file, writer.cache)
