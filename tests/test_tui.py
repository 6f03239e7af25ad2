from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant.library.known_files import Library
from screens.hang_up import HUNG_UP

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0
"""Seconds for a chat to open on a machine with much else to do."""


def test_importing_the_chat_imports_nothing_slow() -> None:
    code = "import sys, tui; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    slow = {"torch", "sentence_transformers", "pydantic_ai", "pydantic", "numpy", "scipy", "networkx", "sqlite_utils"}
    assert slow & set(loaded.split()) == set()


def in_terminal(*command: str, keys: bytes, after: bytes) -> tuple[int, bytes]:
    """Exit code and output of a command in a terminal of its own that is sent `keys` once `after` is to be read."""
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    with subprocess.Popen(command, cwd=ROOT, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        seen, sent, end = b"", False, time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    seen += os.read(ours, 65536)
                except OSError:  # the terminal is closed: the command has ended
                    break
            if not sent and after in seen:
                os.write(ours, keys)
                sent = True
        process.terminate()
    os.close(ours)
    return process.returncode, seen


@pytest.mark.parametrize("named", [True, False])
def test_tui_py_starts_the_chat_on_a_file_or_on_the_one_used_last(small_file: Path, named: bool) -> None:
    Library().note(small_file)
    command = [sys.executable, "tui.py", *([str(small_file)] if named else [])]
    code, seen = in_terminal(*command, keys=b"\x11", after=b"12 passages")
    assert code == 0, seen
    assert b"12 passages" in seen


def test_tui_py_without_any_file_says_what_to_give() -> None:
    ran = subprocess.run([sys.executable, "tui.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, "Missing argument 'FILE'" in ran.stderr) == (2, True)


def test_the_chat_ends_with_its_terminal_though_the_signal_for_that_is_ignored(small_file: Path) -> None:
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    command = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "tui.py", str(small_file)]
    with subprocess.Popen(command, cwd=ROOT, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        seen, end = b"", time.monotonic() + PATIENCE
        while b"12 passages" not in seen and time.monotonic() < end:
            seen += os.read(ours, 65536) if select.select([ours], [], [], 0.1)[0] else b""
        os.close(ours)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert (code, b"12 passages" in seen) == (HUNG_UP, True)
