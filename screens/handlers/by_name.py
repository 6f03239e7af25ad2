"""What each command does: a function of the app and the command's argument, by the command's name."""

from __future__ import annotations

from screens.handlers import control_handlers, library_handlers, session_handlers, thread_handlers
from screens.handlers.signature import Handlers
from screens.slash_commands import BY_NAME

HANDLERS: Handlers = {
    **thread_handlers.HANDLERS,
    **control_handlers.HANDLERS,
    **session_handlers.HANDLERS,
    **library_handlers.HANDLERS,
}

OFFERED = tuple(command for command in BY_NAME.values() if command.name in HANDLERS)
"""The commands that can be run, in the order of the table."""
