"""Commands, keys, help, the model picker, budget, themes and settings of the chat."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from chatting import ANSWER, Script, ask, chat, kept, run, send, state, text, until
from serving import serving
from textual.widgets import Input, OptionList, Static

from assistant.agent.replying.reply import Usage
from assistant.conversations.events import Spent
from assistant.models import model_list
from assistant.models.budget import Left, Spending
from assistant.models.model_list import Place, listed, places
from assistant.shared.config import SETTINGS, file_values
from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget
from kb.errors import ModelFailure, UsageError
from screens.conversation_view import ConversationView
from screens.handlers.by_name import HANDLERS, OFFERED
from screens.help import Help
from screens.key_bindings import bound_keys
from screens.model_screen import ModelPicker
from screens.settings_screen import SettingsScreen
from screens.slash_commands import COMMANDS
from screens.theme_screen import ThemePicker
from screens.turn import Turn
from tui import ClewApp, make_app


@pytest.fixture(autouse=True)
def no_servers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs on the usual ports of this machine is not asked."""
    monkeypatch.setattr(model_list, "LOCAL_PLACES", ())


def options(app: ClewApp) -> list[str]:
    shown = app.screen.query_one(OptionList)
    return [str(shown.get_option_at_index(index).prompt) for index in range(shown.option_count)]


def notices(app: ClewApp) -> str:
    return "\n".join(str(notice.message) for notice in app._notifications)


# Commands and keys


def test_what_is_offered_has_a_handler() -> None:
    assert {command.name for command in OFFERED} == HANDLERS.keys() & {command.name for command in COMMANDS}
    assert {"help", "model", "budget", "theme", "settings", "stop", "quit"} <= HANDLERS.keys()
    assert all(command.help and command.group for command in COMMANDS)


async def test_a_command_that_is_not_there_is_one_line(app: ClewApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.HANDLERS", {})
    async with app.run_test() as pilot:
        await run(pilot, "/copy")
        await until(pilot, lambda: app.query(".error"))
        assert "/copy is not there" in text(app.query_one(".error"))


async def test_why_a_command_was_not_run_is_told_until_the_next_thing_is_sent(app: ClewApp) -> None:
    async with app.run_test() as pilot:
        for sent in ("/foo", "/branch banana"):
            await run(pilot, sent)
            await until(pilot, lambda: len(app.query(".error")) == 1)
        await ask(pilot, "When did she die?")
        assert not app.query(".error")


async def test_the_palette_finds_commands_by_their_help(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+p")
        await pilot.press(*"colours")
        await until(pilot, lambda: any("theme" in one for one in options(app)))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ThemePicker))


async def test_keys_can_be_changed_and_help_shows_them(tmp_path: Path, script: Script) -> None:
    app = make_app(
        tmp_path / "kings.clew", session_factory=script.open, keys={"settings": "ctrl+x", "details": "", "quit": "f10"}
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"typed", "ctrl+x")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press("escape", "f2")
        assert not isinstance(app.screen, SettingsScreen)
        await pilot.press("f1")
        shown = text(app.screen.query_one("#help")).splitlines()
        assert any("/settings" in line and "ctrl+x" in line and "f2" not in line for line in shown)
        assert any(line.startswith("/details") and "ctrl+t" not in line for line in shown)
        await pilot.press("escape", "ctrl+q")
        assert app.is_running
        await pilot.press("f10")
        assert not app.is_running


@pytest.mark.parametrize(
    ("keys", "told"), [({}, "ctrl+q leaves"), ({"quit": "f10"}, "f10 leaves"), ({"quit": ""}, "/quit")]
)
async def test_ctrl_c_says_how_to_leave(tmp_path: Path, script: Script, keys: dict[str, str], told: str) -> None:
    app = make_app(tmp_path / "kings.clew", session_factory=script.open, keys=keys)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*"typed", "ctrl+c")
        await until(pilot, lambda: told in notices(app))
        assert app.prompt.text == "typed"


