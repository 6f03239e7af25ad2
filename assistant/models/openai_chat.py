"""Models at OpenAI-compatible endpoints as pydantic-ai asks them, with errors that say in one line what is wrong.

Importing this takes a second: only what asks a language model does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from openai import APIConnectionError
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic_ai import exceptions
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings, merge_model_settings

from assistant.models.calling.likelihood import with_likelihoods
from assistant.models.calling.remembered import is_small, parameters_in
from assistant.models.endpoint_limits import Allowance, bounded_client, taken
from assistant.models.endpoints import REQUEST_SECONDS, bare_name, served_models, served_parameters
from assistant.models.keys import Key, key_for
from assistant.models.local.server import LocalServer, Served, local_server
from assistant.models.model_errors import context_exceeded, explained, is_passing, no_chat_api
from assistant.models.thinking import thinking_fields
from assistant.shared.model_choice import (
    CONTEXT_WINDOW,
    OFFLINE,
    OPENAI_URL,
    ModelChoice,
    is_openai,
    split_url,
    without_secrets,
)
from kb.errors import ModelFailure, UsageError

LOCAL_REQUEST_SECONDS = 900.0
"""How long a request to a model in a file may take: nobody else's time is spent, and a process that has ended is
noticed at once.
"""

RETRIES = 2
"""How often a request is sent again that the server refused for the moment (408, 409, 429, 5xx), as the SDK does."""

PATIENCE_SECONDS = 60.0
"""The longest wait that a server may ask for before it is asked again: limits for each minute are over by then. A
request that has less time than that waits less. Who is asked to wait longer is told so instead."""

FIRST_WAIT_SECONDS = 0.5

_NOWHERE = "http://127.0.0.1:9/v1"
"""The port that is kept for throwing things away: no request is sent before the real one is known."""

_Result = TypeVar("_Result")


def endpoint_model(choice: ModelChoice) -> Model:
    """The model of `choice`, which is not the offline one, with its key (see assistant.models.keys).

    Its requests are tried again as RETRIES and PATIENCE_SECONDS say, never where a time limit ran out; no redirect is
    followed, so that neither key nor passages go to another place. A file is served by this process alone, from its
    first request on. Raises UsageError for an unusable URL or file or an offline model at an endpoint, ModelFailure
    where OpenAI is meant and there is no key.
    """
    if choice.local:
        return LocalModel(choice, local_server(Path(choice.name), choice.context_window or CONTEXT_WINDOW))
    url = choice.base_url or OPENAI_URL
    key = _usable_key(choice, url)
    settings = _settings(choice, REQUEST_SECONDS, url)
    if is_openai(url):
        provider: OpenAIProvider | OpenAICompatibleProvider = _OpenAI(base_url=without_secrets(url), api_key=key.secret)
        return EndpointModel(choice, key, url, bare_name(choice.name), provider=provider, settings=settings)
    provider = EndpointProvider("endpoint", base_url=url, api_key=key.secret or None)
    return EndpointModel(choice, key, url, choice.name, provider=provider, settings=settings)


class _Bounded:
    """A provider whose client reads no more of a response than an answer may have."""

    def _get_http_client(self: Any, http_client: Any, **_: Any) -> Any:
        self._own_http_client = http_client or bounded_client()
        self._http_client_factory = bounded_client
        return self._own_http_client


class _OpenAI(_Bounded, OpenAIProvider):  # type: ignore[misc]
    """OpenAI's own service."""


class EndpointProvider(_Bounded, OpenAICompatibleProvider):  # type: ignore[misc]
    """An endpoint that is named without the password in its address: its name goes into every message.

    It is told by its older name how long a reply may be: Ollama and others know no newer one.
    """

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        # What a model has thought is not sent back to it, and not paid for again.
        older = OpenAIModelProfile(
            openai_chat_supports_max_completion_tokens=False, openai_chat_send_back_thinking_parts=False
        )
        return merge_profile(OpenAICompatibleProvider.model_profile(model_name), older)

    @property
    def base_url(self) -> str:
        return without_secrets(super().base_url)


class TakenStream(OpenAIStreamedResponse):
    """A stream of which no more is taken than an answer may have, and nothing that cannot be used."""

    def get(self) -> ModelResponse:
        return with_likelihoods(super().get())

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        # The SDK has errors of its own for what a connection raises that was closed under it.
        return (*super().get_stream_cancel_errors(), APIConnectionError)

    async def _validate_response(self) -> AsyncIterator[ChatCompletionChunk]:
        allowance = Allowance((self._model_settings or {}).get("max_tokens"))
        try:
            async for chunk in self._response:
                if allowance.over:
                    continue
                yield _taken(chunk, allowance)
                if allowance.over:
                    await self.close_stream()
        except self.get_stream_cancel_errors():
            if not allowance.over:
                raise


def _taken(chunk: ChatCompletionChunk, allowance: Allowance) -> ChatCompletionChunk:
    told = chunk.model_dump(warnings=False)
    kept = allowance.take(taken(told))
    return chunk if kept == told else ChatCompletionChunk.construct(**kept)


