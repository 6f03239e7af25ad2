"""The app: a conversation, the prompt, and the commands that keys, slashes and the palette give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from assistant.background import Session
from assistant.commands import Command, parse
from assistant.conversation import Conversation
from assistant.rendering import state_line
from kb.errors import ClewError
from tui.handlers import HANDLERS, OFFERED
from tui.palette import ClewCommands
from tui.prompt import Prompt
from tui.view import ConversationView

if TYPE_CHECKING:
    from assistant.settings import ModelChoice


def _bindings() -> list[BindingType]:
    """A binding for each command that has keys, under the command's name, by which it can be remapped."""
    return [
        Binding(
            command.keys, f"command('{command.name}')", command.help, id=command.name, priority=_has_priority(command)
        )
        for command in OFFERED
        if command.keys
    ]


def _has_priority(command: Command) -> bool:
    """Whether its keys work wherever the focus is: not those that a widget or a screen over the chat needs itself."""
    return all(key.startswith(("ctrl+", "alt+")) for key in command.keys.split(","))


class ClewApp(App[None]):
    """The chat; `make_app` makes one."""

    CSS_PATH = Path(__file__).with_name("chat.tcss")
    TITLE = "clew"
    COMMANDS: ClassVar = {ClewCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        *_bindings(),
        Binding("alt+1", "cite(1)", "open source [1]; likewise up to alt+9"),
        *((f"alt+{number}", f"cite({number})") for number in range(2, 10)),
    ]

    offered: Sequence[Command] = OFFERED
    """The commands that can be run."""

    def __init__(
        self, conversation: Conversation, examples: Sequence[str], keys: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (90, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
        self._first = ConversationView(conversation, examples)
        self._keys = dict(keys or {})
        self._clock: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self._first
        yield Prompt()
        with Horizontal(id="status"):
            yield Static(id="state", markup=False)
            yield Static("ctrl+p commands · f1 help · ctrl+q quit", id="hints", markup=False)

    def on_mount(self) -> None:
        self.set_keymap(self._keys)
        self._clock = self.set_interval(0.25, self._show_state, pause=True)
        self.prompt.focus()
        self._show_state()

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
        await self.view.remove()
        await self.base.mount(ConversationView(conversation), before=self.prompt)
        self.prompt.focus()
        self._show_state()

    @on(Prompt.Sent)
    async def _take(self, message: Prompt.Sent) -> None:
        self.prompt.focus().recall.add(message.question)
        try:
            found = parse(message.question)
        except ClewError as error:
            await self.view.trouble(error)
            return
        if found is None:
            await self.view.ask(message.question)
        else:
            await self.run_command(*found)

    async def run_command(self, command: Command, argument: str = "") -> None:
        """Run a command; what goes wrong is told in the conversation."""
        try:
            await HANDLERS[command.name](self, argument)
        except ClewError as error:
            await self.view.trouble(error)

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
        self.prompt.recall.questions[:0] = message.questions

    @on(ConversationView.Changed)
    def _show_state(self) -> None:
        if self._clock is not None and self.is_running:
            view = self.view
            self.base.query_one("#state", Static).update(state_line(view.conversation, view.waiting))
            (self._clock.resume if view.busy else self._clock.pause)()


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
