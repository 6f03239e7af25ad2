"""`clew mcp` as other programs run it: a process of its own, over its pipes and over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from assistant.commands.cli import main

QUESTION = "Where was the director of The Glass Harbour born?"
ROOT = Path(__file__).parents[3]


@contextmanager
def started(*arguments: str | Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "assistant", "mcp", *map(str, arguments)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=os.environ | environment
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[str], method: str, identity: int | None, **params: Any) -> None:
    assert process.stdin
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if identity is None else {"id": identity})
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def received(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def initialize(process: subprocess.Popen[str]) -> None:
    client = {"name": "test", "version": "1"}
    send(process, "initialize", 1, protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
    assert received(process)["result"]["serverInfo"]["name"] == "clew"
    send(process, "notifications/initialized", None)


async def test_a_client_that_starts_it_gets_answers(small_file: Path) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "assistant", "mcp", str(small_file)], cwd=ROOT)
    async with Client(command) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("ask", {"question": QUESTION})
    assert names[:2] == ["ask", "passage_search"]
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert content.text.startswith(("Answer: Tarnow Bay   ● sure\n", "Answer: Tarnow Bay   ◐ likely\n"))


def test_it_writes_the_protocol_only_and_ends_when_its_input_does(small_file: Path) -> None:
    with started(small_file) as process:
        initialize(process)
        assert process.stdin
        process.stdin.write('this is no JSON\n{"id": 7}\n')
        process.stdin.flush()
        errors = [received(process), received(process)]
        assert [(one["id"], one["error"]["code"]) for one in errors] == [(None, -32700), (None, -32600)]
        send(process, "tools/call", 2, name="ask", arguments={"question": QUESTION})
        assert received(process)["result"]["structuredContent"]["answer"] == "Tarnow Bay"
        # A question that is still on its way is given up.
        send(process, "tools/call", 3, name="ask", arguments={"question": QUESTION})
        rest, told = process.communicate(timeout=30)
    assert process.returncode == 0
    assert all("jsonrpc" in json.loads(line) for line in rest.splitlines())
    assert told == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_ends_at_a_signal_while_it_waits_for_input(small_file: Path, number: signal.Signals, code: int) -> None:
    with started(small_file) as process:
        initialize(process)
        process.send_signal(number)
        assert process.wait(timeout=30) == code
        assert process.stderr
        assert process.stderr.read() == ""


async def test_over_http_it_tells_where_it_is_and_with_which_token(small_file: Path) -> None:
    with started(small_file, "--http", "--port", "0") as process:
        assert process.stderr
        where, bearer = process.stderr.readline(), process.stderr.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", where)
        token = re.fullmatch(r"Authorization: Bearer ([\w-]{43})\n", bearer)
        assert url
        assert token
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token[1]}"}) as http,
            Client(streamable_http_client(url[0], http_client=http), mode="legacy") as client,
        ):
            result = await client.call_tool("passage_search", {"query": "painter", "k": 1})
        assert not result.is_error
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=30)
    assert (process.returncode, rest, errors) == (0, "", "")


def refused(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["mcp", *map(str, arguments)])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stdout == ""
    return result.exit_code, result.stderr


def test_without_its_library_it_says_what_to_install(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    told = "clew: clew mcp needs a library that is not installed: pip install 'clew[mcp]'\n"
    assert refused(small_file) == (2, told)


def test_a_file_that_is_none_is_exit_3(tmp_path: Path) -> None:
    code, told = refused(tmp_path / "none.clew")
    assert code == 3
    assert told.startswith("clew: there is no file ")


def test_what_cannot_be_served_is_exit_2(small_file: Path) -> None:
    told = "clew: --host and --port are for --http; add it, or leave them out\n"
    assert refused(small_file, "--port", "9") == (2, told)
    command = f"exec {sys.executable} -m assistant mcp {small_file} <&-"
    ran = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "one of them is closed" in ran.stderr


def test_a_weak_token_is_exit_2(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_MCP_TOKEN", "secret")
    code, told = refused(small_file, "--http", "--port", "0")
    assert code == 2
    assert "CLEW_MCP_TOKEN has 6 characters" in told
    assert "secret" not in told


def test_an_address_for_others_comes_with_a_warning(small_file: Path) -> None:
    with started(small_file, "--http", "--host", "0.0.0.0", "--port", "0", CLEW_MCP_TOKEN="t" * 20) as process:
        assert process.stderr
        lines = [process.stderr.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
    assert lines[1] == "Authorization: Bearer (the token in CLEW_MCP_TOKEN)\n"
    assert lines[2].startswith("warning: --host 0.0.0.0 is reachable from other machines, over plain http")
