"""The keys and commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.commands import Command
from assistant.rendering import help_lines
from tui.prompt import PROMPT_KEYS
from tui.style import styled


class Help(ModalScreen[None]):
    """The keys and commands; the keys as they are bound now."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,question_mark,q,enter", "dismiss", "close")]

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self._commands = commands

    def compose(self) -> ComposeResult:
        rows = [(f"{command.usage:<24} {self._keys(command)}", command.help) for command in self._commands]
        with VerticalScroll():
            yield Static(styled(*help_lines([*PROMPT_KEYS, ("alt+1 … alt+9", "open that source"), *rows])))

    def _keys(self, command: Command) -> str:
        bound = [one.binding for one in self.app.active_bindings.values() if one.binding.id == command.name]
        return ", ".join(dict.fromkeys(binding.key.replace("question_mark", "?") for binding in bound)) or command.keys
