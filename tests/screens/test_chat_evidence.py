from __future__ import annotations

from pathlib import Path

import pytest
from chatting import HOSTILE, Script, ask, chat, hostile_events, hostile_reply, state, text, until
from textual.widgets import Markdown, TabbedContent

from screens.prompt import Prompt
from tui import ClewApp


async def test_the_evidence_shows_thread_and_passages(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        assert not app.query_one("#evidence").is_on_screen
        await ask(pilot, "When did she die?")
        assert app.query_one("#evidence").is_on_screen
        assert "When did she die?" in text(app.query_one("#about"))
        chains = text(app.query_one("#chains"))
        assert "1 ◐ recovered · about 1.5 candidates · [1]" in chains
        assert "Lothair II — mother → Ermengarde" in chains
        titles = [text(passage).splitlines()[:2] for passage in app.query(".passage")]
        assert titles == [
            ["[1] Lothair II", "kings.pdf · p. 3 · d7 · relevance 0.9 · dense"],
            ["[2] Ermengarde", "queens.md · d9 · relevance 0.5 · words"],
            ["· Somebody else", "kings.pdf · p. 4 · d8 · relevance 0.95 · dense"],
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
