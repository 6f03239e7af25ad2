"""A chat over a session that plays events, and what tests do with it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from textual.content import Content
from textual.css.query import NoMatches
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from assistant.agent.replying.reply import Chain, Citation, Link, RankedPassage, Reply, ToolUse
from assistant.conversations.events import Event, Finished, TextDelta, ToolFinished, ToolStarted
from assistant.conversations.session_files import SessionFolder
from screens.prompt import Prompt
from screens.turn import Turn
from tui import ClewApp, make_app

ANSWER = Reply(
    question="",
    answer="20 March 851",
    explanation="Lothair was a son of Ermengarde [1], who died in 851 [2].",
    citations=(Citation(1, 7, "d7", "Lothair II", "kings.pdf", 3, "a son"), Citation(2, 9, "d9", "Ermengarde")),
    passages=(
        RankedPassage(8, "d8", "Somebody else", "Nothing.", "kings.pdf", 4, 0.95, ("dense",)),
        RankedPassage(7, "d7", "Lothair II", "Lothair, a son of Ermengarde.", "kings.pdf", 3, 0.9, ("dense",)),
        RankedPassage(9, "d9", "Ermengarde", "Ermengarde (d. 851).", "queens.md", None, 0.5, ("words",)),
    ),
    chains=(Chain((Link("Lothair II", "mother", "Ermengarde", 7, "A son of Ermengarde.", "recovered", 1.5),)),),
    tools=(ToolUse("passage_search", 0.25),),
    model="offline",
    seconds=1.25,
)
HOSTILE = ["[/foo]", "[bold]x[@click=app.quit]y[/]$primary", "\x1b[31mred\x1b]0;t\x07\ud83d", "x" * 10_000]


def hostile_events(hostile: str) -> list[Event]:
    return [
        ToolStarted("1", hostile, {hostile: hostile, "list": [hostile]}),
        ToolFinished("1", hostile, 0.1, hostile, failed=True),
        TextDelta(hostile),
    ]


def hostile_reply(hostile: str) -> Reply:
    return Reply(
        question=hostile,
        answer=hostile,
        explanation=hostile,
        citations=(Citation(1, 7, hostile, hostile, hostile, 1, hostile),),
        passages=(RankedPassage(7, hostile, hostile, hostile, hostile, 1, 0.5, (hostile,)),),
        chains=(Chain((Link(hostile, hostile, hostile, 7, hostile),)),),
        tools=(ToolUse(hostile, 0.1),),
        model=hostile,
    )


class Script:
    """A session that plays events; the ones after `hold` wait until `release` is set."""

    passages = 6119

    def __init__(self) -> None:
        self.reply = ANSWER
        self.error: Exception | None = None
        self.before: list[Event] = [
            ToolStarted("1", "plan_question", {"question": "who"}),
            ToolFinished("1", "plan_question", 0.004, "2 constraints"),
            ToolStarted("2", "entity_lookup", {"name": "Ermengard"}),
            ToolFinished("2", "entity_lookup", 0.1, "no such entity", failed=True),
            TextDelta("**20 March"),
        ]
        self.release = threading.Event()
        self.release.set()
        self.openable = threading.Event()
        self.openable.set()
        self.asked: list[str] = []
        self.resumed: list[str] = []

    def open(self) -> Script:
        assert self.openable.wait(10)
        return self

    def resume(self, replies: Sequence[Reply]) -> None:
        self.resumed = [reply.question for reply in replies]

    async def ask(self, question: str) -> AsyncIterator[Event]:
        self.asked.append(question)
        for event in self.before:
            yield event
        await asyncio.to_thread(self.release.wait, 10)
        if self.error is not None:
            raise self.error
        yield Finished(replace(self.reply, question=question))

    def close(self) -> None:
        pass


def chat(folder: Path, factory: Callable[[], Script], *examples: str, name: str = "kings.clew") -> ClewApp:
    app = make_app(folder / name, session_factory=factory, examples=examples)
    app.animation_level = "none"
    return app


def kept(folder: Path) -> list[Reply]:
    """What the latest session over the file has."""
    return [turn.reply for turn in SessionFolder().all(folder / "kings.clew")[0].line()]


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except NoMatches:  # what it looks at is not on the screen yet
        return False


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Let the app work until the condition holds."""
    deadline = time.monotonic() + 20
    while not _holds(condition):
        assert time.monotonic() < deadline, f"not within 20 s: {pilot.app.screen!r} {text(pilot.app.screen)[:400]}"
        await asyncio.sleep(0.002)
    await pilot.pause(0)


async def send(pilot: Pilot[None], question: str) -> Turn:
    pilot.app.query_one(Prompt).post_message(Prompt.Sent(question))
    await until(pilot, lambda: any(turn.question == question for turn in pilot.app.query(Turn)))
    return pilot.app.query(Turn).last()


async def ask(pilot: Pilot[None], question: str) -> Turn:
    """Send a question and wait until its turn has ended."""
    turn = await send(pilot, question)
    await until(pilot, lambda: turn.reply or turn.query(".error"))
    return turn


async def run(pilot: Pilot[None], command: str) -> None:
    """Send a command and wait until it has been run, or asks something on a screen of its own."""
    app = pilot.app
    before = app.screen
    app.query_one(Prompt).post_message(Prompt.Sent(command))
    await pilot.pause()
    await until(
        pilot,
        lambda: app.screen is not before or all(one.is_finished for one in app.workers if one.group == "command"),
    )


def text(widget: Widget) -> str:
    """What a widget and those in it show, as plain text."""
    parts = []
    for static in [widget, *widget.query(Static)]:
        if isinstance(static, Static):
            content = static.render()
            parts.append(content.plain if isinstance(content, Content) else str(content))
    return "\n".join(parts)


def state(app: ClewApp) -> str:
    return text(app.query_one("#state"))
