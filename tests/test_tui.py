from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Markdown, OptionList, Static, TabbedContent

from assistant.events import Event, Finished, TextDelta, ToolFinished, ToolStarted
from assistant.reply import Chain, Citation, Link, RankedPassage, Reply, ToolUse
from assistant.sessions import Sessions, replies_of
from kb.errors import BadFileError, ModelFailure
from tui import ClewApp, Help, Prompt, ToolLine, Turn, make_app

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


@pytest.fixture
def script() -> Iterator[Script]:
    script = Script()
    yield script
    script.openable.set()
    script.release.set()


def kept(folder: Path) -> list[Reply]:
    """What the latest session over the file has."""
    return replies_of(Sessions().all(folder / "kings.clew")[0].line())


@pytest.fixture
def app(tmp_path: Path, script: Script) -> ClewApp:
    return chat(tmp_path, script.open, "Who was first?", "Who was last?")


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Let the app work until the condition holds."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "not within 20 s"
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


async def test_first_paint_and_typing_need_no_session(app: ClewApp, script: Script) -> None:
    script.openable.clear()
    async with app.run_test() as pilot:
        assert "kings.clew" in text(app.query_one("#welcome"))
        assert app.query_one(OptionList).option_count == 2
        assert "opening" in state(app)
        await pilot.press(*"why")
        assert app.query_one(Prompt).text == "why"
        script.openable.set()
        await until(pilot, lambda: "6,119 passages" in state(app))
        assert "offline" in state(app)


def test_importing_the_chat_imports_nothing_slow() -> None:
    code = "import sys, tui; print(*sys.modules)"
    root = Path(__file__).parent.parent
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout
    slow = {"torch", "sentence_transformers", "pydantic_ai", "pydantic", "numpy", "scipy", "networkx", "sqlite_utils"}
    assert slow & set(loaded.split()) == set()


async def test_an_answer_streams_and_finishes(app: ClewApp, script: Script) -> None:
    script.release.clear()
    async with app.run_test() as pilot:
        turn = await send(pilot, "When did she die?")
        markdown = turn.query_one(Markdown)
        await until(pilot, lambda: markdown.source == "**20 March")
        assert state(app).startswith("answering 0 s · esc stops")
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert markdown.source == ANSWER.markdown()
        assert "1.2 s · 1 tool call · 1 failed · offline" in text(turn)
        assert "last answer 1.2 s" in state(app)


async def test_tool_calls_appear_as_they_happen_and_fold_away(app: ClewApp, script: Script) -> None:
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "q")
        await until(pilot, lambda: len(turn.query(ToolLine)) == 2)
        assert [text(line) for line in turn.query(ToolLine)] == [
            "✓ plan_question  “who”  4 ms  2 constraints",
            "✗ entity_lookup  “Ermengard”  100 ms  failed: no such entity",
        ]
        await until(pilot, lambda: all(line.size.height == 1 for line in turn.query(ToolLine)))
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert not turn.tools.is_on_screen
        await pilot.press("ctrl+t")
        assert turn.tools.is_on_screen