@pytest.mark.parametrize(
    ("size", "keys", "told"),
    [
        ((120, 40), {}, "ctrl+p commands · f1 help · ctrl+q quit"),
        ((60, 20), {}, "f1 help · ctrl+q quit"),
        ((60, 20), {"quit": "f10", "help": ""}, "/help · f10 quit"),
        ((40, 12), {}, "f1 help"),
    ],
)
async def test_the_way_to_help_is_shown_at_any_size(
    tmp_path: Path, script: Script, size: tuple[int, int], keys: dict[str, str], told: str
) -> None:
    app = make_app(tmp_path / "kings.clew", session_factory=script.open, keys=keys)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.resize_terminal(*size)
        hints = app.query_one("#hints")
        await until(pilot, lambda: text(hints) == told and hints.size.width >= len(told))
        assert hints.region.right <= size[0]
        assert "6,119" in state(app) or "offline" in state(app)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"quti": "ctrl+x"}, "names 'quti', which is no command"),
        ({"quit": "ctrl+e"}, "gives 'ctrl+e' to both evidence and quit"),
        ({"quit": "enter"}, "which the prompt needs itself"),
        ({"quit": "hyper+[/x]"}, "which is no key"),
        ({"quit": "q"}, "which is for typing"),
    ],
)
def test_keys_that_cannot_be_bound(keys: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        bound_keys(keys, COMMANDS)
    assert told in str(caught.value)


def test_keys_can_be_exchanged() -> None:
    keys = bound_keys({"evidence": "ctrl+t", "details": "Ctrl+E, f9"}, COMMANDS)
    assert (keys["evidence"], keys["details"]) == (("ctrl+t",), ("ctrl+e", "f9"))


async def test_a_wrong_key_or_theme_is_told_and_the_chat_opens(tmp_path: Path, script: Script) -> None:
    keys = {"quit": "ctrl+e"}
    app = make_app(tmp_path / "kings.clew", session_factory=script.open, keys=keys, theme="[/nope]")
    async with app.run_test() as pilot:
        told = "\n".join(text(error) for error in app.query(".error"))
        assert "gives 'ctrl+e' to both evidence and quit" in told
        assert "no theme '[/nope]'" in told
        await pilot.press("f1")
        assert isinstance(app.screen, Help)


# Help


@pytest.mark.parametrize("width", [40, 70, 120])
async def test_help_fits_the_terminal(app: ClewApp, width: int) -> None:
    async with app.run_test(size=(width, 12 if width == 40 else 40)) as pilot:
        await pilot.press("question_mark")
        shown = app.screen.query_one("#help", Static)
        await until(pilot, lambda: "control" in text(shown))
        lines = text(shown).splitlines()
        assert {"typing", "clew", "control", "sessions"} <= set(lines)
        assert max(map(len, lines)) <= shown.size.width
        together = [line for line in lines if line.startswith("/quit") and "leave" in line]
        assert bool(together) == (width >= 90)
        await pilot.press("pagedown")
        await pilot.resize_terminal(120, 40)
        assert any(line.startswith("/quit") and "leave" in line for line in text(shown).splitlines())


# The model


async def test_the_picker_has_offline_first_then_what_is_served(tmp_path: Path, script: Script) -> None:
    with serving(["small:1b", "big:70b", "[/foo]"]) as (url, _):
        app = make_app(tmp_path / "kings.clew", session_factory=script.open, model=ModelChoice("big:70b", url))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, ModelPicker) and len(options(app)) == 5)
            shown = options(app)
            assert "offline  built in: nothing leaves this machine" in shown[0]
            assert [line.split() for line in shown[2:]] == [["[/foo]"], ["●", "big:70b"], ["small:1b"]]
            await pilot.press("escape")
            assert "big:70b" in state(app)


