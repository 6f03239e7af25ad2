from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from chatting import ANSWER, Script, ask, chat, kept, send, state, text, until
from textual.content import Content
from textual.widget import AwaitMount
from textual.widgets import Markdown, OptionList, Static

from assistant.agent.replying.reply import Closest, Reply
from assistant.conversations.events import ModelAsked, TextDelta, ThoughtDelta, ToolStarted
from assistant.conversations.session_files import SessionFolder
from assistant.conversations.threads.answer_graph import numbers_of
from assistant.shared.rendering import certainty_mark
from kb.errors import BadFileError, ModelFailure
from screens.answer_paragraph import AnswerParagraph
from screens.help import Help
from screens.prompt import Prompt
from screens.style import STYLES
from screens.turn import SHOWN_THOUGHT, ThoughtLine, ToolLine, Turn
from tools.reading.certainty import Certainty
from tui import ClewApp


async def test_first_paint_and_typing_need_no_session(app: ClewApp, script: Script) -> None:
    script.openable.clear()
    async with app.run_test() as pilot:
        assert "kings.clew" in text(app.query_one("#welcome"))
        assert app.query_one("#welcome OptionList", OptionList).option_count == 2
        assert "opening" in state(app)
        await pilot.press(*"why")
        assert app.query_one(Prompt).text == "why"
        script.openable.set()
        await until(pilot, lambda: "6,119 passages" in state(app))
        assert "offline" in state(app)


async def test_an_answer_streams_and_finishes(app: ClewApp, script: Script) -> None:
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "When did she die?")
        markdown = turn.query_one(Markdown)
        await until(pilot, lambda: markdown.source == "**20 March")
        assert re.match(r"answering \d+ s · esc stops", state(app))
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert markdown.source == ANSWER.markdown()
        assert "1.2 s · 1 tool call · 1 failed · offline" in text(turn)
        assert "last answer 1.2 s" in state(app)


@pytest.mark.parametrize("certainty", ["sure", "likely", "none"])
async def test_the_mark_behind_an_answer_has_its_colour(app: ClewApp, script: Script, certainty: Certainty) -> None:
    near = (Closest(2, 9, "d9", "Ermengarde", "queens.md", None, "She died in 851."),)
    refused = replace(ANSWER, found=False, answer="", explanation="", missing="a date", closest=near)
    reply = refused if certainty == "none" else replace(ANSWER, certainty=certainty)
    script.reply = reply
    async with app.run_test() as pilot:
        turn = await ask(pilot, "When did she die?")
        await until(pilot, lambda: turn.query(AnswerParagraph))
        headline = turn.query(AnswerParagraph).first()
        content = headline.visual
        assert isinstance(content, Content)
        mark, role = certainty_mark(certainty)
        assert content.plain.endswith(f" {mark}")
        assert (len(content.plain) - len(mark), STYLES[role]) in {(span.start, span.style) for span in content.spans}
        if certainty == "none":
            assert "Closest to the question:" in turn.query_one(Markdown).source
            assert numbers_of(reply)[9] == 2  # which a click on [2] opens


async def test_tool_calls_appear_as_they_happen_and_fold_away(app: ClewApp, script: Script) -> None:
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "q")
        await until(pilot, lambda: [line.finished is not None for line in turn.query(ToolLine)] == [True, True])
        assert [text(line) for line in turn.query(ToolLine)] == [
            "✓ plan_question  “who”  4 ms  2 constraints",
            "✗ entity_lookup  “Ermengard”  100 ms  failed: no such entity",
        ]
        await until(pilot, lambda: all(line.size.height == 1 for line in turn.query(ToolLine)))
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert not turn.tools.is_on_screen
        await pilot.press("ctrl+t")
        assert turn.tools.is_on_screen


