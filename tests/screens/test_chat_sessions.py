from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chatting import ANSWER, Script, ask, chat, kept, run, send, text, until
from textual.widgets import Markdown

from assistant.conversations.chat import Conversation, Earlier
from assistant.conversations.session_files import SessionFolder, SessionLog
from kb.errors import BadFileError, ModelFailure
from screens.prompt import Prompt
from screens.turn import Turn
from tui import ClewApp


async def test_kept_turns_are_resumed(tmp_path: Path, app: ClewApp, script: Script) -> None:
    log = SessionFolder().create(tmp_path / "kings.clew")
    log.append(replace(ANSWER, question="first"))
    log.append(replace(ANSWER, question="second"))
    async with app.run_test() as pilot:
        await until(pilot, lambda: script.resumed)
        assert script.resumed == ["first", "second"]
        assert [turn.query_one(Markdown).source for turn in app.query(Turn)] == [ANSWER.markdown()] * 2
        assert not app.query("#welcome")
        assert "second" in text(app.query_one("#about"))
        await until(pilot, lambda: len(app.prompt.recall.questions) == 2)
        await pilot.press("up", "up")
        assert app.query_one(Prompt).text == "first"
        await ask(pilot, "third")
        assert [turn.question for turn in app.query(Turn)] == ["first", "second", "third"]
    assert [reply.question for reply in kept(tmp_path)] == ["first", "second", "third"]


async def test_a_long_session_is_shown_from_its_end_and_read_on_demand(
    tmp_path: Path, app: ClewApp, script: Script
) -> None:
    log = SessionFolder().create(tmp_path / "kings.clew")
    for number in range(1, 24):
        log.append(replace(ANSWER, question=f"question {number}"))
    with log.path.open("ab") as file:
        file.write(b'{"turn": "x", "reply": {"question": "torn')
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app.view.turns) == 10 and app.query(".older"))
        assert text(app.query_one(".older")) == "13 older questions: scroll up"
        assert [turn.number for turn in app.view.turns] == list(range(14, 24))
        view = app.view.log_view
        await until(pilot, lambda: view.scroll_y == view.max_scroll_y > 0)
        first = app.view.turns[0]
        view.scroll_home(animate=False)
        await until(pilot, lambda: first.region.y > view.region.y)
        seen = {first.region.y}
        while len(app.view.turns) < 20:
            await pilot.pause()
            seen.add(first.region.y)
        assert len(seen) == 1
        await until(pilot, lambda: view.scroll_y > 20)
        view.scroll_home(animate=False)
        await until(pilot, lambda: len(app.view.turns) == 23)
        assert not app.query(".older")
        await ask(pilot, "after")
        assert app.view.turns[-1].number == 24
    assert [reply.question for reply in kept(tmp_path)[-2:]] == ["question 23", "after"]


async def test_questions_asked_while_the_session_is_read_come_after_it(
    tmp_path: Path, app: ClewApp, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    SessionFolder().create(tmp_path / "kings.clew").append(replace(ANSWER, question="before"))
    read, may_read = SessionFolder.all, threading.Event()

    def slow(*arguments: Any) -> list[SessionLog]:
        assert may_read.wait(10)
        return read(*arguments)

    monkeypatch.setattr(SessionFolder, "all", slow)
    async with app.run_test() as pilot:
        turn = await send(pilot, "early")
        may_read.set()
        await until(pilot, lambda: turn.reply)
        assert [text(one.query_one(".question")) for one in app.view.turns] == ["1  before", "2  early"]


async def test_an_edited_question_is_asked_as_a_branch(tmp_path: Path, app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        for question in ("first", "second", "third"):
            await ask(pilot, question)
        await pilot.press(*"draft")
        await run(pilot, "/edit 2")
        assert (app.prompt.text, app.view.editing) == ("second", 2)
        await pilot.press("!", "enter")
        await until(pilot, lambda: script.asked[-1] == "second!" and app.view.turns[-1].reply)
        assert [turn.question for turn in app.view.turns] == ["first", "second!"]
        await until(pilot, lambda: "branch 2 of 2" in text(app.view.turns[-1]))
        assert "branch" not in text(app.view.turns[0])
        assert script.resumed == ["first"]
        assert (app.prompt.text, app.prompt.border_title) == ("draft", "")
        await run(pilot, "/branch")
        await until(pilot, lambda: [turn.question for turn in app.view.turns] == ["first", "second", "third"])
        assert "branch 1 of 2" in text(app.view.turns[1])
        await until(pilot, lambda: script.resumed == ["first", "second", "third"])
    log = SessionFolder().all()[0]
    assert sorted(turn.question for turn in log.turns.values()) == ["first", "second", "second!", "third"]
    assert [turn.question for turn in log.line()] == ["first", "second", "third"]


async def test_the_last_question_is_edited_by_a_key_and_left_by_another(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "q")
        await pilot.press(*"draft", "ctrl+g")
        await until(pilot, lambda: app.prompt.text == "q")
        assert "branch" in str(app.prompt.border_title)
        await pilot.press("escape")
        await until(pilot, lambda: app.prompt.text == "draft")
        await pilot.press("enter")
        await until(pilot, lambda: script.asked == ["q", "draft"])
        assert len(app.view.turns) == 2


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/edit", "there is no question to edit"),
        ("/edit 7", "there is no question 7"),
        ("/edit x", "'x' is no number of a question"),
        ("/branch", "no question"),
        ("/fork", "nothing to fork"),
        ("/export", "no answer to export"),
        ("/export 0", "which answers"),
        ("/rename \x1b[31m", "is no name for a session"),
    ],
)
async def test_what_cannot_be_done_is_told(app: ClewApp, command: str, message: str) -> None:
    async with app.run_test() as pilot:
        await run(pilot, command)
        await until(pilot, lambda: app.query(".error"))
        assert message in text(app.query_one(".error"))


