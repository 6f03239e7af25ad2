from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chatting import Script, chat

from tui import ClewApp


@pytest.fixture
def script() -> Iterator[Script]:
    script = Script()
    yield script
    script.openable.set()
    script.release.set()


@pytest.fixture
def app(tmp_path: Path, script: Script) -> ClewApp:
    return chat(tmp_path, script.open, "Who was first?", "Who was last?")
