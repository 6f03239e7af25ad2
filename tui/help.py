"""The keys."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.rendering import help_lines
from tui.prompt import PROMPT_KEYS, Prompt
from tui.style import styled


class Help(ModalScreen[None]):
    """The keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,question_mark,q,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        bindings = [binding for binding in (*self.app.BINDINGS, *Prompt.BINDINGS) if isinstance(binding, Binding)]
        keys = [(binding.key_display or binding.key, binding.description) for binding in bindings]
        with VerticalScroll():
            yield Static(styled(*help_lines([*PROMPT_KEYS, *keys, ("ctrl+p", "commands, themes"), ("ctrl+q", "quit")])))
