"""Where a knowledge base is: a file's path, or the address of a PostgreSQL server, which never shows its password."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from kb.errors import UsageError

SCHEME = "postgresql://"
_SPELLINGS = re.compile(r"postgres(?:ql)?:/{1,2}")
"""With one slash too: what pathlib makes of an address that was kept as a path."""
_SECRET = re.compile(r"(?<![^?&])((?:ssl)?password|oauth_client_secret)=([^&#]*)")
_HOSTS = re.compile(r"(?:\[[0-9A-Fa-f:.%\w]*\]|[^:@/\[\]]*)(?::\d*)?")

_passwords: dict[str, str] = {}
"""Of the addresses that were given with one, by what is shown of them: so it is in no list, log or session."""


class ServerAddress(type(Path())):  # type: ignore[misc]
    """An address that goes wherever a file's path goes, as nothing but what opens it has to tell the two apart.

    `str` is the address without its password, and what it is kept under everywhere.
    """

    _shown: str

    def __new__(cls, address: str) -> ServerAddress:
        """Raises UsageError for what is no such address."""
        shown, password = _without_password(address)
        self: ServerAddress = super().__new__(cls, shown)
        self._shown = shown
        if password:
            _passwords[shown] = password
        return self

    def __init__(self, address: str) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(_without_password(address)[0])

    def __str__(self) -> str:
        return self._shown

    def __fspath__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"ServerAddress({self._shown!r})"

    def __reduce__(self) -> tuple[type[ServerAddress], tuple[str]]:
        return ServerAddress, (self._shown,)

    @property
    def password(self) -> str | None:
        """The password that this process was given for it; None where the server's own ways have to do."""
        return _passwords.get(self._shown)

    @property
    def name(self) -> str:
        """The name of the database."""
        return unquote(self._shown.removeprefix(SCHEME).partition("?")[0].partition("/")[2]) or self._shown

    @property
    def parent(self) -> ServerAddress:
        return self

    def resolve(self, strict: bool = False) -> ServerAddress:
        return self

    def absolute(self) -> ServerAddress:
        return self

    def expanduser(self) -> ServerAddress:
        return self

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether something is there shows when it is opened."""
        return True

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return True


def place(text: str | Path) -> Path:
    """The path of a file, or a ServerAddress for what begins as one does. Raises UsageError for half an address."""
    if isinstance(text, ServerAddress):
        return text
    return ServerAddress(str(text)) if _SPELLINGS.match(str(text)) else Path(text)


def environment(arguments: Sequence[str]) -> dict[str, str]:
    """What a process with these arguments needs in its environment: the password of the server that they name, which
    stands in no list of processes.
    """
    known = (_passwords[one] for one in arguments if one in _passwords)
    return {"PGPASSWORD": password} if (password := next(known, None)) else {}


def _without_password(address: str) -> tuple[str, str | None]:
    rest = address[match.end() :] if (match := _SPELLINGS.match(address)) else ""
    before, question, query = rest.partition("?")
    who, at, where = before.rpartition("@")
    user, _, password = who.partition(":")
    hosts = where.partition("/")[0].split(",")
    if not all(_HOSTS.fullmatch(one) for one in hosts) or "@" in _SECRET.sub("", query):
        raise UsageError(
            "the address of the server is not understood: write postgresql://USER@HOST:PORT/DATABASE, with %40 for "
            "@, %2F for / and %3F for ? in a password"
        )
    if not where.partition("/")[2] and "dbname=" not in query:
        raise UsageError(f"{SCHEME}{user}{at}{where} names no database; write postgresql://USER@HOST/DATABASE")
    secrets = dict(_SECRET.findall(query))
    given = password or secrets.get("password")
    kept = "&".join(one for one in query.split("&") if not _SECRET.match(one))
    shown = f"{SCHEME}{user}{at}{where}" + (f"{question}{kept}" if kept else "")
    return shown, unquote(given) if given else None
