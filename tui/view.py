"""One conversation on the screen: its questions and answers, and beside them what an answer rests on."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Markdown, OptionList, Static
from textual.worker import Worker, WorkerState

from assistant.conversation import Conversation
from assistant.events import Event
from assistant.rendering import CITATION_LINK, greeting_lines, plain
from assistant.reply import Reply
from kb.errors import ClewError
from tui.evidence import Evidence
from tui.style import error_line, styled
from tui.turn import Turn

NARROW = 90
SHOWN_EXAMPLES = 6


class ConversationView(Horizontal):
    """Asks the questions that it is given, one after the other, and shows what comes of them.

    Another conversation is another view: nothing of one is left in the next.
    """

    class Changed(Message):
        """What the line below the conversation says may have changed."""

    class Recalled(Message):
        """Earlier questions were read, oldest first."""

        def __init__(self, questions: Sequence[str]) -> None:
            super().__init__()
            self.questions = questions

    def __init__(self, conversation: Conversation, examples: Sequence[str] = ()) -> None:
        super().__init__(id="body")
        self.conversation = conversation
        self.examples = examples[:SHOWN_EXAMPLES]
        self._opener: Worker[None] | None = None
        self._waiting: deque[Turn] = deque()
        self._asking: Turn | None = None
        self._panel_wanted = True
        self._panel_over = False

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="log", can_focus=False), Vertical(id="welcome"):
            yield Static(styled(*greeting_lines(self.conversation.path.name, bool(self.examples))))
            if self.examples:
                yield OptionList(*(Content(f"› {plain(question, 300)}") for question in self.examples))
        yield Evidence(id="evidence")

    def on_mount(self) -> None:
        self.log_view.anchor()
        self.call_after_refresh(self._open)

    def on_unmount(self) -> None:
        self.conversation.close()

    @property
    def log_view(self) -> VerticalScroll:
        """Where the turns are."""
        return self.query_one("#log", VerticalScroll)

    @property
    def evidence(self) -> Evidence:
        """What an answer rests on."""
        return self.query_one(Evidence)

    @property
    def turns(self) -> list[Turn]:
        """The turns on the screen, oldest first."""
        return list(self.log_view.query_children(Turn))

    @property
    def waiting(self) -> int:
        """Questions that wait for the one under way."""
        return len(self._waiting)

    @property
    def busy(self) -> bool:
        """Whether a question is under way."""
        return self._asking is not None

    @on(OptionList.OptionSelected)
    async def _take_example(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        await self.ask(self.examples[message.option_index])

    async def ask(self, question: str) -> None:
        """Put a question at the end, to be asked when its time comes."""
        await self.query("#welcome").remove()
        turn = Turn(question)
        self._waiting.append(turn)
        await self.log_view.mount(turn)
        self.log_view.anchor()
        self._advance()

    async def say(self, *lines: Widget) -> None:
        """Put something that is no turn at the end."""
        await self.log_view.mount_all(lines)

    async def trouble(self, error: BaseException) -> None:
        """Tell what went wrong; the conversation goes on."""
        await self.say(error_line(error))

    def _advance(self) -> None:
        """Ask the next question if there is one and nothing else is under way."""
        if self._waiting and self.conversation.passages is None:
            self._open()
        elif self._waiting and self._asking is None:
            self._asking = self._waiting.popleft()
            self._answer(self._asking, self.conversation.ask(self._asking.question))
        self.post_message(self.Changed())

    def _open(self) -> None:
        if self._opener is None or self._opener.state == WorkerState.ERROR:
            self._opener = self._open_session(again=self._opener is not None)

    @work(group="open", exit_on_error=False)
    async def _open_session(self, again: bool) -> None:
        if not again:
            await self._show_earlier()
        await self.conversation.open()

    async def _show_earlier(self) -> None:
        try:
            kept = await self.conversation.earlier()
        except ClewError as error:
            await self.trouble(error)
            return
        if kept.turns:
            self.post_message(self.Recalled([turn.question for turn in kept.turns]))
            await self.query("#welcome").remove()
            turns: list[Widget] = [Turn(turn.question, turn.reply) for turn in kept.turns]
            if kept.older:
                turns.insert(0, Static(f"older turns: {kept.older}", classes="older", markup=False))
            for some in (turns[-3:], turns[:-3]):  # what is on the screen comes first
                await self.log_view.mount_all(some, before=0 if self.log_view.children else None)
            await self.evidence.show(kept.turns[-1].reply)

    @work(group="answer", exit_on_error=False)
    async def _answer(self, turn: Turn, events: AsyncGenerator[Event, None]) -> None:
        async with aclosing(events):
            async for event in events:
                await turn.show(event)

    async def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if self.is_running and event.state in (WorkerState.SUCCESS, WorkerState.ERROR, WorkerState.CANCELLED):
            error = event.worker.error if event.state == WorkerState.ERROR else None
            ended = {"open": self._opened, "answer": self._answered}.get(event.worker.group)
            if ended:
                await ended(error)

    async def _opened(self, error: BaseException | None) -> None:
        if error is not None:
            turns, self._waiting = list(self._waiting), deque()
            for turn in turns:
                await turn.fail(error)
            if not turns:
                await self.trouble(error)
        self._advance()

    async def _answered(self, error: BaseException | None) -> None:
        turn, self._asking, reply = self._asking, None, self.conversation.end()
        if turn is not None and error is not None:
            await turn.fail(error)
        elif turn is not None and reply is not None:
            await turn.finish(reply)
            if reply.passages or reply.chains or not reply.partial:
                await self._show_evidence(reply)
            try:
                await self.conversation.keep(reply)
            except ClewError as trouble:
                await self.trouble(trouble)
        self._advance()

    async def _show_evidence(self, reply: Reply) -> None:
        await self.evidence.show(reply)
        self.place_evidence()

    def on_resize(self, event: Resize) -> None:
        self.place_evidence(event.size.width)

    def place_evidence(self, width: int | None = None) -> None:
        """Beside the conversation once there is any; in a narrow terminal in its place, on demand.

        Not by classes of the screen, which would style every widget anew.
        """
        narrow = (width or self.size.width) < NARROW
        self.evidence.display = self._panel_over if narrow else self._panel_wanted and self.evidence.filled
        self.log_view.display = not (narrow and self._panel_over)

    @on(Markdown.LinkClicked)
    async def _follow(self, message: Markdown.LinkClicked) -> None:
        message.stop()
        number = message.href.removeprefix(CITATION_LINK)
        turn = next((node for node in message.markdown.ancestors if isinstance(node, Turn)), None)
        if not message.href.startswith(CITATION_LINK):
            self.notify(plain(message.href, 300), title="Links are not opened", markup=False)
        elif turn is not None and turn.reply is not None and number.isdecimal():
            await self._show_evidence(turn.reply)
            self.cite(int(number))

    def cite(self, number: int) -> None:
        """Open the passage cited as `[number]`."""
        if self.evidence.select(number):
            self._panel_wanted = self._panel_over = True
            self.place_evidence()
        else:
            self.notify(f"There is no source [{number}] here.", markup=False)

    def stop(self) -> None:
        """Cancel the answer under way and withdraw the questions that wait."""
        for turn in self._waiting:
            turn.withdraw()
        self._waiting.clear()
        self.workers.cancel_group(self, "answer")
        self._panel_over = False
        self.place_evidence()
        self.post_message(self.Changed())

    def toggle_evidence(self) -> None:
        """Show or hide the evidence; in a narrow terminal it takes the place of the conversation."""
        if self.size.width < NARROW:
            self._panel_over = not self._panel_over
        else:
            self._panel_wanted = not self.evidence.display
            self.evidence.filled = True
        self.place_evidence()

    def toggle_details(self) -> None:
        """Show or hide the tool calls of finished answers."""
        finished = [turn.tools for turn in self.turns if turn.reply and turn.tools.children]
        hidden = any(not tools.display for tools in finished)
        for tools in finished:
            tools.display = hidden

    def scroll_pages(self, pages: int) -> None:
        """Scroll the conversation by most of a page up (-1) or down (1)."""
        self.log_view.scroll_relative(y=pages * max(self.log_view.size.height - 2, 1), animate=False)
