"""The chat: a conversation, the prompt, and the commands that keys, slashes and the palette give.

`python tui.py FILE` starts it, as `clew chat FILE` and `textual run tui.py` do; without a file, on the
one used last. What it shows is made in `screens/`, what it knows in `assistant/`.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.containers import Horizontal
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import Worker

import screens
from assistant.conversations.background import Session
from assistant.conversations.chat import Conversation
from assistant.conversations.opening import Opening
from assistant.conversations.several import separate_questions
from assistant.conversations.status import Bill, state_line
from assistant.library.known_files import Library
from assistant.shared.config import value
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import plain
from assistant.shared.spending_limits import Budget
from kb.errors import ClewError, UsageError
from screens.chat_app import ChatApp
from screens.conversation_view import NARROW, ConversationView
from screens.handlers.by_name import HANDLERS, OFFERED
from screens.hang_up import end_with_terminal
from screens.hints import Hints
from screens.key_bindings import bindings, bound_keys, shown_keys
from screens.palette import ClewCommands
from screens.prompt import Prompt
from screens.slash_commands import Command, parse
from screens.theme_screen import theme_names
from tools.reading.certainty import RISK

if TYPE_CHECKING:
    from assistant.conversations.session_files import SessionLog

SHORT = 20
TURN = 0.02
"""Seconds that others have between two slices of the work after a resize."""
LOOK = 1.0
"""Seconds between two looks whether another process has changed the file."""
AFTER_PAINTING = 0.1
"""Seconds after which a screen that was resized is styled anew."""


class StateLine(Static):
    """The line below the conversation."""

    class Resized(Message):
        """There is more or less room in it."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())


class ChatScreen(Screen[None]):
    """The chat's own screen. After a resize it is laid out, painted and, where it became narrow or short, styled anew:
    all in one go would hold up the keys, which have their turn between.
    """

    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = []  # noqa: RUF012 - as Textual declares it
    VERTICAL_BREAKPOINTS: list[tuple[int, str]] | None = []  # noqa: RUF012
    _laid_out: Size | None = None

    def on_resize(self, event: Resize) -> None:
        # Textual tells a screen of each size twice, and lays it out as often; and, where COLUMNS and LINES or a dumb
        # terminal say otherwise, of a size that the terminal has not, in turn with its own and without end.
        if self._laid_out is not None and (event.size == self._laid_out or event.size != self.app.size):
            event.prevent_default()
            return
        if self._laid_out is None:  # nothing is on it yet
            self._restyle(event.size)
        self._laid_out = event.size
        if self.is_current:
            unpainted = ExitStack()
            unpainted.enter_context(self.app.batch_update())
            self.call_later(self._paint, unpainted)
        else:
            self._restyle(event.size)

    async def _paint(self, unpainted: ExitStack) -> None:
        """Let what was laid out be painted; called before Textual does so."""
        with unpainted:
            await asyncio.sleep(TURN)
        if not self.is_current and self.app.is_running:  # another was put over it meanwhile
            self.app.screen.refresh()
        self.set_timer(AFTER_PAINTING, lambda: self._restyle(self.size))

    def _restyle(self, size: Size) -> None:
        self.update_classes({"-narrow": size.width < NARROW, "-short": size.height < SHORT}, animate=False)


