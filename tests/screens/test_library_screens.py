"""Opening, making, adding to and forgetting in the chat. What writes is a stand-in for the command line, but once."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from chatting import HOSTILE, Script, ask, chat, run, state, text, until
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, ProgressBar, Static, TextArea

from assistant.conversations.session_files import SessionFolder
from assistant.library import building
from assistant.library.known_files import Library
from kb.build import build
from kb.documents.file_types import SUFFIXES
from kb.store.knowledge_base import KnowledgeBase
from screens.library_screen import READ, AddScreen, CreateScreen, ForgetScreen, OpenScreen, WorkScreen
from screens.yes_no import Ask
from tui import ClewApp

FAKE = (sys.executable, str(Path(__file__).parent.parent / "assistant" / "fake_clew.py"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of three documents, one of them of a hostile name."""
    folder = tmp_path_factory.mktemp("built")
    texts = {"glass": "The Glass Harbour", "valdis": "Irena Valdis", "foo": HOSTILE[1]}
    lines = [{"id": key, "title": title, "text": f"{title} is known [/foo]."} for key, title in texts.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build([str(folder / "corpus.jsonl")], folder / "kings.clew")
    return folder / "kings.clew"


@pytest.fixture
def kings(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that `app` is over, in the working folder."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(built, tmp_path / "kings.clew"))


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[list[str]]]:
    """The arguments that the stand-in for the command line was given."""
    log = tmp_path / "calls"
    monkeypatch.setattr(building, "CLEW", FAKE)
    monkeypatch.setenv("FAKE_LOG", str(log))
    return lambda: [json.loads(line)["arguments"] for line in log.read_text().splitlines()] if log.exists() else []


def entries(app: ClewApp) -> list[str]:
    view = app.screen.query_one(OptionList)
    return [str(view.get_option_at_index(index).prompt) for index in range(view.option_count)]


def errors(app: ClewApp) -> str:
    return "\n".join(text(one) for one in app.base.query(".error"))


def notes(app: ClewApp) -> str:
    return "\n".join(text(one) for one in app.base.query(".note"))


async def on(pilot: Pilot[None], screen: type) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, screen) and pilot.app.screen.is_mounted)
    await pilot.pause()


async def command(pilot: Pilot[None], typed: str, screen: type) -> None:
    """Run a command and wait for its screen."""
    await run(pilot, typed)
    await on(pilot, screen)


def test_what_can_be_read_is_offered() -> None:
    assert set(READ) == set(SUFFIXES)


async def test_the_file_that_is_open_is_remembered(kings: Path, app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await until(pilot, lambda: Library().all())
        assert [(one.path, one.passages) for one in Library().all()] == [(kings, 6119)]


async def test_a_known_file_is_found_and_opened(kings: Path, app: ClewApp, script: Script) -> None:
    other = Path(shutil.copy(kings, kings.with_name("queens.clew")))
    Library().note(kings.with_name("[red]gone.clew"))
    Library().note(other, 3)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: len(Library().all()) == 3)
        await ask(pilot, "who was first?")
        await command(pilot, "/open", OpenScreen)
        await until(pilot, lambda: len(entries(app)) == 3)
        assert "open now" in entries(app)[0]
        assert entries(app)[1].startswith("queens.clew")
        assert entries(app)[2].startswith("[red]gone.clew")
        assert " gone " in entries(app)[2]
        await pilot.press(*"queen")
        await until(pilot, lambda: len(entries(app)) == 1)  # in the folder too, but listed once
        await pilot.press("enter")
        await until(pilot, lambda: app.view.conversation.path == other)
        await until(pilot, lambda: "queens.clew" in state(app) and "6,119" in state(app))
        assert app.view.turns == []
        await run(pilot, "/open kings.clew")
        await until(pilot, lambda: "kings.clew" in state(app))
        await until(pilot, lambda: [turn.question for turn in app.view.turns] == ["who was first?"])


async def test_a_file_that_is_gone_can_be_dropped(kings: Path, app: ClewApp) -> None:
    gone = kings.with_name("[red]gone.clew")
    Library().note(gone)
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: len(Library().all()) == 2)
        await command(pilot, "/open", OpenScreen)
        await pilot.press(*"red]")
        await until(pilot, lambda: len(entries(app)) == 1)
        await pilot.press("enter")
        await until(pilot, lambda: "is gone" in text(app.screen.query_one(".hint")))
        Library().drop(gone)  # by another process
        await pilot.press("ctrl+d")
        await until(pilot, lambda: "is not in the library" in text(app.screen.query_one(".hint")))
        Library().note(gone)
        await pilot.press("ctrl+d")
        await until(pilot, lambda: not entries(app))
        app.screen.query_one(Input).value = "~nobody"
        await pilot.pause(0.1)
        assert not app.screen.query(".error")
        assert [one.path for one in Library().all()] == [kings]
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.base)


