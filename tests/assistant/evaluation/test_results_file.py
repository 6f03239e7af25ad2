from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.evaluation.results_file import ResultsFile
from assistant.shared.question_files import Question
from kb.errors import UsageError, WriteError

QUESTIONS = [Question("a", "A?"), Question("b", "B?"), Question("c", "C?")]


def line(id: str, question: str | None = None, error: str | None = None) -> dict[str, Any]:
    return {"id": id, "question": question or f"{id.upper()}?", "answer": f"answer to {id}", "error": error}


def write(path: Path, *lines: dict[str, Any], torn: str = "") -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines) + torn, encoding="utf-8")
    return path


def ids(path: Path) -> list[str]:
    return [json.loads(one)["id"] for one in path.read_text(encoding="utf-8").splitlines()]


def test_a_new_file_grows_by_a_line_at_a_time(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "out.jsonl", QUESTIONS)
    assert results.done == frozenset()
    results.append(line("a"))
    assert ids(tmp_path / "out.jsonl") == ["a"]
    assert results.done == {"a"}


def test_a_torn_last_line_is_dropped_and_the_rest_kept(tmp_path: Path) -> None:
    out = write(tmp_path / "out.jsonl", line("a"), torn='{"id": "b", "questi')
    results = ResultsFile(out, QUESTIONS)
    assert results.done == {"a"}
    results.append(line("b"))
    assert ids(out) == ["a", "b"]


def test_failed_and_reworded_questions_are_asked_again_and_put_in_order(tmp_path: Path) -> None:
    out = write(tmp_path / "out.jsonl", line("a", error="broken"), line("b", question="Old B?"), line("c"))
    results = ResultsFile(out, QUESTIONS)
    assert results.done == {"c"}
    results.append(line("a"))
    results.append(line("b"))
    assert ids(out) == ["c", "a", "b"]
    results.put_in_order()
    assert ids(out) == ["a", "b", "c"]
    assert list(tmp_path.iterdir()) == [out]


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    for text in ('{"id": "other", "question": "?", "error": null}\n', '{"title": "a"}\n', "notes\n", "notes"):
        out = tmp_path / "out.jsonl"
        out.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match="line 1: no result for any of these questions"):
            ResultsFile(out, QUESTIONS)
        assert out.read_text(encoding="utf-8") == text


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot write the results"):
        ResultsFile(tmp_path / "none" / "out.jsonl", QUESTIONS)