async def test_while_a_question_is_under_way_its_place_stays(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "first")
        script.release.clear()
        await send(pilot, "second")
        for command in ("/edit", "/new", "/branch", "/fork"):
            await run(pilot, command)
            await until(pilot, lambda: len(app.query(".error")) == 1)
            assert text(app.query_one(".error")) == "✗ a question is under way; wait for it, or stop it with esc"


async def test_the_branch_of_an_earlier_question_is_gone_to_by_its_number(
    tmp_path: Path, app: ClewApp, script: Script
) -> None:
    log = SessionFolder().create(tmp_path / "kings.clew")
    first = log.append(replace(ANSWER, question="a"))
    log.append(replace(ANSWER, question="b"))
    log.go_before(first.id)
    log.append(replace(ANSWER, question="A"))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.view.turns)
        await run(pilot, "/branch 1.1")
        await until(pilot, lambda: [turn.question for turn in app.view.turns] == ["a", "b"])
        await run(pilot, "/branch 1.3")
        await until(pilot, lambda: app.query(".error"))
        assert "there are 2 branches, not 3" in text(app.query_one(".error"))


async def test_new_rename_and_fork(tmp_path: Path, app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
        await run(pilot, "/new [/foo] two")
        await until(pilot, lambda: app.query("#welcome"))
        assert not app.view.turns
        assert not app.query_one("#evidence").is_on_screen
        await until(pilot, lambda: script.resumed == [])
        assert (await ask(pilot, "second")).number == 1
        assert app.prompt.border_subtitle == r"\[/foo] two"
        await run(pilot, "/rename three")
        await until(pilot, lambda: app.prompt.border_subtitle == "three")
        await run(pilot, "/fork")
        await until(pilot, lambda: app.view.conversation.log.title == "three (fork)")
        await ask(pilot, "third")
    assert {log.title: [turn.question for turn in log.line()] for log in SessionFolder().all()} == {
        "first": ["first"],
        "three": ["second"],
        "three (fork)": ["second", "third"],
    }


async def test_a_question_sent_while_another_session_is_read_is_asked_there(
    app: ClewApp, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = threading.Event()
    before = Conversation.before

    def slowly(conversation: Conversation) -> Earlier:
        assert read.wait(10)
        return before(conversation)

    async with app.run_test() as pilot:
        await ask(pilot, "first")
        first = app.view.conversation.log
        monkeypatch.setattr(Conversation, "before", slowly)
        app.prompt.post_message(Prompt.Sent("/new"))
        await until(pilot, lambda: app.view.conversation.log is not first)
        script.release.clear()
        app.prompt.post_message(Prompt.Sent("second"))
        await pilot.pause()
        read.set()
        await until(pilot, lambda: all(one.is_finished for one in app.workers if one.group == "command"))
        script.release.set()
        await until(pilot, lambda: [turn.question for turn in app.view.turns if turn.reply] == ["second"])
    assert [[turn.question for turn in log.line()] for log in SessionFolder().all()] == [["second"], ["first"]]


async def test_questions_that_wait_go_along_to_another_conversation(app: ClewApp, script: Script) -> None:
    script.release.clear()
    async with app.run_test() as pilot:
        await send(pilot, "under way")
        await send(pilot, "waits")
        await app.switch(app.opening.conversation(app.view.conversation.path))
        script.release.set()
        await until(pilot, lambda: [turn.question for turn in app.view.turns if turn.reply] == ["under way", "waits"])


async def test_answers_are_exported(tmp_path: Path, app: ClewApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
        await ask(pilot, "second")
        await run(pilot, "/export")
        await until(pilot, lambda: (tmp_path / "first.md").exists())
        assert "## second" in (tmp_path / "first.md").read_text()
        await run(pilot, "/export all answers.json")
        await until(pilot, lambda: (tmp_path / "answers.json").exists())
        await run(pilot, "/export all answers.json")
        await until(pilot, lambda: app.query(".error"))
        assert "is there already" in text(app.query_one(".error"))


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


async def test_a_question_that_failed_is_kept_with_why(tmp_path: Path, app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        script.error = ModelFailure("no model at 'http://127.0.0.1:1'; start it")
        await ask(pilot, "first")
        script.error = None
        await ask(pilot, "second")
    first, second = kept(tmp_path)
    assert (first.question, first.found, first.partial) == ("first", False, True)
    assert "failed: no model at" in first.notes[-1]
    assert second.question == "second"


async def test_questions_put_to_a_file_that_does_not_open_are_kept(tmp_path: Path) -> None:
    def factory() -> Script:
        raise BadFileError("'kings.clew' is damaged; build it again")

    app = chat(tmp_path, factory)
    async with app.run_test() as pilot:
        await ask(pilot, "one")
    assert [(reply.question, reply.notes) for reply in kept(tmp_path)] == [
        ("one", ("failed: 'kings.clew' is damaged; build it again",))
    ]
