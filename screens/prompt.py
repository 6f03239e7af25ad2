"""Where questions are typed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import _ansi_sequences as terminal
from textual import on
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.widgets import OptionList, TextArea

from assistant.conversations.recall import Recall
from kb.errors import ClewError
from screens.completing import Choice, argument_choices, command_choices
from screens.slash_commands import parse
from screens.suggestions import SuggestionList

if TYPE_CHECKING:
    from screens.chat_app import ChatApp

NEW_LINE_KEYS = ("ctrl+j", "shift+enter", "alt+enter")
PROMPT_KEYS = (
    ("enter", "send"),
    (", ".join(NEW_LINE_KEYS), "new line"),
    ("up, down", "earlier questions"),
    ("pageup, pagedown", "scroll the conversation"),
    ("/ and tab", "a command, completed"),
    ("ctrl+p", "all commands"),
)


class _MoreKeys(Enum):
    ALT_ENTER = "alt+enter"


# Textual reads what most terminals send for alt+enter as enter alone.
cast("dict[str, Any]", terminal.ANSI_SEQUENCES_KEYS).setdefault("\x1b\r", (_MoreKeys.ALT_ENTER,))


class Prompt(TextArea):
    """Where questions are typed. Up on the first row and down on the last one walk through earlier questions.

    It keeps the focus while something is chosen: from the list of ways in which a command goes on, or, while it is
    empty, from the examples of an empty chat.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "app.scroll_log(-1)", "scroll up"),
        Binding("pagedown", "app.scroll_log(1)", "scroll down"),
    ]

    class Sent(Message):
        """A question was sent."""

        def __init__(self, question: str) -> None:
            super().__init__()
            self.question = question

    def __init__(self) -> None:
        super().__init__(id="prompt", placeholder="Ask a question about these documents", highlight_cursor_line=False)
        self.recall = Recall()
        self._suggestions = SuggestionList()
        self._suggested_for: str | None = None
        self._draft: str | None = None

    async def on_mount(self) -> None:
        await self.screen.mount(self._suggestions, before=self)

    async def on_key(self, event: Key) -> None:
        # Bindings would run after the keys that follow, or before the ones that still wait in this widget's queue.
        if await self._choose(event.key) or self._take(event):
            event.prevent_default().stop()

    async def _choose(self, key: str) -> bool:
        """What a key does to the list of suggestions, or of examples; False where that is nothing."""
        if key not in ("up", "down", "tab", "enter", "escape"):
            return False
        if not self.text:
            return self._choose_example(key)
        await self._suggest()
        suggestions = self._suggestions
        if not suggestions.display:
            return False
        if key == "escape":
            suggestions.show((), None)
        elif key in ("up", "down"):
            suggestions.action_cursor_up() if key == "up" else suggestions.action_cursor_down()
        elif key == "tab":
            self._put((suggestions.chosen or suggestions.choices[0]).text)
        else:
            return self._accept(suggestions.chosen)
        return True

    def _accept(self, chosen: Choice | None) -> bool:
        """Send what is chosen where nothing is left to type, else put it here; False to send the text as it is."""
        if chosen is None or (chosen.is_whole and self.text.strip() == chosen.text.strip()):
            return False
        self._put(chosen.text)
        if chosen.is_whole:
            self._send()
        return True

    def _choose_example(self, key: str) -> bool:
        examples = self.screen.query("#welcome OptionList").results(OptionList)
        found = next(iter(examples), None)
        if found is None or (key == "up" and found.highlighted is None):
            return False
        if key in ("down", "tab"):
            found.action_cursor_down()
        elif key == "up":
            found.action_cursor_up()
        elif key == "enter" and found.highlighted is not None:
            found.action_select()
        else:
            return False
        return True

    def _take(self, event: Key) -> bool:
        if event.key == "enter":
            self._send()
        elif event.key in NEW_LINE_KEYS:
            self._replace_via_keyboard("\n", *self.selection)
        elif event.key == "up" and self.navigator.is_first_wrapped_line(self.cursor_location):
            self._put(self.recall.older(self.text))
        elif event.key == "down" and self.recall.walking and self.navigator.is_last_wrapped_line(self.cursor_location):
            self._put(self.recall.newer(self.text))
        elif event.character == "?" and not self.text:
            self.app.call_later(self.app.run_action, "command('help')")
        else:
            return False
        return True

    @on(TextArea.Changed)
    async def _suggest(self) -> None:
        """Show how the text may go on, unless that is shown, or was put away."""
        text = self.text
        if text != self._suggested_for:
            self._suggested_for = text
            is_command = text.startswith("/") and not self.recall.walking
            names = command_choices(text, cast("ChatApp", self.app).offered) if is_command else ()
            has_argument = is_command and " " in text
            choices = await asyncio.to_thread(argument_choices, text) if has_argument else names
            self._suggestions.show(choices, 0 if names else None)

    def begin(self, text: str) -> None:
        """Take the focus with this text in it, to be gone on with."""
        self._put(text)
        self.focus()

    def begin_edit(self, question: str, number: int) -> None:
        """Take the focus with an earlier question in it; `put_back` ends that, and gives back what was here."""
        if self._draft is None:
            self._draft = self.text
        self.border_title = f"question {number} again, as a branch · esc leaves it"
        self.add_class("-editing")
        self.begin(question)

    def put_back(self, questions: Sequence[str]) -> None:
        """Put questions that were not asked before what is here, and edit none."""
        here = self.text if self._draft is None else self._draft
        self._end_edit()
        self.begin("\n".join([*questions, here] if here else questions))

    def _end_edit(self) -> None:
        self._draft, self.border_title = None, ""
        self.remove_class("-editing")

    def _send(self) -> None:
        question = self.text.strip()
        if not question:
            self._put("")  # blanks that nobody sees would keep `?` and `/` from being taken as keys
        else:
            draft, self.text = self._draft, ""
            if draft is not None and not _is_command(question):
                self._end_edit()
                self._put(draft)
            self.post_message(self.Sent(question))

    def _put(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.move_cursor(self.document.end)


def _is_command(text: str) -> bool:
    try:
        return parse(text) is not None
    except ClewError:
        return True
