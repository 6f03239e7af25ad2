"""What the commands about the chat itself do: help, model, budget, theme, settings, quit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from assistant.conversations.status import budget_line
from assistant.shared.config import value
from assistant.shared.model_choice import OFFLINE, is_file, split_url
from assistant.shared.rendering import plain
from kb.errors import UsageError
from screens.handlers.signature import Handlers
from screens.help import Help
from screens.theme_screen import ThemePicker, theme_names

if TYPE_CHECKING:
    from tui import ClewApp


async def show_help(app: ClewApp, argument: str) -> None:
    """The keys and commands."""
    app.push_screen(Help(app.offered))


async def leave(app: ClewApp, argument: str) -> None:
    """Leave."""
    app.exit()


async def model(app: ClewApp, argument: str) -> None:
    """Let another model answer: the one named, or the one picked from a list."""
    _refuse_while_answering(app)
    from screens.model_screen import ModelPicker, named

    if argument:
        name, url = named(argument)
        await _use(app, name, url or _place_for(app, name), save=False)
        return
    picked = await app.push_screen_wait(ModelPicker(app.opening.choice))
    if picked is not None:
        _refuse_while_answering(app)
        await _use(app, *picked)


def _place_for(app: ClewApp, name: str) -> str:
    """The endpoint of a model that was named without one: that of the model before, else the one that is set."""
    if name == OFFLINE or is_file(name):
        return ""
    now = app.opening.choice
    return str(value("base_url").value or "") if now.offline else now.base_url


async def _use(app: ClewApp, name: str, url: str, save: bool) -> None:
    if url:
        split_url(url)
    app.opening.choose(name, url)
    before = app.view.conversation
    await app.switch(app.opening.conversation(before.path, before.log, before.sessions))
    told = f"{plain(app.opening.choice.title, 60)} answers from now on"
    if save:
        from assistant.models.model_list import save_choice

        told += "; " + await asyncio.to_thread(save_choice, app.opening.choice)
    app.notify(told, markup=False)


def _refuse_while_answering(app: ClewApp) -> None:
    if app.view.busy or app.view.waiting:
        raise UsageError("a question is under way; esc stops it, then the model can be changed")


async def budget(app: ClewApp, argument: str) -> None:
    """Say or set what a question may cost in this chat."""
    if argument:
        app.opening.limit_tokens(_tokens(argument))
    app.show_state()
    app.notify(budget_line(app.opening.budget), markup=False)


def _tokens(text: str) -> int | None:
    if text.casefold() == "off":
        return None
    number = text.replace(",", "").replace("_", "").removesuffix("tokens").strip()
    if not (number.isascii() and number.isdigit() and int(number[:12]) > 0):
        raise UsageError(f"/budget needs a number of tokens over 0, or off; got {text[:40]!r}")
    return int(number[:12])


async def theme(app: ClewApp, argument: str) -> None:
    """Choose the colours by name, or from a list that shows each."""
    if argument and argument not in (names := theme_names(app)):
        raise UsageError(f"there is no theme {plain(argument, 40)!r}; there are {', '.join(names)}")
    if argument:
        app.theme = argument
        return
    if (told := await app.push_screen_wait(ThemePicker())) is not None:
        app.notify(told, markup=False)


async def settings(app: ClewApp, argument: str) -> None:
    """All settings, where each comes from, and a way to change them."""
    from screens.settings_screen import SettingsScreen

    await app.push_screen_wait(SettingsScreen())


HANDLERS: Handlers = {
    "help": show_help,
    "quit": leave,
    "model": model,
    "budget": budget,
    "theme": theme,
    "settings": settings,
}
