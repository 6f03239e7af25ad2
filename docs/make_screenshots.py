"""Draws the pictures of the chat in docs/screenshots: `make_screenshots.py EXAMPLES.clew WORKSPACE.clew [FOLDER]`.

The chat runs without a terminal over the example knowledge bases (`make chat` builds them), asks real questions and is
drawn as it stands.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import TabbedContent

QUESTIONS = ("Where was the composer of Stalker born?", "When was the brother of Caroline Herschel born?")
WORKSPACE_QUESTIONS = ("Who leads the platform team?", "What is the phone number of the courier of Stamp?")
SECONDS = 60.0

Scene = Callable[["Pilot[None]"], Awaitable[None]]


async def answered(pilot: Pilot[None], question: str) -> None:
    """Type a question and wait for its answer."""
    from tui import ClewApp

    app = pilot.app
    assert isinstance(app, ClewApp)
    app.prompt.begin(question)
    await pilot.press("enter")
    async with asyncio.timeout(SECONDS):
        while app.view.busy or app.view.waiting or app.view.conversation.last is None:
            await pilot.pause(0.05)
    await pilot.pause(0.5)


async def thread(pilot: Pilot[None]) -> None:
    """Two answers, and the thread to the second."""
    for question in QUESTIONS:
        await answered(pilot, question)


async def workspace(pilot: Pilot[None]) -> None:
    """Two answers from the files of a company, and the thread to the second."""
    for question in WORKSPACE_QUESTIONS:
        await answered(pilot, question)


async def graph(pilot: Pilot[None]) -> None:
    """The graph around an answer."""
    await answered(pilot, QUESTIONS[1])
    pilot.app.query_one("#evidence TabbedContent", TabbedContent).active = "graph"
    await pilot.pause(0.5)


async def commands(pilot: Pilot[None]) -> None:
    """The commands that a slash offers."""
    await pilot.pause(0.5)
    await pilot.press("slash")
    await pilot.pause(0.3)


async def browse(pilot: Pilot[None]) -> None:
    """What is around an entity."""
    await pilot.pause(0.5)
    for _ in range(2):  # documents first, then entities
        await pilot.press("ctrl+b")
        await pilot.pause(1.0)
    await pilot.press(*"leslie stephen")
    await pilot.pause(1.0)


SCENES: dict[str, tuple[Scene, tuple[int, int]]] = {
    "workspace": (workspace, (130, 40)),
    "thread": (thread, (130, 40)),
    "graph": (graph, (150, 40)),
    "commands": (commands, (100, 32)),
    "browse": (browse, (120, 36)),
}


async def draw(examples: Path, company: Path, folder: Path) -> None:
    """Draw every scene, each in a chat of its own: that of the workspace over the `company`, others over `examples`."""
    from tui import make_app

    for name, (scene, size) in SCENES.items():
        with tempfile.TemporaryDirectory() as home:
            os.environ["CLEW_HOME"], os.environ["CLEW_CONFIG"] = home, str(Path(home, "config.toml"))
            app = make_app(company if scene is workspace else examples, examples=QUESTIONS)
            async with app.run_test(size=size) as pilot:
                await scene(pilot)
                app.save_screenshot(f"{name}.svg", path=str(folder))


if __name__ == "__main__":
    target = Path(sys.argv[3] if len(sys.argv) > 3 else Path(__file__).with_name("screenshots"))
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(draw(Path(sys.argv[1]), Path(sys.argv[2]), target))
