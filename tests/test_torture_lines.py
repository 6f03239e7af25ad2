"""What hours of attacks print: lines that a log can hold, and not many."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from assistant.commands import cli
from benchmarks.torture import damaged, kills, trials
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


def test_a_fault_is_told_with_the_next_line_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(told=0.0)
    tally.faults["hung"] += 1
    tally.tell("copy 1")
    tally.told = 0.0
    tally.faults["hung"] += 1
    tally.tell("copy 2")
    assert capsys.readouterr().out.splitlines() == ["  copy 1", "  hung", "  copy 2"]


def test_an_attack_that_is_done_at_once_tells_nothing_but_its_sum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("clew", "forked"):
        monkeypatch.setattr(damaged, name, lambda work, **options: Outcome(-11, "", "", 0.0))
    copies = ((f"{number}: byte", b"x") for number in range(30))
    damaged._attack(copies, tmp_path, float("inf")).print("damaged")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"damaged: {30 * len(damaged.COMMANDS)} trials, {30 * len(damaged.COMMANDS)} faults"
    assert all(line.startswith("  1 ") for line in lines[1:])


def test_a_command_that_ends_as_it_must_not_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(arguments: list[str], **options: str) -> None:
        if arguments[0] == "browse":
            raise ValueError("what is this?")
        click.echo("fine")

    monkeypatch.setattr(cli, "main", fails)
    tally = damaged._attack(iter([("byte 7", b"x")]), tmp_path, float("inf"))
    assert tally.trials == len(damaged.COMMANDS)
    assert dict(tally.faults) == {"browse : traceback: ValueError: what is this? (byte 7)": 1}


def test_every_byte_that_is_not_zero_is_turned_once() -> None:
    assert list(damaged.every_byte(b"\x01\x00\xf0", 1)) == [("byte 0", b"\xfe\x00\xf0"), ("byte 2", b"\x01\x00\x0f")]
    shared = [*damaged.every_byte(b"abcde", 2), *damaged.every_byte(b"abcde", 2, first=1)]
    assert sorted(shared) == sorted(damaged.every_byte(b"abcde", 1))


@pytest.mark.parametrize(
    ("calls", "trials", "given"),
    [
        ([10, 10, 10], 9, [3, 3, 3]),
        ([100, 2, 10], 30, [18, 2, 10]),
        ([4, 5], 100, [4, 5]),
        ([9, 9, 9], 2, [1, 1, 1]),
        ([], 5, []),
    ],
)
def test_what_a_command_with_few_writes_leaves_of_its_kills_is_the_others(
    calls: list[int], trials: int, given: list[int]
) -> None:
    assert kills.shares(calls, trials) == given


def test_a_fault_is_one_line_of_bounded_length(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(1)
    tally.faults["ended with 70: Traceback\n  File x\n" + "é" * 5000] += 1
    tally.print("kills")
    first, second = capsys.readouterr().out.splitlines()
    assert first == "kills: 1 trials, 1 faults"
    assert second.startswith("  1 ended with 70: Traceback File x é")
    assert len(second) == LONGEST + 2
    assert one_line("short") == "short"