async def test_the_picker_lists_models_in_files(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "models" / "a small one.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF".ljust(3_000_000))
    monkeypatch.setattr("assistant.models.local.files.usual_folders", lambda: {"LM Studio": path.parent})
    app = make_app(tmp_path / "kings.clew", session_factory=script.open)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+l")
        await until(pilot, lambda: isinstance(app.screen, ModelPicker) and len(options(app)) == 3)
        _, heading, row = options(app)
        assert heading.startswith("LM Studio · files on this machine")
        assert row.split() == ["a", "small", "one.gguf", "3", "MB"]
        await pilot.press("end", "enter")
        await until(pilot, lambda: "a small one.gguf" in state(app))
        assert (app.opening.choice, app.opening.choice.local) == (ModelChoice(str(path)), True)
        assert str(tmp_path) not in state(app)
        await run(pilot, "/model offline")
        await until(pilot, lambda: state(app).startswith("offline"))
        await run(pilot, f"/model {path}")
        await until(pilot, lambda: "a small one.gguf" in state(app))
        assert app.opening.choice == ModelChoice(str(path))


async def test_another_model_goes_on_with_the_same_session(tmp_path: Path) -> None:
    opened: list[Script] = []

    def factory() -> Script:
        opened.append(Script())
        return opened[-1]

    with serving(["small:1b"]) as (url, _):
        app = make_app(tmp_path / "kings.clew", session_factory=factory, model=ModelChoice("big", url))
        async with app.run_test(size=(120, 40)) as pilot:
            await ask(pilot, "first")
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, ModelPicker) and "small:1b" in " ".join(options(app)))
            await pilot.press("down", "down", "enter")
            await until(pilot, lambda: "small:1b" in state(app) and len(opened) == 2 and opened[1].resumed)
            assert app.opening.choice == ModelChoice("small:1b", url)
            assert opened[1].resumed == ["first"]
            assert [turn.question for turn in app.query(Turn)] == ["first"]
            await ask(pilot, "second")
    assert [reply.question for reply in kept(tmp_path)] == ["first", "second"]
    assert file_values() == {}


async def test_a_picked_model_can_be_saved(app: ClewApp) -> None:
    with serving(["small:1b"]) as (url, _):
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, ModelPicker))
            app.screen.query_one(Input).value = f"other {url}"
            app.screen.query_one(Input).focus()
            await pilot.press("ctrl+s")
            await until(pilot, lambda: "saved in" in notices(app))
            assert file_values() == {"model": "other", "base_url": url}
            await pilot.press("ctrl+l")
            await until(pilot, lambda: isinstance(app.screen, ModelPicker))
            await pilot.press("home", "s")
            await until(pilot, lambda: "offline answers" in notices(app))
            assert file_values() == {"model": "offline"}


