"""The app: the conversation, its evidence, and what the keys do."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Markdown, OptionList, Static
from textual.worker import Worker, WorkerState

from assistant.background import Session
from assistant.conversation import Conversation
from assistant.events import Event
from assistant.rendering import CITATION_LINK, greeting_lines, plain, state_line
from assistant.reply import Reply
from kb.errors import ClewError
from tui.evidence import Evidence
from tui.help import Help
from tui.prompt import Prompt
from tui.style import error_line, styled
from tui.turn import Turn

if TYPE_CHECKING:
    from assistant.settings import ModelChoice

NARROW = 90
SHOWN_EXAMPLES = 6


class ClewApp(App[None]):
    """The chat over one knowledge base; `make_app` makes one."""

    CSS_PATH = Path(__file__).with_name("chat.tcss")
    TITLE = "clew"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop and keep what there is"),
        Binding("ctrl+e", "evidence", "show or hide the evidence", priority=True),
        Binding("ctrl+t", "details", "show or hide the tool calls", priority=True),
        Binding("ctrl+y", "copy_answer", "copy the last answer", priority=True),
        Binding("alt+1", "cite(1)", "open source [1]; likewise up to alt+9"),
        *((f"alt+{number}", f"cite({number})") for number in range(2, 10)),
        Binding("f1,question_mark", "help", "these keys", key_display="f1, ?"),
    ]

    def __init__(self, conversation: Conversation, examples: Sequence[str]) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
        self._chat = conversation
        self._examples = examples[:SHOWN_EXAMPLES]
        self._opener: Worker[None] | None = None
        self._waiting: deque[Turn] = deque()
        self._asking: Turn | None = None
        self._panel_wanted = True
        self._panel_over = False
        self._clock: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            with VerticalScroll(id="log", can_focus=False), Vertical(id="welcome"):
                yield Static(styled(*greeting_lines(self._chat.path.name, bool(self._examples))))
                if self._examples:
                    yield OptionList(*(Content(f"› {plain(question, 300)}") for question in self._examples))
            yield Evidence(id="evidence")
        yield Prompt()
        with Horizontal(id="status"):
            yield Static(id="state", markup=False)
            yield Static("ctrl+e evidence · f1 help · ctrl+q quit", id="hints", markup=False)

    def on_mount(self) -> None:
        self._clock = self.set_interval(0.25, self._show_state, pause=True)
        self._turns.anchor()
        self._base.query_one(Prompt).focus()
        self._show_state()
        self.call_after_refresh(self._open)

    def on_unmount(self) -> None:
        self._chat.close()

    @property
    def _base(self) -> Screen[None]:
        """The chat's own screen, whatever lies over it."""
        return self.screen_stack[0]

    @property
    def _turns(self) -> VerticalScroll:
        return self._base.query_one("#log", VerticalScroll)

    @property
    def _evidence(self) -> Evidence:
        return self._base.query_one(Evidence)

    @on(OptionList.OptionSelected)
    async def _take_example(self, message: OptionList.OptionSelected) -> None:
        await self._take(Prompt.Sent(self._examples[message.option_index]))

    @on(Prompt.Sent)
    async def _take(self, message: Prompt.Sent) -> None:
        prompt = self._base.query_one(Prompt).focus()
        prompt.recall.add(message.question)
        await self._base.query("#welcome").remove()
        turn = Turn(message.question)
        self._waiting.append(turn)
        await self._turns.mount(turn)
        self._turns.anchor()
        self._advance()

    def _advance(self) -> None:
        """Ask the next question if there is one and nothing else is under way."""
        if self._waiting and self._chat.passages is None:
            self._open()
        elif self._waiting and self._asking is None:
            self._asking = self._waiting.popleft()
            self._answer(self._asking, self._chat.ask(self._asking.question))
        self._show_state()

    def _open(self) -> None:
        if self._opener is None or self._opener.state == WorkerState.ERROR:
            self._opener = self._open_session(again=self._opener is not None)

    @work(group="open", exit_on_error=False)
    async def _open_session(self, again: bool) -> None:
        if not again:
            await self._show_earlier()
        await self._chat.open()

    async def _show_earlier(self) -> None:
        try:
            kept = await self._chat.earlier()
        except ClewError as error:
            await self._notice(error)
            return
        if kept.replies:
            self._base.query_one(Prompt).recall.questions[:0] = [reply.question for reply in kept.replies]
            await self._base.query("#welcome").remove()
            turns: list[Widget] = [Turn(reply.question, reply) for reply in kept.replies]
            if kept.older:
                turns.insert(0, Static(f"older turns: {kept.older}", classes="older", markup=False))
            for some in (turns[-3:], turns[:-3]):  # what is on the screen comes first
                await self._turns.mount_all(some, before=0 if self._turns.children else None)
            await self._evidence.show(kept.replies[-1])

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
                await self._notice(error)
        self._advance()

    async def _answered(self, error: BaseException | None) -> None:
        turn, self._asking, reply = self._asking, None, self._chat.end()
        if turn is not None and error is not None:
            await turn.fail(error)
        elif turn is not None and reply is not None:
            await turn.finish(reply)
            if reply.passages or reply.chains or not reply.partial:
                await self._show_evidence(reply)
            try:
                await self._chat.keep(reply)
            except ClewError as trouble:
                await self._notice(trouble)
        self._advance()

    async def _notice(self, error: BaseException) -> None:
        await self._turns.mount(error_line(error))

    async def _show_evidence(self, reply: Reply) -> None:
        await self._evidence.show(reply)
        self._place_evidence()

    def on_resize(self, event: Resize) -> None:
        self._place_evidence(event.size.width)

    def _place_evidence(self, width: int | None = None) -> None:
        """Beside the conversation once there is any; in a narrow terminal in its place, on demand.

        Not by classes of the screen, which would style every widget anew.
        """
        narrow = (width or self.size.width) < NARROW
        self._evidence.display = self._panel_over if narrow else self._panel_wanted and self._evidence.filled
        self._turns.display = not (narrow and self._panel_over)

    @on(Markdown.LinkClicked)
    async def _follow(self, message: Markdown.LinkClicked) -> None:
        number = message.href.removeprefix(CITATION_LINK)
        turn = next((node for node in message.markdown.ancestors if isinstance(node, Turn)), None)
        if not message.href.startswith(CITATION_LINK):
            self.notify(plain(message.href, 300), title="Links are not opened", markup=False)
        elif turn is not None and turn.reply is not None and number.isdecimal():
            await self._show_evidence(turn.reply)
            self.action_cite(int(number))

    def action_cite(self, number: int) -> None:
        """Open the passage cited as `[number]`."""
        if self._evidence.select(number):
            self._panel_wanted = self._panel_over = True
            self._place_evidence()
        else:
            self.notify(f"There is no source [{number}] here.", markup=False)

    def action_stop(self) -> None:
        """Cancel the answer under way and withdraw the questions that wait; else go back to the prompt."""
        for turn in self._waiting:
            turn.withdraw()
        self._waiting.clear()
        self.workers.cancel_group(self, "answer")
        self._panel_over = False
        self._place_evidence()
        self._base.query_one(Prompt).focus()
        self._show_state()

    def action_evidence(self) -> None:
        """Show or hide the evidence; in a narrow terminal it takes the place of the conversation."""
        if self.size.width < NARROW:
            self._panel_over = not self._panel_over
        else:
            self._panel_wanted = not self._evidence.display
            self._evidence.filled = True
        self._place_evidence()

    def action_details(self) -> None:
        """Show or hide the tool calls of finished answers."""
        finished = [turn.tools for turn in self._base.query(Turn) if turn.reply and turn.tools.children]
        hidden = any(not tools.display for tools in finished)
        for tools in finished:
            tools.display = hidden

    def action_copy_answer(self) -> None:
        """Put the last answer on the clipboard as Markdown."""
        if self._chat.last is None:
            self.notify("There is no answer to copy yet.", markup=False)
        else:
            self.copy_to_clipboard(self._chat.last.markdown())
            self.notify("The last answer is on the clipboard.", markup=False)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help())

    def action_scroll_log(self, pages: int) -> None:
        """Scroll the conversation by most of a page up (-1) or down (1)."""
        self._turns.scroll_relative(y=pages * max(self._turns.size.height - 2, 1), animate=False)

    def _show_state(self) -> None:
        if self._clock is not None and self.is_running:
            self._base.query_one("#state", Static).update(state_line(self._chat, len(self._waiting)))
            (self._clock.pause if self._asking is None else self._clock.resume)()


def make_app(
    path: Path,
    *,
    model: ModelChoice | None = None,
    session_factory: Callable[[], Session] | None = None,
    examples: Sequence[str] = (),
) -> ClewApp:
    """The chat over the knowledge base at `path`, which is not opened before the first paint.

    `session_factory` is called in a thread of its own; by default it opens `assistant.session.Session` with `model`.
    `examples` are questions of which the first few are shown while nothing has been asked.
    """

    def open_session() -> Session:
        from assistant.session import Session as RealSession  # seconds: pydantic-ai, and torch for the embeddings

        return RealSession.open(path, model)

    name = model.name if model is not None else "offline"
    return ClewApp(Conversation(path, name, session_factory or open_session), examples)


def run_chat(path: Path, model: ModelChoice | None = None, examples: Sequence[str] = ()) -> None:
    """Run the chat in this terminal until it is quit."""
    make_app(path, model=model, examples=examples).run()
