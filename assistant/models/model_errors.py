"""What a failing model's errors say to a user: one line each, with no key in it."""

from __future__ import annotations

import base64
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic_ai import exceptions

from assistant.models.endpoint_limits import TooMuch
from assistant.models.keys import Key, reveals
from assistant.shared.model_choice import ModelChoice, without_secrets
from assistant.shared.rendering import duration, plain

SHOWN_MODELS = 8
WORDS_OF_SERVER = 200
"""Characters of a server's own message: enough for "model 'x' not found", too few for a page."""

_MARK = "clew: "
_URL_ADVICE = "that the URL ends where its API begins (often /v1)"

_CONTEXT = re.compile(
    r"(?i)context (length|size|window)|maximum context|context the overflows|exceed_context_size|max(imum)? prompt"
    r"|(prompt|input)( \w+){0,2} too long|too many tokens|n_ctx"
)
"""How servers word a prompt that is too long, where they send no code for it: llama.cpp "the request exceeds the
available context size", Ollama "the input length exceeds the context length", LM Studio "Trying to keep the first N
tokens when context the overflows", vLLM "maximum context length is N tokens".
"""

_REFUSALS = (400, 413, 422, 500)
"""What servers answer to a prompt that is too long; llama.cpp sent 500 before it sent 400."""


def label(choice: ModelChoice) -> str:
    """The model and its endpoint, as errors name it."""
    return f"model {choice.title!r}" + (f" at {without_secrets(choice.base_url)}" if choice.base_url else "")


def explained(error: exceptions.ModelAPIError, choice: ModelChoice, key: Key, served: Sequence[str] | None) -> None:
    """Give `error` its line for the user, and take out of it what shows the key.

    `served` are the models that the endpoint lists, None where it lists none or was not asked.
    """
    secrets = _secrets(choice, key)
    line = _not_found(choice, served) if isinstance(error, exceptions.ModelNotFoundError) else reason(error, key)
    said = _words_of_server(error, secrets)
    _clean(error, choice, secrets)
    error.add_note(_MARK + line + (f" (it says: {said})" if said else ""))


def _clean(error: exceptions.ModelAPIError, choice: ModelChoice, secrets: tuple[str, ...]) -> None:
    """Take out of an error what shows a secret; the SDK's own error, which holds the same, goes with it."""
    if not reveals(f"{error} {vars(error)}", secrets):
        return
    for name, held in vars(error).items():
        if reveals(str(held), secrets):
            setattr(error, name, None)
    error.message = f"{label(choice)} failed"
    error.args = (error.message,)
    error.__cause__ = error.__context__ = None


def explanation(error: BaseException) -> str:
    """The line that `explained` gave the error, "" for none."""
    notes: list[str] = getattr(error, "__notes__", [])
    return next((note.removeprefix(_MARK) for note in reversed(notes) if note.startswith(_MARK)), "")


def context_exceeded(error: exceptions.ModelAPIError) -> exceptions.ModelAPIError:
    """The error as ModelContextWindowExceededError where the server's words say so, else `error` itself."""
    status = error.status_code if isinstance(error, exceptions.ModelHTTPError) else 400
    known = isinstance(error, (exceptions.ModelContextWindowExceededError, exceptions.ModelConnectionError))
    if known or status not in _REFUSALS or not _CONTEXT.search(f"{_message(error.body)} {error.provider_error_type}"):
        return error
    return exceptions.ModelHTTPError.for_category(
        exceptions.ModelContextWindowExceededError,
        status_code=400,
        model_name=error.model_name,
        body=error.body,
        in_stream=error.in_stream,
    )


def no_chat_api(error: exceptions.UnexpectedModelBehavior) -> None:
    """Give an error of an answer that cannot be read as one its line for the user: a web page, plain text, nothing."""
    error.add_note(f"{_MARK}sent nothing that the OpenAI chat API knows: check {_URL_ADVICE}")


def is_passing(error: exceptions.ModelAPIError) -> bool:
    """Whether the server refused for the moment, or had closed an idle connection: to be asked again.

    Not after a time limit, and not where an answer was cut off: it may have been paid for.
    """
    match error:
        case exceptions.ModelTimeoutError():
            return False
        case exceptions.ModelConnectionError():
            return any("without sending a response" in str(cause) for cause in _causes(error))
        case exceptions.ModelRateLimitError() | exceptions.ModelUnavailableError() | exceptions.ModelServerError():
            return context_exceeded(error) is error
        case exceptions.ModelHTTPError(status_code=status):
            return status in (408, 409)
        case _:
            return False


