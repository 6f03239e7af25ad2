"""How long the event loop is held up: the longest time between two of its ticks, and by what."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

TICK = 0.005
"""Seconds between two ticks of a loop that is free."""


@dataclass(frozen=True, slots=True)
class Stall:
    """The loop did nothing else for `seconds`, `at` seconds after the watch began.

    For `cpu` seconds of them its thread had a processor, and all threads together for `process`: what neither accounts
    for went to other programs, or to the disk. `doing` are the innermost calls of the loop's thread and of the other
    threads at that time, as far as they could be seen: none where something held the interpreter's lock throughout.
    """

    at: float
    seconds: float
    cpu: float = 0.0
    process: float = 0.0
    doing: tuple[str, ...] = ()


@dataclass
class LoopWatch:
    """Watches the running loop from `async with` to its end; stalls of at least `threshold` seconds are kept.

    `ticks` are the turns that the loop had, `longest` the longest time between two and `longest_cpu` the most of the
    processor's time that its thread spent between two.
    """

    threshold: float = 0.05
    stalls: list[Stall] = field(default_factory=list)
    longest: float = 0.0
    longest_cpu: float = 0.0
    ticks: int = 0

    async def __aenter__(self) -> Self:
        self._began = self._ticked = time.perf_counter()
        self._cpu, self._process = time.thread_time(), time.process_time()
        self._seen: tuple[str, ...] = ()
        self._over = threading.Event()
        self._loop_thread = threading.get_ident()
        self._task = asyncio.create_task(self._tick())
        threading.Thread(target=self._look, daemon=True, name="loop watch").start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            now, cpu, process = time.perf_counter(), time.thread_time(), time.process_time()
            late, spent = now - self._ticked - TICK, cpu - self._cpu
            self.ticks += 1
            self.longest, self.longest_cpu = max(self.longest, late), max(self.longest_cpu, spent)
            if late >= self.threshold:
                at = now - self._began - late
                self.stalls.append(Stall(at, late, spent, process - self._process, self._seen))
            self._ticked, self._cpu, self._process, self._seen = now, cpu, process, ()

    def _look(self) -> None:
        """Note what every thread does once the loop is late."""
        while not self._over.wait(self.threshold / 2):
            if not self._seen and time.perf_counter() - self._ticked > self.threshold:
                frames = sys._current_frames()
                mine = threading.get_ident()
                names = {thread.ident: thread.name for thread in threading.enumerate()}
                order = sorted(frames.keys() - {mine}, key=lambda one: one != self._loop_thread)
                self._seen = tuple(
                    f"{names.get(one, '?')}: " + " < ".join(_calls(traceback.extract_stack(frames[one])))
                    for one in order
                )


def _calls(stack: traceback.StackSummary) -> list[str]:
    return [
        f"{frame.filename.rpartition('site-packages/')[2][-50:]}:{frame.lineno} {frame.name}" for frame in stack[:-9:-1]
    ]
