"""A screen with a list that narrows as words are typed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.worker import Worker

from assistant.shared.rendering import plain
from kb.errors import ClewError

Item = TypeVar("Item")
Result = TypeVar("Result")

SHOWN = 200
"""Entries that are listed at once; words find the others."""


class Finder(ModalScreen[Result], Generic[Item, Result]):
    """Looks for items in a thread as words are typed, and lists them; enter chooses one, escape none.

    A subclass says what `find` finds, how an item is `shown`, and what is to come of one that is `chosen`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close"),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
    ]

    title_text = ""
    hint = "enter takes it · esc closes"

    def __init__(self, words: str = "") -> None:
        super().__init__(classes="finder")
        self._words = words
        self._looking: Worker[None] | None = None
        self.items: Sequence[Item] = ()

    def find(self, words: str) -> Sequence[Item]:
        """The items for `words`, best first; called in a thread."""
        raise NotImplementedError

    def shown(self, item: Item) -> Content:
        """An item as it is listed."""
        raise NotImplementedError

    async def chosen(self, item: Item) -> None:
        """What enter does."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self.title_text, classes="title", markup=False)
            yield Input(self._words, placeholder="words to look for", select_on_focus=False)
            yield OptionList()
            yield Static(self.hint, classes="dim hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.look()

    @property
    def list_view(self) -> OptionList:
        """The list."""
        return self.query_one(OptionList)

    @property
    def highlighted(self) -> Item | None:
        """The item that is highlighted."""
        place = self.list_view.highlighted
        return None if place is None or place >= len(self.items) else self.items[place]

    def tell(self, text: str) -> None:
        """Say something in the line below the list."""
        self.query_one(".hint", Static).update(text)

    @on(Input.Changed)
    def look(self) -> None:
        """List what there is for the words as they are now."""
        self._looking = self._look(self.query_one(Input).value)

    @work(group="look", exclusive=True, exit_on_error=False)
    async def _look(self, words: str) -> None:
        try:
            found = await asyncio.to_thread(self.find, words)
        except ClewError as error:
            self._trouble(error)
            return
        place = self.list_view.highlighted
        self.items = found[:SHOWN]
        self.list_view.set_options(self.shown(item) for item in self.items)
        if self.items:
            self.list_view.highlighted = min(place or 0, len(self.items) - 1) if words == self._words else 0
        self._words = words
        more = f"the first {SHOWN} of {len(found)} · " if len(found) > SHOWN else ""
        self.tell(f"{more}{self.hint}" if found else "nothing has these words · esc closes")

    def action_move(self, steps: int) -> None:
        """Move through the list by some entries, wherever the focus is."""
        if self.items:
            place = self.list_view.highlighted or 0
            self.list_view.highlighted = min(max(place + steps, 0), len(self.items) - 1)

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _take(self) -> None:
        self.attempt(self._choose())

    async def _choose(self) -> None:
        if self._looking is not None and not self._looking.is_finished:
            await self._looking.wait()  # for what was typed just before
        if (item := self.highlighted) is not None:
            await self.chosen(item)

    @work(group="attempt", exit_on_error=False)
    async def attempt(self, doing: Awaitable[None]) -> None:
        """Do something that may fail for a reason to be told below the list."""
        try:
            await doing
        except ClewError as error:
            self._trouble(error)

    def _trouble(self, error: ClewError) -> None:
        self.tell(f"✗ {plain(str(error), 300)}")
