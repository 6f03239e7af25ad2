"""Knowledge bases for tests, built on the spot from documents written for them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.build import build
from kb.store.knowledge_base import KnowledgeBase

Facts = Sequence[tuple[str, str, str]]


def build_small(source: Path, path: Path, openie: Path | None = None) -> None:
    """As `kb.build.build`, with one thread: on a busy machine two wait for each other and take twice as long."""
    import torch  # seconds, which tests without a file need not wait for

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        build([str(source)], path, openie=openie)
    finally:
        torch.set_num_threads(threads)


def build_file(folder: Path, documents: Mapping[str, str], facts: Mapping[str, Facts] | None = None) -> Path:
    """A file of documents (title to text) whose keys are their titles; `facts` replace what the rules would extract."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus, path = folder / "corpus.jsonl", folder / "small.clew"
    _write(corpus, [{"id": title, "title": title, "text": text} for title, text in documents.items()])
    if facts is None:
        build_small(corpus, path)
    else:
        given = folder / "openie.jsonl"
        _write(given, [{"id": title, "entities": [], "triples": triples} for title, triples in facts.items()])
        build_small(corpus, path, given)
    return path


def passage_id(kb: KnowledgeBase, document: str, ordinal: int = 0) -> int:
    """The id of a document's passage."""
    return kb.document_passages(document)[ordinal].id


def titles(kb: KnowledgeBase, ids: Sequence[int]) -> list[str]:
    """The titles of passages."""
    return [passage.title for passage in kb.passages(ids)]


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