async def test_a_model_that_is_named_alone_is_at_the_endpoint_that_is_set(
    app: ClewApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BASE_URL", "http://127.0.0.1:9/v1")
    async with app.run_test(size=(120, 40)) as pilot:
        for name, url in (("a", "http://127.0.0.1:9/v1"), ("b", "http://127.0.0.1:9/v1"), ("offline", "")):
            await run(pilot, f"/model {name}")
            await until(pilot, lambda name=name: state(app).startswith(name))
            assert (app.opening.choice.name, app.opening.choice.base_url) == (name, url)


async def test_no_question_is_lost_by_another_model(app: ClewApp, script: Script) -> None:
    script.openable.clear()
    async with app.run_test(size=(120, 40)) as pilot:
        await send(pilot, "waits for the session")
        await run(pilot, "/model other http://127.0.0.1:9/v1")
        await until(pilot, lambda: "a question is under way" in "".join(text(one) for one in app.query(".error")))
        script.openable.set()
        await until(pilot, lambda: script.asked == ["waits for the session"])


async def test_a_model_can_be_named_and_errors_are_lines(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await run(pilot, "/model small:1b ftp://x")
        await until(pilot, lambda: app.query(".error"))
        assert "is no http(s) address" in text(app.query_one(".error"))
        assert app.opening.choice == ModelChoice()
        script.error = ModelFailure("no answer at 'http://127.0.0.1:9'")
        await run(pilot, "/model small:1b http://127.0.0.1:9/v1")
        await until(pilot, lambda: "small:1b" in state(app))
        assert "no answer at" in text(await ask(pilot, "q"))
        script.error = None
        script.release.clear()
        await send(pilot, "under way")
        await run(pilot, "/model offline")
        await until(pilot, lambda: "esc stops it" in "".join(text(one) for one in app.query(".error")))
        script.release.set()


def test_a_key_goes_to_its_host_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_API_KEY", "sk-of-the-user")
    with serving(["a", "\x1b[2J"]) as (url, seen):
        found = listed(Place("Ollama", url, local=True))
        assert found is not None
        assert found.models == ("a",)
        assert seen == [""]
        listed(Place("configured", url))
        assert seen[1] == "Bearer sk-of-the-user"
        monkeypatch.setenv("CLEW_BASE_URL", "https://api.example.com/v1")
        listed(Place("another", url))
        assert seen[2] == ""


def test_places_that_do_not_answer() -> None:
    with serving([], status=401) as (url, _):
        refused = listed(Place("configured", url))
        assert refused is not None
        assert "401" in refused.trouble
        assert listed(Place("Ollama", url, local=True)) is None
    assert listed(Place("Ollama", url, local=True)) is None
    gone = listed(Place("configured", url))
    assert gone is not None
    assert gone.trouble


def test_only_what_is_set_and_this_machine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert {place.url.split(":")[1] for place in places(ModelChoice())} == {"//127.0.0.1"}
    monkeypatch.setenv("CLEW_BASE_URL", "https://user:secret@api.example.com/v1")
    first, *others = places(ModelChoice("x", "http://localhost:11434/v1"))
    assert (first.url, "Ollama" in [place.name for place in others]) == ("http://localhost:11434/v1", False)
    assert "secret" not in " ".join(place.name for place in others)


# Budget and the line


async def test_the_line_tells_what_a_question_costs(tmp_path: Path, script: Script) -> None:
    script.before.append(Spent(Spending(2, 1000, 540, 0.0021), Left(tokens=4460)))
    script.reply = replace(ANSWER, usage=Usage(3, 2000, 100, 0.003))
    script.release.clear()
    app = make_app(tmp_path / "kings.clew", session_factory=script.open, budget=Budget(tokens=6000))
    async with app.run_test(size=(140, 40)) as pilot:
        await until(pilot, lambda: "budget 6,000 tokens" in state(app))
        await send(pilot, "q")
        await until(pilot, lambda: "1,540 tokens $0.0021 · 4,460 tokens left" in state(app))
        script.release.set()
        await until(pilot, lambda: "session 2,100 tokens $0.0030" in state(app))
        await ask(pilot, "again")
        await until(pilot, lambda: "session 4,200 tokens $0.0060" in state(app))
    again = chat(tmp_path, script.open)
    async with again.run_test(size=(140, 40)) as pilot:
        await until(pilot, lambda: "session 4,200 tokens $0.0060" in state(again))


async def test_a_budget_can_be_set_for_the_chat(app: ClewApp, script: Script) -> None:
    script.budget = Budget(seconds=9)  # type: ignore[attr-defined]
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "passages" in state(app))
        await run(pilot, "/budget 4,000")
        await until(pilot, lambda: "budget 4,000 tokens" in state(app))
        assert script.budget == Budget(tokens=4000)  # type: ignore[attr-defined]
        await run(pilot, "/budget off")
        await until(pilot, lambda: "budget" not in state(app))
        await run(pilot, "/budget -5")
        await until(pilot, lambda: app.query(".error"))
        assert "a number of tokens over 0, or off; got '-5'" in text(app.query_one(".error"))


# Themes and settings


async def test_themes_are_shown_while_they_are_looked_at(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        before = app.theme
        await run(pilot, "/theme")
        await until(pilot, lambda: isinstance(app.screen, ThemePicker))
        await pilot.press("home")
        await until(pilot, lambda: app.theme == "ansi-dark")
        await pilot.press("escape")
        assert app.theme == before
        await run(pilot, "/theme")
        await until(pilot, lambda: isinstance(app.screen, ThemePicker))
        await pilot.press("home", "down")
        await until(pilot, lambda: app.theme == "ansi-light")
        await pilot.press("s")
        await until(pilot, lambda: not isinstance(app.screen, ThemePicker))
        assert (app.theme, file_values()) == ("ansi-light", {"theme": "ansi-light"})
        await run(pilot, "/theme [/nope]")
        await until(pilot, lambda: app.query(".error"))
        assert "no theme '[/nope]'; there are ansi-dark" in text(app.query_one(".error"))


async def test_themes_without_colour(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(tmp_path / "kings.clew", session_factory=script.open, theme="ansi-dark")
    async with app.run_test(size=(120, 40)) as pilot:
        assert app.theme == "textual-dark"
        await run(pilot, "/theme")
        await until(pilot, lambda: isinstance(app.screen, ThemePicker))
        assert not any(name.startswith("ansi") for name in options(app))
        assert "NO_COLOR is set" in "".join(text(one) for one in app.screen.query(Static))


async def test_what_is_told_last_arrives_after_the_end(app: ClewApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.view.conversation.passages is not None)
    app._noted = None
    app._note_use()
    app._remember(ConversationView.Recalled(["Who?"]))
    app.show_state()
    assert app._noted is None


async def test_settings_show_values_and_origins(
    app: ClewApp, own_places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_places / "config.toml").write_text('max_tokens = 5000\n[keys]\nquit = "ctrl+x"\n')
    monkeypatch.setenv("CLEW_BASE_URL", "https://me:secret@api.example.com/v1")
    monkeypatch.setenv("CLEW_API_KEY", "sk-never-shown")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen) and len(options(app)) == len(SETTINGS))
        rows = {line.split()[0]: line for line in options(app)}
        assert rows["max_tokens"].split() == ["max_tokens", "5000", "file"]
        assert rows["base_url"].split() == ["base_url", "https://api.example.com/v1", "CLEW_BASE_URL"]
        assert rows["keys"].split() == ["keys", "quit", "=", "ctrl+x", "file"]
        assert "sk-never" not in str(rows)


async def test_settings_are_changed_in_the_file(app: ClewApp, own_places: Path) -> None:
    file = own_places / "config.toml"
    file.write_text("# mine\nmax_tokens = 5000\n\n[keys]\nmodel = 'f3'\n")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen) and options(app))
        listing, field = app.screen.query_one(OptionList), app.screen.query_one(Input)
        listing.highlighted = list(SETTINGS).index("max_tokens")
        await pilot.press("enter")
        assert field.value == "5000"
        field.value = "lots"
        await pilot.press("enter")
        await until(pilot, lambda: "must be a whole number" in text(app.screen.query_one("#said")))
        field.value = "70"
        await pilot.press("enter")
        await until(pilot, lambda: "max_tokens" in str(options(app)) and file_values()["max_tokens"] == 70)
        listing.highlighted = list(SETTINGS).index("theme")
        await until(pilot, lambda: listing.has_focus)
        await pilot.press("enter")
        field.value = "nord"
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "nord")
        listing.highlighted = list(SETTINGS).index("max_tokens")
        await until(pilot, lambda: listing.has_focus)
        await pilot.press("u")
        await until(pilot, lambda: "max_tokens" not in file_values())
        await pilot.press("u")
        await until(pilot, lambda: "is not set in the config file" in text(app.screen.query_one("#said")))
        await pilot.press("escape")
        assert not isinstance(app.screen, SettingsScreen)
    assert file.read_text() == "# mine\n\ntheme = \"nord\"\n[keys]\nmodel = 'f3'\n"


@pytest.mark.parametrize("command", ["/model", "/theme", "/settings", "/help"])
async def test_panels_fit_small_and_big_terminals(app: ClewApp, command: str) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await run(pilot, command)
        await until(pilot, lambda: app.screen is not app.base)
        await until(pilot, lambda: all(one.option_count for one in app.screen.query(OptionList)))
        for size in ((40, 12), (300, 80)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for widget in app.screen.query("OptionList, #help"):
                assert widget.region.width > 0
                assert widget.region.height > 0
            assert all(app.screen.region.contains_region(panel.region) for panel in app.screen.query(".panel"))
        app.export_screenshot()
        await pilot.press("escape")
        assert app.screen is app.base