async def test_the_evidence_shows_thread_and_passages(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        assert not app.query_one("#evidence").is_on_screen
        await ask(pilot, "When did she die?")
        assert app.query_one("#evidence").is_on_screen
        assert "When did she die?" in text(app.query_one("#about"))
        chains = text(app.query_one("#chains"))
        assert "1 ◐ recovered · N_eff 1.5 · [1]" in chains
        assert "Lothair II — mother → Ermengarde" in chains
        titles = [text(passage).splitlines()[:2] for passage in app.query(".passage")]
        assert titles == [
            ["[1] Lothair II", "kings.pdf · p. 3 · d7 · score 0.9 · dense"],
            ["[2] Ermengarde", "queens.md · d9 · score 0.5 · words"],
            ["· Somebody else", "kings.pdf · p. 4 · d8 · score 0.95 · dense"],
        ]
        await pilot.press("ctrl+e")
        assert not app.query_one("#evidence").is_on_screen
        await ask(pilot, "again")
        assert not app.query_one("#evidence").is_on_screen


async def test_a_citation_opens_its_passage(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await ask(pilot, "q")
        markdown = turn.query_one(Markdown)
        markdown.post_message(Markdown.LinkClicked(markdown, "clew-citation:2"))
        await until(pilot, lambda: app.query(".passage.-selected"))
        assert app.query_one(TabbedContent).active == "passages"
        assert text(app.query_one(".passage.-selected")).startswith("[2] Ermengarde")
        await pilot.press("alt+1")
        assert text(app.query_one(".passage.-selected")).startswith("[1] Lothair II")
        await pilot.press("alt+9")
        assert text(app.query_one(".passage.-selected")).startswith("[1] Lothair II")


async def test_other_links_are_not_opened(app: ClewApp, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(app, "open_url", lambda url, **_: opened.append(url))
    async with app.run_test() as pilot:
        markdown = (await ask(pilot, "q")).query_one(Markdown)
        for href in ("http://evil.example/[/foo]", "clew-citation:x", "clew-citation:77"):
            markdown.post_message(Markdown.LinkClicked(markdown, href))
        await pilot.pause()
        assert (opened, app.is_running) == ([], True)


async def test_escape_keeps_the_partial_answer(app: ClewApp, script: Script, tmp_path: Path) -> None:
    script.release.clear()
    async with app.run_test() as pilot:
        turn = await send(pilot, "q")
        await until(pilot, lambda: turn.query_one(Markdown).source)
        await send(pilot, "waits")
        await pilot.press("escape")
        await until(pilot, lambda: turn.reply)
        assert turn.query_one(Markdown).source == "**20 March"
        assert "■ stopped" in text(turn)
        assert "■ not asked" in text(app.query(Turn).last())
        script.release.set()
        await ask(pilot, "next")
        assert script.asked == ["q", "next"]
    stopped, following = kept(tmp_path)
    assert (stopped.question, stopped.explanation, stopped.partial) == ("q", "**20 March", True)
    assert (following.question, following.partial) == ("next", False)


async def test_questions_wait_for_the_session_and_for_each_other(app: ClewApp, script: Script) -> None:
    script.openable.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        for question in ("one", "two", "three"):
            await send(pilot, question)
        assert state(app).startswith("3 waiting")
        assert script.asked == []
        script.openable.set()
        await until(pilot, lambda: all(turn.reply for turn in app.query(Turn)))
        assert script.asked == ["one", "two", "three"]


async def test_an_error_is_shown_and_the_chat_goes_on(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        script.error = ModelFailure("no model at 'http://[/foo]'; \x1b[2Jstart it")
        turn = await ask(pilot, "[/bar]\x1b[2J\n[b]")
        assert text(turn.query_one(".question")) == "[/bar]\n[b]"
        assert text(turn.query_one(".error")) == "✗ no model at 'http://[/foo]'; start it"
        script.error = KeyError("x")
        assert text((await ask(pilot, "q")).query_one(".error")) == "✗ unexpected KeyError: 'x'"
        script.error = None
        assert (await ask(pilot, "next")).query_one(Markdown).source == ANSWER.markdown()


async def test_a_file_that_does_not_open_is_tried_again(tmp_path: Path, script: Script) -> None:
    failing = [True]

    def factory() -> Script:
        if failing:
            raise BadFileError("'kings.clew' is damaged; build it again")
        return script

    app = chat(tmp_path, factory)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.query(".error"))
        assert text(app.query_one(".error")) == "✗ 'kings.clew' is damaged; build it again"
        assert text((await ask(pilot, "one")).query_one(".error")).startswith("✗ 'kings.clew' is damaged")
        failing.clear()
        assert (await ask(pilot, "two")).query_one(Markdown).source == ANSWER.markdown()


async def test_not_found_says_what_is_missing(app: ClewApp, script: Script) -> None:
    script.reply = Reply("", "", found=False, missing="the date of [/foo]", passages=ANSWER.passages)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await ask(pilot, "q")
        assert turn.has_class("-missing")
        assert "∅ not found" in text(turn)
        assert "Missing: the date of [/foo]" in text(turn.query_one(Markdown))
        assert "∅ missing: the date of [/foo]" in text(app.query_one("#chains"))


async def test_hostile_text_is_shown_as_text(tmp_path: Path, script: Script) -> None:
    app = chat(tmp_path, script.open, *HOSTILE, name="[bold]x[$y].clew")
    async with app.run_test(size=(120, 40)) as pilot:
        for hostile in HOSTILE:
            script.before, script.reply = hostile_events(hostile), hostile_reply(hostile)
            turn = await ask(pilot, hostile)
            await pilot.press("alt+1", "ctrl+t")
            shown = text(turn) + text(app.query_one("#evidence")) + state(app)
            assert "\x1b" not in shown
            assert "\ud83d" not in shown
            assert not hostile.startswith("[") or shown.count(hostile) > 8
        app.export_screenshot().encode()


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


async def test_kept_turns_are_resumed(tmp_path: Path, app: ClewApp, script: Script) -> None:
    log = Sessions().create(tmp_path / "kings.clew")
    log.append(replace(ANSWER, question="first"))
    log.append(replace(ANSWER, question="second"))
    async with app.run_test() as pilot:
        await until(pilot, lambda: script.resumed)
        assert script.resumed == ["first", "second"]
        assert [turn.query_one(Markdown).source for turn in app.query(Turn)] == [ANSWER.markdown()] * 2
        assert not app.query("#welcome")
        assert "second" in text(app.query_one("#about"))
        await pilot.press("up", "up")
        assert app.query_one(Prompt).text == "first"
        await ask(pilot, "third")
        assert [turn.question for turn in app.query(Turn)] == ["first", "second", "third"]
    assert [reply.question for reply in kept(tmp_path)] == ["first", "second", "third"]


async def test_only_the_last_turns_are_shown_and_a_torn_line_is_skipped(
    tmp_path: Path, app: ClewApp, script: Script
) -> None:
    log = Sessions().create(tmp_path / "kings.clew")
    for number in range(23):
        log.append(replace(ANSWER, question=f"question {number}"))
    with log.path.open("ab") as file:
        file.write(b'{"turn": "x", "reply": {"question": "torn')
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app.query(Turn)) == 20)
        assert text(app.query_one(".older")) == "older turns: 3"
        assert app.query(Turn).last().question == "question 22"
        await ask(pilot, "after")
    assert [reply.question for reply in kept(tmp_path)[-2:]] == ["question 22", "after"]


async def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path, app: ClewApp) -> None:
    (tmp_path / "file").touch()
    async with app.run_test() as pilot:
        app.view.conversation.sessions.folder = tmp_path / "file"
        await ask(pilot, "one")
        await until(pilot, lambda: app.query(".error"))
        assert "goes on without that" in text(app.query(".error").last())
        await ask(pilot, "two")
        assert len(app.query(".error")) == 1


