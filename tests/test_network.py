"""No test and no command reaches another machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from loopback_only import ATTEMPTS
from native_sockets import IS_POSSIBLE

HERE = Path(__file__).parent

COMMANDS = """
import sys
from loopback_only import ATTEMPTS, refuse_other_machines
from native_sockets import forbid_internet_sockets
refuse_other_machines()
corpus, base, questions, results, kind = sys.argv[1:]
if kind == "native":
    forbid_internet_sockets()
from assistant.commands.cli import main
for command in (
    ["build", corpus, "-o", base],
    ["add", base, corpus],
    ["info", base],
    ["check", base],
    ["tool"],
    ["tool", "passage_search", base, "--args", '{"query": "ship"}'],
    ["config"],
    ["doctor", base],
    ["run", base, questions, "-o", results],
    ["eval", results, questions],
    ["replay", "last"],
    ["library"],
    ["sessions"],
    ["ask", base, "Who designed the Fram?"],
):
    if kind == "native" and command[0] == "doctor":
        continue  # it looks for model servers on loopback
    try:
        code = main(command, standalone_mode=False)
    except SystemExit as end:
        code = end.code
    assert not code, (command, code)
sys.exit("; ".join(ATTEMPTS) or 0)
"""


def _run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=HERE.parent,
        env={**os.environ, "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        timeout=120,
    )


needs_filter = pytest.mark.skipif(not IS_POSSIBLE, reason="system calls are filtered on Linux alone")


@pytest.mark.parametrize("kind", ["python", pytest.param("native", marks=needs_filter)])
def test_no_command_reaches_another_machine(kind: str, tmp_path: Path, own_places: Path) -> None:
    (tmp_path / "fram.txt").write_text("The Fram was designed by Colin Archer.\n", "utf-8")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Who designed the Fram?", "answers": ["Colin Archer"]}\n', "utf-8")
    places = [str(tmp_path / name) for name in ("fram.txt", "a.clew", "questions.jsonl", "results.jsonl")]
    ran = _run(COMMANDS, *places, kind)
    assert ran.returncode == 0, ran.stderr
    assert "Colin Archer" in ran.stdout


@needs_filter
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_a_socket_that_native_code_opens_ends_the_process(family: str) -> None:
    program = """
import ctypes, socket, sys
from native_sockets import forbid_internet_sockets
libc = ctypes.CDLL(None)
forbid_internet_sockets()
assert libc.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0) >= 0
print("filtered", flush=True)
libc.socket(getattr(socket, sys.argv[1]), socket.SOCK_STREAM, 0)
print("opened", flush=True)
"""
    ran = _run(program, family)
    assert (ran.returncode, ran.stdout) == (-signal.SIGSYS, "filtered\n"), ran.stderr


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_a_connection_to_another_machine_is_refused_and_remembered(address: str) -> None:
    with pytest.raises(OSError, match="loopback only"):
        socket.create_connection((address, 80), timeout=1)
    assert ATTEMPTS.pop() == f"connecting to {address}:80"


def test_a_datagram_to_another_machine_is_refused_and_remembered() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, pytest.raises(OSError, match="loopback only"):
        one.sendto(b"question", ("192.0.2.1", 53))
    assert ATTEMPTS.pop() == "connecting to 192.0.2.1:53"


def test_the_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(OSError, match="loopback only"):
        socket.getaddrinfo("huggingface.co", 443)
    assert ATTEMPTS.pop() == "looking up huggingface.co"


def test_loopback_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()
    assert not ATTEMPTS
