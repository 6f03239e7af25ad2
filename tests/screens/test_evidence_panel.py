from __future__ import annotations

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chatting import ANSWER, HOSTILE, Script, ask, send, text, until
from textual.pilot import Pilot
from textual.widgets import TabbedContent

from assistant.agent.replying.reply import Chain, Citation, Link, RankedPassage, Reply, ToolUse
from assistant.agent.replying.trace import Fact, Trace
from assistant.conversations.threads.thread_export import thread_markdown
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from screens import evidence_panel
from screens.evidence_panel import SLICE, Evidence, Passage
from tui import ClewApp

FULL = replace(
    ANSWER,
    chains=(
        Chain(
            (
                Link("Lothair II", "mother", "Ermengarde", 7, "A son of Ermengarde.", "recovered", 1.5),
                Link("Ermengarde", "died on", "20 March 851", 9, "Ermengarde (d. 851).", "resolved", 1.0),
            )
        ),
    ),
    tools=(ToolUse("passage_search", 0.25, "3 passages"),),
    trace=Trace((Fact("Lothair II", "reigned over", "Lotharingia", 1),), revived=("A -[b]-> C",), kept=1, pruned=2),
)


def panel(app: ClewApp) -> Evidence:
    return app.query_one(Evidence)


def graph(app: ClewApp) -> str:
    return text(app.query_one("#graph-drawing"))


async def open_tab(pilot: Pilot[None], name: str) -> None:
    panel(pilot.app).open_tab(name)
    await until(pilot, lambda: pilot.app.query_one(TabbedContent).active == name)
    await pilot.pause()


async def answered(pilot: Pilot[None], script: Script, reply: Reply = FULL) -> None:
    script.reply = reply
    await ask(pilot, "When did she die?")
    await until(pilot, lambda: pilot.app.query("#calls Static"))


