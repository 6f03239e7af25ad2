from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from chatting import ANSWER, Script, ask, run, text, until
from textual.widgets import Input, OptionList

from assistant.conversations.session_files import SessionFolder, SessionLog
from screens.history_screen import History
from screens.sessions_screen import SessionsScreen
from screens.yes_no import Ask
from tui import ClewApp


def session(file: Path, name: str, *questions: str) -> SessionLog:
    log = SessionFolder().create(file, name)
    for question in questions:
        log.append(replace(ANSWER, question=question))
    return log


def listed(app: ClewApp) -> list[str]:
    """The first line of each entry."""
    view = app.screen.query_one(OptionList)
    return [str(view.get_option_at_index(index).prompt).splitlines()[0] for index in range(view.option_count)]


@pytest.fixture
def kings(tmp_path: Path) -> Path:
    """A file with two sessions, and another file with one; the latest one first, on the screen."""
    file = tmp_path / "kings.clew"
    session(tmp_path / "queens.clew", "other file", "who was queen?")
    session(file, "[/foo]", "who was Lothair?", "and his mother?")
    session(file, "latest", "who was last?")
    return file


async def test_a_session_is_found_and_resumed(kings: Path, app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.turns)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and len(listed(app)) == 2)
        assert listed(app)[0].startswith("latest  here now")
        assert listed(app)[1].startswith("[/foo]")
        await pilot.press(*"mother", "enter")
        await until(
            pilot, lambda: [turn.question for turn in app.view.turns] == ["who was Lothair?", "and his mother?"]
        )
        assert app.focused is app.prompt
        await until(pilot, lambda: script.resumed == ["who was Lothair?", "and his mother?"])
        assert "and his mother?" in text(app.query_one("#about"))


async def test_looking_for_words_nobody_said(kings: Path, app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await run(pilot, "/sessions zebra [/bar]")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and "nothing" in text(app.screen))
        assert app.screen.query_one(Input).value == "zebra [/bar]"
        await pilot.press("enter", "escape")
        assert app.screen is app.base


async def test_a_session_is_forked_and_exported(
    kings: Path, app: ClewApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.turns)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and len(listed(app)) == 2)
        await pilot.press("down", "tab", "e")
        await until(pilot, lambda: (tmp_path / "foo.md").exists())
        await pilot.press("f")
        await until(pilot, lambda: len(app.view.turns) == 2)
        assert app.view.conversation.log.title == "[/foo] (fork)"


async def test_deleting_asks_first(kings: Path, app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.turns)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and len(listed(app)) == 2)
        await pilot.press("tab", "delete")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "Delete “latest” with its 1 question for good?" in text(app.screen)
        await pilot.press("enter")
        assert len(SessionFolder().all(kings)) == 2
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("y")
        await until(pilot, lambda: len(SessionFolder().all(kings)) == 1)
        await until(pilot, lambda: len(listed(app)) == 1)
        await pilot.press("escape")
        await until(pilot, lambda: app.query("#welcome"))
        await ask(pilot, "anew")
    assert [log.title for log in SessionFolder().all(kings)] == ["anew", "[/foo]"]


async def test_a_session_over_another_file_opens_that(kings: Path, app: ClewApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.turns)
        for there in (False, True):
            await pilot.press("ctrl+o")
            await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and len(listed(app)) == 2)
            await pilot.press("tab", "a")
            await until(pilot, lambda: len(listed(app)) == 3)
            assert "queens.clew" in listed(app)[2]
            await pilot.press("end", "enter")
            if not there:
                await until(pilot, lambda: app.query(".error"))
                assert "is not there any more" in text(app.query_one(".error"))
                (tmp_path / "queens.clew").touch()
        await until(pilot, lambda: [turn.question for turn in app.view.turns] == ["who was queen?"])
        assert app.view.conversation.path == tmp_path / "queens.clew"


async def test_earlier_questions_of_all_sessions_are_searched(kings: Path, app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.turns)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, History) and len(listed(app)) == 4)
        assert listed(app) == ["who was last?", "and his mother?", "who was Lothair?", "who was queen?"]
        await pilot.press(*"who lot", "enter")
        await until(pilot, lambda: app.prompt.text == "who was Lothair?")
        assert app.focused is app.prompt


async def test_up_walks_through_the_questions_of_all_sessions(kings: Path, app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: len(app.prompt.recall.questions) == 4)
        await ask(pilot, "new one")
        walked = []
        for _ in range(5):
            await pilot.press("up")
            walked.append(app.prompt.text)
        assert walked == ["new one", "who was last?", "and his mother?", "who was Lothair?", "who was queen?"]


async def test_hundreds_of_sessions_are_listed_in_part(tmp_path: Path, app: ClewApp) -> None:
    for number in range(205):
        session(tmp_path / "kings.clew", f"number {number}").rename(f"number {number}")
    async with app.run_test(size=(120, 40)) as pilot:
        await run(pilot, "/sessions")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and len(listed(app)) == 200)
        assert "the first 200 of 205" in text(app.screen)


async def test_no_command_runs_by_a_key_below_a_screen(kings: Path, app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.turns)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, History))
        await pilot.press("ctrl+o", "ctrl+n", "ctrl+g", "escape")
        assert app.screen is app.base
        assert (len(app.view.turns), app.view.editing) == (1, 0)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, History))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
