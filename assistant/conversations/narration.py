"""What happens on the way to an answer, told on stderr while it happens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assistant.conversations.events import Event, ModelAsked, Spent, TextDelta, ThoughtDelta, ToolStarted
from assistant.shared.rendering import arguments_line, plain
from assistant.shared.standard_streams import is_terminal

Tell = Callable[[Event], None]


def silent(event: Event) -> None:
    """Tells nothing."""


@contextmanager
def narration_on_stderr(quiet: bool) -> Iterator[Tell]:
    """A line on the terminal that always says what is being done and what it has cost; nothing elsewhere."""
    if quiet or not is_terminal(sys.stderr):
        yield silent
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text("opening")) as status:
        words = Narrator()

        def tell(event: Event) -> None:
            if line := words.told(event):
                status.update(Text(line))

        yield tell


class Narrator:
    """Puts events into one line."""

    def __init__(self) -> None:
        self._doing = ""
        self._cost = ""

    def told(self, event: Event) -> str:
        """The line after this event; "" where nothing has changed."""
        match event:
            case ToolStarted(name=name, arguments=arguments):
                self._doing = f"{plain(name, 40)}  {arguments_line(arguments, 60)}".strip()
            case ModelAsked(model=model):
                self._doing = f"asking {plain(model, 60)}"
            case ThoughtDelta() if self._doing != "thinking":
                self._doing = "thinking"
            case TextDelta() if self._doing != "answering":
                self._doing = "answering"
            case Spent(spending, left) if spending.tokens:
                self._cost = spending.text() + (f", {rest} left" if (rest := left.text()) else "")
            case _:
                return ""
        return " · ".join(part for part in (self._doing, self._cost) if part)
