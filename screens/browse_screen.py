"""Looking around in a knowledge base: its documents and entities on the left, what one of them holds on the right."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static, Tab, Tabs

from assistant.library.browsing import Browser, Place, Row, RowPage
from assistant.shared.rendering import plain
from kb.errors import ClewError
from screens.style import styled

PAUSE = 0.06
"""Seconds without a key before something is looked for: less than is noticed, more than between the keys of a word."""
AHEAD = 15
"""Rows before the end at which the next page is read."""


class PagedList(OptionList):
    """Rows of which there may be many: the next page is asked for when the last one comes into sight."""

    class More(Message):
        """The end is near, and there is more."""

        def __init__(self, paged: PagedList, offset: int) -> None:
            super().__init__()
            self.paged = paged
            self.offset = offset

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self._next: int | None = None

    def show(self, page: RowPage) -> None:
        """Show these rows in place of what was shown."""
        self.rows, self._next = list(page.rows), page.next
        self.set_options(styled(*row.lines) for row in self.rows)
        self.highlighted = 0 if self.rows else None

    def extend(self, page: RowPage) -> None:
        """Show more rows behind the others."""
        self.rows += page.rows
        self._next = page.next
        self.add_options(styled(*row.lines) for row in page.rows)

    @property
    def place(self) -> Place | None:
        """Where the row that is highlighted leads to."""
        at = self.highlighted
        return None if at is None or at >= len(self.rows) else self.rows[at].place

    def watch_highlighted(self, highlighted: int | None) -> None:
        super().watch_highlighted(highlighted)
        if highlighted is not None and highlighted >= len(self.rows) - AHEAD:
            self._ask_for_more()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and new_value >= self.max_scroll_y - AHEAD:
            self._ask_for_more()

    def _ask_for_more(self) -> None:
        if self._next is not None:
            offset, self._next = self._next, None
            self.post_message(self.More(self, offset))


class BrowseScreen(ModalScreen[str]):
    """Documents and entities by what is typed; gives the beginning of a question about one, if that is wanted."""

    COMMANDS_HERE = ("browse",)
    """The commands whose keys mean something here too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("backspace", "back", "back"),
        Binding("a", "ask", "ask about it"),
        Binding("down", "to_list", show=False),
    ]

    def __init__(self, path: Path, words: str = "") -> None:
        super().__init__()
        self._browser = Browser(path)
        self._words = words
        self._pause: Timer | None = None
        self._trail: list[Place] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="found"):
                yield Tabs(Tab("Documents", id="documents"), Tab("Entities", id="entities"))
                yield Input(self._words, placeholder="words, or how they begin", select_on_focus=False)
                yield PagedList("list")
                yield Static(id="count", classes="dim", markup=False)
            with Vertical(id="reading"):
                yield PagedList("detail")
                yield Static("enter follows · backspace goes back · a asks about it", classes="dim", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_unmount(self) -> None:
        self._browser.close()

    @property
    def found(self) -> PagedList:
        """The list on the left."""
        return self.query_one("#list", PagedList)

    @property
    def detail(self) -> PagedList:
        """What is shown of the one that is looked at."""
        return self.query_one("#detail", PagedList)

    @property
    def shown(self) -> Place | None:
        """What is looked at."""
        return self._trail[-1] if self._trail else None

    def switch(self) -> None:
        """From documents to entities, or back."""
        self.query_one(Tabs).action_next_tab()

    @on(Input.Changed)
    def _typed(self) -> None:
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._search)

    @on(Tabs.TabActivated)
    def _search(self) -> None:
        self._look_for(self.query_one(Input).value, 0)

    @on(PagedList.More)
    def _more(self, message: PagedList.More) -> None:
        if message.paged is self.found:
            self._look_for(self.query_one(Input).value, message.offset)
        elif self.shown is not None:
            self._look_at(self.shown, message.offset)

    @work(group="search", exclusive=True, exit_on_error=False)
    async def _look_for(self, words: str, offset: int) -> None:
        read = self._browser.entities if self.query_one(Tabs).active == "entities" else self._browser.documents
        try:
            page = await read(words, offset)
        except ClewError as error:
            self._tell(f"✗ {plain(str(error), 300)}")
            return
        (self.found.extend if offset else self.found.show)(page)
        self._tell(f"{page.total:,} found · ctrl+b {self._other} · esc closes")
        if not page.total:
            self._trail.clear()
            self.detail.show(page)

    @property
    def _other(self) -> str:
        return "documents" if self.query_one(Tabs).active == "entities" else "entities"

    def _tell(self, text: str) -> None:
        self.query_one("#count", Static).update(text)

    @work(group="look", exclusive=True, exit_on_error=False)
    async def _look_at(self, place: Place, offset: int = 0) -> None:
        try:
            page = await self._browser.look_at(place, offset)
        except ClewError as error:
            self._tell(f"✗ {plain(str(error), 300)}")
            return
        (self.detail.extend if offset else self.detail.show)(page)

    @on(OptionList.OptionHighlighted, "#list")
    def _preview(self) -> None:
        if (place := self.found.place) is not None:
            self._trail = [place]
            self._look_at(place)

    @on(OptionList.OptionSelected, "#list")
    @on(Input.Submitted)
    def _read(self) -> None:
        if self.found.place is not None:
            self.add_class("-reading")
            self.detail.focus()

    @on(OptionList.OptionSelected, "#detail")
    def _follow(self) -> None:
        place = self.detail.place
        if place is not None and place != self.shown:
            self._trail.append(place)
            self._look_at(place)

    def action_back(self) -> None:
        """To what was looked at before, and in the end to the list."""
        if len(self._trail) > 1:
            self._trail.pop()
            self._look_at(self._trail[-1])
        else:
            self._to_found()

    def _to_found(self) -> None:
        self.remove_class("-reading")
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Close; from what covers the list in a narrow terminal, to the list."""
        if self.has_class("-reading") and not self.query_one("#found").display:
            self._to_found()
        else:
            self.dismiss()

    def action_ask(self) -> None:
        """Give the beginning of a question about what is looked at."""
        if (place := self.shown) is not None:
            what = "What is known about" if place.kind == "entity" else "What is said in"
            self.dismiss(f"{what} “{place.name}”? ")

    def action_to_list(self) -> None:
        """From the field into the list."""
        self.found.focus()
