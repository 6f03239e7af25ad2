from __future__ import annotations

from pathlib import Path

import pytest

from assistant.shared.writing import replace_file, write_new
from kb.errors import UsageError, WriteError


def test_a_new_file_is_its_owners_and_an_old_ones_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    replace_file(path, b"one")
    assert (path.read_bytes(), path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (
        b"one",
        0o600,
        0o700,
    )
    path.chmod(0o644)
    replace_file(path, b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o644)
    assert [one.name for one in path.parent.iterdir()] == ["file"]


def test_what_cannot_take_the_place_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_file(tmp_path / "folder", b"x")
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    write_new(path, "lone \ud800 surrogate")
    with pytest.raises(UsageError, match="is there already"):
        write_new(path, "other")
    assert path.read_text() == "lone ? surrogate"
    with pytest.raises(WriteError, match="cannot write"):
        write_new(tmp_path / "none" / "answer.md", "x")
    assert [one.name for one in tmp_path.iterdir()] == ["answer.md"]
