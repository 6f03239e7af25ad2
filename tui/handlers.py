"""What each command does: a function of the app and the command's argument, by the command's name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from assistant.commands import BY_NAME
from tui.help import Help

if TYPE_CHECKING:
    from tui.app import ClewApp

Handler = Callable[["ClewApp", str], Awaitable[None]]


async def show_help(app: ClewApp, argument: str) -> None:
    """The keys and commands."""
    app.push_screen(Help(app.offered))


async def evidence(app: ClewApp, argument: str) -> None:
    """Show or hide what the answer rests on."""
    app.view.toggle_evidence()


async def details(app: ClewApp, argument: str) -> None:
    """Show or hide all tool calls."""
    app.view.toggle_details()


async def copy(app: ClewApp, argument: str) -> None:
    """Put the last answer on the clipboard as Markdown."""
    last = app.view.conversation.last
    if last is None:
        app.notify("There is no answer to copy yet.", markup=False)
    else:
        app.copy_to_clipboard(last.markdown())
        app.notify("The last answer is on the clipboard.", markup=False)


async def stop(app: ClewApp, argument: str) -> None:
    """Stop, and go back to the prompt."""
    app.view.stop()
    app.prompt.focus()


async def leave(app: ClewApp, argument: str) -> None:
    """Leave."""
    app.exit()


HANDLERS: Mapping[str, Handler] = {
    "help": show_help,
    "evidence": evidence,
    "details": details,
    "copy": copy,
    "stop": stop,
    "quit": leave,
}

OFFERED = tuple(command for command in BY_NAME.values() if command.name in HANDLERS)
"""The commands that can be run, in the order of the table."""
