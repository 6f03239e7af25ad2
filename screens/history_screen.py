"""Earlier questions of all sessions, found by their words."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from assistant.conversations.chat import Conversation
from assistant.conversations.recall import past_questions, with_words
from assistant.shared.rendering import plain
from screens.finder import Finder


class History(Finder[str, str]):
    """The questions of all sessions, those over this file first and the latest on top; gives the one that is chosen."""

    title_text = "Earlier questions"
    hint = "enter puts it into the prompt · esc closes"

    def __init__(self, conversation: Conversation, words: str = "") -> None:
        super().__init__(words)
        self._conversation = conversation
        self._questions: list[str] | None = None

    def find(self, words: str) -> Sequence[str]:
        if self._questions is None:
            self._questions = past_questions(self._conversation.sessions.all(), self._conversation.path)
        return with_words(self._questions, words)

    def shown(self, item: str) -> Content:
        return Content(plain(item, 300))

    async def chosen(self, item: str) -> None:
        self.dismiss(item)
