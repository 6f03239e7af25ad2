"""Streams that a reader has left open under their iterators."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import AsyncGeneratorType
from typing import Any


@contextmanager
def none_left_open() -> Iterator[None]:
    """Fails where an async generator that is begun within is neither at its end after it nor dropped at once: what a
    cycle holds on to is closed by whichever thread happens to collect it. For use inside a running event loop.
    """
    begun: list[tuple[int, str]] = []
    hooks = sys.get_asyncgen_hooks()

    def note(generator: AsyncGeneratorType[Any, Any]) -> None:
        begun.append((id(generator), generator.__qualname__))
        if hooks.firstiter:
            hooks.firstiter(generator)

    gc.disable()
    sys.set_asyncgen_hooks(firstiter=note)
    try:
        yield
        alive = {id(one): one for one in gc.get_objects() if type(one) is AsyncGeneratorType}
        still = [name for where, name in begun if where in alive and alive[where].ag_frame is not None]
        assert begun
        assert still == []
    finally:
        sys.set_asyncgen_hooks(firstiter=hooks.firstiter)
        gc.enable()
