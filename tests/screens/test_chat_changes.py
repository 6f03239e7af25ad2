"""A chat over a file that another process changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from chatting import Script, ask, chat, state, text, until

import tui as tui_app
from assistant.conversations.chat import Conversation
from assistant.conversations.events import Finished
from assistant.conversations.session import Session
from kb.build import build
from kb.errors import BadFileError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    for name in ("ann", "ben"):
        write(tmp_path / "notes", name, "Ostby")
    build([str(tmp_path / "notes")], tmp_path / "kings.clew")
    return tmp_path / "notes"


def write(folder: Path, name: str, place: str) -> None:
    text = f"# {name.title()} Stone\n\n{name.title()} Stone (born 3 May 1910 in {place}) was a miller."
    (folder / f"{name}.md").write_text(text, "utf-8")


async def test_what_another_process_changed_is_said_until_the_next_question(
    tmp_path: Path, folder: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tui_app, "LOOK", 0.02)
    opened: list[Script] = []

    def open_session() -> Script:
        opened.append(script.open())
        return script

    app = chat(tmp_path, open_session)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
        assert "changed" not in state(app)
        write(folder, "ann", "Karsk")
        (folder / "ben.md").unlink()
        write(folder, "cleo", "Karsk")
        build([str(folder)], tmp_path / "kings.clew")
        await until(pilot, lambda: "3 notes changed" in state(app))
        assert len(opened) == 2
        assert script.resumed == ["first"]
        await ask(pilot, "second")
        await until(pilot, lambda: "changed" not in state(app))
        write(folder, "cleo", "Ostby")
        build([str(folder)], tmp_path / "kings.clew")
        await until(pilot, lambda: "1 note changed" in state(app))


async def test_a_file_that_becomes_unusable_leaves_the_chat_as_it_was(
    tmp_path: Path, folder: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tui_app, "LOOK", 0.02)
    app = chat(tmp_path, script.open)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
        (tmp_path / "kings.clew").write_text("something else")
        await pilot.pause(0.2)
        await ask(pilot, "second")
        assert not app.query(".error")


async def test_that_the_file_was_moved_or_deleted_is_told_once(
    tmp_path: Path, folder: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tui_app, "LOOK", 0.02)
    app = chat(tmp_path, script.open)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
        (tmp_path / "kings.clew").rename(tmp_path / "queens.clew")
        await until(pilot, lambda: app.query(".error"))
        assert "kings.clew' was moved or deleted since it was opened" in text(app.query_one(".error"))
        await ask(pilot, "second")
        await pilot.pause(0.2)
        assert len(app.query(".error")) == 1


async def test_a_look_that_comes_due_when_the_screens_are_gone_does_nothing(tmp_path: Path, script: Script) -> None:
    app = chat(tmp_path, script.open)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
    assert not app.screen_stack
    app._look()


async def test_a_file_that_could_not_be_opened_anew_is_opened_at_the_next_look(
    tmp_path: Path, folder: Path, script: Script
) -> None:
    path = tmp_path / "kings.clew"
    troubles: list[Exception] = []
    opened: list[Script] = []

    def open_session() -> Script:
        if troubles:
            raise troubles.pop()
        opened.append(script)
        return script.open()

    conversation = Conversation(path, "offline", open_session)
    await conversation.open()
    write(folder, "ann", "Karsk")
    build([str(folder)], path)
    troubles.append(BadFileError("it is being copied"))
    with pytest.raises(BadFileError):
        await conversation.refresh()
    assert (len(opened), conversation.news) == (1, 0)
    assert await conversation.refresh()
    assert (len(opened), conversation.news) == (2, 1)
    assert not await conversation.refresh()
    conversation.close()


async def test_the_same_trouble_with_a_changed_file_is_told_once(
    tmp_path: Path, folder: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tui_app, "LOOK", 0.02)
    attempts = 0

    def open_session() -> Script:
        nonlocal attempts
        attempts += 1
        if 2 <= attempts <= 4:
            raise BadFileError("it is being copied")
        return script.open()

    app = chat(tmp_path, open_session)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "first")
        write(folder, "ann", "Karsk")
        build([str(folder)], tmp_path / "kings.clew")
        await until(pilot, lambda: "1 note changed" in state(app))
        assert attempts == 5
        assert len(app.query(".error")) == 1


async def test_the_answer_comes_from_the_file_as_it_is_when_asked(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "kings.clew"
    conversation = Conversation(path, "offline", lambda: Session.open(path))
    await conversation.open()

    async def answer() -> str:
        events = [event async for event in conversation.ask("Where was Ann Stone born?")]
        conversation.end()
        assert isinstance(events[-1], Finished)
        reply = events[-1].reply
        return " ".join([reply.answer, *(one.text for one in reply.passages)])

    assert "Ostby" in await answer()
    write(folder, "ann", "Tarnow Bay")
    build([str(folder)], path)
    told = await answer()
    conversation.close()
    assert "Tarnow Bay" in told
    assert "Ann Stone (born 3 May 1910 in Ostby)" not in told
