"""A session that lives in a thread of its own, so that opening and asking never hold up the event loop of a surface."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from typing import Protocol

from assistant.agent.replying.reply import Reply
from assistant.conversations.events import Event


class Session(Protocol):
    """What the chat needs of `conversations.session.Session`. `passages` is the number of passages in the file."""

    @property
    def passages(self) -> int: ...

    def ask(self, question: str) -> AsyncIterator[Event]: ...

    def resume(self, replies: Sequence[Reply]) -> None: ...

    def close(self) -> None: ...


class BackgroundSession:
    """Opens a session, asks it and closes it, all in one thread with one event loop, for callers in another loop.

    One question is answered at a time; a second one waits until the first has ended or has been cancelled and unwound.
    """

    def __init__(self, factory: Callable[[], Session]) -> None:
        self._factory = factory
        self._session: Session | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()

    async def open(self, replies: Sequence[Reply] = ()) -> int:
        """Make the session, give it the earlier turns, and return the number of passages in its file.

        Raises whatever the factory raises; it may then be called again.
        """
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._open(replies), self._running_loop()))

    async def reopen(self, replies: Sequence[Reply] = ()) -> int:
        """Put a new session in the place of the one that is open, as `open`; a question under way is waited for.

        Where the factory fails, the session before stays.
        """
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._reopen(replies), self._running_loop()))

    async def ask(self, question: str) -> AsyncGenerator[Event, None]:
        """The session's events as they come. Cancelling the caller, or closing the iterator, cancels the session's run.

        Raises what the session raises; RuntimeError when it has not been opened.
        """
        here = asyncio.get_running_loop()
        arrived: asyncio.Queue[Event | None] = asyncio.Queue()

        def post(event: Event | None) -> None:
            if not here.is_closed():
                here.call_soon_threadsafe(arrived.put_nowait, event)

        run = asyncio.run_coroutine_threadsafe(self._ask(question, post), self._running_loop())
        try:
            while (event := await arrived.get()) is not None:
                yield event
            await asyncio.wrap_future(run)
        finally:
            run.cancel()

    def resume(self, replies: Sequence[Reply]) -> None:
        """Give the session other earlier turns, before the next question and not during one; returns at once.

        Nothing happens where it has not been opened.
        """
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._resume(replies), self._loop)

    def close(self) -> None:
        """Cancel what runs, close the session and let the thread end; returns at once and may be called twice."""
        if self._loop is not None:
            loop, self._loop = self._loop, None
            asyncio.run_coroutine_threadsafe(self._close(), loop)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            # A daemon: quitting while a library of seconds is being imported must not wait for it.
            threading.Thread(target=_run_and_close, args=(self._loop,), name="clew session", daemon=True).start()
        return self._loop

    async def _open(self, replies: Sequence[Reply]) -> int:
        if self._session is None:
            session = self._factory()
            session.resume(replies)
            self._session = session
        return self._session.passages

    async def _reopen(self, replies: Sequence[Reply]) -> int:
        async with self._turn:
            session = self._factory()
            session.resume(replies)
            before, self._session = self._session, session
            if before is not None:
                before.close()
            return session.passages

    async def _resume(self, replies: Sequence[Reply]) -> None:
        async with self._turn:
            if self._session is not None:
                self._session.resume(replies)

    async def _ask(self, question: str, post: Callable[[Event | None], None]) -> None:
        try:
            async with self._turn:
                if self._session is None:
                    raise RuntimeError("the session has not been opened")
                async for event in self._session.ask(question):
                    post(event)
        finally:
            post(None)

    async def _close(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._session is not None:
            self._session.close()
        asyncio.get_running_loop().stop()


def _run_and_close(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
