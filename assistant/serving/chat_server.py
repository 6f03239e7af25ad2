"""The chat in a browser on this machine: a process of its own for each tab, and a token that only its user has.

Whoever reaches the chat reads the file and spends the user's tokens. So the server listens on loopback, answers
nothing without the token, which is part of every address, and no web page of another origin; its own page loads
nothing from anywhere else.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from assistant.shared.rendering import plain
from kb.errors import UsageError
from kb.store.addresses import environment as own_environment

HOST = "127.0.0.1"
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")

MAX_TABS = 4
"""Chats at a time: each is a process with the embedding model in memory, some 500 MB."""

MAX_MESSAGE = 1024 * 1024
"""Bytes of a message from the browser: a question has 20 thousand characters at most."""

MAX_CELLS = 1000
"""Columns and rows of a terminal: each cell is drawn."""

CLOSING_SECONDS = 5.0
"""A chat that is told to quit keeps what there is of an answer; then it is ended."""

_STATIC = {
    "xterm.css": ("css/xterm.css", "text/css"),
    "textual.js": ("js/textual.js", "text/javascript"),
    "mono.ttf": ("fonts/RobotoMono-VariableFont_wght.ttf", "font/ttf"),
}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src {socket}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="xterm.css"><script src="textual.js"></script>
<style>
@font-face {{ font-family: "Roboto Mono"; src: url("mono.ttf"); font-weight: 100 700; }}
html, body {{ margin: 0; height: 100%; background: #121212; color: #e0e0e0; font: 16px "Roboto Mono", monospace; }}
#terminal {{ height: 100vh; }}
#ended {{ display: none; position: fixed; inset: 0 0 auto 0; padding: 1em; background: #004578; z-index: 9; }}
body.-closed #ended {{ display: block; }}
</style></head>
<body><div id="ended">This chat has ended. Reload the page to open it again.</div>
<div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}" data-font-size="16"></div>
</body></html>
"""


class ChatProcess(AppService):
    """One chat for one tab."""

    def __init__(self, argv: Sequence[str], websocket: web.WebSocketResponse) -> None:
        super().__init__(
            " ".join(argv),
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=self._close,
            download_manager=DownloadManager(),
        )
        self._argv = argv
        self._websocket = websocket

    async def _close(self) -> None:
        await self._websocket.close()

    async def _open_app_process(self, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        """As it is there, but without a shell."""
        pipe = asyncio.subprocess.PIPE
        environment = {**self._build_environment(width, height), **own_environment(self._argv)}
        process = await asyncio.create_subprocess_exec(
            *self._argv, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def on_data(self, payload: bytes) -> None:
        """Pass on what the chat draws; the tab may just have been closed."""
        with suppress(ConnectionError):
            await super().on_data(payload)

    async def on_meta(self, data: bytes) -> None:
        """Let the chat end the connection; it neither opens addresses nor hands out files through the browser."""
        if json.loads(data).get("type") == "exit":
            await self._close()

    async def stop(self) -> None:
        """End the process: told to at first, killed where it does not."""
        if self._process is None:
            return
        with suppress(OSError):
            await self.send_meta({"type": "quit"})
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._task is not None:
            await asyncio.wait([self._task])


class ChatServer:
    """Serves `argv`, a command that runs the chat, under a `token` that is part of every address."""

    def __init__(self, argv: Sequence[str], title: str, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.title = title
        self._argv = argv
        self._open: set[web.WebSocketResponse] = set()
        self._processes: set[ChatProcess] = set()

    def application(self) -> web.Application:
        """The routes, all of them behind the guard."""
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/{token}/", self._page),
                web.get("/{token}/ws", self._chat),
                web.get("/{token}/{name}", self._static),
            ]
        )
        app.on_shutdown.append(self._close_all)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """404 for whoever does not have the token, 403 for what comes by another name or from another page."""
        given = request.match_info.get("token", "")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            raise web.HTTPNotFound(text="not found\n")
        if not _is_ours(request):
            raise web.HTTPForbidden(text="this chat is served to this machine only\n")
        response: web.StreamResponse = await handler(request)
        return response

    async def _page(self, request: web.Request) -> web.Response:
        at = f"ws://{request.host}"
        page = _PAGE.format(title=escape(self.title), socket=escape(f"{at}/{self.token}/ws"))
        return web.Response(text=page, content_type="text/html", headers=_headers(at))

    async def _static(self, request: web.Request) -> web.Response:
        if (found := _STATIC.get(request.match_info["name"])) is None:
            raise web.HTTPNotFound(text="not found\n")
        path, kind = found
        body = files("textual_serve").joinpath("static", *path.split("/")).read_bytes()
        return web.Response(body=body, content_type=kind, headers=_headers(f"ws://{request.host}"))

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Origin") is None:
            raise web.HTTPForbidden(text="the page of this chat opens it\n")
        if len(self._open) >= MAX_TABS:
            raise web.HTTPServiceUnavailable(text=f"{MAX_TABS} chats are open; close one\n")
        websocket = web.WebSocketResponse(heartbeat=15, max_msg_size=MAX_MESSAGE)
        self._open.add(websocket)
        try:
            await websocket.prepare(request)
            await self._run(request, websocket)
        finally:
            self._open.discard(websocket)
        return websocket

    async def _run(self, request: web.Request, websocket: web.WebSocketResponse) -> None:
        process = ChatProcess(self._argv, websocket)
        self._processes.add(process)
        try:
            await process.start(_cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24))
            async for message in websocket:
                if message.type is WSMsgType.TEXT:
                    await _take(process, websocket, message.data)
        finally:
            # To its end also where this task is cancelled while it waits: no process outlives its tab.
            await asyncio.shield(self._end(process))

    async def _end(self, process: ChatProcess) -> None:
        await process.stop()
        self._processes.discard(process)

    async def _close_all(self, app: web.Application) -> None:
        for websocket in list(self._open):
            await websocket.close(code=WSCloseCode.GOING_AWAY)
        await asyncio.gather(*(self._end(process) for process in list(self._processes)))


