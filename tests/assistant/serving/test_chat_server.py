"""The chat in a browser: who is let in, and what becomes of its processes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, WSServerHandshakeError
from aiohttp.test_utils import TestServer
from click.testing import CliRunner

from assistant.commands.cli import main
from assistant.serving import chat_server
from assistant.serving.chat_server import MAX_TABS, ChatServer, chat_arguments

# Speaks the protocol of a Textual app: echoes each packet of keys, and ends when it is told to or asks for it.
STAND_IN = """
import json, os, struct, sys
out, read = sys.stdout.buffer, sys.stdin.buffer
def say(kind, data): out.write(kind + struct.pack(">I", len(data)) + data); out.flush()
out.write(b"__GANGLION__\\n")
say(b"D", f"pid {os.getpid()} {os.environ['COLUMNS']}x{os.environ['ROWS']} ".encode())
while header := read.read(5):
    data = read.read(struct.unpack(">I", header[1:])[0])
    if header[:1] == b"M" and json.loads(data)["type"] == "quit" and "stubborn" not in sys.argv:
        break
    if data == b"open": say(b"M", json.dumps({"type": "open_url", "url": "http://evil", "new_tab": True}).encode())
    if data == b"exit": break
    say(b"D", header[:1] + b"=" + data)
say(b"M", b'{"type": "exit"}')
if "stubborn" in sys.argv:
    import time; time.sleep(60)
"""


class Client:
    """A browser's requests to a served chat."""

    def __init__(self, session: ClientSession, server: TestServer, token: str) -> None:
        self.session = session
        self.origin = f"http://127.0.0.1:{server.port}"
        self.base = f"{self.origin}/{token}/"
        self.opened: list[ClientWebSocketResponse] = []

    async def get(self, url: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        async with self.session.get(url, headers=headers) as response:
            return response.status, (await response.read()).decode("utf-8", "replace"), dict(response.headers)

    async def open(self, query: str = "", **headers: str) -> ClientWebSocketResponse:
        headers = {"Origin": self.origin, **headers}
        self.opened.append(await self.session.ws_connect(self.base + "ws" + query, headers=headers))
        return self.opened[-1]


@asynccontextmanager
async def served(*arguments: str, closing: int | None = None) -> AsyncIterator[Client]:
    """A server and its client, which closes so many of its tabs at the end, by default all."""
    chat = ChatServer([sys.executable, "-c", STAND_IN, *arguments], "notes <b>")
    async with TestServer(chat.application(), host="127.0.0.1") as server, ClientSession() as session:
        client = Client(session, server, chat.token)
        yield client
        for websocket in client.opened[:closing]:
            await websocket.close()


async def told(websocket: ClientWebSocketResponse, wanted: str) -> str:
    """What the chat has written once it has written `wanted`."""
    written = ""
    async with asyncio.timeout(30):
        while wanted not in written:
            message = await websocket.receive()
            assert message.type is WSMsgType.BINARY, (message, written)
            written += message.data.decode()
    return written


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_in(written: str) -> int:
    match = re.search(r"pid (\d+)", written)
    assert match
    return int(match[1])


async def test_the_page_loads_nothing_from_elsewhere() -> None:
    async with served() as client:
        status, page, headers = await client.get(client.base)
        assert status == 200
        assert "notes &lt;b&gt;" in page
        addresses = re.findall(r"""(?<!-)(?:src|href|url)\s*[=(]\s*["']([^"']+)""", page)
        assert sorted(addresses) == ["mono.ttf", "textual.js", "xterm.css"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "no-referrer"
        for name in addresses:
            assert (await client.get(client.base + name))[0] == 200
        for name in ("../server.py", "..%2fserver.py", "images/background.png", "x"):
            assert (await client.get(client.base + name))[0] == 404


async def test_nothing_is_served_without_the_token() -> None:
    async with served() as client:
        for path in ("/", "/ws", "/textual.js", "/wrong/", "/wrong/ws", "/wrong/textual.js", "/%ff%fe/", "/static/"):
            assert (await client.get(client.origin + path, Origin=client.origin))[0] == 404
        with pytest.raises(WSServerHandshakeError) as refused:
            await client.session.ws_connect(f"{client.origin}/wrong/ws", headers={"Origin": client.origin})
        assert refused.value.status == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[", "10.0.0.1:8000"])
async def test_other_host_names_are_refused(host: str) -> None:
    async with served() as client:
        assert (await client.get(client.base, Host=host))[0] == 403
        with pytest.raises(WSServerHandshakeError):
            await client.open(Host=host)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "https://127.0.0.1", "http://127.0.0.1:1"])
async def test_other_pages_are_refused(origin: str) -> None:
    async with served() as client:
        with pytest.raises(WSServerHandshakeError) as refused:
            await client.open(Origin=origin)
        assert refused.value.status == 403
        with pytest.raises(WSServerHandshakeError) as refused:
            await client.session.ws_connect(client.base + "ws")
        assert refused.value.status == 403


async def test_keys_go_in_and_the_screen_comes_out() -> None:
    async with served() as client:
        websocket = await client.open("?width=100&height=30")
        assert "100x30" in await told(websocket, "x30")
        await websocket.send_str(json.dumps(["stdin", "é\ud83d"]))
        await told(websocket, "D=é?")
        await websocket.send_str(json.dumps(["resize", {"width": 99999, "height": "x"}]))
        await told(websocket, '"width": 1000, "height": 24')
        await websocket.send_str(json.dumps(["ping", "1"]))
        assert (await websocket.receive()).json() == ["pong", "1"]


async def test_what_is_no_message_is_passed_over() -> None:
    async with served() as client:
        websocket = await client.open("?width=x&height=-1")
        await told(websocket, "80x24")
        for text in ("", "x", "[]", "1", "null", '{"stdin": 1}', '["stdin"]', '["stdin", 5]', '["resize", []]', "[[]]"):
            await websocket.send_str(text)
        await websocket.send_str("[" * 100_000)
        await websocket.send_bytes(b"x")
        await websocket.send_str(json.dumps(["stdin", "open"]))
        await websocket.send_str(json.dumps(["stdin", "still here"]))
        assert "evil" not in await told(websocket, "still here")


async def test_a_process_ends_with_its_tab() -> None:
    async with served() as client:
        websocket = await client.open()
        pid = pid_in(await told(websocket, "x24"))
        assert runs(pid)
        await websocket.close()
        await until(lambda: not runs(pid))


async def test_a_process_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_server, "CLOSING_SECONDS", 0.1)
    async with served("stubborn") as client:
        websocket = await client.open()
        pid = pid_in(await told(websocket, "x24"))
        await websocket.close()
        await until(lambda: not runs(pid))


