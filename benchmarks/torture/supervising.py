"""A command under a supervisor that sees each of its calls to the system that writes a file, before it is done.

The kernel stops the process at such a call (seccomp's user notification: Linux on x86-64, no root, no debugger) and
asks the supervisor, which lets it go on, refuses it with an error, or kills the process instead; a `torn` write is half
done first. What is counted: write, pwrite, fsync, truncate, rename, link, unlink, mkdir, chmod and an open that makes
or empties a file, for paths below one folder. What is not: writes to memory that is mapped (of clew's files only
SQLite's `-shm`, which it builds anew after a crash), what an operating system that crashes would lose of unsynced
writes, and a kill in the middle of one call, but for the torn ones.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.torture.trials import Outcome, forked

What = Literal["nothing", "kill", "torn", "full", "error"]

_BY_DESCRIPTOR = {1: "write", 18: "pwrite", 20: "writev", 74: "fsync", 75: "fdatasync", 77: "ftruncate", 91: "fchmod",
                  285: "fallocate", 296: "pwritev"}  # fmt: skip
_BY_PATH = {76: ("truncate", 0), 82: ("rename", 1), 83: ("mkdir", 0), 84: ("rmdir", 0), 86: ("link", 1),
            87: ("unlink", 0), 88: ("symlink", 1), 90: ("chmod", 0), 257: ("open", 1), 258: ("mkdir", 1),
            263: ("unlink", 1), 264: ("rename", 3), 265: ("link", 3), 268: ("chmod", 1),
            316: ("rename", 3)}  # fmt: skip
"""Calls by their number on x86-64; of the second kind with the argument that is a path."""
_OPEN = 257
_MAKES = os.O_CREAT | os.O_TRUNC
_GROWS = ("write", "pwrite", "writev", "pwritev", "fallocate", "mkdir", "link", "symlink", "open")
"""What a full disk refuses."""

_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_RESPONSE = struct.Struct("=QqiI")
_RECEIVE = 0xC0502100
_SEND = 0xC0182101


@dataclass
class Fate:
    """What happens at call number `at`, from 1; `seen` are the calls that were counted, `met` whether it happened.

    `full` refuses all that grows from then on, `error` this one call.
    """

    what: What = "nothing"
    at: int = 0
    seen: list[str] = field(default_factory=list)
    met: bool = False


def is_possible() -> bool:
    """Whether the kernel can be asked for this."""
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def supervised(
    work: Callable[[], object], folder: Path, fate: Fate, *, seconds: float = 600.0, stdin: bytes = b""
) -> Outcome:
    """Run `work` in a fork in which what writes below `folder` meets `fate`."""
    ours, theirs = socket.socketpair()
    supervisor = threading.Thread(target=_supervise, args=(ours, str(folder.resolve()) + "/", fate), daemon=True)
    supervisor.start()

    def under_supervision() -> None:
        socket.send_fds(theirs, [b"."], [_listener()])
        work()

    try:
        return forked(under_supervision, seconds=seconds, stdin=stdin)
    finally:
        theirs.close()  # a child that never came to it leaves nothing to wait for
        supervisor.join()
        ours.close()


def _listener() -> int:
    """Have this process and its children be stopped at what writes; where the supervisor is told."""
    code = _filter()
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer := ctypes.create_string_buffer(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    descriptor = libc.syscall(317, 1, (1 << 3) | (1 << 5), program)  # a new listener; only a kill wakes who waits
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), f"seccomp cannot be asked for ({len(buffer)} bytes)")
    return int(descriptor)


def _filter() -> bytes:
    """Instructions for the kernel: (code, jump if true, jump if false, value)."""
    tell, allow = (0x06, 0, 0, 0x7FC00000), (0x06, 0, 0, 0x7FFF0000)
    code = [(0x20, 0, 0, 0)]
    for number in (*_BY_DESCRIPTOR, *_BY_PATH):
        if number != _OPEN:
            code += [(0x15, 0, 1, number), tell]
    code += [(0x15, 1, 0, _OPEN), allow, (0x20, 0, 0, 16 + 8 * 2), (0x45, 0, 1, _MAKES), tell, allow]
    return b"".join(struct.pack("HBBI", *one) for one in code)


def _supervise(ours: socket.socket, folder: str, fate: Fate) -> None:
    try:
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    except OSError:
        return
    if not descriptors:
        return
    listener, ready = descriptors[0], select.poll()
    ready.register(listener, select.POLLIN)
    while True:
        events = ready.poll()
        if not events[0][1] & select.POLLIN:
            break
        with suppress(FileNotFoundError):  # whoever waited is gone
            data = bytearray(_NOTIFICATION.size)
            fcntl.ioctl(listener, _RECEIVE, data)
            refusal = _decided(_NOTIFICATION.unpack(data), folder, fate)
            if refusal is not None:
                flags = 0 if refusal else 1
                fcntl.ioctl(
                    listener, _SEND, bytearray(_RESPONSE.pack(_NOTIFICATION.unpack(data)[0], 0, -refusal, flags))
                )
    os.close(listener)


def _decided(notification: tuple[int, ...], folder: str, fate: Fate) -> int | None:
    """The error to refuse a call with, 0 to let it be done, None where its process is killed."""
    _, process, _, number, _, _, *arguments = notification
    name, path = _about(process, number, arguments)
    if not path.startswith(folder):
        return 0
    fate.seen.append(f"{name} {path[len(folder) :]}")
    at = len(fate.seen)
    if fate.what in ("kill", "torn") and at == fate.at:
        fate.met = True
        if fate.what == "torn" and name in ("write", "pwrite"):
            _write_half(process, name, arguments)
        os.kill(_leader(process), signal.SIGKILL)
        return None
    if fate.what == "full" and at >= fate.at and name in _GROWS:
        fate.met = True
        return errno.ENOSPC
    if fate.what == "error" and at == fate.at:
        fate.met = True
        return errno.EIO
    return 0


def _about(process: int, number: int, arguments: list[int]) -> tuple[str, str]:
    """The call's name and the path that it is about, "" where that is gone."""
    try:
        if number in _BY_DESCRIPTOR:
            return _BY_DESCRIPTOR[number], str(Path(f"/proc/{process}/fd/{arguments[0]}").readlink())
        name, place = _BY_PATH[number]
        return name, os.fsdecode(_memory(process, arguments[place], 4096).split(b"\0")[0])
    except OSError:
        return "", ""


def _memory(process: int, address: int, length: int) -> bytes:
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        try:
            return memory.read(length)
        except OSError:  # a page further on is not there
            memory.seek(address)
            return memory.read(4096 - address % 4096)


def _write_half(process: int, name: str, arguments: list[int]) -> None:
    data = _memory(process, arguments[1], arguments[2])
    place = arguments[3] if name == "pwrite" else _position(process, arguments[0])
    file = os.open(f"/proc/{process}/fd/{arguments[0]}", os.O_WRONLY)
    os.pwrite(file, data[: len(data) // 2], place)
    os.close(file)


def _position(process: int, descriptor: int) -> int:
    fields = dict(line.split(":\t") for line in Path(f"/proc/{process}/fdinfo/{descriptor}").read_text().splitlines())
    if int(fields["flags"], 8) & os.O_APPEND:
        return Path(f"/proc/{process}/fd/{descriptor}").stat().st_size
    return int(fields["pos"])


def _leader(thread: int) -> int:
    """The process that a thread is of."""
    status = Path(f"/proc/{thread}/status").read_text()
    return int(status.split("Tgid:")[1].split()[0])
