"""A question, what is being done about it, and its answer."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from assistant.events import Event, TextDelta, ToolFinished, ToolStarted
from assistant.rendering import citation_parser, plain_block, reply_line, tool_line
from assistant.reply import Reply
from tui.style import error_line, styled

SHOWN_QUESTION = 4000


class ToolLine(Static):
    """One tool call: one line, or all its arguments after a click."""

    def __init__(self, event: ToolStarted) -> None:
        super().__init__(styled(tool_line(event, None)))
        self._started = event
        self.finished: ToolFinished | None = None

    def on_click(self) -> None:
        self.toggle_class("-open")
        self.show(self.finished)

    def show(self, finished: ToolFinished | None) -> None:
        """Show how the call ended, or that it has not."""
        self.finished = finished
        self.update(styled(tool_line(self._started, finished, 2000 if self.has_class("-open") else 60)))


class Turn(Vertical):
    """A question with what is being done about it, and its answer."""

    def __init__(self, question: str, reply: Reply | None = None) -> None:
        super().__init__()
        self.question = question
        self.reply = reply
        self._text = ""
        self.tools = Vertical(classes="tools")
        self.tools.display = False
        self._calls: dict[str, ToolLine] = {}
        self._stream: MarkdownStream | None = None

    def compose(self) -> ComposeResult:
        yield Static(Content(plain_block(self.question[:SHOWN_QUESTION])), classes="question")
        yield self.tools
        source = self.reply.markdown() if self.reply else None
        yield Markdown(source, parser_factory=citation_parser, open_links=False, classes="" if source else "-empty")
        yield Static(classes="foot -empty", markup=False)

    def on_mount(self) -> None:
        if self.reply:
            self._close(self.reply)

    async def show(self, event: Event) -> None:
        """Show one event of the session; `finish` follows when there are no more."""
        match event:
            case ToolStarted(call_id):
                self._calls[call_id] = line = ToolLine(event)
                self.tools.display = True
                await self.tools.mount(line)
            case ToolFinished(call_id) if call_id in self._calls:
                self._calls[call_id].show(event)
            case TextDelta(text):
                await self._add(plain_block(text))

    async def _add(self, text: str) -> None:
        self._text += text
        if self._stream is None:
            self._stream = Markdown.get_stream(self.query_one(Markdown).remove_class("-empty"))
        await self._stream.write(text)

    async def finish(self, reply: Reply) -> None:
        """End the turn with its reply, whole or partial."""
        self.reply = reply
        await self._stop_stream()
        if (source := reply.markdown()) != self._text:
            await self.query_one(Markdown).set_class(not source, "-empty").update(source)
        self._close(reply)

    async def fail(self, error: BaseException) -> None:
        """End the turn with an error; what was shown stays."""
        await self._stop_stream()
        await self.mount(error_line(error))

    def withdraw(self) -> None:
        """End a turn that was never asked."""
        self._foot("■ not asked")

    def _foot(self, text: str) -> None:
        self.query_one(".foot", Static).remove_class("-empty").update(text)

    async def _stop_stream(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.stop()

    def _close(self, reply: Reply) -> None:
        failed = sum(1 for line in self._calls.values() if line.finished and line.finished.failed)
        self._foot(reply_line(reply, failed))
        self.tools.display = False
        self.set_class(not reply.found and not reply.partial, "-missing")
