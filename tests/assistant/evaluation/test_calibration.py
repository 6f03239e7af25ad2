"""Whether a run is as sure as it says: counts by level, calibration error, and risk by coverage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from run_files import jsonl, line

from assistant.commands.cli import main
from assistant.evaluation.calibration import Level, Told, calibration, calibration_error
from assistant.evaluation.calibration_text import COLUMNS, curve_lines
from assistant.evaluation.evaluate import evaluate


def answer(confidence: float, right: bool, sure: bool = False, contains: bool | None = None) -> Told:
    return Told("sure" if sure else "likely", confidence, True, right, right if contains is None else contains)


def refusal(confidence: float) -> Told:
    return Told("none", confidence, False, False, False)


RUN = (
    answer(0.98, True, sure=True),
    answer(0.92, False, sure=True, contains=True),
    answer(0.8, True),
    answer(0.75, False),
    refusal(0.4),
)


def test_right_answers_are_counted_by_level() -> None:
    found = calibration(RUN)
    assert found is not None
    assert found.levels == {"sure": Level(2, 1, 2), "sure or likely": Level(4, 2, 3)}
    assert [level.precision for level in found.levels.values()] == [50.0, 50.0]
    assert Level(0, 0, 0).precision is None


def test_the_calibration_error_is_the_mean_gap_of_ten_bins() -> None:
    # Bins: 0.9-1 holds 0.98 right and 0.92 wrong, 0.8 right, 0.7 wrong at 0.75, 0.4 a refusal.
    gaps = [(0.98 + 0.92 - 1), (1 - 0.8), 0.75, 0.4]
    found = calibration(RUN)
    assert found is not None
    assert found.ece_given == pytest.approx(100 * sum(gaps[:3]) / 4, abs=0.01)
    assert found.ece_all == pytest.approx(100 * sum(gaps) / 5, abs=0.01)


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ((), None),
        ((answer(1.0, True),), 0.0),
        ((answer(1.0, False),), 100.0),
        ((answer(0.5, True), answer(0.5, False)), 0.0),
        ((answer(0.0, False), answer(1.0, True)), 0.0),
    ],
)
def test_calibration_error_of_few(told: tuple[Told, ...], error: float | None) -> None:
    assert calibration_error(told) == error


def test_the_curve_goes_from_the_surest_on() -> None:
    found = calibration(RUN)
    assert found is not None
    # Wrong among the first 1, 2, 3, 4: 0, 1/2, 1/3, 2/4.
    assert [(one.coverage, one.risk) for one in found.curve] == [(20, 0), (40, 50), (60, 33.33), (80, 50)]
    assert found.aurc == pytest.approx(100 * (0 + 1 / 2 + 1 / 3 + 2 / 4) / 4, abs=0.01)


def test_the_order_of_equally_sure_answers_makes_no_difference() -> None:
    alike = [answer(0.8, True), answer(0.8, False), answer(0.9, True)]
    assert calibration(alike) == calibration(alike[::-1])


def test_nothing_to_judge_has_no_calibration_and_refusals_alone_have_no_curve() -> None:
    assert calibration(()) is None
    found = calibration((refusal(0.2),))
    assert found is not None
    assert (found.ece_given, found.ece_all, found.aurc, found.curve) == (None, 20.0, None, ())
    assert curve_lines(found.curve) == []


def test_the_curve_is_drawn_in_a_few_lines() -> None:
    found = calibration(RUN)
    assert found is not None
    lines = [line.text for line in curve_lines(found.curve)]
    assert len(lines) == 7
    assert lines[1].startswith("   50 % ┤")
    assert lines[4].startswith("    0 % ┤")
    assert lines[1].endswith("█")
    assert lines[4][9:].startswith(" " * (COLUMNS // 4))  # the surest answer is right
    assert lines[5].split() == ["0", "%", "80", "%"]


GOLD: list[dict[str, Any]] = [
    {"id": "1", "question": "A?", "answers": ["Bath"]},
    {"id": "2", "question": "B?", "answers": ["12 May 1931"]},
    {"id": "3", "question": "C?", "answers": ["Slough"]},
    {"id": "4", "question": "D?"},
]


def marked_run(path: Path) -> Path:
    def told(certainty: str, confidence: float) -> dict[str, Any]:
        return {"certainty": certainty, "confidence": confidence}

    return jsonl(
        path,
        [
            line("1", "A?", "Bath", "", **told("sure", 0.95)),
            line("2", "B?", "1931", "", **told("likely", 0.75)),
            line("3", "C?", "", "", found=False, **told("none", 0.35)),
            line("4", "D?", "Hull", "", **told("likely", 0.72)),
        ],
    )


def clew_eval(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["eval", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_run_is_evaluated_by_its_certainty(tmp_path: Path) -> None:
    run, questions = marked_run(tmp_path / "r.jsonl"), jsonl(tmp_path / "q.jsonl", GOLD)
    (score,) = json.loads(clew_eval(run, questions, "--json").stdout)
    found = score["certainty"]
    assert found["sure"] == {"given": 1, "right": 1, "right_or_containing": 1, "precision": 100.0}
    # The fourth has no answer, where the others have one.
    assert found["sure_or_likely"] == {"given": 3, "right": 1, "right_or_containing": 2, "precision": 33.33}
    assert (found["questions"], len(found["curve"])) == (4, 3)
    rows = clew_eval(run, questions).stdout.splitlines()
    assert "certainty         given    right             right or containing" in rows
    assert "sure              1        1     100.0 %     1     100.0 %" in rows
    assert "sure or likely    3        1     33.3 %      2     66.7 %" in rows
    assert any(row.startswith("AURC ") for row in rows)


def test_a_run_from_before_answers_were_marked_is_still_evaluated(tmp_path: Path) -> None:
    old = jsonl(tmp_path / "r.jsonl", [line("1", "A?", "Bath", "")])
    questions = jsonl(tmp_path / "q.jsonl", GOLD)
    (score,) = evaluate(old, questions)
    assert (score.calibration, score.value("em"), score.to_json()["certainty"]) == (None, 100.0, None)
    assert "certainty" not in clew_eval(old, questions).stdout
    assert clew_eval(old, questions, "--curve", tmp_path / "c.svg").exit_code == 2


@pytest.mark.parametrize("name", ["curve.svg", "curve.png"])
def test_the_curve_is_drawn_into_a_file_once(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    run, questions = marked_run(tmp_path / "r.jsonl"), jsonl(tmp_path / "q.jsonl", GOLD)
    assert clew_eval(run, questions, "--curve", tmp_path / name).exit_code == 0
    assert (tmp_path / name).stat().st_size > 1000
    assert "is there already" in clew_eval(run, questions, "--curve", tmp_path / name).stderr


def test_a_curve_needs_a_name_that_can_be_drawn(tmp_path: Path) -> None:
    run, questions = marked_run(tmp_path / "r.jsonl"), jsonl(tmp_path / "q.jsonl", GOLD)
    result = clew_eval(run, questions, "--curve", tmp_path / "curve.txt")
    assert (result.exit_code, "a figure is a .svg or a .png" in result.stderr) == (2, True)
