"""What an answer rests on, beside the conversation: its thread, the graph around it, the passages and the tools."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Static, TabbedContent, TabPane

from assistant.agent.replying.reply import RankedPassage, Reply
from assistant.conversations.threads.drawing import draw_reply
from assistant.conversations.threads.lines import passage_lines, shown_passages, thread_lines, tools_lines
from assistant.conversations.threads.marks import Marker
from assistant.shared.rendering import Line, plain
from screens.slash_commands import BY_NAME
from screens.style import styled

if TYPE_CHECKING:
    from tui import ClewApp

SLICE = 4
"""Widgets that are mounted at once; between two slices the screen and the keys have their turn."""

TOGETHER = 6
"""Lines in one widget: the time to lay out styled text grows with the square of its length."""

KEYS = "tab · 1-9 n p go · o open · y copy · t all"
"""What keys do while the focus is here."""

PAUSE = 0.02
"""Seconds between two such slices."""


class Passage(Static):
    """A passage with its citation number, if it is cited; a click selects it."""

    def __init__(self, number: int | None, passage: RankedPassage, marker: Marker) -> None:
        super().__init__(styled(*passage_lines(passage, number, marker)), name=f"{number}", classes="passage")
        self.display = False
        self.number = number
        self.passage = passage


class Drawing(Static):
    """The graph around an answer, drawn anew where its width changes."""

    def __init__(self) -> None:
        super().__init__(id="graph-drawing")
        self._reply: Reply | None = None
        self._width = 0

    def show(self, reply: Reply) -> None:
        """Draw the graph of another reply, now or as soon as there is room."""
        self._reply, self._width = reply, 0
        self._draw(self.size.width)

    def on_resize(self, event: Resize) -> None:
        self._draw(event.size.width)

    def _draw(self, width: int) -> None:
        if self._reply is not None and width and width != self._width:
            self._width = width
            self.update(styled(*draw_reply(self._reply, width)))


class Evidence(Vertical):
    """What an answer rests on. The same reply is not built again; another one is filled in by slices."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "run('source')", "open the file", id="evidence-open"),
        Binding("y", "run('copy', 'passage')", "copy the passage", id="evidence-copy"),
        Binding("t", "run('copy', 'thread')", "copy the thread", id="evidence-copy-thread"),
        Binding("n", "move(1)", "next passage", id="evidence-next"),
        Binding("p", "move(-1)", "passage before", id="evidence-previous"),
        *(Binding(f"{number}", f"select({number})", show=False) for number in range(1, 10)),
    ]

    filled = False
    reply: Reply | None = None
    """What is shown."""

    def compose(self) -> ComposeResult:
        yield Static(id="about", classes="dim")
        with TabbedContent():
            with TabPane("Thread", id="thread"):
                yield VerticalScroll(Static("What an answer rests on is shown here.", classes="dim"), id="chains")
            with TabPane("Graph", id="graph"):
                yield VerticalScroll(Drawing(), id="drawing")
            with TabPane("Passages", id="passages"):
                yield VerticalScroll(id="texts")
            with TabPane("Tools", id="tools"):
                yield VerticalScroll(id="calls")
        yield Static(KEYS, id="evidence-keys", markup=False)

    async def show(self, reply: Reply) -> None:
        """Replace what is shown by the evidence of `reply`: cited passages first, then the others as ranked."""
        self.filled = True
        if reply == self.reply:
            return
        self.reply = reply
        self.query_one("#about", Static).update(Content(plain(reply.question, 300)))
        self.query_one(Drawing).show(reply)
        await self._fill("#chains", _indented(thread_lines(reply)))
        await self._fill("#texts", (Passage(*shown) for shown in shown_passages(reply)))
        await self._fill("#calls", _indented(tools_lines(reply)))
        self._reveal()

    async def _fill(self, selector: str, widgets: Iterable[Widget]) -> None:
        scroll, reply = self.query_one(selector, VerticalScroll), self.reply
        await scroll.remove_children()
        scroll.scroll_home(animate=False)
        left = iter(widgets)
        while (some := list(islice(left, SLICE))) and self.reply is reply:  # another one may be asked for meanwhile
            await scroll.mount_all(some)
            await asyncio.sleep(0)

    @property
    def selected(self) -> Passage | None:
        """The passage that is marked, if one is."""
        return next(iter(self.query(".passage.-selected").results(Passage)), None)

    def select(self, number: int) -> bool:
        """Show and mark the passage cited as `[number]`; False where there is none."""
        found = [passage for passage in self.query(Passage) if passage.number == number]
        for passage in found[:1]:
            self._mark(passage)
        return bool(found)

    @on(TabbedContent.TabActivated)
    def _reveal(self) -> None:
        """Lay out the passages, a few at a time, once they are looked at: all at once would hold up the keys."""
        later = [passage for passage in self.query(Passage) if not passage.display][:SLICE]
        if later and self.query_one(TabbedContent).active == "passages":
            for passage in later:
                passage.display = True
            self.set_timer(PAUSE, self._reveal)

    def on_click(self, event: object) -> None:
        widget = getattr(event, "widget", None)
        if isinstance(widget, Passage):
            self._mark(widget)

    def open_tab(self, name: str) -> None:
        """Bring a tab to the front: thread, graph, passages or tools."""
        self.query_one(TabbedContent).active = name

    def action_move(self, by: int) -> None:
        """Mark the next passage or the one before."""
        passages = list(self.query(Passage))
        if passages:
            at = passages.index(self.selected) if self.selected in passages else -1 if by > 0 else len(passages)
            self._mark(passages[min(max(at + by, 0), len(passages) - 1)])

    def action_select(self, number: int) -> None:
        """Show and mark the passage cited as `[number]`, if there is one."""
        self.select(number)

    def action_run(self, command: str, argument: str = "") -> None:
        """Run a command of the chat on what is shown here."""
        app = cast("ClewApp", self.app)
        app.run_worker(app.run_command(BY_NAME[command], argument), group="command", exit_on_error=False)

    def _mark(self, passage: Passage) -> None:
        self.open_tab("passages")
        self.query(Passage).remove_class("-selected")
        passage.add_class("-selected")
        passages = list(self.query(Passage))
        for one in passages[: passages.index(passage) + 1]:  # what is laid out above it later would push it away
            one.display = True
        self.call_after_refresh(passage.scroll_visible, top=True, animate=False)


def _indented(lines: Sequence[Line]) -> Iterable[Static]:
    """A widget for each few lines that stand in equally far, so that what wraps of them does too."""
    for indent, some in groupby(lines, key=lambda line: line.indent):
        while few := list(islice(some, TOGETHER)):
            widget = Static(styled(*few))
            widget.styles.padding = (0, 0, 0, indent)
            yield widget
