"""All sessions: found by what was said, resumed, forked, exported and deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from assistant.conversations.chat import Conversation
from assistant.conversations.session_export import export
from assistant.conversations.session_files import SessionLog
from assistant.conversations.session_listing import Listed, found_sessions, listed_lines
from assistant.shared.rendering import counted, plain
from screens.finder import Finder
from screens.style import styled
from screens.yes_no import Ask


class SessionsScreen(Finder[Listed, SessionLog]):
    """The sessions, latest first; gives the one to go on with."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fork", "fork"),
        Binding("e", "export", "export"),
        Binding("delete,d", "delete", "delete"),
        Binding("a", "all_files", "all files"),
    ]

    title_text = "Sessions"
    hint = "enter resumes · esc closes · tab, then: f fork · e export · d delete · a all files"

    def __init__(self, conversation: Conversation, words: str = "") -> None:
        super().__init__(words)
        self._conversation = conversation
        self._logs: Sequence[SessionLog] | None = None
        self._all_files = False

    def find(self, words: str) -> Sequence[Listed]:
        if self._logs is None:
            self._logs = self._conversation.sessions.all(None if self._all_files else self._conversation.path)
        return found_sessions(self._logs, words)

    def shown(self, item: Listed) -> Content:
        is_here = item.log.id == self._conversation.log.id
        return styled(*listed_lines(item, with_file=self._all_files, is_here=is_here))

    async def chosen(self, item: Listed) -> None:
        self.dismiss(item.log)

    def action_all_files(self) -> None:
        """The sessions over all files, or over this one only."""
        self._all_files = not self._all_files
        self.query_one(".title", Static).update("Sessions over all files" if self._all_files else "Sessions")
        self._read_again()

    def _read_again(self) -> None:
        self._logs = None
        self.look()

    def action_fork(self) -> None:
        """Go on with a copy of the session."""
        if (item := self.highlighted) is not None:
            self.attempt(self._fork(item.log))

    async def _fork(self, log: SessionLog) -> None:
        self.dismiss(await asyncio.to_thread(self._conversation.sessions.fork, log))

    def action_export(self) -> None:
        """Write the session to a new file in the working folder."""
        if (item := self.highlighted) is not None:
            self.attempt(self._export(item.log))

    async def _export(self, log: SessionLog) -> None:
        path = await asyncio.to_thread(export, log, "all")
        self.tell(f"written to {plain(str(path), 200)}")

    def action_delete(self) -> None:
        """Delete the session, after asking."""
        if (item := self.highlighted) is not None:
            self.attempt(self._delete(item.log))

    async def _delete(self, log: SessionLog) -> None:
        question = f"Delete “{plain(log.title, 60)}” with its {counted(len(log.turns), 'question')} for good?"
        if await self.app.push_screen_wait(Ask(question, "y deletes it · n keeps it")):
            await asyncio.to_thread(self._conversation.sessions.delete, log)
            self._read_again()