async def test_a_path_is_completed_and_opened(kings: Path, app: ClewApp) -> None:
    (kings.parent / "books").mkdir()
    other = Path(shutil.copy(kings, kings.parent / "books" / "new.clew"))
    async with app.run_test(size=(100, 30)) as pilot:
        await command(pilot, "/open", OpenScreen)
        await pilot.press(*"boo")
        await until(pilot, lambda: entries(app) == ["books/  folder"])
        await pilot.press("tab")
        await until(pilot, lambda: entries(app)[:1] == ["books/new.clew  file"])
        await pilot.press("enter")
        await until(pilot, lambda: app.view.conversation.path.resolve() == other)


def spoiled(file: Path, content: bytes | None) -> Path:
    """A file beside `file` that holds `content`, or for b"half" half of it; None for one that is not there."""
    bad = file.with_name("[bad].clew")
    if content is not None:
        bad.write_bytes(file.read_bytes()[:5000] if content == b"half" else content)
    return bad


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "there is no file"), (b"Dear reader", "no clew knowledge base"), (b"half", "truncated")],
)
async def test_a_file_that_does_not_open_leaves_the_chat(
    kings: Path, app: ClewApp, content: bytes | None, reason: str
) -> None:
    bad = spoiled(kings, content)
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "who was first?")
        await run(pilot, f"/open {bad.name}")
        await until(pilot, lambda: reason in errors(app))
        assert "[bad].clew" in errors(app)
        assert app.view.conversation.path == kings
        assert [turn.question for turn in app.view.turns] == ["who was first?"]


async def test_a_folder_becomes_a_file_that_is_opened(kings: Path, app: ClewApp) -> None:
    """With the real command line."""
    (kings.parent / "my notes").mkdir()
    (kings.parent / "my notes" / "a.md").write_text("# Ships\nShips sail on the sea.\n")
    (kings.parent / "my notes" / "bad.pdf").write_text("no pdf")
    async with app.run_test(size=(120, 40)) as pilot:
        await command(pilot, "/create", CreateScreen)
        await pilot.press(*"my")
        await until(pilot, lambda: app.screen.query_one("#folder", Input)._suggestion == "my notes/")
        await pilot.press("tab")
        assert app.screen.query_one("#folder", Input).value == "my notes/"
        await until(pilot, lambda: app.screen.query_one("#output", Input).value == "my notes.clew")
        await pilot.press("enter")
        await on(pilot, WorkScreen)
        deadline = time.monotonic() + 90
        while not isinstance(app.screen, Ask):
            assert time.monotonic() < deadline
            await pilot.pause(0.05)
        await on(pilot, Ask)
        assert "documents: 1 added; 1 new passage. Open it?" in text(app.screen)
        await pilot.press("y")
        await until(pilot, lambda: "left out" in notes(app))
        assert app.view.conversation.path.name == "my notes.clew"
    with KnowledgeBase.open(kings.parent / "my notes.clew") as kb:
        assert [title for _, title, *_ in kb.documents()] == ["Ships"]


async def test_no_file_is_written_over(kings: Path, app: ClewApp, calls: Callable[[], list[list[str]]]) -> None:
    (kings.parent / "letter.clew").write_text("Dear reader")
    (kings.parent / "notes").mkdir()
    async with app.run_test(size=(120, 40)) as pilot:
        await command(pilot, "/create notes", CreateScreen)
        output = app.screen.query_one("#output", Input)
        hint = app.screen.query_one(".hint", Static)
        await until(pilot, lambda: output.value == "notes.clew")
        output.value = "letter.clew"
        await pilot.press("enter")
        await until(pilot, lambda: "no clew knowledge base" in text(hint))
        output.value = ""
        await pilot.press("enter")
        await until(pilot, lambda: "name a folder" in text(hint))
        output.value = "kings.clew"
        await pilot.press("enter")
        await until(pilot, lambda: "Enter again brings it up to date" in text(hint))
        assert calls() == []
        await pilot.press("enter")
        await until(pilot, lambda: "1 added" in notes(app))
        assert calls() == [["build", "--json", "-o", str(kings), "--", str(kings.parent / "notes")]]
    assert (kings.parent / "letter.clew").read_text() == "Dear reader"


async def test_work_shows_how_far_it_is_and_can_be_stopped(
    kings: Path, app: ClewApp, calls: Callable[[], list[list[str]]]
) -> None:
    (kings.parent / "slow.md").touch()
    async with app.run_test(size=(40, 12)) as pilot:
        await command(pilot, "/add slow.md", WorkScreen)
        await until(pilot, lambda: "embedding 3 of 3" in text(app.screen.query_one("#step")))
        assert app.screen.query_one(ProgressBar).percentage == 1
        await pilot.press("escape")
        await until(pilot, lambda: "stopped; what was finished is kept" in notes(app))
        assert app.screen is app.base


