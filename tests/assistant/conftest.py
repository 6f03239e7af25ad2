from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_ai import models

from kb.store.knowledge_base import KnowledgeBase

models.ALLOW_MODEL_REQUESTS = False


@pytest.fixture
def small(small_file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(small_file) as kb:
        yield kb


@pytest.fixture
def model_requests_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """For requests to a server on loopback."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
