"""The keys and commands, laid out for the width there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Static

from assistant.shared.rendering import Line
from screens.key_bindings import shown_keys
from screens.prompt import PROMPT_KEYS
from screens.slash_commands import Command
from screens.style import styled

if TYPE_CHECKING:
    from tui import ClewApp

HELP_WIDTH = 26
"""Cells that help needs beside usage and keys; with fewer it stands below them."""

Row = tuple[str, str, str]


class Help(ModalScreen[None]):
    """The keys and commands; the keys as they are bound now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,question_mark,q,enter", "dismiss", "close"),
        Binding("pageup", "scroll(-1)", "up"),
        Binding("pagedown,space", "scroll(1)", "down"),
    ]

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self._commands = commands

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield HelpText(self._commands)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, pages: int) -> None:
        """Scroll by a page up (-1) or down (1)."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_relative(y=pages * max(scroll.size.height - 1, 1), animate=False)


class HelpText(Static):
    """The help itself."""

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__(id="help")
        self._commands = commands
        self._width = 0

    def on_resize(self, event: Resize) -> None:
        if event.size.width != self._width:
            self._width = event.size.width
            self.update(styled(*help_lines(self._commands, cast("ClewApp", self.app).keys, self._width)))


def help_lines(commands: Sequence[Command], keys: Mapping[str, Sequence[str]], width: int) -> list[Line]:
    """The keys of the prompt and the commands, by group under headings, none wider than `width` cells."""
    typing = [(key, "", what) for key, what in (*PROMPT_KEYS, ("alt+1 … alt+9", "open that source"))]
    groups: list[tuple[str, list[Row]]] = [("typing", typing)]
    # In the order of the table, with the groups together.
    order = list(dict.fromkeys(command.group for command in commands))
    for group, own in groupby(sorted(commands, key=lambda one: order.index(one.group)), lambda one: one.group):
        groups.append((group, [(one.usage, shown_keys(keys.get(one.name, ())), one.help) for one in own]))
    columns = _columns([row for _, rows in groups for row in rows])
    lines = [Line((("clew", "strong"), ("  esc closes", "dim")))]
    for heading, rows in groups:
        lines += [Line(), Line(((heading, "strong"),))]
        for row in rows:
            lines += _beside(row, *columns, width) if width - sum(columns) >= HELP_WIDTH else _below(row, width)
    about = wrap("A number like [1] in an answer opens the passage behind it.", max(width, 20))
    return [*lines, Line(), *(Line(((text, "dim"),)) for text in about)]


def _columns(rows: Sequence[Row]) -> tuple[int, int]:
    """How wide usage and keys are, with the space behind them."""
    return max(len(usage) for usage, _, _ in rows) + 2, max(len(key) for _, key, _ in rows) + 2


def _beside(row: Row, usage_width: int, keys_width: int, width: int) -> Iterator[Line]:
    usage, key, what = row
    help_at = usage_width + keys_width
    first, *others = wrap(what, width - help_at) or [""]
    yield Line(((usage.ljust(usage_width), "link"), (key.ljust(keys_width), "dim"), (first, "")))
    for text in others:
        yield Line(((" " * help_at + text, ""),))


def _below(row: Row, width: int) -> Iterator[Line]:
    usage, key, what = row
    for text in wrap(usage, max(width, 20)):
        yield Line(((text, "link"),))
    for text in wrap(f"{what} ({key})" if key else what, max(width, 20), initial_indent="  ", subsequent_indent="  "):
        yield Line(((text, ""),))
