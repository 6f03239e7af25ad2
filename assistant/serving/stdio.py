"""Serving over standard input and output, to the program that started this one."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def serve_stdio(server: Server[Any]) -> None:
    """Until the client closes our input or goes away. Meanwhile what anything prints goes to stderr."""
    try:
        async with stdio_server() as (requests, answers):
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
