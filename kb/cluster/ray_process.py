"""The process that joins a cluster of Ray for a build: `python -m kb.cluster.ray_process ADDRESS FOLDER CODE MODEL`.

It reads pickled tasks from its standard input, has them carried out, and writes what comes of them to its standard
output in the same order: ("done", bytes), or ("failed", a line), which is the last. The first answer is ("done", how
many tasks the cluster has room for). It leaves the cluster when its input ends, as it does when its parent is gone; a
Ray that it started ends with it.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import shutil
import sys
import threading
from typing import Any, BinaryIO

import ray
from ray.exceptions import RayError, RayTaskError

RETRIES = 3
"""How often a task is given to another worker where one dies."""

_MOST_AHEAD = 256
_AHEAD_PER_CORE = 2
"""A task that waits while another runs, so that no worker waits for the next."""


def main() -> None:
    """Join, carry out what comes in, leave."""
    address, folder, code, model = sys.argv[1:]
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what Ray prints must not stand among the answers
    begun = _Begun(code, model)
    threading.Thread(target=begun.take_all, args=(sys.stdin.buffer,), daemon=True).start()
    try:
        _join(address, folder)
        begun.has_joined = True
        _tell(answers, ("done", _room()))
        while (one := begun.tasks.get()) is not None and _tell(answers, ray.get(one)):
            pass
    except (RayError, ConnectionError, RuntimeError, ValueError, OSError) as error:
        _tell(answers, ("failed", _line(error)))
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)  # by the time of a parent that was killed nobody else does


class _Begun:
    """The tasks that were begun and whose results are still to be told, None behind the last."""

    def __init__(self, code: str, model: str) -> None:
        self.tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.has_joined = False
        self._remote: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(_on_worker)
        self._same = code, model

    def take_all(self, tasks: BinaryIO) -> None:
        """Begin tasks as they come in. Where they end before the cluster is joined, whoever wanted that is gone."""
        try:
            while True:
                self.tasks.put(self._remote.remote(pickle.load(tasks), *self._same))
        except EOFError:
            if not self.has_joined:
                os._exit(1)
            self.tasks.put(None)


def _join(address: str, folder: str) -> None:
    said: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": False}
    if address == "local":
        said |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1", "_temp_dir": folder}
    ray.init(address=address, **said)


def _room() -> int:
    cores = int(ray.cluster_resources().get("CPU", 0))
    if not cores:
        raise RuntimeError("it has no processor to work with")
    return min(_AHEAD_PER_CORE * cores, _MOST_AHEAD)


def _on_worker(task: bytes, code: str, model: str) -> tuple[str, bytes | str]:
    """Sent to workers as it is, since a worker may have no clew to import it from."""
    import socket

    try:
        from kb.cluster.worker import carry_out
    except ImportError:
        answer: tuple[str, Any] = "failed", "clew is not installed there; install the same on every machine"
    else:
        answer = carry_out(task, code, model)
    return answer if answer[0] == "done" else ("failed", f"{socket.gethostname()}: {answer[1]}")


def _tell(answers: BinaryIO, answer: tuple[str, Any]) -> bool:
    """Write an answer; returns whether others may follow."""
    pickle.dump(answer, answers)
    answers.flush()
    return answer[0] == "done"


def _line(error: BaseException) -> str:
    """What has gone wrong, without the stack that Ray puts before it."""
    if isinstance(error, RayTaskError) and error.cause is not None:
        error = error.cause
    return " ".join(str(error).split())[:500] or type(error).__name__


if __name__ == "__main__":
    main()
