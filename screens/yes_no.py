"""A question that is answered with yes or no before something is done."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static


class Ask(ModalScreen[bool]):
    """Asks yes or no; `answers` says what each of the two does. Enter alone is no answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("n,escape,q", "dismiss(False)", "no"),
    ]

    def __init__(self, question: str, answers: str) -> None:
        super().__init__(classes="confirm")
        self._question = question
        self._answers = answers

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._question, markup=False)
            yield Static(self._answers, classes="dim", markup=False)
