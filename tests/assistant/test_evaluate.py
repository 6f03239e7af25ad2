from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.evaluate import best_f1, evaluate, exact_match, normalise, recall_at
from kb.errors import UsageError


def jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def line(id: str, question: str, answer: str, documents: str, found: bool = True) -> dict[str, Any]:
    passages = [{"document": document} for document in documents]
    return {"id": id, "question": question, "answer": answer, "found": found, "passages": passages, "error": None}


def test_normalise_as_squad_does() -> None:
    assert normalise("The  U.S. Army, an army!") == "us army army"
    assert normalise("") == ""


def test_exact_match_takes_the_best_of_the_gold() -> None:
    assert exact_match("the Seine", ["Rhine", "Seine."]) == 1
    assert exact_match("Seine river", ["Seine"]) == 0
    assert exact_match("", ["Seine"]) == 0


def test_f1_over_words() -> None:
    # "river seine" and "seine" share one word: precision 1/2, recall 1, F1 = 2/3.
    assert best_f1("the river Seine", ["Rhine", "Seine"]) == pytest.approx(2 / 3)
    # One of the two "new" is matched once: common = {new, york} = 2, 2 * 2 / (3 + 2).
    assert best_f1("new new york", ["New York"]) == pytest.approx(4 / 5)
    assert best_f1("", ["x"]) == 0
    assert best_f1("x", []) == 0


def test_recall_counts_distinct_documents_among_the_first_k() -> None:
    assert recall_at(["a", "a", "b"], ["a", "b"], 2) == 0.5
    assert recall_at(["a", "a", "b"], ["a", "b"], 5) == 1
    assert recall_at([], ["a"], 5) == 0


def test_scores_over_all_and_by_type(tmp_path: Path) -> None:
    questions = jsonl(
        tmp_path / "q.jsonl",
        [
            {"id": "1", "question": "A?", "answers": ["x"], "supporting": ["a", "b"], "type": "bridge"},
            {"id": "2", "question": "B?", "answers": ["y"], "type": "bridge"},
            {"id": "3", "question": "C?", "supporting": ["c"], "type": "comparison"},
            {"id": "4", "question": "D?"},
        ],
    )
    out = jsonl(
        tmp_path / "out.jsonl",
        [
            # a is at rank 1, b at rank 3: half the recall at 2, all of it at 5.
            line("1", "A?", "x", "axb"),
            line("2", "B?", "", "", found=False),
            # c is at rank 6.
            line("3", "C?", "z", "12345c"),
        ],
    )
    everything, bridge, comparison = evaluate(out, questions)
    assert everything.group == "all"
    assert (everything.questions, everything.with_supporting, everything.with_answers) == (3, 2, 2)
    assert everything.recall == {2: 25.0, 5: 50.0, 10: 100.0}
    assert everything.chain == {2: 0.0, 5: 50.0, 10: 100.0}
    assert (everything.exact, everything.f1) == (50.0, 50.0)
    assert everything.found == 66.67
    assert bridge.recall == {2: 50.0, 5: 100.0, 10: 100.0}
    assert comparison.exact is None
    assert comparison.to_json()["recall@10"] == 100.0


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    questions = jsonl(tmp_path / "q.jsonl", [{"id": "1", "question": "A?"}])
    with pytest.raises(UsageError, match="answers none of the questions"):
        evaluate(jsonl(tmp_path / "a.jsonl", [line("2", "A?", "x", "a")]), questions)
    with pytest.raises(UsageError, match="run them again"):
        evaluate(jsonl(tmp_path / "b.jsonl", [line("1", "B?", "x", "a")]), questions)
    with pytest.raises(UsageError, match="line 1: no line that `clew run` writes"):
        evaluate(questions, questions)
    with pytest.raises(UsageError, match="cannot be read"):
        evaluate(tmp_path / "none.jsonl", questions)
    empty = jsonl(tmp_path / "empty.jsonl", [])
    with pytest.raises(UsageError, match="answers none"):
        evaluate(empty, questions)
