from __future__ import annotations

from pathlib import Path

import pytest
from run_files import hop, jsonl, line

from assistant.evaluation.evaluate import (
    Score,
    best_f1,
    contains_answer,
    evaluate,
    exact_match,
    judge,
    normalise,
    recall_at,
)
from assistant.evaluation.provenance import Provenance
from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase


def means(score: Score, name: str) -> list[float | None]:
    return [score.value(f"{name}@{k}") for k in (2, 5, 10)]


def test_normalise_as_squad_does() -> None:
    assert normalise("The  U.S. Army, an army!") == "us army army"
    assert normalise("") == ""


def test_a_gold_answer_that_the_file_has_garbled_is_taken_as_it_was_meant() -> None:
    assert exact_match("Seyðisfjörður", ["Sey冒isfj枚r冒ur"]) == 1
    assert contains_answer("He was born in Düsseldorf.", ["D眉sseldorf"])
    assert exact_match("中文", ["中文"]) == 1
    assert exact_match("Falcon", ["Falc贸n"]) == 0


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
    assert means(everything, "recall") == [25.0, 50.0, 100.0]
    assert means(everything, "chain") == [0.0, 50.0, 100.0]
    assert (everything.value("em"), everything.value("f1")) == (50.0, 50.0)
    assert everything.value("found") == 66.67
    assert means(bridge, "recall") == [50.0, 100.0, 100.0]
    assert comparison.value("em") is None
    assert comparison.to_json()["recall@10"] == 100.0
    # Of the two questions with both kinds of gold only the first is there; its chain is full from 5 on.
    assert means(everything, "joint") == [0.0, 100.0, 100.0]
    # Of the answers given only the first can be judged.
    assert everything.value("precision") == 100.0
    assert everything.measures["recall@5"].questions == 2
    # Two questions, 1 and 0: both ends of the interval of their mean are reached.
    assert everything.to_json()["intervals"]["recall@5"] == (0.0, 100.0)
    assert everything.to_json()["intervals"]["recall@10"] is None


def test_without_types_groups_are_the_numbers_of_gold_passages(tmp_path: Path) -> None:
    questions = jsonl(
        tmp_path / "q.jsonl",
        [
            {"id": "1", "question": "A?", "supporting": ["a"]},
            {"id": "2", "question": "B?", "supporting": ["b", "c", "b"]},
            {"id": "3", "question": "C?"},
        ],
    )
    out = jsonl(tmp_path / "out.jsonl", [line("1", "A?", "", "a"), line("2", "B?", "", "b"), line("3", "C?", "", "")])
    assert [(score.group, score.questions) for score in evaluate(out, questions)] == [
        ("all", 3), ("1 gold passage", 1), ("2 gold passages", 1),
    ]  # fmt: skip


def test_a_strict_hit_counts_what_the_chain_rests_on(tmp_path: Path) -> None:
    questions = jsonl(tmp_path / "q.jsonl", [{"id": "1", "question": "A?", "supporting": ["a", "b", "c"]}])
    # b is at rank 4 and c is only cited, but hops rest on both; the third hop rests on nothing.
    links = [hop("x", "in", "y", 14), hop("y", "in", "z", 77), hop("z", "in", "?", None, "unresolved")]
    record = line("1", "A?", "", "", chains=[{"links": links}], citations=[{"passage_id": 77, "document": "c"}])
    record["passages"] = [{"id": 11 + at, "document": key} for at, key in enumerate("axyb")]
    (score, *_) = evaluate(jsonl(tmp_path / "out.jsonl", [record]), questions)
    assert means(score, "strict") == [100.0, 100.0, 100.0]
    assert means(score, "chain") == [0.0, 0.0, 0.0]
    # At 2: {a, x} and the hops' b, c: 3 right of 4, and 3 of 3 gold. From 5 on y as well: 3 of 5; F1 = 6 / 7, 6 / 8.
    assert means(score, "support_precision") == [75.0, 60.0, 60.0]
    assert means(score, "support_f1") == [85.71, 75.0, 75.0]
    record["chains"] = []
    (score, *_) = evaluate(jsonl(tmp_path / "out.jsonl", [record]), questions)
    assert means(score, "strict") == [0.0, 0.0, 0.0]
    # At 2: {a, x}, 1 of 2, F1 = 2 / 5; then {a, x, y, b}, 2 of 4, F1 = 4 / 7.
    assert means(score, "support_precision") == [50.0, 50.0, 50.0]
    assert means(score, "support_f1") == [40.0, 57.14, 57.14]


