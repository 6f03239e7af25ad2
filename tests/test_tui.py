from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_importing_the_chat_imports_nothing_slow() -> None:
    code = "import sys, tui; print(*sys.modules)"
    root = Path(__file__).parent.parent
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout
    slow = {"torch", "sentence_transformers", "pydantic_ai", "pydantic", "numpy", "scipy", "networkx", "sqlite_utils"}
    assert slow & set(loaded.split()) == set()
