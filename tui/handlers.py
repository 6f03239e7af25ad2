"""What each command does: a function of the app and the command's argument, by the command's name."""

from __future__ import annotations

from assistant.commands import BY_NAME
from tui import control_handlers, library_handlers, session_handlers, thread_handlers
from tui.handler import Handlers

HANDLERS: Handlers = {
    **thread_handlers.HANDLERS,
    **control_handlers.HANDLERS,
    **session_handlers.HANDLERS,
    **library_handlers.HANDLERS,
}

OFFERED = tuple(command for command in BY_NAME.values() if command.name in HANDLERS)
"""The commands that can be run, in the order of the table."""
