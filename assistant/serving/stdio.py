"""Serving over standard input and output, to the program that started this one."""

from __future__ import annotations

import os
import re
import signal
import sys
from contextvars import Context
from io import TextIOWrapper
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""A whole pair, half of one, or any other escape in JSON, which may itself be that of a backslash."""


class _Requests(TextIOWrapper):
    """Lines of JSON without escaped halves of characters, which the library takes for no JSON."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return _ESCAPES.sub(lambda escape: r"\ufffd" if escape[1] else escape[0], super().readline(size))


class _Readable:
    """The requests among the lines. One that is none gets an error for an answer: the library says nothing, and the
    client waits.
    """

    def __init__(self, lines: ReadStream[SessionMessage | Exception], answers: WriteStream[SessionMessage]) -> None:
        self._lines = lines
        self._answers = answers
        self.last_context: Context | None = None

    async def receive(self) -> SessionMessage:
        while isinstance(line := await self._lines.receive(), Exception):
            await self._answers.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=_error_of(line))))
        self.last_context = getattr(self._lines, "last_context", None)
        return line

    async def aclose(self) -> None:
        await self._lines.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream as end:
            raise StopAsyncIteration from end

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


def _error_of(line: Exception) -> ErrorData:
    is_json = not isinstance(line, ValidationError) or line.errors()[0]["type"] != "json_invalid"
    if is_json:
        return ErrorData(code=INVALID_REQUEST, message="no JSON-RPC message")
    return ErrorData(code=PARSE_ERROR, message="no JSON")


async def serve_stdio(server: Server[Any]) -> None:
    """Until the client closes our input or goes away. Meanwhile what anything prints goes to stderr."""
    try:
        async with stdio_server(anyio.wrap_file(_Requests(sys.stdin.buffer, "utf-8", "replace"))) as (lines, answers):
            await server.run(_Readable(lines, answers), answers, server.create_initialization_options())
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
