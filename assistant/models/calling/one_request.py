"""One request of the agent's loop, for which the endpoint may be asked several times."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent, PartStartEvent, ThinkingPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from assistant.models.calling.runaway import Watch, ran_away

Ask = Callable[[Sequence[ModelMessage], ModelSettings | None, ModelRequestParameters], Awaitable[ModelResponse]]
"""Messages, settings and parameters to the endpoint's response."""

Events = AsyncGenerator[ModelResponseStreamEvent, None]


def model_asked() -> PartStartEvent:
    """What a stream tells when the endpoint is asked, as a small model may take a minute to say its first word: a
    thought of no words, which is no part of the response.
    """
    return PartStartEvent(index=0, part=ThinkingPart(""))


@dataclass
class Turn:
    """Asks `model`, streamed or not, and adds up what that takes. `result` is what the agent gets in the end."""

    model: Model
    streamed: bool
    context: RunContext[Any] | None = None
    usage: RequestUsage = field(default_factory=RequestUsage)
    open_stream: StreamedResponse | None = None
    result: ModelResponse | None = None
    ran_away: bool = False
    """Whether the latest response was cut off, as nothing was to come of it any more."""
    cut_off: bool = False
    """Whether a response ended because it had all the tokens that it may have."""
    _answered: ModelResponse | None = None

    async def ask(
        self, messages: Sequence[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The response, whose pieces nobody is shown."""
        async for _ in self.events(messages, settings, parameters):
            pass
        return self.answered

    @property
    def answered(self) -> ModelResponse:
        """The endpoint's latest response."""
        assert self._answered is not None, "the endpoint has been asked"
        return self._answered

    async def events(
        self, messages: Sequence[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> Events:
        """The pieces of the response as they come; `answered` is all of it then."""
        self.ran_away = False
        if not self.streamed:
            self._answered = await self.model.request(list(messages), settings, parameters)
            self.ran_away = ran_away(self._answered)
        else:
            watch = Watch()
            async with self.model.request_stream(list(messages), settings, parameters, self.context) as stream:
                self.open_stream = stream
                async for event in stream:
                    # A stream that was cut is read to its end, which is near: left where it is, it stays open under its
                    # iterators until they are collected, by whichever thread does that.
                    if self.ran_away:
                        continue
                    yield event
                    if watch.feed(event):
                        self.ran_away = True
                        await stream.cancel()
                self._answered = stream.get()
            self.open_stream = None
        self.usage = self.usage + self._answered.usage
        self.cut_off = self.cut_off or self._answered.finish_reason == "length"

    def settle(self, response: ModelResponse) -> list[ModelResponseStreamEvent]:
        """Give `response`, with the usage of all, to the agent; what of it has not been shown, as pieces to show."""
        seen = self._answered.parts if self._answered is not None else ()
        self.result = replace(response, usage=self.usage)
        return [
            PartStartEvent(index=index, part=part)
            for index, part in enumerate(self.result.parts)
            if not any(part is one for one in seen)
        ]


class TurnStream(StreamedResponse):
    """A turn as a stream. Its pieces may come of several responses; the response is the one that was settled on."""

    def __init__(self, parameters: ModelRequestParameters, turn: Turn, events: Events, name: str) -> None:
        super().__init__(parameters)
        self._turn, self._events, self._name = turn, events, name
        self._made = datetime.now(UTC)

    def __aiter__(self) -> AsyncIterator[ModelResponseStreamEvent]:
        # The pieces have been through a stream's own iterator already, which adds where parts end.
        if self._event_iterator is None:
            self._event_iterator = self._until_settled()
        return self._event_iterator

    async def _until_settled(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self._events:
            yield event
        self._finished = True

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        async for event in self._events:
            yield event

    def get(self) -> ModelResponse:
        """The response; while it is not settled, what has come of the one under way."""
        if self._turn.result is not None:
            return self._turn.result
        if self._turn.open_stream is not None:
            return self._turn.open_stream.get()
        return ModelResponse(parts=[], model_name=self._name, usage=self._turn.usage, state="incomplete")

    @property
    def usage(self) -> RequestUsage:
        return self._turn.usage

    async def close_stream(self) -> None:
        """Close the connection that is open, if one is."""
        if self._turn.open_stream is not None:
            await self._turn.open_stream.cancel()

    @property
    def model_name(self) -> str:
        return self._name

    @property
    def provider_name(self) -> str | None:
        return self._turn.model.system

    @property
    def provider_url(self) -> str | None:
        return self._turn.model.base_url

    @property
    def timestamp(self) -> datetime:
        return self._made
