"""A field for a path, with the rest of it shown in grey; tab takes it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.suggester import Suggester
from textual.widgets import Input

from assistant.library.known_files import completed
from assistant.shared.rendering import plain


class _Paths(Suggester):
    def __init__(self, suffixes: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._suffixes = suffixes

    async def get_suggestion(self, value: str) -> str | None:
        if not value or value.endswith("/"):  # tab is then for the next field
            return None
        found = await asyncio.to_thread(completed, value, self._suffixes)
        return next((path for path in found if path != value and plain(path) == path), None)


class PathInput(Input):
    """A path: of a folder, or of a file with one of the suffixes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", show=False)]

    def __init__(self, value: str = "", *, suffixes: Sequence[str] = (), placeholder: str = "", id: str) -> None:
        super().__init__(value, placeholder=placeholder, suggester=_Paths(suffixes), select_on_focus=False, id=id)

    def action_complete(self) -> None:
        """Take what is shown in grey, or go on to the next field where there is nothing."""
        if self._suggestion and self.cursor_at_end:
            self.action_cursor_right()
        else:
            self.screen.focus_next()
