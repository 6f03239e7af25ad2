"""The command that serves a knowledge base to other assistants: mcp."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.options import FILE, budget_options, model_options, risk_option
from assistant.shared.rendering import plain
from kb.errors import UsageError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from assistant.conversations.session import Session
    from assistant.shared.model_choice import ModelChoice
    from assistant.shared.spending_limits import Budget

HOST = "127.0.0.1"
PORT = 8765


@click.command(short_help="Serve to other assistants (MCP).")
@FILE
@click.option("--all-tools", is_flag=True, help="Offer every technique, not only the few that go far.")
@click.option("--http", is_flag=True, help="Serve over HTTP instead of stdin and stdout.")
@click.option("--host", default=HOST, show_default=True, help="With --http: the address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="With --http: the port to listen at, 0 for any free one.",
)
@model_options
@budget_options
@risk_option
def mcp(
    file: Path, all_tools: bool, http: bool, host: str, port: int, choice: ModelChoice, budget: Budget, risk: float
) -> None:
    """Serve a knowledge base to other assistants over the Model Context Protocol.

    The assistant starts this command itself and talks to it over stdin and stdout, until it closes stdin. With --http
    it listens for many, at this machine only unless --host says otherwise. Every request must then carry a token: the
    one in CLEW_MCP_TOKEN, or else one that is made and printed at the start.

    \b
    Examples:
      clew mcp notes.clew
      clew mcp notes.clew --http --port 0
    """
    if not http and (host, port) != (HOST, PORT):
        raise UsageError("--host and --port are for --http; add it, or leave them out")
    _require_library()
    from assistant.serving.mcp_server import mcp_server
    from assistant.serving.served_file import ServedFile

    def open_session() -> Session:
        from assistant.conversations.session import Session

        return Session.open(file, choice, budget=budget, risk=risk)

    # Its warnings repeat what strangers send; errors, which are ours, are still told on stderr.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    with ServedFile(file, open_session) as served:
        server = mcp_server(served, all_tools=all_tools)
        if http:
            _over_http(server, served.name, host, port)
        else:
            _over_stdio(server)


COMMANDS = (mcp,)


def _require_library() -> None:
    try:
        import mcp_types  # noqa: F401 - what sets version 2 of the library apart
    except ImportError:
        raise UsageError("clew mcp needs a library that is not installed: pip install 'clew[mcp]'") from None


def _over_stdio(server: Server[Any]) -> None:
    from assistant.serving.stdio import exit_at_signals, serve_stdio

    if sys.stdin is None or sys.stdout is None:
        raise UsageError("clew mcp talks over stdin and stdout, and one of them is closed; or serve over --http")
    exit_at_signals()
    if sys.stdin.isatty():
        click.echo("waiting for an assistant to speak MCP on stdin (see clew mcp --help); Ctrl-C ends it", err=True)
    asyncio.run(serve_stdio(server))


def _over_http(server: Server[Any], name: str, host: str, port: int) -> None:
    from assistant.serving.http import TOKEN_VARIABLE, http_app, http_server, listening, token_from_environment, url_at
    from assistant.serving.stdio import exit_at_signals

    given = token_from_environment()
    token = given or secrets.token_urlsafe(32)
    exit_at_signals()  # before anybody is told that Ctrl-C ends it
    with listening(host, port) as at:
        port = at.getsockname()[1]
        click.echo(f"{plain(name)} is served at {url_at(host, port)}; Ctrl-C ends it", err=True)
        click.echo(f"Authorization: Bearer {f'(the token in {TOKEN_VARIABLE})' if given else token}", err=True)
        _warn_of_strangers(host)
        running = http_server(http_app(server, token, host, port))
        # That streams are cut off when we end is nothing to tell.
        logging.getLogger("uvicorn.error").addFilter(lambda record: not running.should_exit)
        asyncio.run(running.serve(sockets=[at]))


def _warn_of_strangers(host: str) -> None:
    from assistant.serving.http import is_loopback

    if not is_loopback(host):
        click.echo(
            f"warning: --host {plain(host)} is reachable from other machines, over plain http: who sees the traffic "
            "reads the token and the passages; put TLS in front, or use an SSH tunnel to a loopback address",
            err=True,
        )
