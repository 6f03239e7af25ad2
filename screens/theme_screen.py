"""The theme picker: the whole chat shows each theme while it is highlighted."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.shared.rendering import plain
from kb.errors import ClewError


def theme_names(app: App[None]) -> list[str]:
    """The themes that can be shown: without colours, the terminal's own ones would be black on black."""
    return sorted(name for name in app.available_themes if not (app.no_color and name.startswith("ansi")))


class ThemePicker(ModalScreen[str | None]):
    """Gives what there is to say of the choice; None where the theme stays what it was."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close"), Binding("s", "save", "use and save")]

    def compose(self) -> ComposeResult:
        names = theme_names(self.app)
        with Vertical(classes="panel -small"):
            yield Static("Which colours?", classes="panel-title")
            if self.app.no_color:
                yield Static("NO_COLOR is set: all are shown without colour.", classes="dim")
            yield OptionList(*(Option(self._label(name), id=name) for name in names), markup=False)
            yield Static("enter uses it · s also saves it · esc goes back", classes="dim")

    def _label(self, name: str) -> str:
        return f"{name}  the terminal's own colours" if name.startswith("ansi") else name

    def on_mount(self) -> None:
        self._before = self.app.theme
        options = self.query_one(OptionList)
        options.highlighted = theme_names(self.app).index(self.app.theme)
        options.focus()

    @on(OptionList.OptionHighlighted)
    def _preview(self, message: OptionList.OptionHighlighted) -> None:
        if message.option.id:
            self.app.theme = message.option.id

    @on(OptionList.OptionSelected)
    def _use(self) -> None:
        self.dismiss(f"{self.app.theme} is the theme of this chat")

    async def action_save(self) -> None:
        """Use it, in later chats too."""
        from assistant.shared.config_edit import set_value

        try:
            path = await asyncio.to_thread(set_value, "theme", self.app.theme)
        except ClewError as error:
            self.notify(plain(str(error), 300), severity="error", markup=False)
        else:
            self.dismiss(plain(f"{self.app.theme} is saved in {path}", 300))

    def action_leave(self) -> None:
        """Go back to the theme before."""
        self.app.theme = self._before
        self.dismiss(None)
