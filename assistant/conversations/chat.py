"""One chat over one knowledge base: a session in a thread of its own, and the turns that are kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from assistant.agent.replying.reply import Reply
from assistant.conversations.background import BackgroundSession, Session
from assistant.conversations.events import Event, Progress
from assistant.conversations.recall import past_questions
from assistant.conversations.session_files import SessionFolder, SessionLog, Turn, readable
from kb.errors import BadFileError, WriteError
from kb.store.following import FileWatch

SHOWN_TURNS = 10
"""Turns of a session that are shown when it is opened, and by each look further back: twice a big screen."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The latest turns that can be read, oldest first, and how many there are before them."""

    turns: tuple[Turn, ...] = ()
    older: int = 0


class Conversation:
    """What a chat shows, without a screen. Making one opens nothing.

    It goes on with `log`, by default the latest session over its file, or a new one. `passages` is the number of
    passages in the file once it is open, `last` the latest reply, `progress` what has come of the question under way,
    `news` how many documents other processes have changed in the file since the last question. `own_session` opens an
    offline session beside it.
    """

    def __init__(
        self,
        path: Path,
        model: str,
        session_factory: Callable[[], Session],
        log: SessionLog | None = None,
        sessions: SessionFolder | None = None,
        own_session: Callable[[], Session] | None = None,
    ) -> None:
        self.path = path
        self.model = model
        self.passages: int | None = None
        self.last: Reply | None = None
        self.progress: Progress | None = None
        self.news = 0
        self.sessions = sessions or SessionFolder()
        self._log = log
        self._session = BackgroundSession(session_factory)
        self._own_session = own_session
        self._keeping = True
        self._file = FileWatch(path)
        self._looking = asyncio.Lock()

    @property
    def log(self) -> SessionLog:
        """The session that is kept; a new one where none has been read or given."""
        if self._log is None:
            self._log = self.sessions.create(self.path)
        return self._log

    async def earlier(self) -> Earlier:
        """The turns to show first, of the latest session over the file unless one was given.

        BadFileError: the sessions cannot be read; the conversation is then a new one.
        """
        if self._log is None:
            kept = await asyncio.to_thread(self.sessions.all, self.path)
            self._log = kept[0] if kept else None
        return await asyncio.to_thread(self.before)

    async def go_to(self, log: SessionLog) -> None:
        """Leave the session, which is kept, for another one over the same file."""
        self._log = log
        self._keeping = True
        await self._remember()

    async def go_before(self, turn: Turn) -> None:
        """Stand before `turn`: the next question is a branch beside it, and knows only what was said before."""
        self.log.go_before(turn.id)
        await self._remember()

    async def select(self, turn: Turn) -> None:
        """Stand at the end of the branch of `turn`. WriteError where that cannot be kept."""
        await asyncio.to_thread(self.log.select, turn.id)
        await self._remember()

    async def _remember(self) -> None:
        told = await asyncio.to_thread(self.before)
        self._session.resume([turn.reply for turn in told.turns])

    async def suggestions(self) -> AsyncGenerator[str, None]:
        """A few questions that the file answers without a model, each as soon as it has been tried; takes seconds.

        None where the conversation was not given an `own_session` to try them in.
        """
        if self._own_session is not None:
            from assistant.conversations.suggesting import (
                suggested,  # not before it is needed: the first paint waits for imports
            )

            async with aclosing(suggested(self.path, self._own_session)) as questions:
                async for question in questions:
                    yield question

    async def asked_before(self) -> list[str]:
        """What was asked in all sessions, each question once, latest first; those over this file come first."""
        return await asyncio.to_thread(lambda: past_questions(self.sessions.all(), self.path))

    def before(self, turn: Turn | None = None) -> Earlier:
        """The turns just before `turn`, by default the last ones; those that cannot be read are left out."""
        line = self.log.line()
        if turn is not None:
            line = line[: line.index(turn)]
        shown = readable(line[-SHOWN_TURNS:])
        if turn is None:
            self.last = shown[-1].reply if shown else None
        return Earlier(tuple(shown), max(len(line) - SHOWN_TURNS, 0))

    async def open(self) -> None:
        """Open the session and tell it what was said. Raises what its factory raises, and may then be called again."""
        await asyncio.to_thread(self._file.opening)
        self.passages = await self._session.open(await self._said())

    async def _said(self) -> list[Reply]:
        told = (await asyncio.to_thread(self.before)).turns if self._log is not None else ()
        return [turn.reply for turn in told]

    async def refuse_lost_file(self) -> None:
        """BadFileError where the file is no longer where it was opened, though what was open of it still answers."""
        if self.passages is not None and await asyncio.to_thread(self._file.is_lost):
            raise BadFileError(
                f"{str(self.path)!r} was moved or deleted since it was opened: answers still come from what it held; "
                "/open opens another file"
            )

    async def refresh(self) -> bool:
        """Open the session anew where another process has changed the file; says whether that was so.

        What a session has read and worked out before is of no use then. Raises what its factory raises; the session
        before stays, and the next call tries again.
        """
        async with self._looking:
            if self.passages is None or not await asyncio.to_thread(self._file.look):
                return False
            try:
                self.passages = await self._session.reopen(await self._said())
            except Exception:
                self._file.forget()
                raise
            self.news = self._file.changed
            return True

    def ask(self, question: str) -> AsyncGenerator[Event, None]:
        """Begin a question: the session's events. `end` follows, whether they came to their end or not."""
        self.progress = Progress(question, self.model)
        return self._events(self.progress)

    async def _events(self, progress: Progress) -> AsyncGenerator[Event, None]:
        await self.refresh()
        self._file.told()
        self.news = 0
        async with aclosing(self._session.ask(progress.question)) as events:
            async for event in events:
                progress.add(event)
                yield event

    def end(self) -> Reply | None:
        """End the question under way, if there is one, and return its reply, whole or partial."""
        progress, self.progress = self.progress, None
        return progress.partial() if progress else None

    async def keep(self, reply: Reply) -> Turn | None:
        """Make `reply` the latest and keep it as a turn of the session.

        WriteError where that cannot be written; from then on nothing is written, None returned and no error raised.
        """
        self.last = reply
        if not self._keeping:
            return None
        try:
            return await asyncio.to_thread(self.log.append, reply)
        except WriteError:
            self._keeping = False
            raise

    def close(self) -> None:
        """Close the session; a question under way is kept as far as it has come."""
        self._session.close()
        if (reply := self.end()) and self._keeping:
            with suppress(WriteError):
                self.log.append(reply)
