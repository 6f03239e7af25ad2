"""Language models at OpenAI-compatible endpoints, and their failures in one line each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pydantic_ai
from pydantic_ai import exceptions
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from assistant.settings import OFFLINE, ModelChoice
from kb.errors import ModelFailure, UsageError

pydantic_ai.BANNER_ENABLED = False

OPENAI_URL = "https://api.openai.com/v1"
"""Where a model name goes for which no endpoint is given; stated, so that no environment variable redirects the key."""

REQUEST_SECONDS = 180.0
"""How long one request may take: a small model on a CPU needs a minute or two for a long context; the SDK's own limit
of ten minutes would look like a hang."""

_SCHEMES = ("openai-chat:", "openai:")


def endpoint_model(choice: ModelChoice) -> Model:
    """The model of `choice`, which is not the offline one, with its key from the environment.

    With a `base_url` only `CLEW_API_KEY` is sent, so that an OpenAI key never reaches another service; without one the
    model is OpenAI's, and the key is `CLEW_API_KEY` or `OPENAI_API_KEY`. Raises UsageError for an unusable URL or an
    offline model at an endpoint, ModelFailure where OpenAI is meant and no key is set.
    """
    settings = ModelSettings(timeout=REQUEST_SECONDS, temperature=0.0)
    if choice.base_url:
        return OpenAIChatModel(_endpoint_name(choice), provider=_compatible(choice.base_url), settings=settings)
    return OpenAIChatModel(_bare(choice.name), provider=_openai(choice.name), settings=settings)


@contextmanager
def model_failures(choice: ModelChoice) -> Iterator[None]:
    """Turn what pydantic-ai raises for a model that fails into one ModelFailure of one line, without the key."""
    try:
        yield
    except exceptions.RunCancelled:
        raise
    except (exceptions.AgentRunError, exceptions.UserError) as error:
        raise ModelFailure(f"{_label(choice)} {_reason(error)}") from error


def _endpoint_name(choice: ModelChoice) -> str:
    if choice.name == OFFLINE:
        raise UsageError(f"--base-url {choice.base_url!r} needs --model with the name of a model that it serves")
    return choice.name


def _compatible(base_url: str) -> OpenAICompatibleProvider:
    try:
        url = urlsplit(base_url)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{base_url!r} is no http(s) address; try one like http://localhost:11434/v1")
    return OpenAICompatibleProvider("endpoint", base_url=base_url, api_key=os.environ.get("CLEW_API_KEY") or None)


def _openai(name: str) -> OpenAIProvider:
    key = os.environ.get("CLEW_API_KEY") or os.environ.get("OPENAI_API_KEY")
    if not key:
        raise ModelFailure(
            f"model {name!r} is asked of OpenAI and there is no key: set OPENAI_API_KEY, or give --base-url URL for "
            f"another endpoint, or --model {OFFLINE}"
        )
    return OpenAIProvider(base_url=OPENAI_URL, api_key=key)


def _bare(name: str) -> str:
    for scheme in _SCHEMES:
        name = name.removeprefix(scheme)
    if not name.strip():
        raise UsageError(f"{name!r} names no model; the built-in one is {OFFLINE!r}")
    return name


def _label(choice: ModelChoice) -> str:
    return f"model {choice.name!r}" + (f" at {_without_secrets(choice.base_url)}" if choice.base_url else "")


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _reason(error: Exception) -> str:
    match error:
        case exceptions.ModelAuthenticationError():
            return "refuses the key: set CLEW_API_KEY to one that it accepts"
        case exceptions.ModelNotFoundError():
            return "is not there: check the model's name and that the URL ends where its API begins (often /v1)"
        case exceptions.ModelRateLimitError() | exceptions.ModelQuotaExceededError():
            return "has had too many requests: wait, or check the account's quota"
        case exceptions.ModelContextWindowExceededError():
            return "has too small a context for this question and its evidence"
        case exceptions.ModelHTTPError(status_code=status):
            return f"answered with HTTP status {status}"
        case exceptions.ModelTimeoutError():
            return f"did not answer within {REQUEST_SECONDS:.0f} seconds"
        case exceptions.ModelConnectionError(phase="connect") | exceptions.ModelConnectionError(phase="pool"):
            return "cannot be reached: is the server running?"
        case exceptions.ModelAPIError():
            return "broke off its answer or sent something that is no answer: try again"
        case exceptions.UsageLimitExceeded():
            return "went on calling tools without an answer until it was stopped"
        case exceptions.UnexpectedModelBehavior():
            return "does not keep to the tools and the form of answer asked of it"
        case _:
            return f"failed ({type(error).__name__})"
