"""All settings with their values and where each comes from; those of the file can be changed here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.shared.config import SETTINGS, Value, shown, value
from assistant.shared.config_edit import set_value, toml, unset_value
from assistant.shared.rendering import plain
from assistant.shared.user_folders import config_file
from kb.errors import ClewError
from screens.style import STYLES
from screens.theme_screen import theme_names


class SettingsScreen(ModalScreen[None]):
    """Lists the settings; enter edits one in the config file, `u` takes it out of there. No key of a service is here.

    The file has no part of the commands that were given to this chat, so it counts from the next one on; the theme at
    once.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("u", "unset", "take out of the file"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(classes="panel"):
            yield Static(Content(f"Settings · {plain(str(config_file()), 200)}"), classes="panel-title")
            yield OptionList(markup=False)
            yield Static(id="setting", classes="dim", markup=False)
            yield Input(id="edited")
            yield Static(id="said", markup=False)
            yield Static("enter edits · u unsets · esc closes · for the next chat", classes="dim")

    def on_mount(self) -> None:
        self.query_one("#edited").display = False
        self.query_one(OptionList).focus()
        self._list()

    @work(exclusive=True, group="list", exit_on_error=False)
    async def _list(self) -> None:
        try:
            values = await asyncio.to_thread(lambda: [value(key) for key in SETTINGS])
        except ClewError as error:
            self._say(str(error))
            return
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        options.set_options([_row(one) for one in values])
        options.highlighted = at

    @on(OptionList.OptionHighlighted)
    def _describe(self, message: OptionList.OptionHighlighted) -> None:
        setting = SETTINGS[message.option.id or ""]
        self.query_one("#setting", Static).update(f"{setting.about} · or {setting.variable}")

    @on(OptionList.OptionSelected)
    def _edit(self, message: OptionList.OptionSelected) -> None:
        try:
            now = value(message.option.id or "")
        except ClewError as error:
            self._say(str(error))
            return
        field = self.query_one("#edited", Input)
        field.display, field.value = True, _editable(now)
        field.border_title = message.option.id
        field.focus()

    @on(Input.Submitted)
    async def _keep(self, message: Input.Submitted) -> None:
        key = self._key
        if not message.value.strip():
            self._say("u takes a setting out of the file; type a value, or esc")
        elif await self._changed(lambda: set_value(key, message.value, "settings")):
            if key == "theme":
                self._try_theme(message.value.strip())
            self._back()

    async def action_unset(self) -> None:
        """Take the highlighted setting out of the file."""
        key = self._key
        await self._changed(lambda: unset_value(key))

    @property
    def _key(self) -> str:
        option = self.query_one(OptionList).highlighted_option
        return (option.id if option else None) or ""

    async def _changed(self, change: Callable[[], Path]) -> bool:
        key = self._key
        try:
            await asyncio.to_thread(change)
            now = await asyncio.to_thread(value, key)
        except ClewError as error:
            self._say(str(error))
            return False
        self._say(f"{now.origin} is set as well and comes first" if now.rank < 2 else f"{key}: {shown(now)}")
        self._list()
        return True

    def _try_theme(self, name: str) -> None:
        if name in theme_names(self.app):
            self.app.theme = name
        else:
            self._say(f"there is no theme {name!r}; /theme lists them")

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(plain(text, 400))

    def _back(self) -> None:
        self.query_one("#edited").display = False
        self.query_one(OptionList).focus()

    def action_leave(self) -> None:
        """Leave the field, or the screen."""
        if self.query_one("#edited").display:
            self._back()
        else:
            self.dismiss()


def _row(one: Value) -> Option:
    origin = "" if one.origin == "default" else one.origin
    text = Content.assemble(f"{one.key:<15}", (plain(shown(one), 60), "bold"), (f"  {origin}", STYLES["dim"]))
    return Option(text, id=one.key)


def _editable(now: Value) -> str:
    """A value as it is typed; what an address may hold in secret is left out."""
    if now.key == "endpoints":
        return toml(now.value)
    if isinstance(now.value, dict):
        return "{" + ", ".join(f'{name} = "{keys}"' for name, keys in now.value.items()) + "}"
    text = shown(now)
    return "" if text == "-" else text
