"""Nothing reaches another machine: a hook of the interpreter that refuses every address but loopback, and remembers."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from collections.abc import Callable

_RESERVED = (".invalid", ".test", ".example", "example.com", "example.org", "example.net")
"""Names that belong to nobody (RFC 2606): tests ask for them to see what becomes of a name that is not known."""


ATTEMPTS: list[str] = []
"""What has tried to reach another machine. It got the error of a machine without a network, and may have caught it."""


def refuse_other_machines() -> None:
    """Refuse connections to other machines and the look-up of their names, in all threads until the process ends."""
    sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if (check := _CHECKS.get(event)) is not None:
        check(arguments)


def _connecting(arguments: tuple[object, ...]) -> None:
    _, address, *_ = arguments
    if not isinstance(address, tuple):  # a socket of this machine's file system, or one that is connected already
        return
    host = str(address[0])
    if not _is_here(host):
        ATTEMPTS.append(f"connecting to {host}:{address[1]}")
        raise OSError(errno.ENETUNREACH, "tests reach loopback only")


def _looking_up(arguments: tuple[object, ...]) -> None:
    host = arguments[0].decode("ascii", "replace") if isinstance(arguments[0], bytes) else arguments[0]
    if host is None or _is_here(str(host)) or _is_address(str(host)):
        return
    if not str(host).rstrip(".").endswith(_RESERVED):
        ATTEMPTS.append(f"looking up {host}")
    raise socket.gaierror(socket.EAI_NONAME, "tests reach loopback only")


_CHECKS: dict[str, Callable[[tuple[object, ...]], None]] = {
    "socket.connect": _connecting,
    "socket.sendto": _connecting,
    "socket.sendmsg": _connecting,
    "socket.getaddrinfo": _looking_up,
    "socket.gethostbyname": _looking_up,
}


def _is_here(host: str) -> bool:
    """Whether it is this machine by its loopback addresses or their name, or by no address at all."""
    if host in ("", "localhost") or host.endswith(".localhost"):
        return True
    return _is_address(host) and (_address(host).is_loopback or _address(host).is_unspecified)


def _is_address(host: str) -> bool:
    try:
        _address(host)
    except ValueError:
        return False
    return True


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(host.partition("%")[0])
