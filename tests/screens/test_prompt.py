from __future__ import annotations

from pathlib import Path

import pytest
from chatting import Script, ask, until
from textual._xterm_parser import XTermParser
from textual.events import Key, Paste
from textual.widgets import Tabs

from screens.help import Help
from screens.prompt import NEW_LINE_KEYS, Prompt
from screens.suggestions import SuggestionList
from screens.turn import Turn
from tui import ClewApp


async def test_questions_of_several_lines(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        await pilot.press("a", "ctrl+j", "shift+enter", "alt+enter", "d")
        assert app.query_one(Prompt).text == "a\n\n\nd"
        assert app.query_one(Prompt).size.height == 4
        await pilot.press("enter")
        await until(pilot, lambda: script.asked)
        assert script.asked == ["a\n\n\nd"]
        assert app.query_one(Prompt).text == ""
        await pilot.press("space", "enter")
        assert len(app.query(Turn)) == 1


async def test_blanks_that_are_sent_are_taken_away_so_that_help_can_be_asked_for(app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await pilot.press("space", "ctrl+j", "space", "enter")
        assert app.prompt.text == ""
        await pilot.press("?")
        await until(pilot, lambda: isinstance(app.screen, Help))


async def test_questions_on_a_line_each_are_asked_one_after_the_other(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        app.post_message(Paste("who is our vet?\nwhere did she study?\nwhat is the rent?"))
        await pilot.press("enter")
        await until(pilot, lambda: len(script.asked) == 3)
        assert script.asked == ["who is our vet?", "where did she study?", "what is the rent?"]
        assert [turn.number for turn in app.query(Turn)] == [1, 2, 3]
        await pilot.press("up", "up")
        assert app.prompt.text == "where did she study?"


async def test_up_and_down_walk_through_earlier_questions(app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "first")
        await ask(pilot, "second\nwith a second line")
        prompt = app.query_one(Prompt)
        await pilot.press("d", "up")
        assert prompt.text == "second\nwith a second line"
        await pilot.press("up")
        assert prompt.text == "second\nwith a second line"
        await pilot.press("up")
        assert prompt.text == "first"
        await pilot.press("down", "down", "down")
        assert prompt.text == "d"


async def test_an_example_is_asked_by_choosing_it(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        await pilot.press("down", "tab", "up", "tab", "enter")
        await until(pilot, lambda: script.asked)
        assert script.asked == ["Who was last?"]
        assert app.focused is app.prompt


async def test_an_example_is_no_obstacle_to_typing(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        await pilot.press("tab", *"why?", "enter")
        await until(pilot, lambda: script.asked)
        assert script.asked == ["why?"]


async def test_typing_goes_to_the_prompt_wherever_the_focus_is(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "q")
        app.query_one(Tabs).focus()
        await pilot.press(*"why")
        assert (app.prompt.text, app.focused) == ("why", app.prompt)
        app.query_one(Tabs).focus()
        app.post_message(Paste("\nand how?"))
        await until(pilot, lambda: app.prompt.text == "why\nand how?")


async def test_a_paste_of_several_lines_is_one_draft(app: ClewApp, script: Script) -> None:
    async with app.run_test() as pilot:
        app.post_message(Paste("one\ntwo\n"))
        await pilot.press("x")
        assert app.prompt.text == "one\ntwo\nx"
        assert script.asked == []


@pytest.mark.parametrize("sent", ["\x1b\r", "\x1b[13;2u", "\n"])
def test_keys_for_a_new_line_are_read_from_the_terminal(sent: str) -> None:
    keys = [event.key for event in XTermParser().feed(sent) if isinstance(event, Key)]
    assert len(keys) == 1
    assert keys[0] in NEW_LINE_KEYS


async def test_commands_are_listed_and_completed(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("/", "e")
        listed = app.query_one(SuggestionList)
        await until(pilot, lambda: listed.display)
        assert [choice.label.split()[0] for choice in listed.choices] == ["/edit", "/export", "/evidence"]
        assert listed.region.bottom == app.prompt.region.y
        await pilot.press("down", "tab")
        assert app.prompt.text == "/export "
        await until(pilot, lambda: [choice.label for choice in listed.choices] == ["last", "all"])
        await pilot.press("a", "tab")
        assert app.prompt.text == "/export all "
        await pilot.press("ctrl+u")
        await until(pilot, lambda: not app.prompt.text)
        await pilot.press("/")
        await until(pilot, lambda: listed.display and len(listed.choices) > 3)
        await pilot.press("escape")
        assert (app.prompt.text, listed.display) == ("/", False)
        assert script.asked == []


async def test_a_completed_command_is_sent_in_one_burst(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("/", "h", "e", "tab", "enter"):
            app.prompt.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.press("escape", "/", "h", "e", "enter")
        assert isinstance(app.screen, Help)
        await pilot.press("escape", *"/ren", "enter")
        assert app.prompt.text == "/rename "


async def test_files_are_completed(app: ClewApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder" / "[foo]").mkdir(parents=True)
    (tmp_path / "folder" / "notes.md").touch()
    monkeypatch.chdir(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"/export all fo", "tab", "n", "tab")
        assert app.prompt.text == "/export all folder/notes.md"
        await pilot.press(*["backspace"] * 8)
        await until(pilot, lambda: app.query_one(SuggestionList).display)
        assert app.query_one(SuggestionList).choices[0].label == "folder/[foo]/"
        app.export_screenshot()