class ClewApp(ChatApp, inherit_bindings=False):
    """The chat; `make_app` makes one.

    `opening` says which model answers and what a question may cost; `keys` are the keys of each command, by its name.
    """

    CSS_PATH = Path(screens.__file__).with_name("chat.tcss")
    TITLE = "clew"
    NOTIFICATION_TIMEOUT = 4
    COMMANDS: ClassVar = {ClewCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "help_quit", show=False, system=True),
        Binding("alt+1", "cite(1)", "open source [1]; likewise up to alt+9"),
        *((f"alt+{number}", f"cite({number})") for number in range(2, 10)),
    ]

    offered: Sequence[Command] = OFFERED
    """The commands that can be run."""

    def __init__(
        self,
        conversation: Conversation,
        examples: Sequence[str],
        keys: Mapping[str, str] | None = None,
        *,
        opening: Opening | None = None,
        theme: str = "",
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]
        self.opening = opening or Opening()
        self._first = ConversationView(conversation, examples)
        self._clock: Timer | None = None
        self._switching = asyncio.Lock()  # held while no conversation is on the screen
        self._noted: Conversation | None = None
        self._bill = Bill()
        self._billed: SessionLog | None = None
        self._trouble: list[ClewError] = []
        self.keys = self._bound(keys or {})
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(bindings(self.keys))])
        self._take_theme(theme)

    def _bound(self, changes: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
        try:
            return bound_keys(changes, OFFERED)
        except ClewError as error:
            self._trouble.append(error)
            return bound_keys({}, OFFERED)

    def _take_theme(self, name: str) -> None:
        if name and name not in theme_names(self):
            self._trouble.append(UsageError(f"there is no theme {plain(name, 40)!r}; /theme lists them"))
        elif name:
            self.theme = name

    def get_default_screen(self) -> ChatScreen:
        return ChatScreen(id="_default")

    def compose(self) -> ComposeResult:
        yield self._first
        yield Prompt()
        with Horizontal(id="status"):
            yield StateLine(id="state", markup=False)
            yield Hints(self.keys)

    async def on_mount(self) -> None:
        self._clock = self.set_interval(0.25, self.show_state, pause=True)
        self.set_interval(LOOK, self._look)
        self.prompt.focus()
        self.show_state()
        for error in self._trouble:
            await self.view.trouble(error)

    @property
    def base(self) -> Screen[None]:
        """The chat's own screen, whatever lies over it."""
        return self.screen_stack[0]

    @property
    def view(self) -> ConversationView:
        """The conversation on the screen."""
        return self.base.query_one(ConversationView)

    @property
    def prompt(self) -> Prompt:
        """Where questions and commands are typed."""
        return self.base.query_one(Prompt)

    async def switch(self, conversation: Conversation) -> None:
        """Close the conversation on the screen, which is kept, and show another one."""
        async with self._switching:
            waiting = self.view.stop()
            await self.view.remove()
            await self.base.mount(ConversationView(conversation), before=self.prompt)
        for question in waiting:
            await self.view.ask(question)
        self.prompt.focus()
        self.show_state()

    @on(Prompt.Sent)
    async def _take(self, message: Prompt.Sent) -> None:
        if not self.is_running:
            return
        await self.base.query(".refused").remove()
        questions = separate_questions(message.question)
        for question in questions:
            self.prompt.focus().recall.add(question)
        try:
            found = parse(message.question)
        except ClewError as error:
            await self.view.refuse(error)
            return
        if found is None:
            async with self._switching:
                for question in questions:
                    await self.view.ask(question)
        else:
            self.run_worker(self.run_command(*found), group="command", exit_on_error=False)

    async def run_command(self, command: Command, argument: str = "") -> None:
        """Run a command; what goes wrong is told in the conversation."""
        over = None if self.screen is self.base else self.screen
        if over is not None and command.name not in ("quit", *getattr(over, "COMMANDS_HERE", ())):
            return  # its key works everywhere, but what lies over the chat comes first
        await self.base.query(".refused").remove()
        handler = HANDLERS.get(command.name)
        if handler is None:
            await self.view.refuse(UsageError(f"/{command.name} is not there in this chat; /help lists what is"))
            return
        try:
            await handler(self, argument)
        except ClewError as error:
            await self.view.refuse(error)

    async def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Tell of a command that failed as none should: the chat goes on."""
        if event.worker.group == "command" and event.worker.error is not None and self.is_running:
            await self.view.trouble(event.worker.error)

    def action_command_palette(self) -> None:
        """Open the palette, unless something lies over the chat that wants an answer first."""
        if self.screen is self.base:
            super().action_command_palette()

    def action_help_quit(self) -> None:
        """Say how to leave. Textual's own says it of a key whose action is `quit`, and ours run a command."""
        self.notify(f"{shown_keys(self.keys['quit']) or '/quit'} leaves the chat", markup=False)

    def notify(self, message: str, *args: Any, **options: Any) -> None:
        """Show a notice in place of the one before, as they cover what is said."""
        self.clear_notifications()
        super().notify(message, *args, **options)

    async def action_command(self, name: str) -> None:
        """Run a command by its name, as keys do."""
        self.choose_command(next(command for command in self.offered if command.name == name))

    def choose_command(self, command: Command) -> None:
        """Run a command, or begin to type it where it needs an argument."""
        if command.needs_argument:
            self.prompt.begin(f"/{command.name} ")
        else:
            self.run_worker(self.run_command(command), group="command", exit_on_error=False)

    def action_cite(self, number: int) -> None:
        """Open the passage cited as `[number]`."""
        self.view.cite(number)

    def action_scroll_log(self, pages: int) -> None:
        """Scroll the conversation by most of a page up (-1) or down (1)."""
        self.view.scroll_pages(pages)

    @on(ConversationView.Recalled)
    def _remember(self, message: ConversationView.Recalled) -> None:
        if self.is_running:
            self.prompt.recall.fill(message.questions)

    @on(ConversationView.Changed)
    def show_state(self) -> None:
        """Bring the line below the conversation up to date."""
        if self._clock is None or not self.is_running:
            return
        view = self.view
        self._bill.follow(view.conversation.progress)
        if view.conversation.passages is not None and view.conversation.log is not self._billed:
            self._billed, self._bill = view.conversation.log, Bill()
            self._read_bill(self._bill, self._billed.path)
        state = self.base.query_one(StateLine)
        width = state.content_size.width or 1000
        state.update(state_line(view.conversation, view.waiting, self._bill, self.opening.budget, width))
        (self._clock.resume if view.busy else self._clock.pause)()

    def _look(self) -> None:
        """See whether another process has changed the file, unless a question or a command is under way: a command may
        be what changes it, and opens it anew itself.
        """
        if not self.is_running:  # a timer may still fire when its screens are gone
            return
        under_way = any(one.group in ("command", "changes") and not one.is_finished for one in self.workers)
        if under_way or self.screen is not self.base:
            return
        for view in self.base.query(ConversationView):
            if not view.busy:
                view.take_changes()

    @on(ConversationView.Changed)
    def _note_use(self) -> None:
        """Put the file into the library once it is open."""
        if not self.is_running:  # what its widgets said last arrives when they are gone
            return
        conversation = self.view.conversation
        if conversation.passages is not None and conversation is not self._noted:
            self._noted = conversation
            self._note(conversation.path, conversation.passages)

    @work(thread=True, group="library", exit_on_error=False)
    def _note(self, path: Path, passages: int) -> None:
        Library().note(path, passages)

    @work(thread=True, group="bill", exit_on_error=False)
    def _read_bill(self, bill: Bill, file: Path) -> None:
        bill.read(file)
        self.call_from_thread(self.show_state)

    @on(StateLine.Resized)
    def _fit_state(self) -> None:
        self.base.query_one(Hints).fit(self.size.width)
        self.show_state()


def make_app(
    path: Path,
    *,
    model: ModelChoice | None = None,
    session_factory: Callable[[], Session] | None = None,
    examples: Sequence[str] = (),
    budget: Budget | None = None,
    transcripts: Path | None = None,
    keys: Mapping[str, str] | None = None,
    theme: str = "",
    log: SessionLog | None = None,
    risk: float = RISK,
) -> ClewApp:
    """The chat over the knowledge base at `path`, which is not opened before the first paint.

    `session_factory` is called in a thread of its own; by default it opens `Session` with `model` and a
    `budget` for each question, and keeps `transcripts` in that folder. `examples` are questions of which the
    first few are shown while nothing has been asked. `keys` are keys by a command's name, where they are not to be
    those of the table. It goes on with the session `log`, by default the latest one over the file. `risk` is the share
    of the answers given that may be wrong.
    """

    opening = Opening(model or ModelChoice(), budget or Budget(), transcripts, session_factory, risk)
    return ClewApp(opening.conversation(path, log), examples, keys, opening=opening, theme=theme)


def collect_rarely() -> None:
    """Let the garbage collector pass over what lives long: a graph of a million objects, which it walks for 0.3 s.

    All threads stand still meanwhile, the screen too. Short-lived cycles are still collected.
    """
    gc.set_threshold(20_000, 50, 1000)


def run_chat(
    path: Path,
    model: ModelChoice | None = None,
    examples: Sequence[str] = (),
    budget: Budget | None = None,
    transcripts: Path | None = None,
    log: SessionLog | None = None,
    risk: float = RISK,
) -> None:
    """Run the chat in this terminal until it is quit, with keys and theme as they are set."""
    collect_rarely()
    app = make_app(
        path,
        model=model,
        examples=examples,
        budget=budget,
        transcripts=transcripts,
        keys=value("keys").value,
        theme=value("theme").value,
        log=log,
        risk=risk,
    )
    end_with_terminal()
    app.run()


def main() -> None:
    """`clew chat` with the arguments given: where there are none, on the knowledge base that was used last."""
    from assistant.commands.cli import main as clew

    # The command imports the chat by its name: let it find this module, not a second one.
    sys.modules.setdefault("tui", sys.modules[__name__])
    there = [str(one.path) for one in Library().all() if one.is_there]
    clew(["chat", *(sys.argv[1:] or there[:1])], prog_name="tui.py")


if __name__ == "__main__":
    main()
