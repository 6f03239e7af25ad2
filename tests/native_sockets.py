"""No socket of the internet protocols for a process, its native code included, which `loopback_only` does not see.

A filter of the Linux kernel (seccomp) ends the process that opens one, with SIGSYS.
"""

from __future__ import annotations

import ctypes
import platform
import socket
import struct
import sys

# What the kernel calls the machine (linux/audit.h), and the number of its call `socket`.
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
IS_POSSIBLE = sys.platform == "linux" and platform.machine() in _MACHINES

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _END = 0x7FFF0000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_SET_NO_NEW_PRIVILEGES, _SET_FILTER, _BY_PROGRAM = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def forbid_internet_sockets() -> None:
    """End this thread's process as soon as it, or what it starts from now on, opens a socket of IPv4 or IPv6.

    Raises OSError where the kernel has no such filters.
    """
    architecture, opening = _MACHINES[platform.machine()]
    steps = b"".join(
        struct.pack("HBBI", *step)
        for step in (
            (_LOAD, 0, 0, _ARCHITECTURE),
            (_EQUAL, 0, 5, architecture),
            (_LOAD, 0, 0, _NUMBER),
            (_EQUAL, 0, 3, opening),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            (_EQUAL, 2, 0, socket.AF_INET),
            (_EQUAL, 1, 0, socket.AF_INET6),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _END),
        )
    )
    program = _Program(len(steps) // 8, steps)
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in (
        (_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        (_SET_FILTER, _BY_PROGRAM, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "no filter of system calls")
