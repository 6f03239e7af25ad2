from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from assistant.evaluation.bench import figures, terminal
from assistant.evaluation.bench.folders import read_folders
from assistant.evaluation.bench.intervals import Estimate, Spread, change, estimate, percentile, spread
from assistant.evaluation.bench.measure import Outcome
from assistant.evaluation.bench.report import aligned, markdown
from assistant.evaluation.bench.stages import StageFolder, slug
from assistant.evaluation.bench.tables import (
    Ablation,
    Damaged,
    FolderResult,
    Quality,
    choices,
    damaged,
    quality,
    to_json,
)
from kb.build import build
from kb.errors import WriteError
from kb.store.damage import damage
from kb.store.fingerprint import fingerprint


def outcome(question: str, recall: float | None, seconds: float = 0.1, tools: tuple[str, ...] = ()) -> Outcome:
    return Outcome(question, recall, None, None, seconds, tools)


def filled(name: str = "small") -> FolderResult:
    """Results with something for every figure and table."""
    result = FolderResult(name, 8, 4, 3, 3, ["a note"])
    result.quality = [
        Quality("agent", 4, Estimate(80, 60, 100), Estimate(50, 0, 100), Estimate(25, None, None), None, 0.2, 0.4, 0),
        Quality("passage_search", 3, Estimate(60, None, None), Estimate(0, None, None), None, None, 0.02, 0.03, 0),
    ]
    result.ablations = [
        Ablation("CS-RAG", "", Estimate(80, 60, 100), Estimate(50, 0, 100), None, None, 0.1),
        Ablation("CS-RAG", "planner", Estimate(70, 50, 90), None, Estimate(-10, -20, 0), Estimate(-5, -9, 1), 0.1),
    ]
    spreads = (Spread(80, 75, 85, 5), Spread(50, 50, 50, 0), Spread(20, 20, 20, 0), Spread(30, 30, 30, 0))
    result.damage = [Damaged("agent", "spurious", "whole graph", rho, *spreads) for rho in (0.0, 0.5)]
    return result


def test_an_estimate_is_a_mean_in_per_cent_with_an_interval_around_it() -> None:
    """(0 + 0.5 + 1 + 1) / 4 = 62.5 %; the question without gold is left out."""
    found = estimate([0, 0.5, None, 1, 1])
    assert found is not None
    assert found.value == 62.5
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 62.5 < found.high <= 100
    assert estimate([0, 0.5, 1, 1]) == found


def test_an_estimate_of_nothing_is_none_and_equal_values_leave_no_interval() -> None:
    assert estimate([]) is None
    assert estimate([None, None]) is None
    assert estimate([1.0]) == Estimate(100, None, None)
    assert estimate([0.5, 0.5, 0.5]) == Estimate(50, None, None)


def test_a_change_is_taken_question_by_question() -> None:
    """1 - 0.5 and 0 - 0.5 and nothing where one is not known: (50 - 50) / 2 = 0."""
    found = change([1, 0, None], [0.5, 0.5, 1])
    assert found is not None
    assert found.value == 0
    # Every question gains a half, so that resampling questions changes nothing.
    assert change([1, 0.5], [0.5, 0]) == Estimate(50, None, None)


def test_a_spread_has_the_sample_deviation() -> None:
    """Means 0.2, 0.4, 0.6: deviations -20, 0, 20 points; squares sum to 800, over 2 is 400, root 20."""
    found = spread([0.2, 0.4, None, 0.6])
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx((40, 20, 60))
    assert found.deviation == pytest.approx(20)
    assert spread([0.5]) == Spread(50, 50, 50, 0)
    assert spread([None]) is None


def test_percentiles_interpolate() -> None:
    """Of 1, 2, 3, 4 the middle lies at 2.5, and 95 % at 1 + 0.95 * 3 = 3.85."""
    assert percentile([4, 1, 3, 2], 0.5) == 2.5
    assert percentile([4, 1, 3, 2], 0.95) == pytest.approx(3.85)
    assert percentile([], 0.5) == 0


def test_rows_say_what_they_are_of_in_json() -> None:
    """Recalls 1 and 0.5: mean 75, full chain for one of two; seconds 0.1 and 0.3: median 0.2, p95 0.1 + 0.95 * 0.2."""
    row = to_json(quality("walk", [outcome("a", 1, 0.1), outcome("b", 0.5, 0.3)]))
    assert row["recall@5"]["value"] == 75
    assert row["chain@5"]["value"] == 50
    assert (row["seconds_p50"], row["seconds_p95"]) == (0.2, 0.29)
    assert row["em"] is None
    spoilt = to_json(damaged("walk", "spurious", "all", 0.5, [[outcome("a", 1)], [outcome("a", 0)]]))
    assert spoilt["recall@5"] == {"mean": 50, "low": 0, "high": 100, "deviation": 70.71}


def test_choices_count_orders_by_type() -> None:
    outcomes = [outcome("a", 1, tools=("x", "y")), outcome("b", 1, tools=("x",)), outcome("c", 0, tools=("x",))]
    found = choices(outcomes, {"a": "bridge", "b": "bridge", "c": ""})
    assert [(one.type, one.tools, one.questions, one.share) for one in found] == [
        ("", ("x",), 1, 100),
        ("bridge", ("x",), 2, 50),
        ("bridge", ("x", "y"), 2, 50),
    ]


