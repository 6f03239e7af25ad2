"""The turns of a conversation on the screen, one below the other."""

from __future__ import annotations

import asyncio

from textual import work
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.layout import DockArrangeResult
from textual.widget import Widget
from textual.widgets import Static

from assistant.conversations.chat import Conversation, Earlier
from assistant.conversations.session_files import Turn as KeptTurn
from screens.turn import Turn

AT_ONCE = 1
"""Earlier turns that are put on the screen at once: laying out more holds up the keyboard."""


class TurnList(VerticalScroll, can_focus=False):
    """The latest turns, and those before them once it is scrolled to the top."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(id="log")
        self._conversation = conversation
        self._older = 0
        self._held: tuple[Turn, int] | None = None

    def on_mount(self) -> None:
        self.anchor()

    @property
    def turns(self) -> list[Turn]:
        """The turns on the screen, oldest first."""
        return list(self.query_children(Turn))

    @property
    def next_number(self) -> int:
        """The number of a turn that is put at the end."""
        turns = self.turns
        return turns[-1].number + 1 if turns else self._older + 1

    def kept(self, number: int | None = None) -> tuple[int, KeptTurn | None] | None:
        """The number of a question, by default the last one, and what is kept of it; None where there is no such."""
        if number is not None and 0 < number <= self._older:
            return number, self._conversation.log.line()[number - 1]
        turns = [turn for turn in self.turns if number in (None, turn.number)]
        return (turns[-1].number, turns[-1].kept) if turns else None

    async def clear(self) -> None:
        """Take everything off the screen."""
        self._older = 0
        await self.remove_children()

    async def cut(self, number: int) -> None:
        """Take the turns from `number` on off the screen, and what was told below them."""
        keep = [turn for turn in self.turns if turn.number < number]
        last = self.children.index(keep[-1]) if keep else -1
        await self.remove_children(list(self.children)[last + 1 :])
        self._older = self._older if keep else 0

    async def put_before(self, earlier: Earlier) -> None:
        """Show turns above all others: some at a time, the last ones first, so that nothing waits for all of them."""
        self._older = earlier.older
        log = self._conversation.log
        turns = [Turn(one.question, one.reply, earlier.older + place) for place, one in enumerate(earlier.turns, 1)]
        for turn, one in zip(turns, earlier.turns, strict=True):
            turn.keep(one, *log.place(one.id))
        top = len(self.query(".older"))
        for end in range(len(turns), 0, -AT_ONCE):
            some = turns[max(end - AT_ONCE, 0) : end]
            await self.mount_all(some, before=top if len(self.children) > top else None)
            await asyncio.sleep(0)
        await self.query(".older").remove()
        if self._older:
            more = Static(f"{self._older} older questions: scroll up", classes="older", markup=False)
            await self.mount(more, before=0)
            self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        """What does not fill the screen cannot be scrolled, so that more is shown at once."""
        if self._held is None and self.max_scroll_y == 0:
            self._look_back()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._held is not None:
            self._hold(self._held[0])
        elif new_value <= 1 < old_value and self._older:
            self._look_back()

    @work(group="older", exclusive=True, exit_on_error=False)
    async def _look_back(self) -> None:
        """Show older turns until what is above the screen's edge is not the end."""
        try:
            while self._older and self.scroll_y <= 1 and (first := self._first_kept()) is not None:
                self._hold(first)
                await self.put_before(await asyncio.to_thread(self._conversation.before, first.kept))
                await self._laid_out()
                self._held = None
        finally:
            self._held = None

    def _first_kept(self) -> Turn | None:
        return next((turn for turn in self.turns if turn.kept is not None), None)

    async def _laid_out(self) -> None:
        done = asyncio.Event()
        self.call_after_refresh(done.set)
        await done.wait()

    def _hold(self, turn: Turn) -> None:
        """Keep this turn where it is on the screen, whatever is put above it."""
        self._held = (turn, turn.virtual_region.y - round(self.scroll_y))

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        result = super().arrange(size, optimal)
        if self._held is not None:
            turn, below_top = self._held
            for placement in result.placements:
                if placement.widget is turn:
                    # As an anchor does it: before anything is painted, so that nothing jumps.
                    place = max(placement.region.y - below_top, 0)
                    self.set_reactive(Widget.scroll_y, float(place))
                    self.set_reactive(Widget.scroll_target_y, float(place))
                    self.vertical_scrollbar.position = place
        return result
