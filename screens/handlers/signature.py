"""What runs a command: a function of the app and the command's argument."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui import ClewApp

Handler = Callable[["ClewApp", str], Awaitable[None]]
Handlers = Mapping[str, Handler]
"""Handlers by the names of their commands."""
