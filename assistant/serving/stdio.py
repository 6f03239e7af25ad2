"""Serving over standard input and output, to the program that started this one."""

from __future__ import annotations

import os
import re
import signal
import sys
from io import TextIOWrapper
from types import FrameType
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""A whole pair, half of one, or any other escape in JSON, which may itself be that of a backslash."""


class _Requests(TextIOWrapper):
    """Lines of JSON without escaped halves of characters: the library answers a line that it cannot read with nothing,
    and the client waits.
    """

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return _ESCAPES.sub(lambda escape: r"\ufffd" if escape[1] else escape[0], super().readline(size))


async def serve_stdio(server: Server[Any]) -> None:
    """Until the client closes our input or goes away. Meanwhile what anything prints goes to stderr."""
    try:
        async with stdio_server(anyio.wrap_file(_Requests(sys.stdin.buffer, "utf-8", "replace"))) as (
            requests,
            answers,
        ):
            await server.run(requests, answers, server.create_initialization_options())
    except* (BrokenPipeError, anyio.BrokenResourceError):
        # The client is gone without having read all: there is nobody left to tell.
        pass


def exit_at_signals() -> None:
    """End at once on SIGTERM (0) and Ctrl-C (130): the thread that waits for input cannot be woken in another way.

    Nothing is lost by it: the file is only read, and what else is written survives a kill.
    """

    def end(number: int, frame: FrameType | None) -> None:
        os._exit(130 if number == signal.SIGINT else 0)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
