"""The command as a user runs it: real files, the real embedding model, and its own process where that matters."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from earlier_files import stored_rows

from assistant.commands.cli import main

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "examples" / "corpus"


def clew(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "assistant", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, check=False)


def called(*arguments: str, stdin: str = "") -> Result:
    """The same within this process, where what the command says is tested and not that it starts and ends."""
    return CliRunner().invoke(main, arguments, input=stdin)


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every ordinary table's rows, sorted; vectors live in the shadow tables of vec0, in chunks that depend on the
    order.
    """
    tables = ("documents", "passages", "sentences", "entities", "aliases", "mentions", "triples", "synonyms")
    return stored_rows(path, tables)


def test_an_answer_comes_with_its_citations_and_chain(example_file: Path) -> None:
    answered = clew("ask", str(example_file), "Where was the composer of Stalker born?", "--json")
    assert answered.returncode == 0, answered.stderr
    reply = json.loads(answered.stdout)
    assert reply["answer"] == "Novosibirsk"
    ranked = [one["document"] for one in reply["passages"]]
    assert {"films/stalker.md", "films/eduard-artemyev.txt"} <= set(ranked[:3])
    cited = {one["document"] for one in reply["citations"]}
    assert cited <= set(ranked)
    assert "films/eduard-artemyev.txt" in cited


def test_what_the_file_does_not_hold_is_said_to_be_missing(example_file: Path) -> None:
    refused = called(
        "ask", str(example_file), "-", stdin="Who composed the music for the film of Virginia Woolf's Orlando?"
    )
    assert refused.exit_code == 1
    assert "Missing" in refused.stdout


def test_a_run_that_was_stopped_carries_on(example_file: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.txt", tmp_path / "out.jsonl"
    questions.write_text("Where was the composer of Stalker born?\nWho is the daughter of Lord Byron?\n", "utf-8")
    assert called("run", str(example_file), str(questions), "-o", str(out), "--quiet").exit_code == 0
    whole = out.read_text("utf-8").splitlines()
    # A kill in the middle of the second line.
    out.write_text(whole[0] + "\n" + whole[1][:40], "utf-8")
    assert called("run", str(example_file), str(questions), "-o", str(out), "--quiet").exit_code == 0
    again = out.read_text("utf-8").splitlines()
    assert again[0] == whole[0]
    assert [json.loads(line)["answer"] for line in again] == [json.loads(line)["answer"] for line in whole]
    assert all(len(json.loads(line)["passages"]) >= 10 for line in again)


def test_a_build_that_is_killed_again_and_again_ends_in_the_same_file(example_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.clew"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = []
    for stage in ("reading", "embedding", "linking"):
        command = [sys.executable, "-m", "assistant", "build", str(CORPUS), "-o", str(path)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as build:
            assert build.stderr is not None
            next((line for line in build.stderr if line.startswith(stage)), None)
            build.kill()
        ended.append(build.returncode)
    assert ended[0] == -signal.SIGKILL
    assert clew("build", str(CORPUS), "-o", str(path)).returncode == 0
    assert contents(path) == contents(example_file)
    assert clew("check", str(path)).returncode == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "build it first"),
        (b"", ""),
        (b"just text", "no clew knowledge base"),
        (b"SQLite format 3\0" + b"\0" * 30, "truncated"),
    ],
)
def test_a_file_of_another_kind_is_one_line_and_exit_3(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "other.clew"
    if content is not None:
        path.write_bytes(content)
    failed = called("ask", str(path), "Who?")
    assert failed.exit_code == 3
    assert failed.stderr.count("\n") == 1
    assert says in failed.stderr
    assert "Traceback" not in failed.stderr
    assert content is None or path.read_bytes() == content


def test_half_a_file_is_one_line_and_exit_3(example_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.clew"
    whole = example_file.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    failed = called("ask", str(path), "Who is the daughter of Lord Byron?")
    assert failed.exit_code == 3
    assert "truncated" in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_the_question_must_be_one(example_file: Path) -> None:
    for question in ("", "   ", "word " * 10_000):
        assert called("ask", str(example_file), "-", stdin=question).exit_code == 2


def test_a_question_in_another_script_is_answered_or_refused(example_file: Path) -> None:
    assert called("ask", str(example_file), "Где родился Тарковский?").exit_code in (0, 1)
