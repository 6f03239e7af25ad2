"""One chat over one knowledge base: a session in a thread of its own, and the history beside the file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from assistant.background import BackgroundSession, Session
from assistant.events import Event, Progress
from assistant.history import History, Kept
from assistant.reply import Reply
from kb.errors import WriteError


class Conversation:
    """What a chat shows, without a screen. Making one opens nothing.

    `passages` is the number of passages in the file once it is open, `last` the latest reply, `progress` what has come
    of the question under way.
    """

    def __init__(self, path: Path, model: str, session_factory: Callable[[], Session]) -> None:
        self.path = path
        self.model = model
        self.passages: int | None = None
        self.last: Reply | None = None
        self.progress: Progress | None = None
        self._session = BackgroundSession(session_factory)
        self._history = History.beside(path)
        self._keeping = True
        self._earlier: Sequence[Reply] = ()

    async def earlier(self) -> Kept:
        """The turns kept so far, which the session is told of when it is opened. BadFileError: they cannot be read."""
        kept = await asyncio.to_thread(self._history.load)
        self._earlier = kept.replies
        self.last = kept.replies[-1] if kept.replies else None
        return kept

    async def open(self) -> None:
        """Open the session. Raises what its factory raises, and may then be called again."""
        self.passages = await self._session.open(self._earlier)

    def ask(self, question: str) -> AsyncGenerator[Event, None]:
        """Begin a question: the session's events. `end` follows, whether they came to their end or not."""
        self.progress = Progress(question, self.model)
        return self._events(self.progress)

    async def _events(self, progress: Progress) -> AsyncGenerator[Event, None]:
        async with aclosing(self._session.ask(progress.question)) as events:
            async for event in events:
                progress.add(event)
                yield event

    def end(self) -> Reply | None:
        """End the question under way, if there is one, and return its reply, whole or partial."""
        progress, self.progress = self.progress, None
        return progress.partial() if progress else None

    async def keep(self, reply: Reply) -> None:
        """Make `reply` the latest and write it to the history.

        WriteError where that cannot be written; from then on nothing is written and no error raised.
        """
        self.last = reply
        if self._keeping:
            try:
                await asyncio.to_thread(self._history.append, reply)
            except WriteError:
                self._keeping = False
                raise

    def close(self) -> None:
        """Close the session; a question under way is kept as far as it has come."""
        self._session.close()
        if (reply := self.end()) and self._keeping:
            with suppress(WriteError):
                self._history.append(reply)
