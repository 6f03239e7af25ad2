"""A conversation with one knowledge base: questions in, events and cited answers out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic_ai import AgentRunResultEvent
from pydantic_ai.messages import (
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult
from pydantic_ai.usage import UsageLimits
from pydantic_core import from_json, to_json

from assistant.agent import agent
from assistant.answers import Output, without_citations
from assistant.deps import Deps
from assistant.events import Event, Finished, TextDelta, ToolFinished, ToolStarted
from assistant.evidence import clip
from assistant.followup import standing_alone
from assistant.models import endpoint_model, model_failures
from assistant.offline_model import OfflineModel
from assistant.replies import build_reply
from assistant.reply import Reply, Usage
from assistant.settings import ModelChoice
from assistant.streaming import AnswerStream
from assistant.workspace import Workspace
from kb.errors import UsageError
from kb.store import KnowledgeBase
from tools.plan import Plan

MAX_WORDS = 2_000
MAX_CHARACTERS = 20_000
REMEMBERED_TURNS = 6
"""Earlier questions and answers that a model is told: enough for "and when did she die?", and small."""

REQUESTS = 16
"""Model requests for one question, answers sent back for their citations included; two to five are usual."""


class Session:
    """One knowledge base and one model; remembers its questions and answers for follow-up questions.

    Lives in one event loop and answers one question at a time. Everything that reads the file runs in one thread of its
    own, so that the loop stays free and a call that was cancelled cannot meet the next one.
    """

    def __init__(self, kb: KnowledgeBase, model: ModelChoice | None = None, *, top: int = 10) -> None:
        self.choice = model or ModelChoice()
        self.top = top
        self._kb = kb
        self._model = None if self.choice.offline else endpoint_model(self.choice)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-kb")
        self.turns: list[Reply] = []

    @classmethod
    def open(cls, path: str | Path, model: ModelChoice | None = None, *, top: int = 10) -> Self:
        """A session over the file at `path`. Raises BadFileError, and UsageError or ModelFailure for an unusable
        model.
        """
        kb = KnowledgeBase.open(path)
        try:
            return cls(kb, model, top=top)
        except BaseException:
            kb.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wait for a tool that still runs, then close the file."""
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._kb.close()

    @property
    def passages(self) -> int:
        """How many passages the file holds."""
        return self._kb.info().passages

    def resume(self, replies: Sequence[Reply]) -> None:
        """Take up an earlier conversation: what was asked and answered, oldest first."""
        self.turns = list(replies)[-REMEMBERED_TURNS:]

    async def ask(self, question: str, plan: Plan | None = None) -> AsyncGenerator[Event, None]:
        """What happens on the way to the answer, as it happens; `Finished` with the reply comes last.

        A recorded `plan` is used instead of planning. The question is remembered once it has been answered. Raises
        UsageError for an unusable question, ModelFailure, BadFileError.
        """
        start = time.perf_counter()
        workspace = Workspace(checked_question(question), plan)
        if self.choice.offline:
            workspace.standalone = standing_alone(workspace.question, self.turns)
        deps = Deps(self._kb, workspace, self._thread)
        with model_failures(self.choice):
            async with aclosing(self._run(deps)) as run:
                async for event in run:
                    if isinstance(event, AgentRunResult):
                        result = event
                    else:
                        yield event
        reply = await asyncio.get_running_loop().run_in_executor(self._thread, self._reply, workspace, result, start)
        self.turns = [*self.turns, reply][-REMEMBERED_TURNS:]
        yield Finished(reply)

    async def _run(self, deps: Deps) -> AsyncGenerator[Event | AgentRunResult[Output], None]:
        model: Model = self._model or OfflineModel(deps)
        stream = AnswerStream()
        run = agent().run_stream_events(
            _prompt(deps.workspace),
            model=model,
            deps=deps,
            message_history=_messages(self.turns),
            usage_limits=UsageLimits(request_limit=REQUESTS),
        )
        # Entering the model closes its connections at the end of each question, whatever loop asks the next one.
        async with model, run as events:
            async for event in events:
                match event:
                    case FunctionToolCallEvent(part=part):
                        yield ToolStarted(part.tool_call_id, part.tool_name, _arguments(part.args))
                    case FunctionToolResultEvent(part=part):
                        yield _finished(deps.workspace, part)
                    case PartStartEvent() | PartDeltaEvent():
                        if text := stream.feed(event):
                            yield TextDelta(text)
                    case AgentRunResultEvent(result=result):
                        yield result

    def _reply(self, workspace: Workspace, result: AgentRunResult[Output], start: float) -> Reply:
        usage = Usage(result.usage.requests, result.usage.input_tokens, result.usage.output_tokens)
        return build_reply(
            self._kb,
            workspace,
            result.output,
            top=self.top,
            model=self.choice.name,
            usage=usage,
            seconds=time.perf_counter() - start,
        )


def checked_question(question: str) -> str:
    """The question without the space around it. UsageError where it is empty or too long to be one."""
    text = question.strip()
    if not any(character.isalnum() for character in text):
        raise UsageError(f"the question {text[:40]!r} asks nothing; write it in words")
    words = len(text.split())
    if words > MAX_WORDS or len(text) > MAX_CHARACTERS:
        raise UsageError(
            f"the question has {words:,} words and {len(text):,} characters; at most {MAX_WORDS:,} and "
            f"{MAX_CHARACTERS:,} are taken"
        )
    return text


async def final_reply(session: Session, question: str, plan: Plan | None = None) -> Reply:
    """The reply to a question on its own, for callers that neither watch it come nor hold a conversation.

    Raises as `Session.ask` does.
    """
    session.resume(())
    async with aclosing(session.ask(question, plan)) as events:
        async for event in events:
            if isinstance(event, Finished):
                session.resume(())
                return event.reply
    raise AssertionError("a session ends with Finished or raises")


def answer(path: str | Path, question: str, model: ModelChoice | None = None, *, top: int = 10) -> Reply:
    """One question to one file, from code that is not asynchronous. Raises as `Session.open` and `Session.ask` do."""

    async def answered() -> Reply:
        with Session.open(path, model, top=top) as session:
            return await final_reply(session, question)

    return asyncio.run(answered())


def _prompt(workspace: Workspace) -> str:
    if workspace.plan is None:
        return workspace.question
    constraints = to_json(workspace.plan.constraints).decode()
    return f"{workspace.question}\n\nUse these constraints for constraint_retrieval: {constraints}"


def _messages(turns: Sequence[Reply]) -> list[ModelMessage]:
    """Earlier questions and answers as plain text: their tools' results would only carry numbers that mean nothing
    now.
    """
    messages: list[ModelMessage] = []
    for turn in turns:
        told = f"{turn.answer}\n\n{turn.explanation}" if turn.found else f"Not found: {turn.missing}"
        messages.append(ModelRequest(parts=[UserPromptPart(turn.question)]))
        messages.append(ModelResponse(parts=[TextPart(without_citations(told).strip())]))
    return messages


def _arguments(arguments: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    """A call's arguments for people; what is not JSON yet is shown as it came."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        value = from_json(arguments)
    except ValueError:
        return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": arguments}


def _finished(workspace: Workspace, part: ToolReturnPart) -> ToolFinished:
    for call in reversed(workspace.calls):
        if call.call_id == part.tool_call_id:
            return ToolFinished(call.call_id, call.name, call.seconds, call.summary, call.failed)
    # Refused before it ran: the arguments do not fit the tool.
    return ToolFinished(
        part.tool_call_id, part.tool_name, 0.0, clip(part.model_response_str(wrap_if_error=False), 300), failed=True
    )
