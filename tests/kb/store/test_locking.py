"""Two writers at once: the second is told who the first is, and loses nothing."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.build import add, build, remove
from kb.errors import LockedFileError
from kb.store.check import check
from kb.store.embeddings import load_embedder
from kb.store.knowledge_base import KnowledgeBase
from kb.store.locking import SUFFIX, WriterLock, refuse_second_writer
from kb.store.writer import Writer

HOLD = """
import sys
from pathlib import Path
from kb.store.locking import WriterLock
lock = WriterLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    source = tmp_path / "corpus.jsonl"
    source.write_text(json.dumps({"id": "a", "title": "Lindholm", "text": "Lindholm is a town."}), "utf-8")
    build([str(source)], tmp_path / "a.clew")
    return tmp_path / "a.clew"


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.stdin.close()
    process.wait(30)
    process.stdout.close()


def test_a_second_writer_is_told_who_writes(path: Path, holder: subprocess.Popen[str], tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("Karsk is a village.", "utf-8")
    for write in (
        lambda: build([str(tmp_path / "new.txt")], path),
        lambda: add([str(tmp_path / "new.txt")], path),
        lambda: remove(path, ["a"]),
    ):
        with pytest.raises(LockedFileError, match=rf"by another process, process {holder.pid} since 20\d\d-.*--wait"):
            write()
    with KnowledgeBase.open(path) as knowledge:
        assert knowledge.info().documents == 1


def test_a_writer_that_was_killed_locks_nothing(path: Path, holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.kill()
    holder.wait(30)
    assert path.with_name(path.name + SUFFIX).exists()
    (tmp_path / "new.txt").write_text("Karsk is a village.", "utf-8")
    assert add([str(tmp_path / "new.txt")], path).added == 1
    assert not path.with_name(path.name + SUFFIX).exists()
    assert check(path) == []


def test_a_lock_is_let_go_whatever_happens(path: Path) -> None:
    with pytest.raises(ValueError, match="stopped"), Writer(path, load_embedder()):
        raise ValueError("stopped")
    WriterLock(path).release()
    refuse_second_writer(path)
    assert sorted(one.name for one in path.parent.iterdir()) == ["a.clew", "corpus.jsonl"]


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write anywhere")
def test_where_no_lock_can_be_made_an_unchanged_build_still_ends(path: Path) -> None:
    path.parent.chmod(0o500)
    try:
        assert build([str(path.parent / "corpus.jsonl")], path).unchanged == 1
    finally:
        path.parent.chmod(0o700)


def test_a_full_disk_takes_the_name_of_the_writer_but_not_the_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **named: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        lock = WriterLock(path)
    with pytest.raises(LockedFileError, match="being written by another process;"):
        WriterLock(path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", full)
        lock.release()
    WriterLock(path).release()
    assert not path.with_name(path.name + SUFFIX).exists()
