"""What an empty chat suggests."""

from __future__ import annotations

from pathlib import Path

from chatting import Script, chat, until
from textual.widgets import OptionList

from kb.build import build
from screens.turn import Turn
from tui import make_app


async def test_an_empty_chat_suggests_what_its_file_answers(tmp_path: Path) -> None:
    (tmp_path / "doorbell.md").write_text("# Doorbell\n\nHost: dipper\n")
    build([str(tmp_path)], tmp_path / "notes.clew")
    app = make_app(tmp_path / "notes.clew")
    app.animation_level = "none"
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.query("#welcome OptionList"))
        options = app.query_one("#welcome OptionList", OptionList)
        assert [str(options.get_option_at_index(n).prompt) for n in range(options.option_count)] == [
            "› What is the host of Doorbell?"
        ]
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.query(Turn))
        assert app.query(Turn).first().question == "What is the host of Doorbell?"


async def test_given_examples_are_all_that_is_suggested(tmp_path: Path, script: Script) -> None:
    app = chat(tmp_path, script.open, "Who was first?")
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.query_one("#welcome OptionList", OptionList).option_count)
        assert not [worker for worker in app.workers if worker.group == "suggest"]
