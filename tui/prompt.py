"""Where questions are typed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.widgets import TextArea

from assistant.commands import completions
from assistant.recall import Recall

NEW_LINE_KEYS = ("ctrl+j", "shift+enter", "alt+enter")
PROMPT_KEYS = (
    ("enter", "send"),
    (", ".join(NEW_LINE_KEYS), "new line"),
    ("up, down", "earlier questions"),
    ("pageup, pagedown", "scroll the conversation"),
    ("/ and tab", "a command, completed"),
    ("ctrl+p", "all commands"),
)


class Prompt(TextArea):
    """Where questions are typed. Up on the first row and down on the last one walk through earlier questions."""

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

    def on_key(self, event: Key) -> None:
        # Bindings would run after the keys that follow, or before the ones that still wait in this widget's queue.
        if event.key == "enter":
            self._send()
        elif event.key in NEW_LINE_KEYS:
            self._replace_via_keyboard("\n", *self.selection)
        elif event.key == "up" and self.navigator.is_first_wrapped_line(self.cursor_location):
            self._put(self.recall.older(self.text))
        elif event.key == "down" and self.recall.walking and self.navigator.is_last_wrapped_line(self.cursor_location):
            self._put(self.recall.newer(self.text))
        elif event.key == "tab" and (found := completions(self.text)):
            self._put(f"/{found[0].name} ")
        elif event.character == "?" and not self.text:
            self.app.call_later(self.app.run_action, "command('help')")
        else:
            return
        event.prevent_default().stop()

    def begin(self, text: str) -> None:
        """Take the focus with this text in it, to be gone on with."""
        self._put(text)
        self.focus()

    def _send(self) -> None:
        if question := self.text.strip():
            self.text = ""
            self.post_message(self.Sent(question))

    def _put(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.move_cursor(self.document.end)
