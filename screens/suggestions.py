"""The list above the prompt: how a command that is being typed may go on."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import OptionList

from screens.completing import Choice
from screens.style import STYLES

ALIGNED = 22
"""Cells of a label up to which the help beside it is aligned; what is longer would push all help out of sight."""


class SuggestionList(OptionList, can_focus=False):
    """Shown while there are choices. The prompt, which keeps the focus, moves through them."""

    def __init__(self) -> None:
        super().__init__(id="suggestions")
        self.choices: Sequence[Choice] = ()
        self.display = False

    def show(self, choices: Sequence[Choice], highlighted: int | None) -> None:
        """Show these choices, none of them to hide the list."""
        if choices != self.choices:
            self.choices = choices
            width = max((len(choice.label) for choice in choices if len(choice.label) <= ALIGNED), default=0)
            self.set_options(
                Content.assemble(choice.label.ljust(width), (f"  {choice.help}", STYLES["dim"])) for choice in choices
            )
            self.highlighted = highlighted if choices else None
        self.display = bool(choices)

    @property
    def chosen(self) -> Choice | None:
        """The choice that is highlighted, where the list is shown."""
        return self.choices[self.highlighted] if self.display and self.highlighted is not None else None