async def test_what_a_model_thinks_is_folded_until_a_click(app: ClewApp, script: Script) -> None:
    hostile = "[/foo] I think [bold]of\x1b[31m"
    script.before = [ThoughtDelta(hostile), ThoughtDelta(" harbours"), *script.before, ThoughtDelta("Now I know.")]
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "q")
        await until(pilot, lambda: len(turn.query(ThoughtLine)) == 2)
        first, second = turn.query(ThoughtLine)
        assert [text(first), text(second)] == ["… thought for 5 words", "… thought for 3 words"]
        await pilot.click(first)
        assert "I think [bold]of" in text(first)
        assert "harbours" in text(first)
        assert "\x1b" not in text(first)
        assert "harbours" not in turn.query_one(Markdown).source
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert not turn.tools.is_on_screen


async def test_a_thought_in_pieces_is_counted_in_words_and_marked_where_it_is_cut(
    app: ClewApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    updated: list[object] = []
    async with app.run_test(size=(120, 40)):
        line = ThoughtLine()
        await app.screen.mount(line)
        update = line.update
        monkeypatch.setattr(line, "update", lambda *given, **more: (updated.append(given), update(*given, **more)))
        for piece in ("I th", "ink", "", " ", " of", "\nharbours ", "now"):
            line.add(piece)
        assert text(line) == "… thought for 5 words"
        # Not for what adds no word: this runs in the screen's own thread, for every piece.
        assert len(updated) == 4
        line.on_click()
        assert text(line).endswith("I think  of\nharbours now")
        line.add(" word" * SHOWN_THOUGHT)
        assert text(line).startswith(f"… thought for {SHOWN_THOUGHT + 5} words")
        assert text(line).endswith(" …")
        assert len(text(line)) < SHOWN_THOUGHT + 100


async def test_a_question_is_asked_once_it_is_on_the_screen_though_the_file_is_opened_meanwhile(
    app: ClewApp, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "first")
        mount = app.view.log_view.mount

        def meanwhile(turn: Turn) -> AwaitMount:
            turn.renumber(7)  # as where an earlier session is put before it
            app.view._advance()  # as where the file has been opened
            return mount(turn)

        monkeypatch.setattr(app.view.log_view, "mount", meanwhile)
        turn = await ask(pilot, "second")
        assert text(turn).startswith("7  second")
        assert script.asked == ["first", "second"]


async def test_escape_keeps_the_partial_answer_and_gives_the_queue_back(
    app: ClewApp, script: Script, tmp_path: Path
) -> None:
    script.release.clear()
    async with app.run_test() as pilot:
        turn = await send(pilot, "q")
        await until(pilot, lambda: turn.query_one(Markdown).source)
        waiting = await send(pilot, "waits")
        await send(pilot, "waits too")
        assert "waiting for its turn" in text(waiting)
        assert "waiting for its turn" not in text(turn)
        await pilot.press(*"draft", "escape")
        await until(pilot, lambda: turn.reply)
        assert turn.query_one(Markdown).source == "**20 March"
        assert "■ stopped" in text(turn)
        assert [one.question for one in app.query(Turn)] == ["q"]
        assert app.prompt.text == "waits\nwaits too\ndraft"
        app.prompt.begin("")
        script.release.set()
        await ask(pilot, "next")
        assert script.asked == ["q", "next"]
    stopped, following = kept(tmp_path)
    assert (stopped.question, stopped.explanation, stopped.partial) == ("q", "**20 March", True)
    assert (following.question, following.partial) == ("next", False)


async def test_questions_wait_for_the_session_and_for_each_other(app: ClewApp, script: Script) -> None:
    script.openable.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        for question in ("one", "two", "three"):
            await send(pilot, question)
        assert state(app).startswith("3 waiting")
        assert [turn.number for turn in app.view.turns] == [1, 2, 3]
        assert script.asked == []
        script.openable.set()
        await until(pilot, lambda: all(turn.reply for turn in app.query(Turn)))
        assert script.asked == ["one", "two", "three"]


async def test_an_error_is_shown_and_the_chat_goes_on(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        script.error = ModelFailure("no model at 'http://[/foo]'; \x1b[2Jstart it")
        turn = await ask(pilot, "[/bar]\x1b[2J\n[b]")
        assert text(turn.query_one(".question")) == "1  [/bar]\n[b]"
        assert text(turn.query_one(".error")) == "✗ no model at 'http://[/foo]'; start it"
        script.error = KeyError("x")
        assert text((await ask(pilot, "q")).query_one(".error")) == "✗ unexpected KeyError: 'x'"
        script.error = None
        assert (await ask(pilot, "next")).query_one(Markdown).source == ANSWER.markdown()


async def test_a_file_that_does_not_open_is_tried_again(tmp_path: Path, script: Script) -> None:
    failing = [True]

    def factory() -> Script:
        if failing:
            raise BadFileError("'kings.clew' is damaged; build it again")
        return script

    app = chat(tmp_path, factory)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.query(".error"))
        assert text(app.query_one(".error")) == "✗ 'kings.clew' is damaged; build it again"
        assert text((await ask(pilot, "one")).query_one(".error")).startswith("✗ 'kings.clew' is damaged")
        failing.clear()
        assert (await ask(pilot, "two")).query_one(Markdown).source == ANSWER.markdown()


async def test_not_found_says_what_is_missing(app: ClewApp, script: Script) -> None:
    script.reply = Reply("", "", found=False, missing="the date of [/foo]", passages=ANSWER.passages)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await ask(pilot, "q")
        assert turn.has_class("-missing")
        assert "∅ not found" in text(turn)
        assert "Missing: the date of [/foo]" in text(turn.query_one(Markdown))
        assert "∅ missing: the date of [/foo]" in text(app.query_one("#chains"))


async def test_scrolling_up_stops_the_following(app: ClewApp, script: Script) -> None:
    script.before = [TextDelta("line\n\n" * 60)]
    script.release.clear()
    async with app.run_test() as pilot:
        await send(pilot, "q")
        log = app.query_one("#log")
        await until(pilot, lambda: log.max_scroll_y > 40 and log.scroll_y == log.max_scroll_y)
        await pilot.press("pageup")
        reading = log.scroll_y
        assert reading < log.max_scroll_y
        script.release.set()
        await until(pilot, lambda: app.query(Turn).last().reply)
        script.release.clear()
        assert log.scroll_y <= reading
        await send(pilot, "another")
        await until(pilot, lambda: log.scroll_y == log.max_scroll_y)


async def test_the_chat_goes_on_under_the_help(app: ClewApp, script: Script, tmp_path: Path) -> None:
    SessionFolder().create(tmp_path / "kings.clew").append(replace(ANSWER, question="before"))
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "q")
        await pilot.press("f1")
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        assert app.query_one("#evidence").is_on_screen
        assert [turn.question for turn in app.query(Turn)] == ["before", "q"]


