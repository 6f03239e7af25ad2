"""The offline model: a pydantic-ai model whose answers come from a policy and from extraction, not from a network.

It gets the same messages and tool schemas as any model and answers with the same tool calls. Where a language model
reads what the tools return, this one reads the Workspace, of which that text is a rendering.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_core import to_jsonable_python

from assistant.agent.deps import Deps
from assistant.agent.final_answer import NO_ANSWER, Found, NotFound, Output
from assistant.agent.offline.extracted_answer import Extracted, nearly_said, take_in, worded
from assistant.agent.offline.policy import next_calls
from assistant.agent.offline.preparing import prepared
from assistant.agent.offline.situation import situated
from assistant.agent.replying.trust import mark_certainty, withheld
from assistant.agent.streaming import ANSWER_TOOL, NOT_FOUND_TOOL
from assistant.shared.model_choice import OFFLINE
from tools.planning.planner import plan_question
from tools.reading.second_reader import begin_loading

CHUNK = 24
"""Characters of arguments in one streamed piece: a few words, so that an answer is seen to arrive."""


CATALOGUED = 1.0
"""Confidence in an answer from the knowledge base's own catalogue."""

IN_PART = 0.85
"""The same for a list that may lack some, which is never sure."""


class OfflineModel(Model):
    """Answers one question, that of its `deps`; with `at_once`, from what has been found already, and where that is
    nothing from what is found until all of it has been ranked for the first time.
    """

    def __init__(self, deps: Deps, *, at_once: bool = False) -> None:
        super().__init__()
        self._deps = deps
        self._at_once = at_once
        self._has_evidence = bool(deps.workspace.evidence)
        # What is found later may push back what the surest answer stands in.
        self._surest = Extracted()

    @property
    def model_name(self) -> str:
        return OFFLINE

    @property
    def system(self) -> str:
        return "clew"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        self.prepare_request(model_settings, model_request_parameters)
        return ModelResponse(parts=await self._parts(messages), model_name=self.model_name, provider_name=self.system)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        yield _StreamedParts(parameters, _parts=await self._parts(messages))

    async def _parts(self, messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
        """Planning and reading are computing, which the event loop is spared."""
        return await asyncio.get_running_loop().run_in_executor(self._deps.thread, self._respond, list(messages))

    def _respond(self, messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
        workspace = self._deps.workspace
        if workspace.plan is None and (catalogued := prepared(self._deps.kb, workspace)) is not None:
            output = _unless_refused(messages, catalogued)
            mark_certainty(workspace, output, IN_PART if workspace.may_lack else CATALOGUED)
            return [_output_call(output)]
        begin_loading()
        workspace.plan = workspace.plan or plan_question(workspace.standalone)
        at_once = self._at_once and self._has_evidence
        situation, extracted = situated(self._deps.kb, workspace, tuple(_called(messages)), at_once=at_once)
        if extracted.outdoes(self._surest, workspace.risk):
            self._surest = extracted
        stops = at_once or (self._at_once and "evidence_walk" in situation.called)
        calls = () if stops else next_calls(situation)
        if calls:
            return [ToolCallPart(call.tool, to_jsonable_python(call.arguments)) for call in calls]
        extracted = self._surest
        workspace.hops = extracted.hops
        workspace.is_beside = bool(extracted.found and extracted.found.is_beside)
        take_in(self._deps.kb, workspace, extracted)
        output = _unless_refused(messages, worded(workspace, extracted))
        workspace.is_sentence = extracted.is_quoted or bool(extracted.told)
        mark_certainty(workspace, output, extracted.confidence, is_quoted=extracted.is_quoted)
        workspace.closest = nearly_said(extracted)
        return [_output_call(withheld(workspace, output, extracted.found.asked if extracted.found else ""))]


def _called(messages: Sequence[ModelMessage]) -> list[str]:
    """The tools called for the latest question."""
    called: list[str] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            called += [part.tool_name for part in message.parts if isinstance(part, ToolCallPart)]
        elif any(isinstance(part, UserPromptPart) for part in message.parts):
            called.clear()
    return called


def _was_refused(messages: Sequence[ModelMessage]) -> bool:
    """Whether the latest answer was sent back."""
    last = messages[-1] if messages else None
    return isinstance(last, ModelRequest) and any(
        isinstance(part, ToolReturnPart) and part.tool_name in (ANSWER_TOOL, NOT_FOUND_TOOL) for part in last.parts
    )


def _unless_refused(messages: Sequence[ModelMessage], output: Output) -> Output:
    if _was_refused(messages):
        return NotFound(missing=NO_ANSWER)
    return output


def _output_call(output: Output) -> ToolCallPart:
    name = ANSWER_TOOL if isinstance(output, Found) else NOT_FOUND_TOOL
    return ToolCallPart(name, output.model_dump())


@dataclass
class _StreamedParts(StreamedResponse):
    """Tool calls, their arguments in pieces of a few words."""

    _parts: Sequence[ToolCallPart] = ()
    _timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        for index, part in enumerate(self._parts):
            arguments = part.args_as_json_str()
            size = CHUNK if part.tool_name in (ANSWER_TOOL, NOT_FOUND_TOOL) else len(arguments)
            name: str | None = part.tool_name
            for start in range(0, len(arguments), size):
                for event in self._parts_manager.handle_tool_call_delta_events(
                    vendor_part_id=index,
                    tool_name=name,
                    args=arguments[start : start + size],
                    tool_call_id=part.tool_call_id,
                ):
                    yield event
                name = None
        self.finish_reason = "tool_call"

    async def close_stream(self) -> None:
        """There is no connection to close."""

    @property
    def model_name(self) -> str:
        return OFFLINE

    @property
    def provider_name(self) -> str:
        return "clew"

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self._timestamp