async def test_the_graph_is_drawn_as_wide_as_the_panel_and_anew_when_that_changes(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await answered(pilot, script)
        await open_tab(pilot, "graph")
        await until(pilot, lambda: "├── ◐ mother [1] ──▶│ Ermengarde ├" in graph(app))
        assert "╰─ reigned ov… ▸ Lotharingia" in graph(app)
        await pilot.resize_terminal(110, 40)
        await until(pilot, lambda: graph(app).startswith("● Lothair II\n├╌ reigned over ▸ Lotharingia"))
        await pilot.resize_terminal(40, 12)
        await pilot.press("ctrl+e")
        await until(pilot, lambda: app.query_one("#graph-drawing").size.width > 30)
        assert "● 20 March 851 ◀ answer" in graph(app)
        await pilot.resize_terminal(300, 80)
        await until(pilot, lambda: "╭ answer ──" in graph(app))


async def test_the_tools_tab_tells_what_was_pruned_and_brought_back(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(160, 50)) as pilot:
        await answered(pilot, script)
        shown = text(app.query_one("#calls"))
        assert "✓ passage_search  250 ms  3 passages" in shown
        assert "paths: 1 things on those kept, 2 pruned" in shown
        assert "↺ brought back: A -[b]-> C" in shown


async def test_what_has_not_changed_is_not_built_again(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(160, 50)) as pilot:
        await answered(pilot, script)
        before = list(panel(app).query(Passage))
        reply = panel(app).reply
        assert reply is not None
        await panel(app).show(replace(reply))
        assert list(panel(app).query(Passage)) == before
        await panel(app).show(replace(reply, answer="other"))
        assert set(panel(app).query(Passage)).isdisjoint(before)


async def test_passages_are_laid_out_a_few_at_a_time(
    app: ClewApp, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    passages = tuple(RankedPassage(n, f"d{n}", f"t{n}", "word " * 200, score=1 / (n + 1)) for n in range(20))
    async with app.run_test(size=(160, 50)) as pilot:
        await answered(pilot, script, replace(FULL, passages=passages, citations=()))
        assert [passage for passage in app.query(Passage) if passage.display] == []
        monkeypatch.setattr(evidence_panel, "PAUSE", 3600)
        await open_tab(pilot, "passages")
        assert [passage.display for passage in app.query(Passage)] == [True] * SLICE + [False] * (20 - SLICE)
        monkeypatch.undo()
        await open_tab(pilot, "tools")
        await open_tab(pilot, "passages")
        await until(pilot, lambda: all(passage.display for passage in app.query(Passage)))
        assert len(app.query(Passage)) == 20


async def test_a_passage_far_down_is_in_sight_once_it_is_selected(app: ClewApp, script: Script) -> None:
    passages = tuple(RankedPassage(n, f"d{n}", f"t{n}", "word " * 200, score=1.0) for n in range(12))
    citations = tuple(Citation(n + 1, n, f"d{n}", f"t{n}") for n in range(12))
    async with app.run_test(size=(160, 40)) as pilot:
        await answered(pilot, script, replace(FULL, passages=passages, citations=citations))
        await pilot.press("tab", "9")
        await until(pilot, lambda: all(passage.display for passage in app.query(Passage)))
        await until(pilot, lambda: app.query_one(".passage.-selected").is_on_screen)
        assert text(app.query_one(".passage.-selected")).startswith("[9] t8")


async def test_keys_go_through_passages_and_copy_them(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(160, 50)) as pilot:
        await answered(pilot, script)
        await pilot.press("tab", "2")
        assert text(app.query_one(".passage.-selected")).startswith("[2] Ermengarde")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard == "Ermengarde (d. 851).")
        await pilot.press("n", "n", "y")
        await until(pilot, lambda: app.clipboard == "Nothing.")
        await pilot.press("p", "p", "p", "t")
        assert text(app.query_one(".passage.-selected")).startswith("[1] Lothair II")
        await until(pilot, lambda: app.clipboard == thread_markdown(panel(app).reply or FULL))
        await pilot.click(list(app.query(Passage))[1])
        assert text(app.query_one(".passage.-selected")).startswith("[2] Ermengarde")


async def test_the_thread_is_written_to_a_file(app: ClewApp, script: Script, tmp_path: Path) -> None:
    path = tmp_path / "thread of [b].svg"
    async with app.run_test(size=(160, 50)) as pilot:
        await run(pilot, "/thread a.svg")
        assert "there is no answer yet" in text(app.query(".error").last())
        await answered(pilot, script)
        await run(pilot, f"/thread {path}")
        await until(pilot, path.exists)
        await run(pilot, f"/thread {path}")
        await until(pilot, lambda: "is there already" in text(app.query(".error").last()))
        await run(pilot, f"/thread {tmp_path}/a.exe")
        await until(pilot, lambda: ".md, .json or .svg" in text(app.query(".error").last()))
    assert path.read_text("utf-8").startswith("<svg ")


async def test_thread_alone_brings_it_to_the_front(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(160, 50)) as pilot:
        await answered(pilot, script)
        await open_tab(pilot, "tools")
        await pilot.press("ctrl+e")
        assert not panel(app).display
        await run(pilot, "/thread")
        await until(pilot, lambda: panel(app).display and app.query_one(TabbedContent).active == "thread")


async def test_a_source_is_opened_and_only_if_it_is_one(
    app: ClewApp, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "queens.md"
    note.write_text("# Ermengarde\n\nErmengarde died in 851.\n")
    build([str(tmp_path / "notes")], tmp_path / "kings.clew")
    with KnowledgeBase.open(tmp_path / "kings.clew") as kb:
        found = kb.document_passages("queens.md")[0]
    citations = tuple(replace(one, document=found.document) for one in ANSWER.citations[1:])
    opened: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: opened.append(command[1]))
    async with app.run_test(size=(160, 50)) as pilot:
        await answered(pilot, script, replace(FULL, citations=citations))
        await run(pilot, "/source 2")
        await until(pilot, lambda: opened == [str(note.resolve())])
        await run(pilot, "/source 7")
        await until(pilot, lambda: "no source '7' here; there is [2]" in text(app.query(".error").last()))
        note.unlink()
        await pilot.press("tab", "2", "o")
        await until(pilot, lambda: "queens.md" in text(app.query(".error").last()))
        assert len(opened) == 1


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_is_text_in_every_tab(app: ClewApp, script: Script, hostile: str) -> None:
    trace = Trace((Fact(hostile, hostile, "C", 1),), *[(hostile,)] * 4, 1, 1)
    link = Link(hostile, hostile, "B", 7, hostile, "unresolved", 1, (hostile, "r", "?x"), "?x", "", (hostile,), (7,))
    tools = (ToolUse(hostile, 0.1, hostile, failed=True),)
    async with app.run_test(size=(120, 40)) as pilot:
        await answered(pilot, script, replace(FULL, chains=(Chain((link,)),), tools=tools, trace=trace))
        for name in ("graph", "passages", "tools", "thread"):
            await open_tab(pilot, name)
        shown = text(panel(app))
        assert "\x1b" not in shown
        assert "\ud83d" not in shown
        app.export_screenshot().encode()


async def test_a_second_answer_takes_the_place_of_one_that_is_still_filled_in(app: ClewApp, script: Script) -> None:
    many = tuple(RankedPassage(n, f"d{n}", f"t{n}", "x", score=1.0) for n in range(40))
    async with app.run_test(size=(120, 40)) as pilot:
        await send(pilot, "q")
        first = asyncio.create_task(panel(app).show(replace(FULL, question="1", passages=many, citations=())))
        await asyncio.sleep(0)
        await panel(app).show(replace(FULL, question="2"))
        await first
        await until(pilot, lambda: len(app.query(Passage)) == 3)


async def run(pilot: Pilot[None], command: str) -> None:
    """Send a command as it is typed."""
    from screens.prompt import Prompt

    pilot.app.query_one(Prompt).post_message(Prompt.Sent(command))
    await pilot.pause()
