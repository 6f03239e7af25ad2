"""What hours of attacks print: lines that a log can hold, and not many."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.torture import damaged, trials
from benchmarks.torture.trials import LOG_SECONDS, LONGEST, TERMINAL_SECONDS, Outcome, Tally, one_line


@pytest.mark.parametrize(("terminal", "between"), [(True, TERMINAL_SECONDS), (False, LOG_SECONDS)])
def test_how_far_it_is_comes_as_a_line_every_so_often(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, between: float
) -> None:
    clock = [0.0]
    monkeypatch.setattr(trials.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    tally = Tally(told=0.0)
    for second in range(1000):
        clock[0] = float(second)
        tally.tell(f"copy {second}")
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"  copy {second}" for second in range(int(between), 1000, int(between))]


def test_an_attack_that_is_done_at_once_tells_nothing_but_its_sum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(damaged, "clew", lambda arguments: Outcome(-11, "", "", 0.0))
    copies = ((f"{number}: byte", b"x") for number in range(30))
    damaged._attack(copies, tmp_path, float("inf")).print("damaged")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"damaged: {30 * len(damaged.COMMANDS)} trials, {30 * len(damaged.COMMANDS)} faults"
    assert all(line.startswith("  1 ") for line in lines[1:])


def test_a_fault_is_one_line_of_bounded_length(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(1)
    tally.faults["ended with 70: Traceback\n  File x\n" + "é" * 5000] += 1
    tally.print("kills")
    first, second = capsys.readouterr().out.splitlines()
    assert first == "kills: 1 trials, 1 faults"
    assert second.startswith("  1 ended with 70: Traceback File x é")
    assert len(second) == LONGEST + 2
    assert one_line("short") == "short"
