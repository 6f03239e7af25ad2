"""What an empty chat suggests."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from chatting import Script, chat, state, until
from textual.widgets import OptionList

from assistant.conversations.chat import Conversation
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


async def test_given_examples_are_all_that_is_suggested(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def one(self: Conversation) -> AsyncGenerator[str, None]:
        yield "Who was last?"

    monkeypatch.setattr(Conversation, "suggestions", one)
    for given, shown in (((), "› Who was last?"), (("Who was first?",), "› Who was first?")):
        app = chat(tmp_path, script.open, *given)
        async with app.run_test() as pilot:
            await until(pilot, lambda app=app: "6,119" in state(app) and app.query("#welcome OptionList"))
            await app.workers.wait_for_complete()
            options = app.query_one("#welcome OptionList", OptionList)
            assert [str(options.get_option_at_index(n).prompt) for n in range(options.option_count)] == [shown]
