"""What an answer rests on, beside the conversation."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static, TabbedContent, TabPane

from assistant.rendering import Line, passages_lines, plain, thread_lines
from assistant.reply import Reply
from tui.style import styled


class Evidence(Vertical):
    """What an answer rests on: the thread of facts, and the passages."""

    filled = False

    def compose(self) -> ComposeResult:
        yield Static(id="about", classes="dim")
        with TabbedContent():
            with TabPane("Thread", id="thread"):
                yield VerticalScroll(Static("What an answer rests on is shown here.", classes="dim"), id="chains")
            with TabPane("Passages", id="passages"):
                yield VerticalScroll(id="texts")

    async def show(self, reply: Reply) -> None:
        """Replace what is shown by the evidence of `reply`: cited passages first, then the others as ranked."""
        self.filled = True
        self.query_one("#about", Static).update(Content(plain(reply.question, 300)))
        await self._fill("#chains", [_indented(line) for line in thread_lines(reply)])
        texts = [Static(styled(*lines), name=f"{number}", classes="passage") for number, lines in passages_lines(reply)]
        await self._fill("#texts", texts)

    async def _fill(self, selector: str, widgets: list[Static]) -> None:
        scroll = self.query_one(selector, VerticalScroll)
        async with scroll.batch():
            await scroll.remove_children()
            await scroll.mount_all(widgets)
        scroll.scroll_home(animate=False)

    def select(self, number: int) -> bool:
        """Show and mark the passage cited as `[number]`; False where there is none."""
        found = [widget for widget in self.query(".passage") if widget.name == f"{number}"]
        if found:
            self.query_one(TabbedContent).active = "passages"
            self.query(".passage").remove_class("-selected")
            found[0].add_class("-selected")
            self.call_after_refresh(found[0].scroll_visible, top=True, animate=False)
        return bool(found)


def _indented(line: Line) -> Static:
    widget = Static(styled(line))
    widget.styles.padding = (0, 0, 0, line.indent)
    return widget
