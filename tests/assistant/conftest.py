from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_ai import models
from small_documents import DOCUMENTS

from kb.build import build
from kb.store import KnowledgeBase

models.ALLOW_MODEL_REQUESTS = False


@pytest.fixture(scope="session")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of twelve invented documents, whose chains no model knows by heart."""
    folder = tmp_path_factory.mktemp("small")
    corpus = folder / "corpus.jsonl"
    lines = [{"id": key, "title": title, "text": text} for key, (title, text) in DOCUMENTS.items()]
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    build([str(corpus)], folder / "small.clew")
    return folder / "small.clew"


@pytest.fixture
def small(small_file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(small_file) as kb:
        yield kb


@pytest.fixture
def model_requests_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """For requests to a server on loopback."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
