"""One request to a model and what came of it, in a form that can be stored and played back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_ai import exceptions
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_core import from_json, to_json

from assistant.conversations.transcripts.form import Exchange, Failure
from assistant.models.calling.json_calls import told
from assistant.shared.model_choice import without_secrets
from kb.errors import BadFileError

ROLE_CHARACTERS = 100
"""Of the instructions: enough to tell the agent from each kind of judgement, and before what changes in them from one
request to the next, such as what is left of a budget."""

BODY_BYTES = 2_000
"""Of a server's error that is kept: the answer to "does it say that it cannot call tools?", not its web page."""

NOTES = 5
NOTE_CHARACTERS = 1_000
"""Of an exception, and of each: one is our own line, with a word of the server's."""

_KEY_STATUS = (401, 403, 407)
"""Answers about a key; some servers quote it."""

_CATEGORIES: Mapping[str, type[exceptions.AgentRunError]] = {
    kind.__name__: kind
    for kind in (
        exceptions.ModelAPIError,
        exceptions.ModelRateLimitError,
        exceptions.ModelQuotaExceededError,
        exceptions.ModelUnavailableError,
        exceptions.ModelOverloadedError,
        exceptions.ModelServerError,
        exceptions.ModelConnectionError,
        exceptions.ModelTimeoutError,
        exceptions.ModelRequestRejectedError,
        exceptions.ModelContextWindowExceededError,
        exceptions.ModelAuthenticationError,
        exceptions.ModelNotFoundError,
        exceptions.ModelRequestTimeout,
        exceptions.ModelHTTPError,
        exceptions.UnexpectedModelBehavior,
        exceptions.ContentFilterError,
    )
}


@dataclass(frozen=True, slots=True)
class Sent:
    """What is kept of a request: a hash of all that is said in it, one of how it begins, and who asks."""

    request: str
    role: str
    kind: Literal["agent", "judgement"]

    @classmethod
    def of(cls, messages: Sequence[ModelMessage], parameters: ModelRequestParameters, *, streamed: bool) -> Sent:
        """Ids of calls, times and settings are left out: they differ from one run to the next, and mean nothing.

        The agent's loop streams and the judge does not, which is how they are told apart.
        """
        instructions = "\n\n".join(told(messages, parameters))
        said = [[_canonical(part) for part in message.parts] for message in messages]
        begins = instructions or _first(messages, SystemPromptPart) or _first(messages, UserPromptPart)
        return cls(_hash([instructions, said]), _hash(begins[:ROLE_CHARACTERS]), "agent" if streamed else "judgement")


def response_json(response: ModelResponse) -> dict[str, Any]:
    """The response as plain JSON, without what a URL may hold of a password or key."""
    (record,) = messages_json([response])
    return record


def messages_json(messages: Sequence[ModelMessage]) -> tuple[dict[str, Any], ...]:
    """Messages as plain JSON, with the same left out."""
    records: list[dict[str, Any]] = ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")
    for record in records:
        if isinstance(record.get("provider_url"), str):
            record["provider_url"] = without_secrets(record["provider_url"])
    return tuple(records)


def recorded_response(exchange: Exchange) -> ModelResponse | None:
    """The response of an exchange, None where there was none. BadFileError where it is no response, or holds parts
    that no model of ours gives.
    """
    if exchange.response is None:
        return None
    try:
        (message,) = ModelMessagesTypeAdapter.validate_python([exchange.response])
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadFileError(f"the transcript holds a response that is none: {first['msg']}") from error
    if not isinstance(message, ModelResponse):
        raise BadFileError("the transcript holds a request where a response belongs")
    for part in message.parts:
        if not isinstance(part, (TextPart, ThinkingPart, ToolCallPart)):
            raise BadFileError(f"the transcript holds a response with a part {part.part_kind!r}; text and calls only")
    return message


def failure_of(error: exceptions.AgentRunError) -> Failure:
    """What is needed to fail in the same way again; nothing that might quote a key."""
    name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in _CATEGORIES), "ModelAPIError")
    status = getattr(error, "status_code", None)
    return Failure(
        name,
        status,
        getattr(error, "phase", None),
        bool(getattr(error, "in_stream", False)),
        None if status in _KEY_STATUS else _short(getattr(error, "body", None)),
        tuple(note[:NOTE_CHARACTERS] for note in getattr(error, "__notes__", ())[:NOTES]),
    )


def failed_again(failure: Failure, model: str) -> exceptions.AgentRunError:
    """The error that was recorded, for raising. An unknown name is a ModelAPIError."""
    error = _error(failure, model)
    for note in failure.notes[:NOTES]:
        error.add_note(note[:NOTE_CHARACTERS])
    return error


def _error(failure: Failure, model: str) -> exceptions.AgentRunError:
    kind = _CATEGORIES.get(failure.error, exceptions.ModelAPIError)
    text = "failed, as recorded"
    if failure.status is not None:
        plain = not issubclass(kind, _HTTP_CATEGORIES)
        return exceptions.ModelHTTPError.for_category(
            None if plain else kind,  # type: ignore[arg-type]
            status_code=failure.status,
            model_name=model,
            body=failure.body,
            in_stream=failure.in_stream,
        )
    if issubclass(kind, exceptions.ModelRequestTimeout):
        return kind(model, 0.0)
    if issubclass(kind, exceptions.ModelConnectionError):
        return kind(model, text, phase=failure.phase, in_stream=failure.in_stream)
    if issubclass(kind, exceptions.ModelAPIError) and not issubclass(kind, exceptions.ModelHTTPError):
        return kind(model, text, body=failure.body, in_stream=failure.in_stream)
    if issubclass(kind, exceptions.UnexpectedModelBehavior):
        return kind(text)
    return exceptions.ModelAPIError(model, text)


_HTTP_CATEGORIES = (
    exceptions.ModelRateLimitError,
    exceptions.ModelQuotaExceededError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelRequestRejectedError,
)


def _canonical(part: object) -> list[Any]:
    arguments = getattr(part, "args", None)
    if isinstance(arguments, str):
        with suppress(ValueError):
            arguments = from_json(arguments)
    return [
        getattr(part, "part_kind", type(part).__name__),
        getattr(part, "tool_name", None),
        getattr(part, "content", None),
        arguments,
    ]


def _first(messages: Iterable[ModelMessage], kind: type[SystemPromptPart | UserPromptPart]) -> str:
    parts = (part for message in messages for part in message.parts if isinstance(part, kind))
    return next((part.content for part in parts if isinstance(part.content, str)), "")


def _hash(value: Any) -> str:
    return hashlib.sha256(to_json(value, fallback=str, inf_nan_mode="strings")).hexdigest()[:16]


def _short(body: object) -> Any:
    """A body as JSON where it is small, else the start of its text."""
    if body is None:
        return None
    text = to_json(body, fallback=str)
    return from_json(text) if len(text) <= BODY_BYTES else text[:BODY_BYTES].decode("utf-8", "replace")