async def test_a_tab_is_closed_when_its_chat_ends() -> None:
    async with served() as client:
        websocket = await client.open()
        await told(websocket, "x24")
        await websocket.send_str(json.dumps(["stdin", "exit"]))
        async with asyncio.timeout(30):
            assert (await websocket.receive()).type is WSMsgType.CLOSE


async def test_tabs_are_limited_and_all_end_with_the_server() -> None:
    async with served(closing=0) as client:
        tabs = [await client.open() for _ in range(MAX_TABS)]
        pids = [pid_in(await told(tab, "x24")) for tab in tabs]
        with pytest.raises(WSServerHandshakeError) as refused:
            await client.open()
        assert refused.value.status == 503
        await tabs.pop().close()
        await until(lambda: not runs(pids[-1]))
        again = await client.open()
        pids.append(pid_in(await told(again, "x24")))
    await until(lambda: not any(runs(pid) for pid in pids))


def test_the_command_for_a_tab_says_what_was_chosen(tmp_path: Path) -> None:
    options = (("--session", "a b; rm -rf /"), ("--new", True), ("--no-transcript", False), ("--max-tokens", None))
    command = chat_arguments(tmp_path / "x.clew", options)
    assert command[1:] == ["-m", "assistant", "chat", str(tmp_path / "x.clew"), "--session", "a b; rm -rf /", "--new"]


def test_wrong_options_are_one_line(tmp_path: Path, small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server._listening(0) as taken:
        port = str(taken.getsockname()[1])
        for arguments, code, wanted in (
            ([str(small_file), "--port", "8000"], 2, "--port goes with --serve"),
            ([str(small_file), "--serve", "--port", port], 2, f"port {port} cannot be used"),
            ([str(tmp_path / "none.clew"), "--serve"], 3, "there is no file"),
        ):
            result = CliRunner().invoke(main, ["chat", *arguments])
            told = (result.exit_code, wanted in result.output, result.output.count("\n"))
            assert told == (code, True, 1), result.output
    monkeypatch.setitem(sys.modules, "assistant.serving.chat_server", None)
    result = CliRunner().invoke(main, ["chat", str(small_file), "--serve"])
    assert "pip install 'clew[serve]'" in result.output


async def test_the_real_chat_is_served_and_ends_at_ctrl_c(small_file: Path) -> None:
    command = [sys.executable, "-m", "assistant", "chat", str(small_file), "--serve", "--new"]
    server = subprocess.Popen(  # noqa: ASYNC220
        command, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    )
    try:
        assert server.stderr is not None
        line = await asyncio.to_thread(server.stderr.readline)
        match = re.search(r"(http://127\.0\.0\.1:\d+)/\S+/", line)
        assert match, line
        async with aiohttp.ClientSession() as session:
            websocket = await session.ws_connect(match[0] + "ws?width=100&height=30", headers={"Origin": match[1]})
            await told(websocket, "Ask a question")
            await websocket.send_str(json.dumps(["resize", {"width": 100, "height": 30}]))
            await websocket.send_str(json.dumps(["stdin", "/budget 777\r"]))
            await told(websocket, "777")
            await websocket.close()
            websocket = await session.ws_connect(match[0] + "ws", headers={"Origin": match[1]})
            await told(websocket, "Ask a question")
            server.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(server.wait, 30) == 0
            await websocket.close()
    finally:
        server.kill()
        server.wait()
        assert server.stderr is not None
        server.stderr.close()
