"""The keys to begin with, below the chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.widgets import Static

from screens.conversation_view import NARROW
from screens.key_bindings import shown_keys

TIGHT = 50
"""Cells below which the state of the chat leaves no room for more than the way to help."""


class Hints(Static):
    """The keys to begin with, at the end of the line below the conversation: as many as leave room for its state."""

    def __init__(self, keys: Mapping[str, Sequence[str]]) -> None:
        super().__init__(id="hints", markup=False)
        self._keys = keys

    def fit(self, width: int) -> None:
        """Show those for a terminal of this width; the way to help, which tells all others, in any."""
        hints = ["ctrl+p commands", self._hint("help"), self._hint("quit")]
        self.update(" · ".join(hints if width >= NARROW else hints[1:] if width >= TIGHT else hints[1:2]))

    def _hint(self, command: str) -> str:
        key = shown_keys(self._keys[command][:1])
        return f"{key} {command}" if key else f"/{command}"
