"""JSON out of a plain chat: asked for in the strictest form that the server takes, and once more where it is no use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from assistant.models.calling.json_calls import again, constrained
from assistant.models.calling.one_request import Ask
from assistant.models.calling.rungs import Rungs

T = TypeVar("T")

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
) -> ModelResponse:
    """The reply to a plain chat, JSON where the server has a way to see to it; which way it has is remembered."""
    while True:
        form = rungs.form
        try:
            return await ask(messages, constrained(settings, form, name, schema), parameters)
        except ModelHTTPError as error:
            if form == "text" or not _refuses_form(error):
                raise
            rungs.loosen()


def _refuses_form(error: ModelHTTPError) -> bool:
    """Whether it may be the form that the server refuses: a malformed request, or a failure that names it."""
    if isinstance(error, ModelContextWindowExceededError):
        return False
    told = str(error.body).lower()
    named = any(word in told for word in ("response_format", "json", "schema", "grammar", "guided", "structured"))
    return error.status_code in REFUSED and (named or error.status_code in (400, 415, 422))
