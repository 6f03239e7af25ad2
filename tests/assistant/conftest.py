from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai import models

from assistant.agent.offline import situation
from assistant.agent.offline.extracted_answer import Extracted, extract
from assistant.agent.workspace import Workspace
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


@pytest.fixture
def doubtful_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """What clew reads itself is never likely enough to be given, so that a model that only answers is asked."""

    def doubtful(kb: KnowledgeBase, workspace: Workspace) -> Extracted:
        extracted = extract(kb, workspace)
        found = extracted.found
        return replace(extracted, found=found and replace(found, confidence=min(found.confidence, 0.5), quote=None))

    monkeypatch.setattr(situation, "extract", doubtful)
