"""Serving over HTTP: a token for everyone, and nothing for web pages."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kb.errors import UsageError

PATH = "/mcp"
TOKEN_VARIABLE = "CLEW_MCP_TOKEN"

SHORTEST_TOKEN = 16
"""Characters of a token that the user sets: a short one can be guessed over the network."""

MAX_BODY = 256 * 1024
"""Bytes of a request: the longest question with its protocol around it has a tenth."""

MAX_CLIENTS = 64
MAX_CONNECTIONS = 256


class Guard:
    """Lets through only requests that carry the token; and, where any host name may be used, none from web pages.

    Behind it the protocol's library checks Host and Origin where the names under which we are reached are known.
    """

    def __init__(self, app: ASGIApp, token: str, *, refuse_origins: bool) -> None:
        self._app = app
        self._expected = b"bearer " + token.encode()
        self._refuse_origins = refuse_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (refusal := self._refusal(dict(scope["headers"]))) is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, headers: dict[bytes, bytes]) -> PlainTextResponse | None:
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if not secrets.compare_digest(scheme.lower() + b" " + token.strip(), self._expected):
            told = "this server wants its token: Authorization: Bearer TOKEN\n"
            return PlainTextResponse(told, 401, {"WWW-Authenticate": "Bearer"})
        if self._refuse_origins and b"origin" in headers:
            return PlainTextResponse("web pages are not served\n", 403)
        return None


def token_from_environment() -> str | None:
    """The token in CLEW_MCP_TOKEN, None where it is not set. UsageError for one that is too easily guessed."""
    token = os.environ.get(TOKEN_VARIABLE)
    if token is None:
        return None
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{TOKEN_VARIABLE} has {len(token)} characters; it needs {SHORTEST_TOKEN} or more, printable ASCII without "
            "spaces; unset it to have one made"
        )
    return token


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at host and port, 0 for any free one. UsageError where that cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = sorted(found, key=lambda one: one[0] != socket.AF_INET)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        raise UsageError(
            f"cannot listen at --host {host!r} --port {port} ({error.strerror or error}); name an address of this "
            "machine, and another port or 0 for any free one"
        ) from error


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens at `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def url_at(host: str, port: int) -> str:
    """The URL that clients are to use."""
    return f"http://{_in_url(host)}:{port}{PATH}"


def http_app(server: Server[Any], token: str, host: str, port: int) -> ASGIApp:
    """The server as an ASGI application that is reached at `host` and `port`."""
    any_name = not is_loopback(host) and _is_wildcard(host)
    names = ("127.0.0.1", "localhost", "[::1]") if is_loopback(host) else (_in_url(host),)
    here = [f"{name}:{port}" for name in names] + ([*names] if port == 80 else [])
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=not any_name,
        allowed_hosts=here,
        allowed_origins=[f"http://{name}" for name in here],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        max_request_body_size=MAX_BODY,
        max_sessions=MAX_CLIENTS,
        host=host,
    )
    return Guard(app, token, refuse_origins=any_name)


def http_server(app: ASGIApp) -> uvicorn.Server:
    """What serves the application; on SIGTERM or Ctrl-C it closes its connections and raises the signal again."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=1,
        ws="none",
    )
    return uvicorn.Server(config)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