def test_a_limit_takes_questions_with_supporting_documents_first_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text("", encoding="utf-8")
    gold = {"a": {"answers": ["x"]}, "b": {"supporting": ["d"]}, "c": {"answers": ["y"]}, "d": {"supporting": ["d"]}}
    lines = [json.dumps({"id": name, "question": f"Who is {name}?", **more}) for name, more in gold.items()]
    (tmp_path / "questions.jsonl").write_text("\n".join([*lines, '{"question": "Who?"}']), encoding="utf-8")

    def ids(limit: int | None) -> list[str]:
        folders, _ = read_folders(tmp_path, limit)
        return [question.id for question in folders[0].questions]

    assert ids(None) == ["a", "b", "c", "d"]
    assert ids(1) == ["b"]
    assert ids(3) == ["a", "b", "d"]
    assert read_folders(tmp_path)[0][0].notes == ("1 of 5 questions have no gold and are not asked",)


def test_a_stage_is_made_once_for_a_key_and_again_for_another(tmp_path: Path) -> None:
    made: list[str] = []

    def make() -> list[Outcome]:
        made.append("x")
        return [outcome("a", 0.5, tools=("t",))]

    for code, runs in (("1", 1), ("1", 1), ("2", 2)):
        stages = StageFolder(tmp_path, {"code": code})
        assert stages.outcomes("s", {"k": 1}, make) == [outcome("a", 0.5, tools=("t",))]
        assert len(made) == runs
    assert stages.holds("s", {"k": 1})
    assert not stages.holds("s", {"k": 2})
    stages.outcomes("s", {"k": 2}, make)
    assert len(made) == 3
    assert [one.reused for one in stages.done] == [False, False]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"key": 1}', b'{"key": {"k": 1}, "outcomes": [{}]}', b"\xff"])
def test_a_stage_file_of_anything_else_counts_as_not_there(tmp_path: Path, content: bytes) -> None:
    stages = StageFolder(tmp_path, {})
    stages.outcomes("s", {"k": 1}, lambda: [])
    next(tmp_path.glob("s-*.json")).write_bytes(content)
    assert stages.outcomes("s", {"k": 1}, lambda: [outcome("a", 1)]) == [outcome("a", 1)]


def test_a_stage_that_cannot_be_kept_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(WriteError, match="cannot be written"):
        StageFolder(tmp_path / "file", {}).outcomes("s", {}, lambda: [])


def test_names_become_parts_of_file_names_that_differ_where_they_do() -> None:
    assert slug("2wiki-train") == "2wiki-train"
    odd = [slug(name) for name in ("a b", "a/b", "../a", "a" * 200, "…", "")]
    assert len(set(odd)) == len(odd)
    for name in odd:
        assert name
        assert "/" not in name
        assert not name.startswith(".")
        assert len(name) < 90


def test_figures_of_the_same_results_are_the_same_bytes() -> None:
    first, second = dict(figures.draw_all(filled())), dict(figures.draw_all(filled()))
    assert first == second
    assert {name.partition(".")[0] for name in first} == {"quality", "time", "ablations", "damage", "damage-answers"}
    assert not dict(figures.draw_all(FolderResult("empty", 0, 0, 0, 0)))


def test_a_hostile_folder_name_is_text_everywhere() -> None:
    name = "a\x1b[31m$\\frac$ <b>|#\n漢"
    drawn = dict(figures.draw_all(filled(name)))
    assert drawn["quality.svg"].startswith(b"<?xml")
    text = markdown([filled(name)], [])
    assert "\x1b" not in text
    assert "\n## a$\\\\frac$ \\<b>|# 漢\n" in text


def test_drawings_for_the_terminal_put_values_in_their_place() -> None:
    """A scale of 40 cells from 0 to 100: 80 stands in cell 0.8 * 39 = 31.2, 60 in 23.4 and the chain's 50 in 19.5."""
    line = next(one for one in terminal.draw_quality(filled()).splitlines() if one.startswith("agent"))
    cells = line[terminal.NAME + 1 :][:40]
    assert cells.index("●") == 31
    assert cells.index("□") == 20
    assert set(cells[23:31]) == set(cells[32:40]) == {"─"}
    everything = terminal.drawings(filled())
    assert len(everything) == 4
    assert "CS-RAG: planner" in everything[2]
    assert "   80.0   80.0" in everything[3]
    assert all(len(one) <= 100 for drawing in everything for one in drawing.splitlines())
    assert terminal.drawings(FolderResult("empty", 0, 0, 0, 0)) == []


def test_points_at_the_same_place_of_a_drawing_stand_beside_each_other() -> None:
    result = filled()
    result.quality = [result.quality[0]] * 3
    assert "ABC" in terminal.draw_time(result)


def test_columns_of_a_table_line_up() -> None:
    assert aligned([["name", "n"], ["a", "10"], ["long name", "1"]]) == "name        n\na          10\nlong name   1"


def test_a_fingerprint_is_of_the_content_and_not_of_the_file(small_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.clew"
    shutil.copy(small_file, copy)
    with sqlite3.connect(copy) as db:
        db.execute("CREATE TABLE other (x)")
        db.execute("UPDATE documents SET source = '/elsewhere', root = '/elsewhere'")
    db.close()
    assert fingerprint(copy) == fingerprint(small_file)
    spoilt = tmp_path / "spoilt.clew"
    damage(small_file, spoilt, "spurious", 1.0, 0)
    assert fingerprint(spoilt) != fingerprint(small_file)


def test_the_same_corpus_has_the_same_fingerprint_wherever_it_is_built(tmp_path: Path) -> None:
    made = []
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        corpus = tmp_path / place / "corpus.jsonl"
        corpus.write_text('{"id": "a", "title": "Karsk", "text": "Karsk is a village."}\n', encoding="utf-8")
        build([str(corpus)], tmp_path / place / "x.clew")
        made.append(fingerprint(tmp_path / place / "x.clew"))
    assert made[0] == made[1]
