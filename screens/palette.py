"""The command palette: the commands of the chat, found by any of their words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from screens.key_bindings import shown_keys

if TYPE_CHECKING:
    from screens.slash_commands import Command
    from tui import ClewApp


class ClewCommands(Provider):
    """Gives the palette what `/` gives the prompt."""

    async def discover(self) -> Hits:
        for command in self._app.offered:
            yield DiscoveryHit(Content(_label(command) + self._keys(command)), self._runner(command), command.usage)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._app.offered:
            label = _label(command)
            if (score := matcher.match(label)) > 0:
                shown = matcher.highlight(label) + self._keys(command)
                yield Hit(score, shown, self._runner(command), command.usage)

    @property
    def _app(self) -> ClewApp:
        return cast("ClewApp", self.app)

    def _keys(self, command: Command) -> str:
        keys = shown_keys(self._app.keys.get(command.name, ()))
        return f"  ({keys})" if keys else ""

    def _runner(self, command: Command) -> partial[None]:
        return partial(self._app.choose_command, command)


def _label(command: Command) -> str:
    return f"{command.name}: {command.help}"
