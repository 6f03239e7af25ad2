"""One server for one GGUF file: llama.cpp's, through `xllamacpp`, in a process of its own that ends with this one."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from assistant.models.local.files import can_serve, checked_file, file_bytes, readable
from assistant.shared.rendering import plain
from kb.errors import ModelFailure, UsageError

WORKING_BYTES = 1_000_000_000
"""Memory that llama.cpp takes beside the file for 8,192 tokens of context: 950 MB were measured for 1.5 billion
parameters and 260 MB for a tenth of that, most of it what the model remembers of the text, and of earlier prompts.
"""

ENDING_SECONDS = 5.0
"""How long the process may take to end by itself, which it does at once unless it is still loading."""


@dataclass(frozen=True, slots=True)
class Served:
    """Where a model is served, the key that it takes, and how many parameters it has; 0 where that is not known."""

    url: str
    key: str = field(repr=False)
    parameters: int = 0


class LocalServer:
    """The process that serves one file, started when it is first needed and again where it has ended."""

    def __init__(self, path: Path, context: int) -> None:
        self.path, self.context = path, context
        self._process: subprocess.Popen[bytes] | None = None
        self._served: Served | None = None
        self._errors: IO[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Of the process that serves; None where none does."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def ensure(self) -> Served:
        """Where it is served, once the model is loaded: seconds, or minutes for a large one from a slow disk.

        Raises UsageError for a file that is none, ModelFailure where memory or llama.cpp do not take it.
        """
        with self._lock:
            if self._served is None or self.pid is None:
                self._end()
                checked_file(self.path)
                _enough_memory(self.path)
                self._served = self._start()
            return self._served

    def stop(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end()

    def _start(self) -> Served:
        key = secrets.token_urlsafe(32)
        wanted = {"path": str(self.path), "context": self.context, "key": key, "threads": threads()}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed when the process has ended
        script = Path(__file__).with_name("child.py")
        self._process = process = subprocess.Popen(
            [sys.executable, "-P", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.write(json.dumps(wanted).encode() + b"\n")
            process.stdin.flush()
        told = _read(process.stdout.readline())
        if not isinstance(url := told.get("url"), str):
            reason = self._reason(told)
            self._end()
            raise ModelFailure(f"model {self.path.name!r} cannot be served by llama.cpp: {reason}")
        return Served(f"{url}/v1", key, int(told.get("parameters") or 0))

    def _reason(self, told: dict[str, Any]) -> str:
        """Why it was not served: what the process says, else what llama.cpp wrote, else how the process ended."""
        assert self._errors is not None
        self._errors.seek(0)
        written = self._errors.read(20_000).decode(errors="replace").splitlines()
        errors = [line.partition(" E ")[2] for line in written if " E " in line]
        if errors:
            return plain(errors[0], 200)
        if problem := told.get("problem"):
            return plain(str(problem), 200)
        return "its process ended while it loaded; most often that is too little memory"

    def _end(self) -> None:
        process, self._process, self._served = self._process, None, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            try:
                process.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None


_latest: LocalServer | None = None
_choosing = threading.Lock()


def local_server(path: Path, context: int) -> LocalServer:
    """The server for the file with so many tokens of context; it is not started yet. There is one at a time, so that
    no model stays in memory behind another: one that is asked after all is loaded again.

    Raises UsageError for a file that is no model, or where `xllamacpp` is not installed.
    """
    global _latest
    path = checked_file(path)
    if not can_serve():
        raise UsageError(
            f"a model in a file ({path.name!r}) needs llama.cpp, which is not installed: pip install 'clew[local]'"
        )
    with _choosing:
        if _latest is None or (_latest.path, _latest.context) != (path, context):
            stop()
            _latest = LocalServer(path, context)
        return _latest


@atexit.register
def stop() -> None:
    """End the server that runs, if one does."""
    if _latest is not None:
        _latest.stop()


def free_bytes() -> int | None:
    """Memory that is free for a program, in bytes; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def threads() -> int:
    """Threads to compute with: one core fewer than there are, as they wait by spinning and slow down whatever else
    there is to do many times over, themselves included.
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    return max(1, cores - 1)


def _enough_memory(path: Path) -> None:
    needed, free = file_bytes(path) + WORKING_BYTES, free_bytes()
    if free is not None and free < needed:
        raise ModelFailure(
            f"model {path.name!r} needs about {readable(needed)} of memory and {readable(free)} are free: close "
            "something, or take a smaller model or a smaller quantization of it"
        )


def _read(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