def serve_chat(argv: Sequence[str], title: str, port: int = 0) -> None:
    """Serve the chat that `argv` runs until Ctrl-C, on loopback; `port` 0 takes a free one.

    Raises UsageError for a port that is taken.
    """
    server = ChatServer(argv, plain(title, 80))
    with _listening(port) as at:
        click.echo(f"the chat is at http://{HOST}:{at.getsockname()[1]}/{server.token}/", err=True)
        click.echo("anybody who has this address can use it from this machine; Ctrl-C ends it", err=True)
        web.run_app(server.application(), sock=at, print=None, access_log=None, shutdown_timeout=CLOSING_SECONDS + 1)


def chat_arguments(file: Path, options: Sequence[tuple[str, object]]) -> list[str]:
    """The command that runs the chat over `file` in a process of its own; options without a value are left out."""
    given = [
        part for name, value in options if value is not None and value is not False for part in _option(name, value)
    ]
    return [sys.executable, "-m", "assistant", "chat", str(file.resolve()), *given]


def end_with_server() -> None:
    """End this chat when the process that serves it is gone, however that ended."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="clew server watch", daemon=True).start()


def _option(name: str, value: object) -> list[str]:
    return [name] if value is True else [name, str(value)]


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise UsageError(f"port {port} cannot be used: {reason}; give --port another, or leave it out") from error


def _is_ours(request: web.Request) -> bool:
    """Whether it asks for this machine by a name of its own, and no page of another origin has sent it."""
    try:
        name = urlsplit(f"//{request.host}").hostname
    except ValueError:
        return False
    origin = request.headers.get("Origin")
    return name in _LOOPBACK_NAMES and origin in (None, f"http://{request.host}")


def _headers(at: str) -> dict[str, str]:
    return {name: text.format(socket=at) for name, text in _HEADERS.items()}


def _cells(given: object, default: int) -> int:
    number = int(given) if isinstance(given, int) or (isinstance(given, str) and given.isdecimal()) else default
    return min(max(number, 1), MAX_CELLS)


async def _take(process: ChatProcess, websocket: web.WebSocketResponse, text: str) -> None:
    """Pass on a message of the browser; one that is none is passed over."""
    try:
        kind, *rest = json.loads(text)
    except (ValueError, TypeError, RecursionError):  # the last for what is nested deeper than Python reads
        return
    match kind, rest:
        case "stdin", [str(typed)]:
            await process.send_bytes(typed.encode("utf-8", "replace"))
        case "resize", [{"width": width, "height": height}]:
            await process.set_terminal_size(_cells(width, 80), _cells(height, 24))
        case "ping", [str(data)]:
            await websocket.send_json(["pong", data[:100]])
        case "blur", _:
            await process.blur()
        case "focus", _:
            await process.focus()
