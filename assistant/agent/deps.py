"""What the agent's tools work with, and the record of what they did."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from pydantic_ai import ModelRetry, RunContext, ToolFailed, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelResponse
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from assistant.agent.workspace import ToolCall, Workspace
from assistant.models.budget import Meter, OutOfTime
from assistant.shared.model_choice import CONTEXT_WINDOW
from kb.errors import BadFileError, ClewError, UsageError
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Judge

T = TypeVar("T")

ANSWER_ROOM = 400
"""Tokens of a model's context, kept free for its answer."""

OFFLINE_PROVIDER = "clew"
"""The provider that the offline model names."""

CHARACTERS_OF_TOKEN = 4
"""About what models' tokenizers make of English."""


@dataclass(slots=True)
class Deps:
    """The knowledge base, the one thread that may use it, and the Workspace of the question.

    `shown` holds the numbers of the passages of whose text the model has been given anything, `seen` the sentences by
    number and place in the text, and `made` the calls by name and arguments, with how many passages were known after
    each. `context_window` is the model's, in tokens. `judge` makes the
    judgements inside the techniques; None for the offline one. `meter` counts what the question costs, `steps` what has
    been begun for it; at the step of `stop` a replay ends with its error.
    """

    kb: KnowledgeBase
    workspace: Workspace
    thread: Executor
    shown: set[int] = field(default_factory=set)
    judge: Judge | None = None
    meter: Meter = field(default_factory=Meter)
    seen: set[tuple[int, int]] = field(default_factory=set)
    made: dict[str, int] = field(default_factory=dict)
    context_window: int = CONTEXT_WINDOW
    steps: int = 0
    stop: tuple[int, OutOfTime] | None = None

    def begin(self) -> None:
        """Count a step: a request of the loop, or a piece of a tool's work. Raises where a replay is to stop at it."""
        self.steps += 1
        if self.stop is not None and self.stop[0] == self.steps:
            raise self.stop[1]

    async def call(self, function: Callable[..., T], *args: object, **kwargs: object) -> T:
        """`function(kb, ...)` in the knowledge base's thread; a wrong argument goes back to the model to be corrected.

        What else fails in this one call is told to the model, which can go on without it. A file that cannot be used
        ends the question: BadFileError.
        """
        self.begin()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self.thread, partial(function, self.kb, *args, **kwargs))
        except BadFileError:
            raise
        except UsageError as error:
            raise ModelRetry(str(error)) from error
        except ClewError as error:
            raise ToolFailed(str(error)) from error


def context_left(messages: Sequence[ModelMessage], context_window: int) -> int:
    """Tokens of a model's context that are left beside an answer; below 0 where that does not fit.

    What is used is what the endpoint counted up to its last answer, and four characters a token of what is not counted.
    """
    places = [place for place, one in enumerate(messages) if isinstance(one, ModelResponse) and one.usage.total_tokens]
    last = messages[places[-1]] if places else None
    counted = last.usage.total_tokens if isinstance(last, ModelResponse) else 0
    since = list(messages)
    if places:
        # The instructions, which each request carries, have been counted.
        since = [
            replace(one, instructions=None) if isinstance(one, ModelRequest) else one
            for one in messages[places[-1] + 1 :]
        ]
    size = len(ModelMessagesTypeAdapter.dump_json(since)) if since else 0
    return context_window - ANSWER_ROOM - counted - size // CHARACTERS_OF_TOKEN


def is_answered_offline(messages: Sequence[ModelMessage]) -> bool:
    """Whether the latest response is the offline model's, which also stands in for others."""
    responses = (message for message in reversed(messages) if isinstance(message, ModelResponse))
    return next((response.provider_name for response in responses), None) == OFFLINE_PROVIDER


@dataclass
class RecordedToolset(WrapperToolset[Deps]):
    """Writes every call, with its time and what came of it in a line, to the Workspace.

    A tool gives that line as the metadata of its ToolReturn.
    """

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        start = time.perf_counter()
        summary, failed = "stopped", True
        try:
            result = await super().call_tool(name, tool_args, ctx, tool)
            summary, failed = str(result.metadata if isinstance(result, ToolReturn) else result), False
        except (ModelRetry, ToolFailed) as error:
            summary = error.message
            raise
        finally:
            call = ToolCall(ctx.tool_call_id or "", name, time.perf_counter() - start, summary, failed)
            ctx.deps.workspace.calls.append(call)
        return result
