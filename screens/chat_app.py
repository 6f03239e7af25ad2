"""The chat as its screens, widgets and commands see it. `ClewApp` in tui.py is the one that there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.app import App

if TYPE_CHECKING:
    from assistant.conversations.chat import Conversation
    from assistant.conversations.opening import Opening
    from screens.conversation_view import ConversationView
    from screens.prompt import Prompt
    from screens.slash_commands import Command


class ChatApp(App[None], inherit_bindings=False):
    """What may be asked of the chat: that screens/ need not import tui.py, which is built of them.

    `offered` are the commands that can be run, `keys` the keys of each by its name; `opening` says which model answers
    and what a question may cost.
    """

    offered: Sequence[Command]
    keys: Mapping[str, Sequence[str]]
    opening: Opening

    @property
    def view(self) -> ConversationView:
        """The conversation on the screen."""
        raise NotImplementedError

    @property
    def prompt(self) -> Prompt:
        """Where questions and commands are typed."""
        raise NotImplementedError

    async def switch(self, conversation: Conversation) -> None:
        """Close the conversation on the screen, which is kept, and show another one."""
        raise NotImplementedError

    async def run_command(self, command: Command, argument: str = "") -> None:
        """Run a command; what goes wrong is told in the conversation."""
        raise NotImplementedError

    def choose_command(self, command: Command) -> None:
        """Run a command, or begin to type it where it needs an argument."""
        raise NotImplementedError

    def show_state(self) -> None:
        """Bring the line below the conversation up to date."""
        raise NotImplementedError
