"""Endpoints of language models: what they serve, what it costs, and their failures in one line each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pydantic_ai
from pydantic_ai import exceptions

from assistant.models.calling.remembered import parameters_in
from assistant.models.keys import Key, key_for
from assistant.models.model_errors import explanation, label, reason, unreachable
from assistant.shared.model_choice import OFFLINE, OPENAI_URL, ModelChoice
from kb.errors import ModelFailure, UsageError

pydantic_ai.BANNER_ENABLED = False

REQUEST_SECONDS = 180.0
"""How long one request may take: a small model on a CPU needs a minute or two for a long context; the SDK's own limit
of ten minutes would look like a hang."""

LOOKUP_SECONDS = 5.0
"""For the list of models: it is asked for beside a failure or by `clew doctor`, and any server has it at hand."""

LIST_BYTES = 4_000_000
"""A longer list of models is not read: the longest in use, with 500 models described at length, has 1 MB."""

_SCHEMES = ("openai-chat:", "openai:")


@contextmanager
def model_failures(choice: ModelChoice) -> Iterator[None]:
    """Turn what pydantic-ai raises for a model that fails into one ModelFailure of one line, without the key."""
    try:
        yield
    except exceptions.RunCancelled:
        raise
    except (exceptions.AgentRunError, exceptions.UserError) as error:
        raise ModelFailure(f"{label(choice)} {explanation(error) or reason(error)}") from error


def price(choice: ModelChoice, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars for so many tokens, None where no price is known; 0 for the offline model and for a file.

    From the user's own prices where both are set, else from the list that comes with genai-prices, by the endpoint's
    address and the model's name. Nothing is downloaded.
    """
    if choice.offline or choice.local:
        return 0.0
    if choice.price_input is not None and choice.price_output is not None:
        return (choice.price_input * input_tokens + choice.price_output * output_tokens) / 1e6
    from genai_prices import Usage, calc_price  # 0.2 s

    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    try:
        found = calc_price(usage, bare_name(choice.name), provider_api_url=choice.base_url or OPENAI_URL)
    except (LookupError, ValueError):
        return None
    return float(found.total_price)


async def served_models(url: str, key: Key) -> list[str] | None:
    """The names of the models that an endpoint lists at `url`/models, sorted; None where it has no such list."""
    return (await listing(url, key))[1]


async def served_parameters(choice: ModelChoice) -> int:
    """How many parameters a model at an endpoint has, by its name or the list of a server on this machine or network; 0
    where nobody says.
    """
    known = parameters_in(choice.name)
    if known or not choice.base_url.startswith("http:"):
        return known
    _, body = await _models_at(choice.base_url, key_for(choice.base_url))
    return next((size for name, size in _described(body) if name == choice.name), 0)


async def listing(url: str, key: Key) -> tuple[str, list[str] | None]:
    """What is wrong with the list at `url`/models, and the list; "" where it is there, None where it is not."""
    problem, body = await _models_at(url, key)
    if problem:
        return problem, None
    served = _listed(body)
    return ("", served) if served is not None else ("what it answers is no list of models", None)


async def _models_at(url: str, key: Key) -> tuple[str, bytes]:
    """What is wrong with `url`/models, "" for nothing, and what is there."""
    import httpx2

    headers = {"Authorization": f"Bearer {key.secret}"} if key else {}
    try:
        async with (
            asyncio.timeout(LOOKUP_SECONDS),
            httpx2.AsyncClient(timeout=LOOKUP_SECONDS, headers=headers, follow_redirects=False) as client,
            client.stream("GET", url.rstrip("/") + "/models") as response,
        ):
            if response.status_code != 200:
                return f"HTTP status {response.status_code}", b""
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) > LIST_BYTES:
                    return "the list of models is endless", b""
            return "", body
    except TimeoutError:
        return f"no answer within {LOOKUP_SECONDS:.0f} seconds", b""
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return unreachable(error), b""


def bare_name(name: str) -> str:
    """A model's name without the "openai:" before it. Raises UsageError where nothing is left."""
    for scheme in _SCHEMES:
        name = name.removeprefix(scheme)
    if not name.strip():
        raise UsageError(f"{name!r} names no model; the built-in one is {OFFLINE!r}")
    return name


def _listed(body: bytes) -> list[str] | None:
    models = _data(body)
    if models is None:
        return None
    return sorted({one["id"] for one in models if isinstance(one, dict) and isinstance(one.get("id"), str)})


def _described(body: bytes) -> Iterator[tuple[str, int]]:
    """Each model's name and number of parameters, of those that a server like llama.cpp's describes so."""
    for one in _data(body) or ():
        meta = one.get("meta") if isinstance(one, dict) else None
        size = meta.get("n_params") if isinstance(meta, dict) else None
        if isinstance(size, int):
            yield str(one.get("id")), size


def _data(body: bytes) -> list[Any] | None:
    from pydantic_core import from_json

    try:
        answer = from_json(body)
    except ValueError:
        return None
    models = answer.get("data") if isinstance(answer, dict) else None
    return models if isinstance(models, list) else None
