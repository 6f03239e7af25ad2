from __future__ import annotations

import asyncio
import time

from tui.watch import LoopWatch


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


async def test_a_free_loop_has_no_stalls() -> None:
    async with LoopWatch(threshold=60) as watch:
        await asyncio.sleep(0.05)
    assert watch.stalls == []
