"""Having tasks carried out on a cluster, by way of the process that joins it (`ray_process.py`).

A process of its own: Ray ends its process where a cluster goes away, takes over its signals, and tells everyone on the
cluster the command line and hands the environment to what it starts. This one's may hold passwords and keys, so that
the other one is given what it needs and no more.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import queue
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from kb.cluster.worker import code_here
from kb.errors import ClusterFailure, UsageError
from kb.store.deriving import Derive, Task

T = TypeVar("T")

LOCAL = "local"
"""The address of a Ray that is started on this machine for one build."""

_FOUND = "auto"
"""The address of the Ray that has been started on this machine before."""

_PASSED = (
    "PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
    "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "HF_HOME", "HF_HUB_CACHE",
    "SENTENCE_TRANSFORMERS_HOME",
)  # fmt: skip
"""What is passed on of the environment: where programs, libraries and embedding models are."""

_NOTHING_SENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # it would send the working folder
}
_LOOPBACK_ONLY = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's way, on any system, to say that all is on 127.0.0.1
    # A part of it asks what cloud it is in even where nothing is to be reported.
    "http_proxy": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "no_proxy": "127.0.0.1,localhost",
}
_KNOCKING_SECONDS = 5.0
_JOINING_SECONDS = 90.0
_LEAVING_SECONDS = 20.0
"""For a Ray that was started here to end; afterwards it is killed, which loses nothing."""


@contextmanager
def on_cluster(address: str, model: str) -> Iterator[Derive]:
    """The cluster at `address` as the place where tasks are carried out, with the embedding model of this name.

    An address is HOST:PORT, "auto" for the Ray that runs on this machine, which a cluster is joined by, or "local" for
    one that is started here and ends with the block. Raises UsageError where Ray is not installed, or for what is no
    address; ClusterFailure where nothing answers, or its Ray, Python or clew is another; and so does the block where a
    task has failed for good.
    """
    if importlib.util.find_spec("ray") is None:
        raise UsageError("--cluster needs more: pip install 'clew[cluster]'")
    _knock(address)
    with tempfile.TemporaryDirectory(prefix="clew-ray-", dir=_short_folder(), ignore_cleanup_errors=True) as folder:
        joined = _Joined(address, model, folder)
        try:
            joined.begin()
            yield joined.derive
        finally:
            joined.leave()


def _knock(address: str) -> None:
    """See that something listens at an address: Ray itself would try for half a minute."""
    if address in (LOCAL, _FOUND):
        return
    found = re.fullmatch(r"(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})", address)
    if found is None or not 0 < int(found[3]) < 65536:
        raise UsageError(f"--cluster {address!r} is no address of a Ray; give HOST:PORT, {_FOUND} or {LOCAL}")
    try:
        socket.create_connection((found[1] or found[2], int(found[3])), timeout=_KNOCKING_SECONDS).close()
    except OSError as error:
        raise ClusterFailure(f"no cluster answers at {address} ({error.strerror or error})") from error


def _short_folder() -> str | None:
    """Where a folder for sockets may be, whose paths have to be short; None for the usual place."""
    return "/tmp" if Path("/tmp").is_dir() else None


def _environment(address: str, given: Mapping[str, str]) -> dict[str, str]:
    """What the process that joins is given of this one's environment; Ray's own settings belong to who joins."""
    passed = {name: value for name, value in given.items() if name in _PASSED}
    if address == LOCAL:
        own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        return {**passed, **_NOTHING_SENT, **_LOOPBACK_ONLY, **own}
    return {**passed, **{name: value for name, value in given.items() if name.startswith("RAY_")}, **_NOTHING_SENT}


class _Joined:
    """The process that has joined a cluster: tasks go in and what comes of them comes out, both in their order."""

    def __init__(self, address: str, model: str, folder: str) -> None:
        self._address = address
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "kb.cluster.ray_process", address, folder, code_here(), model],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
            env=_environment(address, os.environ), start_new_session=True,
        )  # fmt: skip
        self._answers: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._room = 0
        threading.Thread(target=self._listen, name="cluster", daemon=True).start()

    def begin(self) -> None:
        """Wait until the cluster is joined; Ray itself would go on for ever where something else listens."""
        try:
            self._room = self._answer(_JOINING_SECONDS)
        except queue.Empty:
            raise ClusterFailure(f"the cluster {self._address}: not joined in {_JOINING_SECONDS:.0f} s") from None

    def derive(self, tasks: Iterable[Task[T]]) -> Iterator[T]:
        """Carry out tasks, as many at a time as the cluster has room for."""
        waiting = 0
        for task in tasks:
            self._send(pickle.dumps(task, pickle.HIGHEST_PROTOCOL))
            waiting += 1
            while waiting and (waiting >= self._room or not self._answers.empty()):
                yield pickle.loads(self._answer())
                waiting -= 1
        for _ in range(waiting):
            yield pickle.loads(self._answer())

    def _send(self, task: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, and its last answer says why
            pickle.dump(task, self._process.stdin)
            self._process.stdin.flush()

    def _answer(self, seconds: float | None = None) -> Any:
        kind, value = self._answers.get(timeout=seconds)
        if kind != "done":
            raise ClusterFailure(f"the cluster {self._address}: {value}")
        return value

    def _listen(self) -> None:
        """Hand on answers as they come, so that the other process never waits for this one to take them."""
        assert self._process.stdout is not None
        try:
            while True:
                self._answers.put(pickle.load(self._process.stdout))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._answers.put(("failed", "it is gone; what was finished is kept, and the same command carries on"))

    def leave(self) -> None:
        """End the process, which ends a Ray that it has started and leaves one that it has joined."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        if not self._room:
            self._process.terminate()  # while it joins it does not listen
        try:
            self._process.wait(_LEAVING_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
        finally:
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            if os.name == "nt":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
