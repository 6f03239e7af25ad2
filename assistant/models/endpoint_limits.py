"""What is taken of an endpoint's answers: no more bytes, tokens and calls than an answer may have, packed as it was
asked for, and no numbers that count nothing. Texts that go round in circles are cut where they are read
(assistant/models/calling/runaway.py).
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Literal

import httpx2
from pydantic_ai.models import create_async_httpx2_client

from assistant.shared.spending_limits import MOST_CALLS
from kb.wellformed import well_formed_json

MOST_BYTES = 16_000_000
"""Of one response, unpacked. A streamed token takes about 300 bytes with what is around it, and the longest answer
that anybody allows a model has some ten thousands of them.
"""


CHARACTERS_PER_TOKEN = 16
"""That a response may have: most tokens have three to five. Only of a server that was told how many tokens to give,
and does not care, is anything cut.
"""

CALLS_AT_ONCE = MOST_CALLS + 1
"""Calls of one response: all that a question may make, and the answer."""

_MOST_COUNTED = 10**9
"""Tokens: no response has as many."""

_LATEST = 10**11
"""Seconds since 1970; later is no date."""


class TooMuch(httpx2.ReadError):
    """A response has more bytes than any answer, or is packed in a way that was not asked for."""


def bounded_client() -> httpx2.AsyncClient:
    """A client like pydantic-ai's own that reads at most MOST_BYTES of each response. Reading more raises TooMuch."""
    client = create_async_httpx2_client()
    client.headers["Accept-Encoding"] = "gzip"
    client.event_hooks["response"].append(_bound)
    return client


async def _bound(response: httpx2.Response) -> None:
    packing = response.headers.pop("content-encoding", "identity").lower()
    if packing not in ("identity", "gzip", "deflate"):
        raise TooMuch(f"the response is packed as {packing[:40]!r}")
    response.stream = _Bounded(response.stream, is_packed=packing != "identity", is_error=response.is_error)


class _Bounded(httpx2.AsyncByteStream):
    """A stream unpacked and counted; the library's own unpacking makes gigabytes of a small response at once.

    Of an error what can be read is enough: it says more than that its words are too many, or broken off.
    """

    def __init__(self, stream: Any, *, is_packed: bool, is_error: bool) -> None:
        self._stream = stream
        self._is_error = is_error
        self._unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32) if is_packed else None
        self._left = MOST_BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async with aclosing(self._unpacked()) as parts:  # where it is left early it ends here, not some time later
                async for part in parts:
                    yield part
        except (httpx2.TransportError, zlib.error) as error:
            if self._is_error:
                return
            if isinstance(error, zlib.error):
                raise TooMuch("the response is not packed as it says that it is") from error
            raise

    async def _unpacked(self) -> AsyncGenerator[bytes]:
        pieces = aiter(self._stream)
        try:
            async for part in pieces:
                data = self._unpacker.decompress(part, self._left + 1) if self._unpacker else part
                if len(data) > self._left:
                    raise TooMuch(f"the response has more than {MOST_BYTES:,} bytes")
                self._left -= len(data)
                yield data
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    async def aclose(self) -> None:
        await self._stream.aclose()


def taken(told: dict[str, Any]) -> dict[str, Any]:
    """A response, or a chunk of one, as it can be used: its texts well formed, and its numbers such as count. A usage
    that does not is none, and is estimated.
    """
    kept: dict[str, Any] = well_formed_json(told)
    if "created" in kept and not _counts(kept["created"], _LATEST):
        kept["created"] = 0
    if kept.get("usage") is not None and not (isinstance(kept["usage"], dict) and _counts(kept["usage"])):
        kept["usage"] = None
    for choice in _objects(kept.get("choices")):
        message = choice.get("message")
        if isinstance(message, dict) and isinstance(message.get("tool_calls"), list):
            message["tool_calls"] = message["tool_calls"][:CALLS_AT_ONCE]
    return kept


def _counts(value: Any, most: int = _MOST_COUNTED, depth: int = 3) -> bool:
    """Whether all numbers in a value of JSON are 0 or more, and no more than there can be; not where it is nested
    deeper than usage is.
    """
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(_counts(one, most, depth - 1) for one in inner)
    return not isinstance(value, int | float) or 0 <= value <= most


class Allowance:
    """What one streamed response may have: `tokens`, and CALLS_AT_ONCE. `over` is why no more is taken of it."""

    def __init__(self, tokens: int | None) -> None:
        self._characters = CHARACTERS_PER_TOKEN * tokens if tokens else None
        self._ids: set[str] = set()
        self._places: set[str] = set()
        self._begun = 0
        self.over: Literal["", "length", "tool_calls"] = ""

    def take(self, chunk: dict[str, Any]) -> dict[str, Any]:
        """The chunk as far as it may be taken; the last one says so in the endpoint's place."""
        for choice in _objects(chunk.get("choices")):
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                continue
            if isinstance(delta.get("tool_calls"), list):
                delta["tool_calls"] = [call for call in delta["tool_calls"] if self._may_call(call)]
            if self._characters is not None:
                self._characters -= max(_characters(delta), 1)
                self.over = "length" if self._characters < 0 else self.over
            if self.over:
                choice["finish_reason"] = self.over
        return chunk

    def _may_call(self, call: Any) -> bool:
        """Whether this is a piece of a call that has begun, by its id or, as later pieces have none or another, by its
        place and that it names no tool, or one of the first calls.
        """
        own, place = (repr(call.get("id") or ""), repr(call.get("index"))) if isinstance(call, dict) else ("''", "")
        function = call.get("function") if isinstance(call, dict) else None
        names = isinstance(function, dict) and bool(function.get("name"))
        if own in self._ids or (place in self._places and (own == "''" or not names)):
            return True
        if self._begun == CALLS_AT_ONCE:
            self.over = "tool_calls"
            return False
        self._begun += 1
        self._ids.add(own)
        self._places.add(place)
        return True


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _characters(value: Any) -> int:
    """Of the texts of a piece of a message, without what stands around them."""
    if isinstance(value, dict):
        return sum(_characters(one) for name, one in value.items() if name not in ("role", "id", "type", "name"))
    return sum(map(_characters, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 0
