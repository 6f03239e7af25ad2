"""A model whose requests go through a meter."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import RunContext, exceptions
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage
from pydantic_core import to_json

from assistant.models.budget import Meter, Reservation
from assistant.models.calling.json_calls import told
from assistant.models.endpoints import REQUEST_SECONDS


class MeteredModel(WrapperModel):
    """Refuses what the meter does not allow, with BudgetSpent, caps each answer at what is left, and counts.

    A request that fails on its way or half-way is charged as estimated, with what has come of its answer, for the
    server may have done the work; one that the server refused, or that never reached it, is not.
    """

    def __init__(self, wrapped: Model, meter: Meter) -> None:
        super().__init__(wrapped)
        self.meter = meter
        self.answered = 0
        """Requests that got an answer to its end."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        reserved, settings = self._reserve(messages, model_settings, model_request_parameters)
        try:
            response = await self.wrapped.request(messages, settings, model_request_parameters)
        except BaseException as error:
            self._charge_failure(reserved, error)
            raise
        self._charge(reserved, response.usage, response)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        reserved, settings = self._reserve(messages, model_settings, model_request_parameters)
        stream: StreamedResponse | None = None
        try:
            async with self.wrapped.request_stream(messages, settings, model_request_parameters, run_context) as stream:
                yield stream
        except BaseException as error:
            self._charge_failure(reserved, error, stream.get().parts if stream is not None else ())
            raise
        self._charge(reserved, stream.usage, stream.get())

    def _reserve(
        self, messages: Sequence[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> tuple[Reservation, ModelSettings | None]:
        stated = {**(self.wrapped.settings or {}), **(settings or {})}
        most, longest = stated.get("max_tokens"), stated.get("timeout")
        size = prompt_bytes(messages, parameters, settings)
        # The endpoint's model adds these to what it is told.
        thinking: int = getattr(self.wrapped, "thinking_tokens", 0)
        reserved = self.meter.reserve(size, most + thinking if isinstance(most, int) else None)
        limits: ModelSettings = {}
        if reserved.most is not None:
            limits["max_tokens"] = reserved.most - thinking
        if (seconds := self.meter.left.seconds) is not None:
            # A model in a file may take longer than one at an endpoint, whatever the budget.
            usual = longest if isinstance(longest, int | float) else REQUEST_SECONDS
            limits["timeout"] = min(usual, max(seconds, 0.1))
        return reserved, ModelSettings(**{**(settings or {}), **limits}) if limits else settings

    def _charge(self, reserved: Reservation, usage: RequestUsage, response: ModelResponse) -> None:
        self.answered += 1
        if usage.input_tokens or usage.output_tokens:
            self.meter.charge(reserved, usage.input_tokens, usage.output_tokens)
            return
        self._charge_estimated(reserved, response.parts)

    def _charge_estimated(self, reserved: Reservation, came: Sequence[object]) -> None:
        given = self.meter.estimate(sum(map(_part_bytes, came))) if came else 0
        self.meter.charge(reserved, reserved.prompt, given, estimated=True)

    def _charge_failure(self, reserved: Reservation, error: BaseException, came: Sequence[object] = ()) -> None:
        unpaid = isinstance(error, exceptions.ModelHTTPError) or (
            isinstance(error, exceptions.ModelConnectionError) and error.phase in ("connect", "pool")
        )
        if unpaid:
            self.meter.release(reserved)
        else:
            self._charge_estimated(reserved, came)


def prompt_bytes(
    messages: Sequence[ModelMessage], parameters: ModelRequestParameters, settings: ModelSettings | None = None
) -> int:
    """The size of what a model is sent, in bytes of UTF-8: texts, calls, results, instructions and the schemas of tools
    and of the answer.
    """
    size = sum(_part_bytes(part) for message in messages for part in message.parts)
    size += sum(len(text.encode()) for text in told(messages, parameters))
    size += len(_encoded((settings or {}).get("extra_body") or ""))
    tools = [*parameters.function_tools, *parameters.output_tools]
    schemas = sum(
        len(to_json(tool.parameters_json_schema)) + len(tool.name) + len(tool.description or "") + 60 for tool in tools
    )
    return size + schemas + 100


def _part_bytes(part: object) -> int:
    """A part's text, or its call's arguments, with what the protocol wraps around it."""
    return len(_encoded(getattr(part, "args", None) or getattr(part, "content", None) or "")) + 40


def _encoded(value: object) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else to_json(value, fallback=str)
