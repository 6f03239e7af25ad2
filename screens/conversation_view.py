"""One conversation on the screen: its questions and answers, and beside them what an answer rests on."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Key, Paste, Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Markdown, OptionList, Static
from textual.worker import Worker, WorkerState

from assistant.agent.replying.reply import Reply
from assistant.conversations.chat import Conversation
from assistant.conversations.events import Event
from assistant.conversations.session_files import SessionLog
from assistant.conversations.session_files import Turn as KeptTurn
from assistant.shared.rendering import CITATION_LINK, greeting_lines, plain
from kb.errors import ClewError, UsageError
from screens.evidence_panel import Evidence
from screens.prompt import Prompt
from screens.style import error_line, styled
from screens.turn import Turn
from screens.turn_list import TurnList

NARROW = 90
SHOWN_EXAMPLES = 6
SHOWN_TITLE = 40


class ConversationView(Horizontal):
    """Asks the questions that it is given, one after the other, and shows what comes of them.

    Another conversation is another view: nothing of one is left in the next.
    """

    class Changed(Message):
        """What the line below the conversation says may have changed."""

    class Recalled(Message):
        """The questions of earlier sessions were read, oldest first."""

        def __init__(self, questions: Sequence[str]) -> None:
            super().__init__()
            self.questions = questions

    def __init__(self, conversation: Conversation, examples: Sequence[str] = ()) -> None:
        super().__init__(id="body")
        self.conversation = conversation
        self.examples: Sequence[str] = examples[:SHOWN_EXAMPLES]
        self._opener: Worker[None] | None = None
        self._waiting: deque[Turn] = deque()
        self._asking: Turn | None = None
        self._editing: tuple[int, KeptTurn] | None = None
        self._panel_wanted = True
        self._panel_over = False
        self._change_trouble = ""
        # Held by what puts turns on the screen or takes them off: a question that is sent while another session is read
        # from a slow disk is asked in that session, not in the one that is about to go.
        self._moving = asyncio.Lock()

    def compose(self) -> ComposeResult:
        with TurnList(self.conversation):
            yield self._welcome()
        yield Evidence(id="evidence")

    def _welcome(self) -> Vertical:
        greeting = Static(styled(*greeting_lines(self.conversation.path.name, bool(self.examples))))
        examples = OptionList(*(Content(f"› {plain(question, 300)}") for question in self.examples))
        examples.can_focus = False  # the prompt, which keeps the focus, moves through it
        examples.highlighted = None
        return Vertical(greeting, *([examples] if self.examples else []), id="welcome")

    def on_mount(self) -> None:
        self.call_after_refresh(self._open)

    def on_key(self, event: Key) -> None:
        # Only what no widget and no binding takes comes here and is meant for the prompt, wherever the focus is.
        if event.is_printable and event.character and event.key not in self.screen.active_bindings:
            event.stop().prevent_default()
            self._type(event.character)

    def on_unmount(self) -> None:
        self.conversation.close()

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self._type(event.text)

    def _type(self, text: str) -> None:
        prompt = self.screen.query_one(Prompt)
        self.screen.set_focus(prompt)  # at once, so that the next key comes there too
        prompt.insert(text)

    @property
    def log_view(self) -> TurnList:
        """Where the turns are."""
        return self.query_one(TurnList)

    @property
    def evidence(self) -> Evidence:
        """What an answer rests on."""
        return self.query_one(Evidence)

    @property
    def turns(self) -> list[Turn]:
        """The turns on the screen, oldest first."""
        return self.log_view.turns

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
        """Put a question at the end, to be asked when its time comes; one that is edited, in its place as a branch."""
        self.workers.cancel_group(self, "suggest")
        async with self._moving:
            if self._editing is not None:
                await self._branch_off(*self._editing)
            await self.query("#welcome").remove()
            turn = Turn(question, number=self.log_view.next_number)
            self._waiting.append(turn)
            await self.log_view.mount(turn)
            if self.busy or len(self._waiting) > 1:
                turn.wait()
            self.log_view.anchor()
            self._advance()

    def edit(self, number: int | None = None) -> str:
        """Begin to edit a question, by default the last one, and return it: the next one asked is a branch beside it.

        UsageError where there is none, where it was not kept, and while a question is under way.
        """
        self.refuse_while_busy()
        found = self.log_view.kept(number)
        if found is None:
            raise UsageError("there is no question to edit" if number is None else f"there is no question {number}")
        if found[1] is None:
            raise UsageError(f"question {found[0]} was not kept, so it has no branches; ask it again")
        self._editing = (found[0], found[1])
        return found[1].question

    @property
    def editing(self) -> int:
        """The number of the question that is edited, 0 for none."""
        return self._editing[0] if self._editing else 0

    def refuse_while_busy(self) -> None:
        """UsageError while a question is under way or waits."""
        if self.busy or self._waiting:
            raise UsageError("a question is under way; wait for it, or stop it with esc")

    async def _branch_off(self, number: int, edited: KeptTurn) -> None:
        self._editing = None
        await self.conversation.go_before(edited)
        await self.log_view.cut(number)
        if not self.turns:
            await self._show_earlier()

    async def branch(self, question: int | None = None, branch: int | None = None) -> None:
        """Go to a branch, by default the next one, of a question, by default the last one that has several.

        UsageError where there is none, and while a question is under way.
        """
        async with self._moving:
            self.refuse_while_busy()
            await self.conversation.select(self._branch(question, branch))
            await self._show_again()

    def _branch(self, question: int | None, branch: int | None) -> KeptTurn:
        log = self.conversation.log
        line = [one for number, one in enumerate(log.line(), 1) if question in (None, number)]
        branched = [one for one in line if log.place(one.id)[1] > 1]
        if not branched:
            raise UsageError("no question has branches here; /edit makes one" if line else f"no question {question}")
        branches, place = log.branches(branched[-1].id), log.place(branched[-1].id)[0]
        chosen = place % len(branches) + 1 if branch is None else branch
        if not 0 < chosen <= len(branches):
            raise UsageError(f"there are {len(branches)} branches, not {chosen}")
        return branches[chosen - 1]

    async def go_to(self, log: SessionLog) -> None:
        """Show another session over the same file. UsageError while a question is under way."""
        async with self._moving:
            self.refuse_while_busy()
            await self.conversation.go_to(log)
            await self._show_again()

    async def _show_again(self) -> None:
        self._editing = None
        await self.log_view.clear()
        self.evidence.filled = False
        await self._show_earlier()
        if not self.turns:
            await self.log_view.mount(self._welcome())
        self.place_evidence()
        self.show_title()
        self.log_view.anchor()
        self.post_message(self.Changed())

    def show_title(self) -> None:
        """Show which session this is, at the prompt."""
        title = self.conversation.log.title
        for prompt in self.screen.query(Prompt):  # none any more while the chat is left
            prompt.border_subtitle = Content(plain(title, SHOWN_TITLE))

    async def say(self, *lines: Widget) -> None:
        """Put something that is no turn at the end."""
        await self.log_view.mount_all(lines)

    async def trouble(self, error: BaseException) -> None:
        """Tell what went wrong; the conversation goes on."""
        await self.say(error_line(error))

    async def refuse(self, error: BaseException) -> None:
        """Tell why a command was not run, until the next one or the next question: it is no part of what was said."""
        await self.say(error_line(error).add_class("refused"))

    def _advance(self) -> None:
        """Ask the next question if there is one and nothing else is under way; `ask` comes here again once it is on the
        screen.
        """
        if self._waiting and self.conversation.passages is None:
            self._open()
        elif self._waiting and self._asking is None and self._waiting[0].is_mounted:
            self._asking = self._waiting.popleft()
            self._asking.begin()
            self._answer(self._asking, self.conversation.ask(self._asking.question))
        self.post_message(self.Changed())

    def _open(self) -> None:
        if self._opener is None or self._opener.state == WorkerState.ERROR:
            self._opener = self._open_session(again=self._opener is not None)

    @work(group="open", exit_on_error=False)
    async def _open_session(self, again: bool) -> None:
        if not again:
            await self._show_earlier()
            self.show_title()
            self._recall()
        await self.conversation.open()

    @work(group="suggest", exit_on_error=False)
    async def _suggest(self) -> None:
        """Show questions that the file is known to answer, where nothing has been asked and none are given."""
        async with aclosing(self.conversation.suggestions()) as questions:
            async for question in questions:
                if not self.query("#welcome"):
                    return
                self.examples = [*self.examples, question]
                await self.query("#welcome").remove()
                await self.log_view.mount(self._welcome())

    @work(group="changes", exit_on_error=False)
    async def take_changes(self) -> None:
        """Open the file anew where another process has changed it; why that fails is told once, not at each attempt."""
        try:
            await self.conversation.refuse_lost_file()
            changed = await self.conversation.refresh()
        except ClewError as error:
            if str(error) != self._change_trouble:
                self._change_trouble = str(error)
                await self.trouble(error)
            return
        if changed:
            self._change_trouble = ""
            self.post_message(self.Changed())

    @work(group="recall", exit_on_error=False)
    async def _recall(self) -> None:
        self.post_message(self.Recalled((await self.conversation.asked_before())[::-1]))

    async def _show_earlier(self) -> None:
        try:
            kept = await self.conversation.earlier()
        except ClewError as error:
            await self.trouble(error)
            return
        if kept.turns:
            await self.query("#welcome").remove()
            for turn in self._waiting:  # asked while the session was read
                turn.renumber(turn.number + kept.older + len(kept.turns))
            await self.log_view.put_before(kept)
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
                await self._fail(turn, error)
            if not turns:
                await self.trouble(error)
        elif not self.examples and not self._waiting and self.query("#welcome"):
            self._suggest()
        self._advance()

    async def _answered(self, error: BaseException | None) -> None:
        turn, self._asking, reply = self._asking, None, self.conversation.end()
        if turn is not None and error is not None:
            await self._fail(turn, error, reply)
        elif turn is not None and reply is not None:
            await turn.finish(reply)
            if reply.passages or reply.chains or not reply.partial:
                await self._show_evidence(reply)
            await self._keep(turn, reply)
        self._advance()

    async def _fail(self, turn: Turn, error: BaseException, reply: Reply | None = None) -> None:
        """Tell what went wrong; what was asked is kept, with what came of it."""
        await turn.fail(error)
        asked = reply or Reply(turn.question, "", found=False, model=self.conversation.model, partial=True)
        await self._keep(turn, replace(asked, notes=(*asked.notes, plain(f"failed: {error}", 600))))

    async def _keep(self, turn: Turn, reply: Reply) -> None:
        try:
            kept = await self.conversation.keep(reply)
        except ClewError as trouble:
            await self.trouble(trouble)
            return
        if kept is not None:
            turn.keep(kept, *self.conversation.log.place(kept.id))
            self.show_title()

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
        if not self.evidence.display and self.evidence.has_focus_within:
            self.screen.set_focus(self.screen.query_one(Prompt))

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

    def stop(self) -> list[str]:
        """Cancel the answer under way, and take back the questions that wait, which are returned; end an edit."""
        withdrawn, self._waiting, self._editing = list(self._waiting), deque(), None
        self.workers.cancel_group(self, "answer")
        self._panel_over = False
        self.place_evidence()
        self.post_message(self.Changed())
        self.log_view.remove_children(withdrawn)
        return [turn.question for turn in withdrawn]

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