def reason(error: Exception, key: Key | None = None) -> str:
    """What went wrong and what to do, to stand after the model's label."""
    match error:
        case exceptions.ModelAuthenticationError():
            return _refused(key)
        case exceptions.ModelNotFoundError():
            return f"is not there: check the model's name and {_URL_ADVICE}"
        case exceptions.ModelQuotaExceededError():
            return "says that the account's quota or credit is used up"
        case exceptions.ModelRateLimitError(retry_after=wait):
            asks = f" and asks to wait {duration(wait)}" if wait and wait >= 1 else ""
            return f"has had too many requests{asks}: try again {'then' if asks else 'later'}"
        case exceptions.ModelContextWindowExceededError():
            return (
                "has too small a context for this question and its evidence: serve it with a larger one (num_ctx, "
                "--ctx-size, --max-model-len), or take another model"
            )
        case exceptions.ModelUnavailableError(retry_after=wait):
            again = f"in {duration(wait)}" if wait and wait >= 1 else "later"
            return f"is not available for the moment: try again {again}"
        case exceptions.ModelHTTPError(status_code=405):
            return f"is not asked this way there (HTTP status 405): check {_URL_ADVICE}"
        case exceptions.ModelHTTPError(status_code=status) if status >= 500:
            return f"failed with HTTP status {status}: look into the server's log, or try again"
        case exceptions.ModelHTTPError(status_code=status):
            return f"answered with HTTP status {status}"
        case exceptions.ModelTimeoutError() | exceptions.ModelRequestTimeout():
            return "did not answer in time: is it still loading, or too large for this machine?"
        case exceptions.ModelConnectionError(phase="connect") | exceptions.ModelConnectionError(phase="pool"):
            return unreachable(error)
        case exceptions.ModelAPIError():
            return _no_answer(error)
        case exceptions.UsageLimitExceeded():
            return "went on calling tools without an answer until it was stopped"
        case exceptions.UnexpectedModelBehavior():
            return _misbehaved(error)
        case _:
            return f"failed ({type(error).__name__})"


def _misbehaved(error: exceptions.UnexpectedModelBehavior) -> str:
    if isinstance(error, exceptions.IncompleteToolCall | exceptions.OutputTokenLimitExceeded):
        return "used up the tokens of a response before it came to an answer: allow more with --answer-tokens"
    return "does not keep to the tools and the form of answer asked of it"


def _refused(key: Key | None) -> str:
    if key and key.source == "keyring":
        return "refuses the key in the keyring: store another one with clew config --set-key URL"
    if key:
        return f"refuses the key in {key.source}: set {key.source} to one that it accepts"
    why = f" ({key.reason})" if key is not None and key.reason else ""
    return f"wants a key{why}: run clew config --set-key URL, or set CLEW_API_KEY"


def _not_found(choice: ModelChoice, served: Sequence[str] | None) -> str:
    if served is None:
        return f"is not there: check the model's name and {_URL_ADVICE}"
    if not served:
        return "is not there: the endpoint serves no model yet; load one"
    if choice.name in served:
        return "is listed by the endpoint but cannot be asked there: is it a model for chat?"
    names = ", ".join(plain(name, 60) for name in served[:SHOWN_MODELS])
    return f"is not served there; these are: {names}{' …' if len(served) > SHOWN_MODELS else ''}"


def unreachable(error: BaseException) -> str:
    """Why no connection came about, as far as the error tells."""
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"cannot be trusted: its TLS certificate is refused ({plain(cause.verify_message, 80)})"
        if isinstance(cause, ssl.SSLError):
            return "does not speak TLS as it should: should the URL begin with http:// ?"
        if isinstance(cause, socket.gaierror):
            return "cannot be reached: no host of that name is known here"
    return "cannot be reached: is the server running?"


def _no_answer(error: BaseException) -> str:
    for cause in _causes(error):
        if isinstance(cause, TooMuch):
            return f"sent no answer: {cause}, and the rest was not read"
        response: Any = getattr(cause, "response", None)
        status = getattr(response, "status_code", 0)
        if 300 <= status < 400:
            to = plain(without_secrets(response.headers.get("location", "")), 120)
            return f"sends requests on to {to or 'another address'}, where none is sent for safety: give that address"
    return "broke off its answer or sent something that is no answer: try again"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _words_of_server(error: exceptions.ModelAPIError, secrets: tuple[str, ...]) -> str:
    """The server's own message, "" where it has none, may show a secret, or is a page instead of a message."""
    message = plain(_message(error.body), WORDS_OF_SERVER)
    quiet = isinstance(error, exceptions.ModelAuthenticationError) or "<html" in message.lower()
    return "" if quiet or reveals(message, secrets) or "<!doctype" in message.lower() else message


def _message(body: object) -> str:
    """The message in the body of an error: of OpenAI's form, of FastAPI's, or as text."""
    for _ in range(3):
        if isinstance(body, dict):
            body = next((body[name] for name in ("error", "message", "detail") if body.get(name)), "")
    return body if isinstance(body, str) else ""


def _secrets(choice: ModelChoice, key: Key) -> tuple[str, ...]:
    parts = urlsplit(choice.base_url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    basic = base64.b64encode(f"{user}:{password}".encode()).decode() if password else ""
    return tuple(one for one in (key.secret, password, basic) if one)
