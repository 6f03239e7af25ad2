"""What becomes of the chat where its terminal goes away."""

from __future__ import annotations

import os
import select
import sys
from threading import Thread

HUNG_UP = 129
"""Exit code: 128 and the number of the signal that a process gets whose terminal goes away."""


def end_with_terminal() -> None:
    """End this process once its terminal is gone, though the signal for that was not sent or is ignored (`nohup`).

    Nobody can type or read any more, reading keys would take a whole processor without ever waiting, and writing has
    the event loop wait for good. What was said is in its file already, as after a kill. Does nothing without a
    terminal, and where the system cannot wait for one.
    """
    if hasattr(select, "poll") and sys.__stdin__ is not None and sys.__stdin__.isatty():
        Thread(target=_wait, args=(sys.__stdin__.fileno(),), name="hang-up", daemon=True).start()


def _wait(terminal: int) -> None:
    gone = select.poll()
    gone.register(terminal, 0)
    if any(event & select.POLLHUP for _, event in gone.poll()):
        os._exit(HUNG_UP)