async def test_help_and_copy(app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await pilot.press("ctrl+y")
        assert app.clipboard == ""
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        assert "stop, and keep what there is" in text(app.screen.query_one(Static))
        await pilot.press("question_mark")
        assert not isinstance(app.screen, Help)
        await ask(pilot, "q")
        await pilot.press("ctrl+y")
        assert app.clipboard == ANSWER.markdown()


async def test_a_turn_says_that_a_model_is_being_asked_until_it_says_something(app: ClewApp, script: Script) -> None:
    script.before = [*script.before, ModelAsked("qwen[/b]\x1b")]
    script.release.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await send(pilot, "q")
        foot = turn.query_one(".foot", Static)
        await until(pilot, lambda: text(foot) == "… asking qwen[/b]")
        assert foot.display
        await turn.show(ToolStarted("9", "passage_search", {"query": "x"}))
        await until(pilot, lambda: not foot.display)
        script.release.set()
        await until(pilot, lambda: turn.reply)
        assert "asking" not in text(foot)


async def test_of_a_long_question_the_beginning_is_shown(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await ask(pilot, "marmalade " * 2_000)
        assert text(turn.query_one(".question")).endswith(" … (20,000 characters)")
        assert turn.query_one(".question").size.height < 20
        listed = await ask(pilot, "\n".join(f"line {number}" for number in range(50)))
        assert "line 11 … (" in text(listed.query_one(".question"))
        assert script.asked[-1].endswith("line 49")
