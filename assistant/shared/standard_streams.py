"""Standard input, output and error, each of which whoever starts a program may have closed."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, TextIO

from kb.errors import UsageError


def is_terminal(stream: TextIO | None) -> bool:
    """Whether one of `sys.stdin`, `sys.stdout` and `sys.stderr` is a terminal; a closed one, None, is none."""
    return stream is not None and stream.isatty()


def takes_colours(stream: TextIO | None) -> bool:
    """Whether colours may be written there: to a terminal that has them, unless NO_COLOR is set."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def standard_input() -> BinaryIO:
    """The bytes on stdin. Raises UsageError where it is closed."""
    if sys.stdin is None:
        raise UsageError("nothing can be read from stdin, which is closed")
    return sys.stdin.buffer
