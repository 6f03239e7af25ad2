"""The chat over a real session: what `clew chat` runs."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from kept_replies import replies_of
from textual.widgets import Static

from assistant.conversations.session_files import SessionFolder
from screens.prompt import Prompt
from screens.turn import Turn
from tui import make_app


async def test_a_question_is_answered_with_its_evidence_and_kept(small_file: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small_file, tmp_path / "small.clew"))
    app = make_app(path)
    async with app.run_test(size=(120, 40)) as pilot:
        app.query_one(Prompt).post_message(Prompt.Sent("Where was the director of The Glass Harbour born?"))
        async with asyncio.timeout(60):
            while not app.query(Turn) or app.query(Turn).last().reply is None:
                assert not app.query(".error")
                await pilot.pause(0.01)
        await pilot.pause()
        reply = app.query(Turn).last().reply
        assert reply is not None
        assert reply.answer == "Tarnow Bay"
        assert "[1]" in str(app.query(".passage").first(Static).render())
        assert "12 passages" in str(app.query_one("#state", Static).render())
    assert replies_of(SessionFolder().all(path)[0].line()) == [reply]


async def test_a_file_that_is_none_is_an_error_in_the_log(tmp_path: Path) -> None:
    app = make_app(tmp_path / "none.clew")
    async with app.run_test() as pilot:
        async with asyncio.timeout(60):
            while not app.query(".error"):
                await pilot.pause(0.01)
        assert "none.clew" in str(app.query(".error").first(Static).render())
