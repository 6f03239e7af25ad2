"""The model picker: offline first, then what endpoints list, and a field for any other."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.models.local.files import ModelFile, can_serve, model_files, readable
from assistant.models.model_list import Listed, Place, listed, places
from assistant.shared.model_choice import OFFLINE, OPENAI_URL, ModelChoice, is_file
from assistant.shared.rendering import plain
from screens.style import STYLES

Picked = tuple[str, str, bool]
"""A model's name, its endpoint, and whether the choice is to be kept for later chats."""


def named(typed: str) -> tuple[str, str]:
    """What was typed as a model's name and its endpoint, "" for none; the path of a file may have spaces."""
    name, _, url = typed.strip().partition(" ")
    return (typed.strip(), "") if is_file(typed.strip()) else (name, url.strip())


class ModelPicker(ModalScreen[Picked | None]):
    """Gives what was picked; None where nothing was. Places are asked while it is open, and only then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("s,ctrl+s", "save", "use and save"),
    ]

    def __init__(self, choice: ModelChoice) -> None:
        super().__init__()
        self._choice = choice
        self._places: list[Place] = []
        self._answers: dict[Place, Listed | None] = {}
        self._files: list[ModelFile] = []
        self._models: dict[str, tuple[str, str]] = {}

    def compose(self) -> ComposeResult:
        with Vertical(classes="panel"):
            yield Static("Which model answers?", classes="panel-title")
            yield OptionList(markup=False)
            yield Input(placeholder="another model: NAME URL, or the path of a GGUF file", id="other")
            yield Static("enter uses it · s also saves it · tab types another · esc closes", classes="dim")

    def on_mount(self) -> None:
        self._fill()
        self.query_one(OptionList).focus()
        self._look()

    @work(group="look", exit_on_error=False)
    async def _look(self) -> None:
        self._places = await asyncio.to_thread(places, self._choice)
        self._files = await asyncio.to_thread(model_files)
        self._fill()
        await asyncio.gather(*(self._ask(place) for place in self._places))

    async def _ask(self, place: Place) -> None:
        self._answers[place] = await asyncio.to_thread(listed, place)
        self._fill()

    def _fill(self) -> None:
        """List what is known by now; what was highlighted stays so."""
        options = self.query_one(OptionList)
        before = options.highlighted_option.id if options.highlighted_option else None
        self._models = {}
        rows = [self._row(OFFLINE, "", "built in: nothing leaves this machine")]
        for place in self._places:
            rows += self._rows_of(place)
        rows += self._rows_of_files()
        if (self._choice.name, self._choice.base_url) not in self._models.values():
            here = plain(self._choice.base_url, 60)
            rows.insert(1, self._row(self._choice.name, self._choice.base_url, here, self._choice.title))
        options.set_options(rows)
        ids = [row.id for row in rows]
        options.highlighted = ids.index(before) if before in ids else 0

    def _rows_of(self, place: Place) -> list[Option]:
        answer = self._answers.get(place, Listed(trouble="" if place.local else "looking …"))
        if answer is None or (place.local and not answer.models):
            return []
        where = f"{place.name} · this machine" if place.local else place.name
        said = f" · {answer.trouble}" if answer.trouble else "" if answer.models else " · lists no models"
        heading = Option(Content.assemble((where + said, STYLES["dim"])), disabled=True)
        url = "" if place.url == OPENAI_URL and not self._choice.base_url else place.url
        return [heading, *(self._row(name, url) for name in answer.models)]

    def _rows_of_files(self) -> list[Option]:
        rows: list[Option] = []
        missing = "" if can_serve() else " · to ask one: pip install 'clew[local]'"
        for place, files in groupby(self._files, key=lambda one: one.place):
            heading = Content.assemble((f"{place} · files on this machine{missing}", STYLES["dim"]))
            rows.append(Option(heading, disabled=True))
            rows += [self._row(str(one.path), "", readable(one.size), one.name) for one in files]
        return rows

    def _row(self, name: str, url: str, note: str = "", title: str = "") -> Option:
        identity = f"{url} {name}"
        self._models[identity] = (name, url)
        mark = "● " if (name, url) == (self._choice.name, self._choice.base_url) else "  "
        return Option(
            Content.assemble(mark, (plain(title or name, 80), "bold"), (f"  {note}", STYLES["dim"])), id=identity
        )

    @on(OptionList.OptionSelected)
    def _use(self, message: OptionList.OptionSelected) -> None:
        if message.option.id in self._models:
            self.dismiss((*self._models[message.option.id], False))

    @on(Input.Submitted)
    def _use_typed(self) -> None:
        self._done(save=False)

    def action_save(self) -> None:
        """Use what is highlighted or typed, in later chats too."""
        self._done(save=True)

    def _done(self, save: bool) -> None:
        typed, option = self.query_one("#other", Input), self.query_one(OptionList).highlighted_option
        if typed.has_focus:
            name, url = named(typed.value)
            if name:
                self.dismiss((name, url, save))
        elif option is not None and option.id in self._models:
            self.dismiss((*self._models[option.id], save))

    def action_leave(self) -> None:
        """Close without choosing."""
        self.dismiss(None)
