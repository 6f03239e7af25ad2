"""Lines and errors as Textual shows them: nothing in their text is markup."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from assistant.shared.rendering import Line, Role, plain
from kb.errors import ClewError

STYLES: dict[Role, str] = {
    "": "",
    "strong": "bold",
    "dim": "$foreground 60%",
    "link": "bold $text-primary",
    "good": "$text-success",
    "warning": "$text-warning",
    "bad": "$text-error",
    "mark": "bold underline $text-accent",
}


def styled(*lines: Line) -> Content:
    """Lines as one text, each part in the style of its role."""
    return Content("\n").join(Content.assemble(*((text, STYLES[role]) for text, role in line.parts)) for line in lines)


def error_line(error: BaseException) -> Static:
    """What went wrong, as a line in the conversation."""
    message = str(error) if isinstance(error, ClewError) else f"unexpected {type(error).__name__}: {error}"
    return Static(Content(f"✗ {plain(message, 1000)}"), classes="error")
