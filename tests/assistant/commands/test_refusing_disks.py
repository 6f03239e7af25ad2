"""Disks and places that take nothing: one line and exit 3, and no blame on a file that is sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from kb.errors import BadFileError, DamagedFileError, NotAKnowledgeBase, UsageError
from kb.graph.openie import read_extractions
from kb.store.sqlite import open_writer, sqlite3, translated


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("asked", ["--help", "--version", "library --help"])
def test_what_is_printed_for_a_full_disk_ends_in_one_line(asked: str) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "assistant", *asked.split()], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (ran.returncode, ran.stderr.count("\n")) == (3, 1)
    assert ran.stderr.startswith("clew: No space left on device")


def test_a_vector_that_cannot_be_written_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="cannot be read or written") as told, translated(tmp_path):
        raise sqlite3.OperationalError("Internal sqlite-vec error: Could not insert a new vector chunk")
    assert not isinstance(told.value, DamagedFileError)


def test_a_pipe_is_no_place_for_a_knowledge_base(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.clew"
    os.mkfifo(pipe)
    with pytest.raises(NotAKnowledgeBase, match="no regular file"):
        open_writer(pipe)
    (tmp_path / "a.txt").write_text("Lindholm is a town.", "utf-8")
    result = CliRunner().invoke(main, ["build", str(tmp_path / "a.txt"), "-o", str(pipe), "-q"])
    assert result.exit_code == 3
    assert "no regular file" in result.stderr


@pytest.mark.parametrize("line", ["[" * 100_000, '{"id": ' + "9" * 5_000 + "}"])
def test_extractions_that_no_json_reader_takes_are_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "openie.jsonl"
    path.write_text(line, "utf-8")
    with pytest.raises(UsageError, match="line 1: not JSON"):
        read_extractions(path)


def test_a_log_that_the_disk_does_not_take_into_the_file_fails_the_build(tmp_path: Path) -> None:
    notes, path = tmp_path / "notes", tmp_path / "notes.clew"
    notes.mkdir()
    (notes / "long.md").write_text(
        "\n\n".join(f"Lindholm {n} lies on the river Skarn {n}." for n in range(900)), "utf-8"
    )
    command = ["build", str(notes), "-o", str(path), "-q"]
    assert CliRunner().invoke(main, command).exit_code == 0
    (notes / "new.md").write_text("# Karsk\n\nKarsk is a town. " + "It is old and quiet. " * 400, "utf-8")
    size = path.stat().st_size  # the log is smaller, the file would become larger
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "
        f"from assistant.commands.cli import main; main({command!r})"
    )
    ran = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr.count("\n")) == (3, 1), ran.stderr
    assert "keeps all finished work" in ran.stderr
    log = tmp_path / "notes.clew-wal"
    assert log.stat().st_size < size
    assert CliRunner().invoke(main, command).exit_code == 0  # with nothing else to do
    assert not log.exists()
    assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0