async def test_added_passages_are_found_and_the_conversation_stays(
    kings: Path, script: Script, calls: Callable[[], list[list[str]]]
) -> None:
    opened: list[Script] = []

    def count() -> Script:
        opened.append(script)
        return script.open()

    app = chat(kings.parent, count)
    (kings.parent / "a b.md").touch()
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "who was first?")
        log = app.view.conversation.log
        app.prompt.text = "half a question"
        await run(pilot, "/add 'a b.md'")
        await until(pilot, lambda: "1 added" in notes(app))
        assert calls() == [["add", "--json", "--", str(kings), str(kings.parent / "a b.md")]]
        await until(pilot, lambda: len(opened) == 2)
        assert script.resumed == ["who was first?"]
        assert [turn.question for turn in app.view.turns] == ["who was first?"]
        assert app.view.log_view.children[-1].has_class("note")
        assert app.prompt.text == "half a question"
        await ask(pilot, "and then?")
    assert [turn.question for turn in SessionFolder().all(kings)[0].line()] == ["who was first?", "and then?"]
    assert SessionFolder().all(kings)[0].id == log.id


async def test_a_text_is_pasted(
    kings: Path, app: ClewApp, calls: Callable[[], list[list[str]]], tmp_path: Path
) -> None:
    async with app.run_test(size=(40, 12)) as pilot:
        await command(pilot, "/add", AddScreen)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "no text to add" in text(app.screen.query_one(".hint")))
        app.screen.query_one("#title", Input).value = "[/foo]"
        app.screen.query_one(TextArea).text = "First line.\n[bold]second"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "1 added" in notes(app))
        assert "left out [/foo].md: is empty" in notes(app)
    told = json.loads((tmp_path / "calls").read_text())
    assert told["arguments"] == ["add", "--json", "--", str(kings), "-"]
    record = json.loads(told["text"])
    assert (record["title"], record["text"]) == ("[/foo]", "First line.\n[bold]second")


@pytest.mark.parametrize(
    ("typed", "reason"), [("locked.md", "is being written by another process"), ("none.md", "does not exist")]
)
async def test_what_cannot_be_added_is_one_line(
    kings: Path, app: ClewApp, calls: Callable[[], list[list[str]]], typed: str, reason: str
) -> None:
    (kings.parent / "locked.md").touch()
    async with app.run_test(size=(120, 40)) as pilot:
        await run(pilot, f"/add {typed}")
        await until(pilot, lambda: reason in errors(app))
        assert app.screen is app.base


async def test_a_document_is_forgotten_after_asking(
    kings: Path, app: ClewApp, calls: Callable[[], list[list[str]]]
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await command(pilot, "/forget", ForgetScreen)
        await until(pilot, lambda: len(entries(app)) == 3)
        await pilot.press(*"bold")
        await until(pilot, lambda: len(entries(app)) == 1)
        assert entries(app)[0].startswith(HOSTILE[1])
        await pilot.press("enter")
        await on(pilot, Ask)
        assert f"Forget “{HOSTILE[1]}” (foo) with 1 passage for good?" in text(app.screen)
        await pilot.press("n")
        await until(pilot, lambda: app.screen is app.base)
        assert calls() == []
        await command(pilot, "/forget The Glass Harbour", Ask)
        await pilot.press("y")
        await until(pilot, lambda: "1 document, 1 passage" in notes(app))
        assert calls() == [["remove", "--json", "--", str(kings), "glass"]]


async def test_nothing_is_written_under_a_question(
    kings: Path, app: ClewApp, script: Script, calls: Callable[[], list[list[str]]]
) -> None:
    script.release.clear()
    (kings.parent / "a.md").touch()
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "6,119" in state(app))
        await app.view.ask("who was first?")
        await until(pilot, lambda: app.view.busy)
        await run(pilot, "/add a.md")
        await until(pilot, lambda: "a question is under way" in errors(app))
        script.release.set()
        await until(pilot, lambda: not app.view.busy)
    assert calls() == []


async def test_the_palette_and_the_keys_open_it_once(kings: Path, app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+p")
        await pilot.press(*"switch to")
        await until(pilot, lambda: any("open: " in one for one in entries(app)))
        await pilot.press("enter")
        await on(pilot, OpenScreen)
        await pilot.press("ctrl+k", "ctrl+b")
        await pilot.pause()
        assert isinstance(app.screen, OpenScreen)
        assert len(app.screen_stack) == 2
