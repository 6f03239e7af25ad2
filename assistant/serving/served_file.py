"""One knowledge base for any number of clients: who may use which connection when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from assistant.serving.catalogue import MAX_RESULTS, Offered
from assistant.shared.chosen_scorer import open_to_ask
from kb.errors import UsageError
from kb.store.file_state import file_state
from kb.store.knowledge_base import KnowledgeBase
from kb.wellformed import well_formed_json

if TYPE_CHECKING:
    from assistant.agent.replying.reply import Reply
    from assistant.conversations.events import Event
    from assistant.conversations.session import Session
    from assistant.serving.results import Result

T = TypeVar("T")

MAX_ARGUMENTS = 40_000
"""Characters of one call's arguments, twice what a question may have."""


class ServedFile:
    """A file opened to be served; a context manager.

    Techniques share one connection, and questions another one, that of the session which answers them. Each belongs to
    a thread of its own, where calls wait for each other; so a long question does not hold up a search. The session is
    opened by `open_session` when the first question comes: that takes a second or two. Both are opened again where the
    file has changed: a server lives long enough for its user to add documents.
    """

    def __init__(self, path: Path, open_session: Callable[[], Session]) -> None:
        """Raises BadFileError, and UsageError for an unusable scorer."""
        self._path = path
        self._state = file_state(path)
        self._kb = open_to_ask(path)
        self._open_session = open_session
        self._session: Session | None = None
        self._session_state = self._state
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-mcp")
        self._asking = asyncio.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wait for a technique that still runs, then close the file."""
        self._thread.shutdown(wait=True, cancel_futures=True)
        if self._session is not None:
            self._session.close()
        self._kb.close()

    @property
    def name(self) -> str:
        """The file's name without its folder, which is nobody's business."""
        return self._path.name

    async def call(self, tool: Offered, arguments: Mapping[str, Any]) -> Result:
        """What a technique finds. Raises UsageError for wrong arguments, BadFileError."""
        _check(tool, arguments)
        return await self._use(partial(_run, tool, arguments))

    async def ask(self, question: str, tell: Callable[[Event], Awaitable[None]]) -> Reply:
        """The answer to a question on its own; `tell` gets the events on the way.

        One question is answered at a time. Cancelling it stops it. Raises as `Session.open` and `Session.ask` do.
        """
        from assistant.conversations.events import Finished

        async with self._asking:
            session = await self._use(self._session_at_hand)
            session.resume(())
            try:
                async with aclosing(session.ask(question)) as events:
                    async for event in events:
                        if isinstance(event, Finished):
                            return event.reply
                        await tell(event)
            finally:
                session.resume(())
        raise AssertionError("a session ends with Finished or raises")

    async def info(self) -> dict[str, Any]:
        """What the file holds, in JSON types."""
        info = await self._use(lambda kb: kb.info())
        counts = {name: getattr(info, name) for name in ("documents", "passages", "entities", "triples")}
        return {"name": self.name, **counts, "embedding_model": info.embedding_model, "extractor": info.extractor}

    async def _use(self, function: Callable[[KnowledgeBase], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._used, function)

    def _used(self, function: Callable[[KnowledgeBase], T]) -> T:
        kb = self._current()
        try:
            return function(kb)
        except Exception as error:
            told = kb.explained(error)
            if told is error:
                raise
            raise told from error

    def _current(self) -> KnowledgeBase:
        state = file_state(self._path)
        if not state or state != self._state:  # none says nothing: a server that was away twice may be another one
            before, self._kb, self._state = self._kb, open_to_ask(self._path), state
            before.close()
        return self._kb

    def _session_at_hand(self, kb: KnowledgeBase) -> Session:
        if self._session is None or not self._state or self._session_state != self._state:
            before, self._session, self._session_state = self._session, self._open_session(), self._state
            if before is not None:
                before.close()
        return self._session


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await `work` in a task of its own, which on cancellation is cancelled once and waited for.

    The protocol's library cancels by scopes, and a scope goes on cancelling whatever its task awaits, so also what
    closes a model's connections.
    """
    import anyio

    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise


def _check(tool: Offered, arguments: Mapping[str, Any]) -> None:
    """Hold a client to the schema that it was given where the technique itself would take more."""
    takes = f"it takes {', '.join(tool.arguments)}"
    if unknown := [name for name in arguments if name not in tool.arguments]:
        raise UsageError(f"{tool.name} knows no argument {unknown[0][:80]!r}; {takes}")
    if missing := [name for name in tool.required if name not in arguments]:
        raise UsageError(f"{tool.name} needs {missing[0]!r}; {takes}")
    k = arguments.get("k", 1)
    if isinstance(k, int) and not 1 <= k <= MAX_RESULTS:
        raise UsageError(f"{tool.name}: k is {k}; give one from 1 to {MAX_RESULTS}")
    if (size := len(json.dumps(arguments))) > MAX_ARGUMENTS:
        raise UsageError(f"{tool.name}: the arguments have {size:,} characters; at most {MAX_ARGUMENTS:,} are taken")


def _run(tool: Offered, arguments: Mapping[str, Any], kb: KnowledgeBase) -> Result:
    from pydantic import ValidationError

    from assistant.serving.results import of_technique
    from tools.registry import get_tool, refuse_huge

    refuse_huge(tool.name, arguments)
    technique = get_tool(tool.name)
    try:
        checked = technique.parameters.model_validate(well_formed_json(tool.completed(arguments)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "arguments"
        raise UsageError(f"{tool.name}: {where}: {first['msg']}; it takes {', '.join(tool.arguments)}") from error
    values = {name: getattr(checked, name) for name in type(checked).model_fields}
    return of_technique(kb, technique.function(kb, **values))
