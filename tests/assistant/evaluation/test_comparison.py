from __future__ import annotations

from pathlib import Path

import pytest
from run_files import jsonl, line

from assistant.evaluation.comparison import Comparison, compare
from assistant.evaluation.evaluate import judge
from kb.errors import UsageError

GOLD = [
    {"id": "1", "question": "A?", "answers": ["x"], "supporting": ["a", "b"]},
    {"id": "2", "question": "A?", "answers": ["x"], "supporting": ["a", "b"]},
    {"id": "3", "question": "A?", "answers": ["x"], "supporting": ["a", "b"]},
    {"id": "4", "question": "A?", "answers": ["x"], "supporting": ["a", "b"]},
]


def compared(folder: Path, this: list[tuple[str, str, str]], other: list[tuple[str, str, str]]) -> Comparison:
    """Runs of (id, answer, documents)."""
    questions = jsonl(folder / "q.jsonl", GOLD)
    runs = [
        jsonl(folder / f"{name}.jsonl", [line(key, "A?", answer, documents) for key, answer, documents in run])
        for name, run in (("this", this), ("other", other))
    ]
    first, second = (judge(run, questions) for run in runs)
    return compare(first, second, (5,))


def test_differences_by_hand(tmp_path: Path) -> None:
    comparison = compared(
        tmp_path,
        [("1", "x", "ab"), ("2", "x", "ab"), ("3", "y", "a"), ("4", "x", "ab")],
        [("1", "y", "a"), ("2", "y", ""), ("3", "y", "ab"), ("4", "x", "ab")],
    )
    found = {one.measure: one for one in comparison.differences}
    assert list(found) == [
        "recall@5", "chain@5", "strict@5", "support_precision@5", "support_f1@5", "joint@5", "em", "f1", "found",
    ]  # fmt: skip
    recall = found["recall@5"]
    # (1 + 1 + 1/2 + 1) / 4 = 87.5 and (1/2 + 0 + 1 + 1) / 4 = 62.5.
    assert (recall.mean, recall.other, recall.difference) == (87.5, 62.5, 25.0)
    assert (recall.won, recall.lost, recall.tied) == (("1", "2"), ("3",), 1)
    # The sums ±½ ±1 ±½ are at least 1 in size for 6 of 8: 2, 1, 1 and their opposites; the seen one is ½ + 1 - ½ = 1.
    assert (recall.test, recall.p) == ("sign-flip", pytest.approx(6 / 8))
    assert recall.interval is not None
    assert recall.interval[0] < 25 < recall.interval[1]
    em = found["em"]
    # Two won and none lost: twice (1/2)^2.
    assert (em.test, em.p, em.won, em.lost) == ("mcnemar", pytest.approx(0.5), ("1", "2"), ())
    assert em.to_json()["tied"] == 2
    assert (found["found"].difference, found["found"].interval, found["found"].p) == (0.0, None, 1.0)


def test_questions_that_changed_have_the_losses_first(tmp_path: Path) -> None:
    comparison = compared(
        tmp_path,
        [("1", "x", "ab"), ("2", "x", "a"), ("3", "y", "a"), ("4", "x", "ab")],
        [("1", "y", "a"), ("2", "y", "ab"), ("3", "y", "ab"), ("4", "x", "ab")],
    )
    changes = comparison.changes(["recall@5", "em"])
    assert list(changes.items()) == [
        ("2", {"recall@5": -1, "em": 1}),
        ("3", {"recall@5": -1}),
        ("1", {"recall@5": 1, "em": 1}),
    ]


def test_only_questions_of_both_runs_are_compared(tmp_path: Path) -> None:
    comparison = compared(tmp_path, [("1", "x", "ab"), ("2", "x", "ab")], [("2", "x", "ab"), ("3", "x", "ab")])
    assert (comparison.questions, comparison.only_this, comparison.only_other) == (1, 1, 1)
    assert all(one.questions == 1 and one.tied == 1 for one in comparison.differences)
    with pytest.raises(UsageError, match="share no question"):
        compared(tmp_path, [("1", "x", "ab")], [("2", "x", "ab")])
