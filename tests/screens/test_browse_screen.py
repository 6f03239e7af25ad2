"""Looking around in the chat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chatting import HOSTILE, Script, chat, run, text, until
from textual.pilot import Pilot
from textual.widgets import Input, Tabs

from kb.build import build
from screens.browse_screen import BrowseScreen
from tui import ClewApp


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of 143 documents, one of them long and one hostile."""
    folder = tmp_path_factory.mktemp("built")
    lines = [
        {"id": "glass", "title": "The Glass Harbour", "text": "The Glass Harbour is a film directed by Irena Valdis."},
        {"id": "valdis", "title": "Irena Valdis", "text": "Irena Valdis was born in Tarnow Bay."},
        {"id": HOSTILE[0], "title": HOSTILE[1], "text": f"{HOSTILE[1]} Anna [/foo] Lind was born in Tarnow Bay."},
        *({"id": f"p{n:03}", "title": f"Port {n:03}", "text": "Ships sail."} for n in range(140)),
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build([str(folder / "corpus.jsonl")], folder / "kings.clew")
    return folder


@pytest.fixture
def app(folder: Path, script: Script) -> ClewApp:
    return chat(folder, script.open)


async def browse(pilot: Pilot[None], words: str = "") -> BrowseScreen:
    await run(pilot, f"/browse {words}")
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen) and pilot.app.screen.found.rows)
    assert isinstance(pilot.app.screen, BrowseScreen)
    return pilot.app.screen


def first_lines(rows: object) -> list[str]:
    return [row.lines[0].text for row in rows]  # type: ignore[attr-defined]


def reading(screen: BrowseScreen) -> str:
    return "\n".join(line.text for row in screen.detail.rows for line in row.lines)


async def test_documents_are_found_as_one_types(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await browse(pilot)
        assert "143 found" in text(screen.query_one("#count"))
        await pilot.press(*"vald")
        await until(pilot, lambda: len(screen.found.rows) == 2)
        assert first_lines(screen.found.rows) == [
            "Irena Valdis  valdis · 1 passage",
            "The Glass Harbour  glass · 1 passage",
        ]
        await until(pilot, lambda: "Irena Valdis was born in Tarnow Bay." in reading(screen))
        await pilot.press("down", "down")
        await until(pilot, lambda: "directed by Irena Valdis" in reading(screen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.base)


async def test_a_long_list_is_read_as_it_is_gone_through(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await browse(pilot, "port")
        assert len(screen.found.rows) == 50
        screen.found.focus()
        await pilot.press("end")
        await until(pilot, lambda: len(screen.found.rows) == 100)
        await pilot.press("end")
        await until(pilot, lambda: len(screen.found.rows) == 140)
        assert first_lines(screen.found.rows) == [f"Port {n:03}  p{n:03} · 1 passage" for n in range(140)]


async def test_neighbours_are_followed_and_left_again(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await browse(pilot, "irena")
        await pilot.press("ctrl+b")
        await until(pilot, lambda: screen.query_one(Tabs).active == "entities" and "facts from it" in reading(screen))
        await pilot.press("enter")
        assert screen.detail.has_focus
        to = next(n for n, row in enumerate(screen.detail.rows) if row.lines[0].text.endswith("→ Tarnow Bay"))
        screen.detail.highlighted = to
        await pilot.press("enter")
        await until(pilot, lambda: reading(screen).startswith("Tarnow Bay  name"))
        await pilot.press("backspace")
        await until(pilot, lambda: reading(screen).startswith("Irena Valdis  title"))
        await pilot.press("backspace")
        assert screen.query_one(Input).has_focus


async def test_a_question_about_it_comes_into_the_prompt(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await browse(pilot, "irena")
        await until(pilot, lambda: "born in" in reading(screen))
        await pilot.press("enter", "a")
        await until(pilot, lambda: app.screen is app.base)
        assert app.prompt.text == "What is said in “Irena Valdis”? "
        assert app.prompt.has_focus


async def test_hostile_names_are_text(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await browse(pilot, "foo")
        assert first_lines(screen.found.rows)[0] == f"{HOSTILE[1]}  [/foo] · 1 passage"
        await until(pilot, lambda: "Anna [/foo] Lind" in reading(screen))
        assert HOSTILE[1] in str(screen.found.get_option_at_index(0).prompt)
        await pilot.press("enter", "enter")
        await until(pilot, lambda: "its documents (1)" in reading(screen))


async def test_in_a_narrow_terminal_one_side_is_shown_at_a_time(app: ClewApp) -> None:
    async with app.run_test(size=(40, 12)) as pilot:
        screen = await browse(pilot, "irena")
        assert not screen.query_one("#reading").display
        await pilot.press("enter")
        await until(pilot, lambda: not screen.query_one("#found").display)
        assert screen.detail.has_focus
        await pilot.press("escape")
        await until(pilot, lambda: screen.query_one("#found").display)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.base)


async def test_a_file_that_is_gone_is_one_line(tmp_path: Path, script: Script) -> None:
    app = chat(tmp_path, script.open)
    async with app.run_test(size=(120, 40)) as pilot:
        await run(pilot, "/browse")
        await until(
            pilot,
            lambda: isinstance(app.screen, BrowseScreen) and "there is no file" in text(app.screen.query_one("#count")),
        )