async def test_quitting_keeps_the_answer_under_way(tmp_path: Path, app: ClewApp, script: Script) -> None:
    script.release.clear()
    async with app.run_test() as pilot:
        turn = await send(pilot, "q")
        await until(pilot, lambda: turn.query_one(Markdown).source)
        await pilot.press("ctrl+q")
    (reply,) = kept(tmp_path)
    assert (reply.question, reply.explanation, reply.partial) == ("q", "**20 March", True)


async def test_small_and_big_terminals(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "When did she die?")
        log, evidence, prompt = app.query_one("#log"), app.query_one("#evidence"), app.query_one(Prompt)
        assert (log.is_on_screen, evidence.is_on_screen) == (True, True)
        await pilot.resize_terminal(40, 12)
        assert (log.is_on_screen, evidence.is_on_screen) == (True, False)
        assert prompt.region.bottom == 11
        await pilot.press("ctrl+e")
        assert (log.is_on_screen, evidence.is_on_screen) == (False, True)
        await pilot.press("f1", "escape", "escape")
        assert (log.is_on_screen, evidence.is_on_screen) == (True, False)
        await pilot.resize_terminal(300, 80)
        assert (log.is_on_screen, evidence.is_on_screen) == (True, True)
        assert prompt.region.bottom == 79


async def test_questions_of_several_lines(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        await pilot.press("a", "ctrl+j", "shift+enter", "alt+enter", "d")
        assert app.query_one(Prompt).text == "a\n\n\nd"
        assert app.query_one(Prompt).size.height == 4
        await pilot.press("enter")
        await until(pilot, lambda: script.asked)
        assert script.asked == ["a\n\n\nd"]
        assert app.query_one(Prompt).text == ""
        await pilot.press("space", "enter")
        assert len(app.query(Turn)) == 1


async def test_up_and_down_walk_through_earlier_questions(app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "first")
        await ask(pilot, "second\nwith a second line")
        prompt = app.query_one(Prompt)
        await pilot.press("d", "up")
        assert prompt.text == "second\nwith a second line"
        await pilot.press("up")
        assert prompt.text == "second\nwith a second line"
        await pilot.press("up")
        assert prompt.text == "first"
        await pilot.press("down", "down", "down")
        assert prompt.text == "d"


async def test_an_example_is_asked_by_choosing_it(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        app.query_one(OptionList).focus()
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.query(Turn).last().reply)
        assert script.asked == ["Who was last?"]
        assert app.focused is app.query_one(Prompt)


async def test_scrolling_up_stops_the_following(app: ClewApp, script: Script) -> None:
    script.before = [TextDelta("line\n\n" * 60)]
    script.release.clear()
    async with app.run_test() as pilot:
        await send(pilot, "q")
        log = app.query_one("#log")
        await until(pilot, lambda: log.max_scroll_y > 40 and log.scroll_y == log.max_scroll_y)
        await pilot.press("pageup")
        reading = log.scroll_y
        assert reading < log.max_scroll_y
        script.release.set()
        await until(pilot, lambda: app.query(Turn).last().reply)
        script.release.clear()
        assert log.scroll_y <= reading
        await send(pilot, "another")
        await until(pilot, lambda: log.scroll_y == log.max_scroll_y)


async def test_the_chat_goes_on_under_the_help(app: ClewApp, script: Script, tmp_path: Path) -> None:
    Sessions().create(tmp_path / "kings.clew").append(replace(ANSWER, question="before"))
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "q")
        await pilot.press("f1")
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        assert app.query_one("#evidence").is_on_screen
        assert [turn.question for turn in app.query(Turn)] == ["before", "q"]


async def test_help_and_copy(app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+y")
        assert app.clipboard == ""
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        assert "show or hide what the answer rests on" in text(app.screen.query_one(Static))
        await pilot.press("question_mark")
        assert not isinstance(app.screen, Help)
        await ask(pilot, "q")
        await pilot.press("ctrl+y")
        assert app.clipboard == ANSWER.markdown()