class EndpointModel(OpenAIChatModel):
    """A model at an endpoint whose errors carry one line for the user, made where key and address are known.

    The errors stay those of pydantic-ai; a prompt that is too long always is ModelContextWindowExceededError, however
    the server words it. What of an error's body shows the key is taken out of it.
    """

    def __init__(self, choice: ModelChoice, key: Key, url: str, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self._choice, self._key, self._url = choice, key, url

    @property
    def thinking_tokens(self) -> int:
        """What a response may have on top of `max_tokens`; 0 where thinking has no budget."""
        thinking = self._choice.thinking
        return 0 if isinstance(thinking, bool) or thinking is None else thinking

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return TakenStream

    def _validate_completion(self, response: ChatCompletion) -> Any:
        if not response.choices:
            raise exceptions.UnexpectedModelBehavior("the response holds no choice")
        told = taken(response.model_dump(warnings=False))
        return super()._validate_completion(ChatCompletion.construct(**told))

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        model_settings = self._with_own_fields(model_settings)

        async def once() -> ModelResponse:
            return await super(EndpointModel, self).request(messages, model_settings, model_request_parameters)

        async with self._explaining():
            return with_likelihoods(await self._tried(once, model_settings))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncGenerator[StreamedResponse]:
        model_settings = self._with_own_fields(model_settings)
        async with self._explaining(), AsyncExitStack() as stack:

            async def once() -> StreamedResponse:
                stream = super(EndpointModel, self).request_stream(
                    messages, model_settings, model_request_parameters, run_context
                )
                return await stack.enter_async_context(stream)

            yield await self._tried(once, model_settings)

    def _with_own_fields(self, given: ModelSettings | None) -> ModelSettings | None:
        """The settings of one request, whose extra fields are not instead of the model's own, and where the tokens for
        thinking come on top of the answer's.
        """
        own, fields = (self.settings or {}).get("extra_body"), (given or {}).get("extra_body")
        if isinstance(own, dict) and isinstance(fields, dict):
            given = merge_model_settings(given, ModelSettings(extra_body={**fields, **own}))
        most = (merge_model_settings(self.settings, given) or {}).get("max_tokens")
        if most is None or not self.thinking_tokens:
            return given
        return merge_model_settings(given, ModelSettings(max_tokens=most + self.thinking_tokens))

    async def _before(self) -> None:
        """What there is to do before each request is sent."""

    async def _tried(self, once: Callable[[], Awaitable[_Result]], given: ModelSettings | None) -> _Result:
        """The SDK's own retries wait up to two minutes, and after a time limit ask anew: three times as long."""
        settings = merge_model_settings(self.settings, given) or {}
        limit = settings.get("timeout")
        patience = min(PATIENCE_SECONDS, limit) if isinstance(limit, (int, float)) else PATIENCE_SECONDS
        for tries in range(RETRIES + 1):
            await self._before()
            try:
                return await once()
            except exceptions.ModelAPIError as error:
                wait = error.retry_after if error.retry_after is not None else FIRST_WAIT_SECONDS * 2**tries
                if tries == RETRIES or wait > patience or not is_passing(error):
                    raise
            except exceptions.UnexpectedModelBehavior as error:
                no_chat_api(error)
                raise
            await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")

    @asynccontextmanager
    async def _explaining(self) -> AsyncGenerator[None]:
        try:
            yield
        except exceptions.ModelAPIError as error:
            told = context_exceeded(error)
            served = None
            if isinstance(told, exceptions.ModelNotFoundError):
                served = await served_models(self._url, self._key)
            explained(told, self._choice, self._key, served)
            if told is error:
                raise
            raise told from told.__cause__


class LocalModel(EndpointModel):
    """A model in a file, at an endpoint of this process's own that is there from the first request on.

    Where its process has ended since, it is started again for the next request.
    """

    def __init__(self, choice: ModelChoice, server: LocalServer) -> None:
        provider = EndpointProvider("endpoint", base_url=_NOWHERE, api_key=None)
        settings = _settings(choice, LOCAL_REQUEST_SECONDS, _NOWHERE)
        super().__init__(choice, Key(), _NOWHERE, choice.title, provider=provider, settings=settings)
        self._server = server

    async def ready(self) -> Served:
        """Where it is served, once it is loaded. Raises UsageError, ModelFailure."""
        served = await asyncio.to_thread(self._server.ensure)
        self._url, self._key = served.url, Key(served.key, "clew itself")
        self.client.base_url, self.client.api_key = served.url, served.key
        return served

    async def _before(self) -> None:
        await self.ready()


async def parameters_of(model: Model, choice: ModelChoice) -> int:
    """How many parameters a model has, by its file, its name, or the list of a server on this machine or network; 0
    where nobody says. Raises UsageError, ModelFailure for a file that cannot be served.
    """
    if isinstance(model, LocalModel):
        named = parameters_in(choice.title)
        # A small one is only asked what the reading leaves open, so it may never have to be loaded.
        return named if is_small(named) else (await model.ready()).parameters or named
    return await served_parameters(choice)


def _settings(choice: ModelChoice, seconds: float, url: str) -> ModelSettings:
    """What each request says beside its messages; `max_tokens` are the answer's own."""
    settings = ModelSettings(timeout=seconds, temperature=0.0, max_retries=0, max_tokens=choice.answer_tokens)
    if fields := {**thinking_fields(choice.thinking, is_openai(url)), **choice.extra}:
        settings["extra_body"] = fields
    return settings


def _usable_key(choice: ModelChoice, url: str) -> Key:
    split_url(url)
    if choice.base_url and choice.name == OFFLINE:
        raise UsageError(
            f"--base-url {without_secrets(choice.base_url)!r} needs --model with the name of a model that it serves"
        )
    key = key_for(url)
    if is_openai(url) and not key:
        why = f" ({key.reason})" if key.reason else ""
        raise ModelFailure(
            f"model {choice.name!r} is asked of OpenAI and there is no key{why}: set OPENAI_API_KEY, or give "
            f"--base-url URL for another endpoint, or --model {OFFLINE}"
        )
    return key
