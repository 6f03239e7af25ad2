"""A question, what is being done about it, and its answer."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Markdown, Static
from textual.widgets.markdown import MarkdownStream

from assistant.agent.replying.reply import Reply
from assistant.conversations.events import Event, ModelAsked, TextDelta, ThoughtDelta, ToolFinished, ToolStarted
from assistant.conversations.reply_lines import reply_line, tool_line
from assistant.conversations.session_files import Turn as KeptTurn
from assistant.shared.rendering import citation_parser, plain, plain_block
from screens.answer_paragraph import Answer
from screens.style import STYLES, error_line, styled

SHOWN_QUESTION = 1000
SHOWN_LINES = 12
"""Characters, and lines, of a question that are shown: a text that was pasted would push all else off the screen."""
SHOWN_THOUGHT = 20_000


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


class ThoughtLine(Static):
    """What the model thought at one time: how much, or all of it after a click."""

    def __init__(self) -> None:
        super().__init__()
        self._thought = ""
        self._words = 0
        self._is_in_word = False

    def on_click(self) -> None:
        self.toggle_class("-open")
        self._show()

    def add(self, text: str) -> None:
        """The next stretch, which may begin within a word; what is beyond the room for it is only counted."""
        if not text:
            return
        fresh = len(text.split()) - (self._is_in_word and not text[0].isspace())
        self._words += fresh
        self._is_in_word = not text[-1].isspace()
        # One character more, by which it is known that something is missing.
        self._thought += text[: SHOWN_THOUGHT + 1 - len(self._thought)]
        if fresh or self.has_class("-open"):
            self._show()

    def _show(self) -> None:
        words = self._words
        line = Content.styled(f"… thought for {words} word{'' if words == 1 else 's'}", STYLES["dim"])
        if self.has_class("-open"):
            cut = " …" if len(self._thought) > SHOWN_THOUGHT else ""
            thought = plain_block(self._thought[:SHOWN_THOUGHT]) + cut
            line = Content.assemble(line, "\n", (thought, STYLES["dim"]))
        self.update(line)


class Turn(Vertical):
    """A question with what is being done about it, and its answer.

    `number` is its place in the session, from 1, and `kept` what the session has of it, once it has.
    """

    def __init__(self, question: str, reply: Reply | None = None, number: int = 1) -> None:
        super().__init__()
        self.question = question
        self.reply = reply
        self.number = number
        self.kept: KeptTurn | None = None
        self._branch = ""
        self._text = ""
        self.tools = Vertical(classes="tools")
        self.tools.display = False
        self._calls: dict[str, ToolLine] = {}
        self._thought: ThoughtLine | None = None
        self._stream: MarkdownStream | None = None

    def compose(self) -> ComposeResult:
        yield Static(self._asked(), classes="question")
        yield self.tools
        source = self.reply.markdown() if self.reply else None
        yield Answer(source, parser_factory=citation_parser, open_links=False, classes="" if source else "-empty")
        yield Static(classes="foot -empty", markup=False)

    def _asked(self) -> Content:
        question = plain_block(self.question)
        shown = "\n".join(question[:SHOWN_QUESTION].split("\n")[:SHOWN_LINES])
        cut = f" … ({len(question):,} characters)" if len(shown) < len(question) else ""
        return Content.assemble((f"{self.number}  ", STYLES["dim"]), shown, (cut, STYLES["dim"]))

    def renumber(self, number: int) -> None:
        """Give it another number, on the screen where it is there already."""
        self.number = number
        for line in self.query(".question").results(Static):
            line.update(self._asked())

    def on_mount(self) -> None:
        if self.reply:
            self._close(self.reply)

    def keep(self, kept: KeptTurn, place: int, places: int) -> None:
        """Say what the session has of it, and which of how many branches that is."""
        self.kept = kept
        self._branch = f" · branch {place} of {places}" if places > 1 else ""
        if self.reply and self.is_mounted:
            self._close(self.reply)

    def wait(self) -> None:
        """Say that others are asked first."""
        self._foot("… waiting for its turn")

    def begin(self) -> None:
        """Say no more that it waits, for its turn or for a model."""
        self.query_one(".foot").add_class("-empty")

    async def show(self, event: Event) -> None:
        """Show one event of the session; `finish` follows when there are no more."""
        if isinstance(event, ModelAsked):
            self._foot(f"… asking {plain(event.model, 60)}")
            return
        if isinstance(event, TextDelta | ThoughtDelta | ToolStarted):
            self.begin()
        if isinstance(event, ThoughtDelta):
            await self._think(event.text)
            return
        self._thought = None
        match event:
            case ToolStarted(call_id):
                self._calls[call_id] = line = ToolLine(event)
                self.tools.display = True
                await self.tools.mount(line)
            case ToolFinished(call_id) if call_id in self._calls:
                self._calls[call_id].show(event)
            case TextDelta(text):
                await self._add(plain_block(text))

    async def _think(self, text: str) -> None:
        """A line of its own for each time that the model thinks."""
        if self._thought is None:
            self._thought = ThoughtLine()
            self.tools.display = True
            await self.tools.mount(self._thought)
        self._thought.add(text)

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
        self.begin()
        await self._stop_stream()
        await self.mount(error_line(error))

    def _foot(self, text: str) -> None:
        self.query_one(".foot", Static).remove_class("-empty").update(text)

    async def _stop_stream(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.stop()

    def _close(self, reply: Reply) -> None:
        failed = sum(1 for line in self._calls.values() if line.finished and line.finished.failed)
        self._foot(reply_line(reply, failed) + self._branch)
        self.tools.display = False
        self.set_class(not reply.found and not reply.partial, "-missing")
