"""Whether work takes time in proportion to its size, told by a ratio: machines differ, and others use them."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 10
"""How many times as long four times as much may take: what grows with the square takes sixteen times as long."""

LEAST = 0.05
"""Seconds of the processor that the smaller work counts for at least."""


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether `work(size)` takes hardly longer, for what it does, than `work(size // 4)`; tried again where it seems
    not to.
    """
    return any(_spent(work, size) < MOST * max(LEAST, _spent(work, size // 4)) for _ in range(2))


def _spent(work: Callable[[int], object], size: int) -> float:
    begin = time.process_time()
    work(size)
    return time.process_time() - begin
