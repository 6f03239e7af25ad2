"""A model that is a record of what another one answered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic_ai import RunContext, exceptions
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

from assistant.agent.offline.offline_model import CHUNK
from assistant.conversations.transcripts.exchange import Sent, failed_again, recorded_response
from assistant.conversations.transcripts.form import Exchange
from kb.errors import ModelFailure


class ReplayModel(Model):
    """Gives recorded responses back in the endpoint's place: to a request that says the same, whatever the order.

    What the agent says may differ in a word, such as what is left of its budget: it then gets its responses in order. A
    judgement is only of what it was made of. A recorded failure fails again; a request that nothing was recorded for
    raises ModelFailure.
    """

    def __init__(self, exchanges: Sequence[Exchange], name: str) -> None:
        super().__init__()
        self._exchanges = exchanges
        self._used: set[int] = set()
        self._name = name

    @property
    def model_name(self) -> str:
        return self._name

    @property
    def system(self) -> str:
        return "transcript"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        response, failure = self._answer(Sent.of(messages, model_request_parameters, streamed=False))
        if failure is not None or response is None:
            raise failure or nothing_recorded()
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        response, failure = self._answer(Sent.of(messages, model_request_parameters, streamed=True))
        if response is None:
            raise failure or nothing_recorded()
        yield _Recorded(parameters, _response=response, _failure=failure)

    def _answer(self, sent: Sent) -> tuple[ModelResponse | None, exceptions.AgentRunError | None]:
        place = self._place(sent)
        if place is None:
            raise nothing_recorded()
        self._used.add(place)
        exchange = self._exchanges[place]
        failure = None if exchange.failure is None else failed_again(exchange.failure, self._name)
        return recorded_response(exchange), failure

    def _place(self, sent: Sent) -> int | None:
        unused = [place for place in range(len(self._exchanges)) if place not in self._used]
        same = [place for place, one in enumerate(self._exchanges) if one.request == sent.request]
        if same:
            return next((place for place in same if place in unused), same[-1])
        # Instructions that have been rewritten since make a role that no exchange has.
        known = any(one.role == sent.role for one in self._exchanges)
        ours = (place for place in unused if self._exchanges[place].kind == sent.kind == "agent")
        return next((place for place in ours if not known or self._exchanges[place].role == sent.role), None)


def nothing_recorded() -> ModelFailure:
    """For a request that the transcript does not know."""
    return ModelFailure("the transcript has no answer for this request")


@dataclass
class _Recorded(StreamedResponse):
    """A response in pieces of a few words, and then the failure that cut it off, if one did."""

    _response: ModelResponse = field(default_factory=lambda: ModelResponse(parts=[]))
    _failure: exceptions.AgentRunError | None = None

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        for index, part in enumerate(self._response.parts):
            async for event in self._part_events(index, part):
                yield event
        if self._failure is not None:
            raise self._failure
        self._usage = self._response.usage
        self.finish_reason = self._response.finish_reason
        self.provider_details = self._response.provider_details

    async def _part_events(self, index: int, part: object) -> AsyncIterator[ModelResponseStreamEvent]:
        manager = self._parts_manager
        match part:
            case TextPart(content=text):
                for piece in _pieces(text):
                    for event in manager.handle_text_delta(vendor_part_id=index, content=piece):
                        yield event
            case ThinkingPart(content=text):
                for piece in _pieces(text):
                    for event in manager.handle_thinking_delta(vendor_part_id=index, content=piece):
                        yield event
            case ToolCallPart():
                name: str | None = part.tool_name
                for piece in _pieces(part.args_as_json_str() if isinstance(part.args, dict) else part.args or "") or [
                    ""
                ]:
                    for event in manager.handle_tool_call_delta_events(
                        vendor_part_id=index, tool_name=name, args=piece, tool_call_id=part.tool_call_id
                    ):
                        yield event
                    name = None

    async def close_stream(self) -> None:
        """There is no connection to close."""

    @property
    def model_name(self) -> str:
        return self._response.model_name or ""

    @property
    def provider_name(self) -> str | None:
        return self._response.provider_name

    @property
    def provider_url(self) -> str | None:
        return self._response.provider_url

    @property
    def timestamp(self) -> datetime:
        return self._response.timestamp


def _pieces(text: str) -> list[str]:
    return [text[start : start + CHUNK] for start in range(0, len(text), CHUNK)]
