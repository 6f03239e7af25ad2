"""Where a knowledge base is: a file's path, or the address of a PostgreSQL server, which never shows its password."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from kb.errors import UsageError

SCHEME = "postgresql://"
_SPELLINGS = re.compile(r"postgres(?:ql)?(?:\+\w+)?:/{1,2}", re.IGNORECASE)
"""With one slash too: what pathlib makes of an address that was kept as a path. And with SQLAlchemy's driver."""
_NEAR = re.compile(r"[\s\"'<(]*(?:\w+:)*(?:postgres\w*|pgsql|pg)(?:\+\w+)?:[/\\]", re.IGNORECASE)
_KEYWORDS = re.compile(r"(?:^|\s)(host|hostaddr|port|dbname|user|password|service|sslmode)\s*=", re.IGNORECASE)
"""What else says where a server is: it would be taken for a file's name, and its password shown."""
_HOSTS = re.compile(r"(?:\[[0-9A-Fa-f:.%\w]*\]|[^:@/\[\]]*)(?::\d*)?")
_SECRETS = frozenset(("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"))
_PARAMETERS = frozenset(
    (
        "service user passfile channel_binding connect_timeout dbname host hostaddr port client_encoding options "
        "application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count "
        "tcp_user_timeout ssl sslmode sslnegotiation sslcompression sslcert sslkey sslcertmode sslrootcert sslcrl "
        "sslcrldir sslsni requirepeer require_auth min_protocol_version max_protocol_version ssl_min_protocol_version "
        "ssl_max_protocol_version gssencmode krbsrvname gsslib gssdelegation replication target_session_attrs "
        "load_balance_hosts oauth_issuer oauth_client_id oauth_scope sslkeylogfile servicefile"
    ).split()
)
"""What libpq knows. Another name may be a secret's that was mistyped: it is refused before anything is shown of it."""
_NOT_UNDERSTOOD = (
    "the address of the server is not understood: write postgresql://USER@HOST:PORT/DATABASE, with %40 for @, %2F for "
    "/, %3F for ? and %25 for % in a password, and parameters by the names that PostgreSQL gives them"
)
_VARIABLE = "CLEW_SERVER_SECRETS"
"""Tells a process of ours the secrets that have no variable of PostgreSQL's own, as JSON by address."""

_given: dict[str, Mapping[str, str]] = {}
"""The secrets of the addresses that were given with some, by what is shown of them: so they are in no list, log or
session.
"""


class ServerAddress(type(Path())):  # type: ignore[misc]
    """An address that goes wherever a file's path goes, as nothing but what opens it has to tell the two apart.

    `str` is the address without its password, and what it is kept under everywhere.
    """

    _shown: str

    def __new__(cls, address: str) -> ServerAddress:
        """Raises UsageError for what is no such address."""
        shown, secrets = _without_secrets(address)
        self: ServerAddress = super().__new__(cls, shown)
        self._shown = shown
        if secrets:
            _given[shown] = secrets
        return self

    def __init__(self, address: str) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(_without_secrets(address)[0])

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
        return self.secrets.get("password")

    @property
    def secrets(self) -> Mapping[str, str]:
        """The password and what else was secret in it, by PostgreSQL's names."""
        return _given.get(self._shown) or _inherited().get(self._shown, {})

    @property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters that it has, but the secret ones."""
        return frozenset(name for name, _ in _named(self._shown.partition("?")[2]))

    @property
    def name(self) -> str:
        """The name of the database, or of the service; of what has neither the address."""
        before, _, query = self._shown.removeprefix(SCHEME).partition("?")
        named = {name: unquote(part.partition("=")[2]) for name, part in _named(query)}
        return named.get("dbname") or unquote(before.partition("/")[2]) or named.get("service") or self._shown

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
    said = str(text)
    if _SPELLINGS.match(said.strip()):
        return ServerAddress(said)
    keywords = {word.lower() for word in _KEYWORDS.findall(said)}
    if _NEAR.match(said) or (("password" in keywords or len(keywords) > 1) and not os.path.lexists(said)):
        raise UsageError(_NOT_UNDERSTOOD)
    return Path(text)


def not_understood() -> UsageError:
    """What to raise for an address of which nothing may be quoted, as its password may be anywhere in it."""
    return UsageError(_NOT_UNDERSTOOD)


def environment(arguments: Sequence[str]) -> dict[str, str]:
    """What a process with these arguments needs in its environment: the secrets of the server that they name, which
    stand in no list of processes.
    """
    named = next((one for one in arguments if one in _given), None)
    if named is None:
        return {}
    secrets = dict(_given[named])
    password = secrets.pop("password", None)
    others = {_VARIABLE: json.dumps({named: dict(_given[named])})} if secrets else {}
    return {**({"PGPASSWORD": password} if password else {}), **others}


def _inherited() -> dict[str, Mapping[str, str]]:
    """The secrets that the process which started this one was given."""
    return json.loads(os.environ[_VARIABLE]) if os.environ.get(_VARIABLE) else {}


def _without_secrets(address: str) -> tuple[str, dict[str, str]]:
    address = address.strip()
    rest = address[match.end() :] if (match := _SPELLINGS.match(address)) else ""
    before, question, query = rest.partition("?")
    who, at, where = before.rpartition("@")
    user, _, password = who.partition(":")
    named = _named(query)
    kept = [part for name, part in named if name not in _SECRETS]
    known = all(name in _PARAMETERS | _SECRETS for name, _ in named)
    if not all(_HOSTS.fullmatch(one) for one in where.partition("/")[0].split(",")) or not known or "@" in str(kept):
        raise not_understood()
    if not where.partition("/")[2] and not {"dbname", "service"} & {name for name, _ in named}:
        raise UsageError(f"{SCHEME}{user}{at}{where} names no database; write postgresql://USER@HOST/DATABASE")
    secrets = {name: unquote(part.partition("=")[2]) for name, part in named if name in _SECRETS}
    if password:
        secrets["password"] = unquote(password)
    shown = f"{SCHEME}{user}{at}{where}" + (f"{question}{'&'.join(kept)}" if kept else "")
    return shown, {name: secret for name, secret in secrets.items() if secret}


def _named(query: str) -> list[tuple[str, str]]:
    """The parameters of an address as they stand there, each with its name, of which libpq decodes the letters."""
    return [(unquote(part.partition("=")[0]), part) for part in query.split("&") if part]
