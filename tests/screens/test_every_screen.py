"""Every screen over a knowledge base, a session and an endpoint that are hostile, at sizes from 40x12 to 300x80."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from chatting import HOSTILE, Script, ask, chat, hostile_events, hostile_reply, run, text, until
from serving import serving
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList

from assistant.conversations.session_files import SessionFolder
from assistant.library import building
from assistant.library.known_files import Library
from assistant.models import model_list
from assistant.models.model_list import Place
from kb.build import build
from screens.browse_screen import BrowseScreen
from screens.help import Help
from screens.history_screen import History
from screens.library_screen import AddScreen, CreateScreen, ForgetScreen, OpenScreen, WorkScreen
from screens.model_screen import ModelPicker
from screens.sessions_screen import SessionsScreen
from screens.settings_screen import SettingsScreen
from screens.theme_screen import ThemePicker
from screens.yes_no import Ask
from tui import ClewApp

SCREENS: dict[str, type[Screen[Any]]] = {
    "/open": OpenScreen,
    "/create [/foo]": CreateScreen,
    "/add": AddScreen,
    "/forget": ForgetScreen,
    "/browse": BrowseScreen,
    "/sessions": SessionsScreen,
    "/history": History,
    "/model": ModelPicker,
    "/theme": ThemePicker,
    "/settings": SettingsScreen,
    "/help": Help,
}
FAKE = (sys.executable, str(Path(__file__).parent.parent / "assistant" / "fake_clew.py"))
NAME = "[bold]x[@click=app.quit]$y.clew"


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of which name, documents, titles and texts are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    lines = [{"id": one, "title": one, "text": f"{one} was born in [/foo] Town."} for one in HOSTILE]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build([str(folder / "corpus.jsonl")], folder / NAME)
    return folder / NAME


def check(app: ClewApp) -> None:
    """What is shown is plain, and within the terminal."""
    shown = text(app.screen)
    assert "\x1b" not in shown
    assert "\ud83d" not in shown
    for widget in app.screen.query("Input, OptionList, .hint").results():
        if all(one.display for one in widget.ancestors_with_self if isinstance(one, Widget)):
            assert app.screen.region.overlaps(widget.region), widget


async def stretch(pilot: Pilot[None], app: ClewApp, *sizes: tuple[int, int]) -> None:
    for size in sizes:
        await pilot.resize_terminal(*size)
        await pilot.pause()
        check(app)


@asynccontextmanager
async def on(pilot: Pilot[None], command: str, kind: type[Screen[Any]]) -> AsyncIterator[None]:
    """The screen that a command opens, which escape closes again."""
    app = pilot.app
    assert isinstance(app, ClewApp)
    await run(pilot, command)
    await until(pilot, lambda: isinstance(app.screen, kind) and app.screen.is_mounted)
    await pilot.pause()
    yield
    await pilot.press("escape")
    await until(pilot, lambda: app.screen is app.base)
    assert app.focused is app.prompt


@pytest.mark.parametrize("size", [(40, 12), (120, 40)])
async def test_every_screen_shows_hostile_text_as_text(
    hostile_file: Path, script: Script, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = (300, 80) if size == (40, 12) else (40, 12)
    for name in ("[/foo]", "[bold]x[@click=app.quit]y[/]$primary"):
        log = SessionFolder().create(hostile_file, name)
        log.append(hostile_reply(HOSTILE[1]))
    Library().note(hostile_file.with_name("[red]gone.clew"))
    script.before = hostile_events(HOSTILE[1])
    with serving(["[/foo]", "x" * 3000, "\x1b[31mred"]) as (url, _):
        monkeypatch.setattr(model_list, "LOCAL_PLACES", (Place("[/here]", url, local=True),))
        app = chat(hostile_file.parent, script.open, name=hostile_file.name)
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.view.turns)
            for command, kind in SCREENS.items():
                async with on(pilot, command, kind):
                    check(app)
                    await stretch(pilot, app, other)
                size, other = other, size
            await pilot.press("ctrl+p")
            await until(pilot, lambda: isinstance(app.screen, CommandPalette))
            await pilot.press(*"[/foo]")
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.base)
            await ask(pilot, "[/next]")
            check(app)
            app.export_screenshot().encode()


async def test_questions_before_something_is_done_show_hostile_text(hostile_file: Path, script: Script) -> None:
    SessionFolder().create(hostile_file, "[/foo]").append(hostile_reply(HOSTILE[0]))
    app = chat(hostile_file.parent, script.open, name=hostile_file.name)
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: app.view.turns)
        await run(pilot, "/forget bold")
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen | Ask))
        if isinstance(app.screen, ForgetScreen):
            await until(pilot, lambda: app.screen.query_one(OptionList).option_count)
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await stretch(pilot, app, (300, 80), (40, 12))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.base)
        async with on(pilot, "/sessions", SessionsScreen):
            await until(pilot, lambda: app.screen.query_one(OptionList).option_count)
            await pilot.press("tab", "d")
            await until(pilot, lambda: isinstance(app.screen, Ask))
            check(app)
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, SessionsScreen))


async def test_nothing_opens_over_work(
    hostile_file: Path, tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A screen over it would be closed in its place, or keep it open for ever."""
    monkeypatch.setattr(building, "CLEW", FAKE)
    slow = tmp_path / "slow [b]"
    slow.mkdir()
    app = chat(hostile_file.parent, script.open, name=hostile_file.name)
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: app.view.conversation.passages)
        await run(pilot, "/add")
        await until(pilot, lambda: isinstance(app.screen, AddScreen))
        app.screen.query_one("#files", Input).value = str(slow)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, WorkScreen))
        await pilot.press("ctrl+l", "ctrl+p", "ctrl+k", "f1", "f2")
        await stretch(pilot, app, (300, 80), (40, 12))
        assert isinstance(app.screen, WorkScreen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.base)
        await ask(pilot, "next")
