"""What a large file holds, by its documents' own hashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.build import build
from kb.store import fingerprint as fingerprints
from kb.store.fingerprint import fingerprint, quick_fingerprint


def test_of_a_large_file_its_documents_tell_whether_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, path = tmp_path / "notes", tmp_path / "a.clew"
    notes.mkdir()
    (notes / "boat.md").write_text("# Boat\n\nThe boat is red.\n", "utf-8")
    (notes / "ferry.md").write_text("# Ferry\n\nThe ferry is blue.\n", "utf-8")
    build([str(notes)], path)
    assert quick_fingerprint(path) == fingerprint(path)
    monkeypatch.setattr(fingerprints, "LARGE", 1)
    first = quick_fingerprint(path)
    assert first.startswith("documents:")
    (notes / "ferry.md").write_text("# Ferry\n\nThe ferry is green.\n", "utf-8")
    build([str(notes)], path)
    assert quick_fingerprint(path) != first
    (notes / "ferry.md").write_text("# Ferry\n\nThe ferry is blue.\n", "utf-8")
    build([str(notes)], path)
    assert quick_fingerprint(path) == first
