"""How likely a language model holds what it wrote, where its server tells the probability of every token."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import ModelResponse
from pydantic_ai.settings import ModelSettings, merge_model_settings

if TYPE_CHECKING:
    from pydantic_ai.models.openai import OpenAIChatModelSettings  # half a second, of no use where no model is asked

_TOLD = "logprobs"
_KEPT = "likelihoods"
_VALUE = re.compile(r'"(?P<name>\w{1,40})"\s*:\s*"(?P<value>(?:[^"\\]|\\.)*)"?', re.DOTALL)
_MOST_VALUES = 8


def with_likelihood(settings: ModelSettings | None) -> ModelSettings | None:
    """The settings of a request whose server is to tell how likely each token is."""
    told: OpenAIChatModelSettings = {"openai_logprobs": True}
    return merge_model_settings(settings, told)


def likelihood_of(response: ModelResponse, name: str) -> float | None:
    """The probability (0..1) of the string that stands below `name` in a reply of JSON, as its model has it: that of
    all its tokens, the closing quotation mark included, given what stands before. None where nobody told it.
    """
    kept = (response.provider_details or {}).get(_KEPT)
    value = kept.get(name) if isinstance(kept, dict) else None
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def with_likelihoods(response: ModelResponse) -> ModelResponse:
    """The response with the probabilities of the strings of its JSON in the place of those of all its tokens, which
    are as long as a transcript's answer ten times over.
    """
    details = response.provider_details or {}
    if _TOLD not in details:
        return response
    told = details[_TOLD]
    kept = dict(_likelihoods(told)) if isinstance(told, list) else {}
    others = {name: value for name, value in details.items() if name != _TOLD}
    return replace(response, provider_details={**others, _KEPT: kept} if kept else others or None)


def _likelihoods(tokens: Sequence[Any]) -> Iterator[tuple[str, float]]:
    """Each string of an object, by its name, with its probability; nothing where a token has none that counts."""
    told = [(_bytes(one), one.get("logprob")) for one in tokens if isinstance(one, Mapping)]
    pieces = [(piece, float(log)) for piece, log in told if isinstance(log, int | float) and log <= 0]
    if len(pieces) < len(told):
        return
    ends = list(accumulate(len(piece) for piece, _ in pieces))
    # Positions are those of bytes, as a letter may come in several tokens: each byte is a character of its own here.
    text = b"".join(piece for piece, _ in pieces).decode("latin-1")
    seen: set[str] = set()
    for match in _VALUE.finditer(text):
        if match["name"] not in seen and len(seen) < _MOST_VALUES:
            seen.add(match["name"])
            start, end = match.start("value"), match.end("value") + 1
            logs = [
                log
                for at, (piece, log) in enumerate(pieces)
                if ends[at] > start and ends[at] - len(piece) < end and piece
            ]
            yield match["name"], round(math.exp(sum(logs)), 4)


def _bytes(token: Mapping[str, Any]) -> bytes:
    """The bytes of a token, which may be a part of a letter; its text where they are not told."""
    given = token.get("bytes")
    if isinstance(given, list) and all(isinstance(one, int) and 0 <= one < 256 for one in given):
        return bytes(given)
    text = token.get("token")
    return text.encode("utf-8", "replace") if isinstance(text, str) else b""
