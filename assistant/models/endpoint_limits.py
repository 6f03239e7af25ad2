"""What is taken of an endpoint's answers: no more bytes than an answer may have, packed as it was asked
for. Texts that go round in circles are cut where they are read (assistant/models/calling/runaway.py)."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from pydantic_ai.models import create_async_httpx2_client

MOST_BYTES = 16_000_000
"""Of one response, unpacked. A streamed token takes about 300 bytes with what is around it, and the longest answer
that anybody allows a model has some ten thousands of them.
"""


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
    response.stream = _Bounded(response.stream, is_packed=packing != "identity")


class _Bounded(httpx2.AsyncByteStream):
    """A stream unpacked and counted; the library's own unpacking makes gigabytes of a small response at once."""

    def __init__(self, stream: Any, *, is_packed: bool) -> None:
        self._stream = stream
        self._unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32) if is_packed else None
        self._left = MOST_BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            data = self._unpacker.decompress(part, self._left + 1) if self._unpacker else part
            if len(data) > self._left:
                raise TooMuch(f"the response has more than {MOST_BYTES:,} bytes")
            self._left -= len(data)
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()
