"""Knowledge bases for tests, built on the spot from documents written for them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.build import build
from kb.store.knowledge_base import KnowledgeBase

Facts = Sequence[tuple[str, str, str]]


def build_file(folder: Path, documents: Mapping[str, str], facts: Mapping[str, Facts] | None = None) -> Path:
    """A file of documents (title to text) whose keys are their titles; `facts` replace what the rules would extract."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus, path = folder / "corpus.jsonl", folder / "small.clew"
    _write(corpus, [{"id": title, "title": title, "text": text} for title, text in documents.items()])
    if facts is None:
        build([str(corpus)], path)
    else:
        given = folder / "openie.jsonl"
        _write(given, [{"id": title, "entities": [], "triples": triples} for title, triples in facts.items()])
        build([str(corpus)], path, openie=given)
    return path


def passage_id(kb: KnowledgeBase, document: str, ordinal: int = 0) -> int:
    """The id of a document's passage."""
    return kb.document_passages(document)[ordinal].id


def titles(kb: KnowledgeBase, ids: Sequence[int]) -> list[str]:
    """The titles of passages."""
    return [passage.title for passage in kb.passages(ids)]


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
