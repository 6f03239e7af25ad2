"""One knowledge base served to Python code: opened once, asked in a line, from a script or in a notebook."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.agent.replying.reply import Reply
from assistant.conversations.session import Session, final_reply
from assistant.shared.chosen_scorer import open_to_ask
from assistant.shared.model_choice import ModelChoice
from kb.errors import UsageError


class OpenBase:
    """A knowledge base that is open to be asked; `clew.open` gives one. Asking never changes the file.

    Each question stands alone, and they are answered one at a time. To be closed, or used in a `with`.
    """

    def __init__(self, path: str | Path, model: ModelChoice | None = None) -> None:
        # A session lives in one event loop: in a thread of its own it is asked from code with a loop, as in a
        # notebook, and from code without one.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-python")
        self._runner = asyncio.Runner()
        self._closed = False
        try:
            self._kb = open_to_ask(path)
            self._session = self._thread.submit(self._begun, model).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def ask(self, question: str) -> Reply:
        """The answer, with its citations, its certainty and what led to it; `found` is False where there is none.

        Raises UsageError for an empty question or one that is too long, BadFileError, ModelFailure, and UsageError
        once this has been closed as well.
        """
        return self._asked(question).result()

    async def ask_async(self, question: str) -> Reply:
        """As `ask`, while the event loop goes on. A question that is cancelled is still answered to its end before the
        next one begins.
        """
        return await asyncio.wrap_future(self._asked(question))

    def close(self) -> None:
        """Close the file, after the question that is being answered. Closing twice does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self._thread.submit(self._close).result()
        finally:
            self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _begun(self, model: ModelChoice | None) -> Session:
        try:
            return Session(self._kb, model)
        except BaseException:
            self._kb.close()
            raise

    def _asked(self, question: str) -> Future[Reply]:
        if self._closed:
            raise UsageError(
                f"{str(self._kb.path)!r} is closed; open it again with clew.open, or ask within the `with`"
            )
        return self._thread.submit(self._answered, question)

    def _answered(self, question: str) -> Reply:
        try:
            return self._runner.run(final_reply(self._session, question))
        except Exception as error:
            if (told := self._kb.explained(error)) is not error:
                raise told from error
            raise

    def _close(self) -> None:
        self._session.close()
        self._runner.close()
