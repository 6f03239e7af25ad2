from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from run_files import jsonl, line

from assistant.commands.cli import main
from assistant.commands.options import styled
from assistant.shared.rendering import Line
from kb.store.knowledge_base import KnowledgeBase

GOLD = [
    {"id": "1", "question": "A?", "answers": ["x"], "supporting": ["valdis", "oskar"], "type": "bridge"},
    {"id": "2", "question": "B?", "answers": ["y"], "supporting": ["ferry"], "type": "comparison"},
    {"id": "3", "question": "C?"},
]


def clew(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["eval", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def files(tmp_path: Path, small: KnowledgeBase) -> tuple[Path, Path, Path]:
    """Two runs over the small knowledge base, and the questions."""

    def run(name: str, found: dict[str, tuple[str, list[str]]]) -> Path:
        lines = []
        for gold in GOLD:
            answer, keys = found[str(gold["id"])]
            record = line(str(gold["id"]), str(gold["question"]), answer, "", found=bool(answer), seconds=0.25)
            ids = {key: small.document_passages(key)[0].id for key in keys}
            record["passages"] = [{"id": ids[key], "document": key, "sources": ["walk"]} for key in keys]
            lines.append(record)
        return jsonl(tmp_path / name, lines)

    this = run("this.jsonl", {"1": ("x", ["valdis", "oskar"]), "2": ("", ["mill"]), "3": ("z", [])})
    other = run("other.jsonl", {"1": ("w", ["valdis", "mill"]), "2": ("y", ["ferry"]), "3": ("", [])})
    return this, other, jsonl(tmp_path / "q.jsonl", GOLD)


def data(*arguments: str | Path) -> Any:
    result = clew(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_the_table_has_all_questions_first_and_then_the_types(files: tuple[Path, Path, Path]) -> None:
    this, _, questions = files
    result = clew(this, questions)
    rows = result.stdout.splitlines()
    assert rows[0] == "3 questions, 2 with gold passages, 2 with answers · % [95 % interval]"
    assert "recall            50.0 [0.0, 100]    50.0 [0.0, 100]    50.0 [0.0, 100]" in rows
    assert "answered          2  1 right, 0 wrong (0 inexact), 1 without a gold answer" in rows
    assert "refused           1  1 have an answer (0 with full chain @5)" in rows
    assert "time              250 ms median, 250 ms at the 95th percentile" in rows
    assert "bridge                1  100                100                100" in rows
    assert max(map(len, rows)) <= 80
    assert result.stderr == "no question of this run has more than 2 passages; run with --top to get more\n"


def test_hubs_need_the_knowledge_base_of_the_run(files: tuple[Path, Path, Path], small_file: Path) -> None:
    this, _, questions = files
    everything, *_ = data(this, questions, "--kb", small_file)
    assert 0 <= everything["hub_share@5"] <= 100
    assert everything["hub_strength@gold"] > 0
    assert not any(name.startswith("hub_") for name in data(this, questions)[0])
    assert any(row.startswith("hub share ") for row in clew(this, questions, "--kb", small_file).stdout.splitlines())
    record = line("1", "A?", "x", "") | {"passages": [{"id": 5, "document": "valdis"}]}
    result = clew(jsonl(this.parent / "strange.jsonl", [record]), questions, "--kb", small_file)
    assert result.exit_code == 2
    assert "lacks 1 of the 1 passages" in result.stderr


def test_two_runs_are_compared(files: tuple[Path, Path, Path]) -> None:
    this, other, questions = files
    found = data(this, questions, "--compare", other)
    assert (found["this"], found["other"], found["questions"]) == (str(this), str(other), 3)
    recall = next(one for one in found["measures"] if one["measure"] == "recall@5")
    # This run: 1 and 0. The other: 1/2 and 1.
    assert (recall["mean"], recall["other"], recall["difference"]) == (50.0, 75.0, -25.0)
    assert (recall["won"], recall["lost"], recall["tied"]) == (["1"], ["2"], 0)
    rows = clew(this, questions, "--compare", other).stdout.splitlines()
    assert rows[0] == "3 questions in both"
    assert "recall @5          50.0  75.0  -25.0 [-100.0, +50.0]    1.000     1    1     0" in rows
    assert rows[-2:] == ["  − recall @5 · − exact match  2", "  + recall @5 · + exact match  1"]
    assert max(map(len, rows)) <= 80


def test_failures_can_be_chosen_by_cause_and_type(files: tuple[Path, Path, Path], small_file: Path) -> None:
    this, _, questions = files
    found = data(this, questions, "--failures", "--kb", small_file)
    assert [(one["id"], one["cause"]) for one in found["failures"]] == [("2", "never-found"), ("3", "unanswerable")]
    assert found["failures"][0]["passages"][0]["title"] == "Grey Coast Ferry"
    assert found["causes"] == {"never-found": {"refused": 1}, "unanswerable": {"unjudged": 1}}
    assert [one["id"] for one in data(this, questions, "--failures", "--cause", "unanswerable")["failures"]] == ["3"]
    assert [one["id"] for one in data(this, questions, "--failures", "--type", "comparison")["failures"]] == ["2"]
    assert "\n2 · comparison · never-found\n" in f"\n{clew(this, questions, '--failures').stdout}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--failures", "--compare", "x.jsonl"], "two views"),
        (["--cause", "wrong"], "add --failures"),
        (["--failures", "--type", "riddle"], "no question has the type 'riddle'; types here: bridge, comparison"),
        (["--compare", "none.jsonl"], "cannot be read"),
    ],
)
def test_bad_use_is_exit_2_in_one_line(files: tuple[Path, Path, Path], arguments: list[str], message: str) -> None:
    result = clew(files[0], files[2], *arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert message in result.stderr


def test_failures_go_to_a_pager_on_a_terminal(files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr(click, "echo_via_pager", paged.append)
    monkeypatch.setattr("assistant.commands.eval._is_terminal", lambda: True)
    assert clew(files[0], files[2], "--failures").stdout == ""
    assert "never-found" in paged[0]


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Line((("found", "good"),), indent=2)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert styled(shown) == "  \x1b[32mfound\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert styled(shown) == "  found"
