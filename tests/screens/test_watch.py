from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chatting import ANSWER, Script, ask, until
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from assistant.conversations.session_files import SessionFolder
from benchmarks.loop_watch import LoopWatch
from screens.turn_list import TurnList
from tui import ClewApp


def hold_up() -> None:
    time.sleep(0.2)


async def test_what_holds_up_the_loop_is_found() -> None:
    async with LoopWatch() as watch:
        await asyncio.sleep(0.02)
        hold_up()
        await asyncio.sleep(0.02)
    assert watch.longest >= 0.15
    worst = max(watch.stalls, key=lambda stall: stall.seconds)
    assert worst.seconds == watch.longest
    assert any("hold_up" in calls for calls in worst.doing)
    assert worst.cpu < worst.seconds


async def test_a_free_loop_has_no_stalls() -> None:
    async with LoopWatch(threshold=60) as watch:
        await asyncio.sleep(0.05)
    assert watch.stalls == []


async def test_a_resize_gives_the_loop_its_turn_between_layout_and_painting(
    app: ClewApp, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, int]] = []

    def note(owner: type, name: str, label: str) -> None:
        usual = getattr(owner, name)

        def noted(self: Any, *arguments: Any, **named: Any) -> Any:
            done.append((label, watch.ticks))
            return usual(self, *arguments, **named)

        monkeypatch.setattr(owner, name, noted)

    async with app.run_test(size=(120, 40)) as pilot, LoopWatch() as watch:
        await ask(pilot, "q")
        note(Screen, "_screen_resized", "layout")
        note(Screen, "_compositor_refresh", "paint")
        await pilot.resize_terminal(60, 15)
        await until(pilot, lambda: app.base.has_class("-narrow") and app.base.has_class("-short"))
        assert [what for what, _ in done].count("layout") == 1
        first = [what for what, _ in done].index("layout")
        painted = next(at for what, at in done[first:] if what == "paint")
        assert done[first][1] < painted
        assert app.base.size == Size(60, 15)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: not app.base.has_class("-narrow") and not app.base.has_class("-short"))


async def test_earlier_turns_are_mounted_one_by_one(
    tmp_path: Path, app: ClewApp, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SessionFolder().create(tmp_path / "kings.clew")
    for number in range(1, 13):
        log.append(replace(ANSWER, question=f"question {number}"))
    slices: list[int] = []
    usual = TurnList.mount_all

    def noted(self: TurnList, widgets: Sequence[Widget], **named: Any) -> Any:
        slices.append(len(list(widgets)))
        return usual(self, widgets, **named)

    monkeypatch.setattr(TurnList, "mount_all", noted)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.query(".older"))
    assert slices[:10] == [1] * 10
