"""A model in the agent's loop that gets on with any endpoint: native tool calls, else JSON, else an answer alone.

Whatever the model writes is repaired where that is unambiguous, and asked for once more where it is not. Then, if the
user has not chosen how it is asked, it is asked for less; and where nothing less is left, the offline policy makes the
step. Each of this is told to the reader in a sentence.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelRateLimitError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from assistant.agent.deps import Deps
from assistant.agent.mending import Mended, known_tools, mended, used_ids
from assistant.agent.offline.offline_model import OfflineModel
from assistant.agent.planned import PlannedPass, without_refusals
from assistant.models.calling.json_calls import (
    again,
    all_tools,
    as_chat,
    call_schema,
    messages_in_words,
    prompt,
    told,
    tools_in_words,
)
from assistant.models.calling.json_chat import REFUSED, Stopped, ask_for_json, read_reply
from assistant.models.calling.one_request import Events, Turn, TurnStream, model_asked
from assistant.models.calling.rungs import Rungs
from assistant.shared.model_choice import ModelChoice

_TOOL_WORDS = ("tool", "function call", "function_call", "jinja")

MISFITS = 2
"""Responses in a row none of whose calls suits its tool: after the first the agent told the model what to change."""

NO_TOOLS = "the server takes no tool calls for this model, so it was asked for JSON instead"
NO_CALL = "the model did not call a tool in a form that can be read, so it was asked for JSON instead"
NO_FIT = "the model's tool calls did not fit the tools twice in a row, so it was asked for JSON instead"
NO_JSON = "the model's JSON called no tool, so clew chooses the tools itself and the model is only asked for an answer"
CUT_OFF = "a response of the model was cut off for its length; --answer-tokens allows more"
RAN_AWAY = (
    "the model repeated itself instead of calling a tool, so clew chooses the tools itself and the model is only asked "
    "for an answer"
)
STOOD_IN = "the model did not call a tool in a form that can be read, so clew chose a step itself"


def calling_model(model: Model, choice: ModelChoice, deps: Deps, rungs: Rungs | None = None) -> Model:
    """`model` for the one question of `deps`, in whatever way of calling tools it is found to manage.

    `rungs` keeps that way for the questions after this one; without it each question finds out anew. What the model
    raises is raised, but for a refusal of tools where there is something less to ask for.
    """
    return CallingModel(model, deps, rungs or Rungs(choice.calling))


class CallingModel(WrapperModel):
    """See `calling_model`."""

    def __init__(self, wrapped: Model, deps: Deps, rungs: Rungs) -> None:
        super().__init__(wrapped)
        self._deps, self._rungs = deps, rungs
        self._planned = PlannedPass(deps, rungs)
        self._misfits = 0

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        turn = Turn(self.wrapped, streamed=False)
        async for _ in self._respond(turn, messages, model_settings, model_request_parameters):
            pass
        assert turn.result is not None
        return turn.result

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        turn = Turn(self.wrapped, streamed=True, context=run_context)
        events = self._respond(turn, messages, model_settings, model_request_parameters)
        try:
            yield TurnStream(model_request_parameters, turn, events, self.model_name)
        finally:
            await events.aclose()

    async def _respond(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> Events:
        """Down the ladder until the turn has its result."""
        if self._rungs.rung == "tools":
            async for event in self._by_tools(turn, messages, settings, parameters):
                yield event
        if turn.result is None and self._rungs.rung == "json":
            yield model_asked()
            made = await self._by_json(turn, messages, settings, parameters)
            if turn.ran_away:
                await self._give_up(turn, messages, parameters)
            elif not made.wrong:
                for event in turn.settle(made.response):
                    yield event
            elif self._rungs.pinned:
                await self._stand_in(turn, messages, parameters)
            else:
                self._step_down(NO_JSON)
        if turn.result is None and self._rungs.rung == "planned":
            async for event in self._planned.events(turn, messages, settings, parameters):
                yield event
        if turn.cut_off:
            self._note(CUT_OFF)

    async def _by_tools(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> Events:
        """Native calls, shown as they come. Without a result where they cannot be had from this endpoint."""
        asked = list(messages)
        for _ in range(2):
            yield model_asked()
            try:
                async for event in turn.events(asked, settings, parameters):
                    yield event
            except ModelAPIError as error:
                if self._rungs.pinned or not refuses_tools(error):
                    raise
                self._step_down(NO_CALL if _unparsed(error) else NO_TOOLS)
                return
            if turn.ran_away:
                await self._give_up(turn, messages, parameters)
                return
            made = self._mended(turn.answered, messages)
            if not made.wrong:
                self._misfits = 0 if made.fits else self._misfits + 1
                if self._misfits >= MISFITS and not self._rungs.pinned:
                    self._step_down(NO_FIT)
                    return
                for event in turn.settle(made.response):
                    yield event
                return
            asked = again(
                asked, turn.answered, made.wrong, "a call of one of the tools and valid JSON as its arguments"
            )
        if self._rungs.pinned:
            await self._stand_in(turn, messages, parameters)
        else:
            self._step_down(NO_CALL)

    async def _by_json(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> Mended:
        tools = all_tools(parameters)
        form = prompt("json_calls").substitute(tools=tools_in_words(tools))
        chat = as_chat(parameters, *told(messages, parameters), form)
        schema = call_schema(tools)

        async def put(asked: Sequence[ModelMessage]) -> ModelResponse:
            return await ask_for_json(turn.ask, self._rungs, asked, settings, chat, "call", schema)

        def read(response: ModelResponse) -> Mended | str:
            made = self._mended(response, messages)
            return Stopped("it repeats itself") if turn.ran_away else made.wrong or made

        wanted = 'nothing but one JSON object {"tool": …, "arguments": {…}}'
        made = await read_reply(put, messages_in_words(messages), read, wanted)
        return Mended(turn.answered, made) if isinstance(made, str) else made

    def _mended(self, response: ModelResponse, messages: Sequence[ModelMessage]) -> Mended:
        cited = range(1, len(self._deps.workspace.evidence) + 1)
        return mended(response, known_tools(), cited, used_ids(messages))

    async def _stand_in(self, turn: Turn, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> None:
        """The offline policy's step, where the model has none and is to be asked in no other way."""
        self._note(STOOD_IN)
        offline = OfflineModel(self._deps)
        turn.settle(await offline.request(without_refusals(messages, parameters), None, parameters))

    async def _give_up(self, turn: Turn, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> None:
        """A model that goes in circles is not up to choosing tools: it is asked for an answer alone, at once."""
        if self._rungs.pinned:
            await self._stand_in(turn, messages, parameters)
            return
        self._rungs.stand_on("planned")
        self._note(RAN_AWAY)

    def _step_down(self, why: str) -> None:
        self._rungs.step_down()
        self._note(why)

    def _note(self, sentence: str) -> None:
        if sentence not in self._deps.workspace.notes:
            self._deps.workspace.notes.append(sentence)


def refuses_tools(error: ModelAPIError) -> bool:
    """Whether a server says that it takes no tools, or could not read the model's call of one.

    Ollama says "… does not support tools" (400), llama.cpp "tools param requires --jinja flag" (500), vLLM
    "auto tool choice requires --enable-auto-tool-choice" (400), OpenRouter "No endpoints found that support tool use"
    (404). Where the model's call could not be read they speak of parsing it, with 500.
    """
    if isinstance(error, ModelContextWindowExceededError | ModelAuthenticationError | ModelRateLimitError):
        return False
    if isinstance(error, ModelHTTPError) and error.status_code not in REFUSED:
        return False
    said = str(error.body if error.body is not None else error.message).lower()
    said = said.replace(error.model_name.lower(), "")
    return any(word in said for word in _TOOL_WORDS)


def _unparsed(error: ModelAPIError) -> bool:
    """Whether the server takes tools, and could not read this call."""
    said = str(error.body).lower()
    return any(words in said for words in ("parsing", "failed to parse", "could not parse"))
