"""JSON out of a plain chat: asked for in the strictest form that the server takes, and once more where it is no use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from assistant.models.calling.json_calls import again, constrained
from assistant.models.calling.likelihood import with_likelihood
from assistant.models.calling.one_request import Ask
from assistant.models.calling.rungs import Rungs

T = TypeVar("T")

_FORM_WORDS = ("response_format", "json", "schema", "grammar", "guided", "structured")

REFUSED = (400, 404, 415, 422, 500, 501)
"""HTTP statuses that servers give a request with a field that they do not know or cannot handle."""


class Stopped(str):
    """What is wrong with a reply that it is no use to ask for again."""


async def read_reply(
    ask: Callable[[Sequence[ModelMessage]], Any],
    messages: Sequence[ModelMessage],
    read: Callable[[ModelResponse], T | str],
    wanted: str,
) -> T | str:
    """What `read` makes of the reply, asked for twice at most; the text of what is wrong where that failed too."""
    made: T | str = ""
    for _ in range(2):
        response = await ask(messages)
        made = read(response)
        if not isinstance(made, str) or isinstance(made, Stopped):
            break
        messages = again(messages, response, made, wanted)
    return made


async def ask_for_json(
    ask: Ask,
    rungs: Rungs,
    messages: Sequence[ModelMessage],
    settings: ModelSettings | None,
    parameters: ModelRequestParameters,
    name: str,
    schema: Mapping[str, Any],
    *,
    with_likelihoods: bool = False,
) -> ModelResponse:
    """The reply to a plain chat, JSON where the server has a way to see to it; which way it has is remembered.

    It comes `with_likelihoods` of what stands in it where that is asked for and the server tells them.
    """
    while True:
        form = rungs.form
        asks_how_likely = with_likelihoods and rungs.is_likelihood_told
        given = constrained(settings, form, name, schema)
        try:
            return await ask(messages, with_likelihood(given) if asks_how_likely else given, parameters)
        except ModelHTTPError as error:
            if asks_how_likely and _refuses_likelihood(error):
                rungs.is_likelihood_told = False
            elif form == "text" or not _refuses_form(error):
                raise
            else:
                rungs.loosen()


def _refuses_form(error: ModelHTTPError) -> bool:
    """Whether it may be the form that the server refuses: a malformed request, or a failure that names it."""
    if isinstance(error, ModelContextWindowExceededError):
        return False
    return error.status_code in REFUSED and (_names(error, _FORM_WORDS) or error.status_code in (400, 415, 422))


def _refuses_likelihood(error: ModelHTTPError) -> bool:
    """Whether it may be the probabilities that the server does not tell: a failure that names them, or a malformed
    request that does not say what is wrong with it, for the form of the reply is worth more.
    """
    if isinstance(error, ModelContextWindowExceededError) or error.status_code not in REFUSED:
        return False
    is_unsaid = error.status_code in (400, 415, 422) and not _names(error, _FORM_WORDS)
    return is_unsaid or _names(error, ("logprob", "log_prob"))


def _names(error: ModelHTTPError, words: Sequence[str]) -> bool:
    told = str(error.body).lower()
    return any(word in told for word in words)