def test_with_the_file_all_documents_that_name_an_end_count_as_published(small: KnowledgeBase, tmp_path: Path) -> None:
    # Only the ferry is found; the chain speaks of Irena Valdis, whom her own document and the film's name.
    assert Provenance(small).documents(["irena valdis", "Nobody at all"]) == {"glasswork", "valdis"}
    questions = jsonl(tmp_path / "q.jsonl", [{"id": "1", "question": "A?", "supporting": ["glasswork", "valdis"]}])
    record = line("1", "A?", "", "", chains=[{"links": [hop("Irena Valdis", "born in", "?", None, "unresolved")]}])
    record["passages"] = [{"id": small.document_passages("ferry")[0].id, "document": "ferry"}]
    out = jsonl(tmp_path / "out.jsonl", [record])
    without, published = evaluate(out, questions)[0], evaluate(out, questions, kb=small)[0]
    assert (without.value("strict@5"), published.value("strict@5")) == (0.0, 100.0)
    # Two of {ferry, glasswork, valdis} are gold, and both gold ones are there: F1 = 4 / 5.
    assert published.value("support_precision@5") == 66.67
    assert published.value("support_f1@5") == 80.0
    assert published.value("recall@5") == 0.0


def test_joint_success_asks_that_the_answer_contains_the_gold_one(tmp_path: Path) -> None:
    questions = jsonl(
        tmp_path / "q.jsonl",
        [{"id": str(at), "question": "A?", "answers": ["the Seine"], "supporting": ["a"]} for at in range(4)],
    )
    # Contained as words; only half of it; part of a word; the right answer, and the evidence not found.
    answers = (("on the Seine, in Paris", "a"), ("Sein", "a"), ("Seinemaritime", "a"), ("Seine", "b"))
    lines = [line(str(at), "A?", answer, found) for at, (answer, found) in enumerate(answers)]
    (score, *_) = evaluate(jsonl(tmp_path / "out.jsonl", lines), questions)
    assert means(score, "joint") == [25.0, 25.0, 25.0]
    assert score.value("em") == 25.0


def test_answers_given_and_refused(tmp_path: Path) -> None:
    answers = {"1": ["Seine"], "2": ["the river Seine"], "3": ["Rhine"], "4": ["Rhine"], "5": ["Po"], "6": [], "7": []}
    questions = jsonl(
        tmp_path / "q.jsonl",
        [{"id": key, "question": "A?", "answers": gold, "supporting": ["a"]} for key, gold in answers.items()]
        + [{"id": "8", "question": "A?", "answers": ["x"]}],
    )
    out = jsonl(
        tmp_path / "out.jsonl",
        [
            line("1", "A?", "the Seine", "a"),  # right
            line("2", "A?", "Seine", "a"),  # part of the gold answer
            line("3", "A?", "Seine", "a"),  # wrong
            line("4", "A?", "", "a", found=False),  # refused with all its evidence
            line("5", "A?", "", "b", found=False),  # refused without
            line("6", "A?", "Oder", "a"),  # no gold answer
            line("7", "A?", "", "a", found=False),  # no gold answer, refused
            line("8", "A?", "", "", found=False, error="the model broke"),
        ],
    )
    score, *_ = evaluate(out, questions)
    abstention = score.to_json()["abstention"]
    assert abstention == {
        "answered": 4, "right": 1, "inexact": 1, "wrong": 2, "answered_without_gold": 1,
        "refused": 3, "refused_with_gold": 2, "refused_with_evidence": 1, "refused_without_gold": 1, "failed": 1,
    }  # fmt: skip
    assert score.value("precision") == 33.33
    assert [one.verdict for one in judge(out, questions)] == [
        "right", "inexact", "wrong", "refused", "refused", "unjudged", "refused", "failed",
    ]  # fmt: skip


def test_tokens_and_seconds(tmp_path: Path) -> None:
    questions = jsonl(tmp_path / "q.jsonl", [{"id": str(at), "question": "A?"} for at in range(4)])
    usage = {"requests": 2, "input_tokens": 100, "output_tokens": 5}
    lines = [line(str(at), "A?", "x", "a", seconds=float(at), usage=usage) for at in range(3)]
    failed = line("3", "A?", "", "", found=False, seconds=0.0, error="broken")
    (score,) = evaluate(jsonl(tmp_path / "out.jsonl", [*lines, failed]), questions)
    # 3 * 105 tokens over four questions; the failed one's time is no answer's. The 95th percentile of 0, 1, 2 lies 0.9
    # of the way from 1 to 2.
    assert score.to_json()["tokens"] == {"input": 300, "output": 15, "per_question": 78.8}
    assert score.to_json()["seconds"] == {"p50": 1.0, "p95": 1.9}
    (bare,) = evaluate(jsonl(tmp_path / "out.jsonl", [line("0", "A?", "x", "a")]), questions)
    assert bare.to_json()["seconds"] == {"p50": None, "p95": None}


def test_another_k_is_measured_beside_the_usual_ones(tmp_path: Path) -> None:
    questions = jsonl(tmp_path / "q.jsonl", [{"id": "1", "question": "A?", "supporting": ["c"]}])
    out = jsonl(tmp_path / "out.jsonl", [line("1", "A?", "", "abc")])
    score = evaluate(out, questions, k=3)[0].to_json()
    assert [score[f"recall@{k}"] for k in (2, 3, 5, 10)] == [0.0, 100.0, 100.0, 100.0]


def test_an_answer_is_contained_as_whole_words() -> None:
    assert contains_answer("born in the city of New York, in May", ["Boston", "New York"])
    assert not contains_answer("a Newyorker", ["New York"])
    assert not contains_answer("anything", ["", "the"])
    assert not contains_answer("", ["x"])


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
