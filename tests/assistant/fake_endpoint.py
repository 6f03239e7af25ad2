"""A real HTTP server on loopback that speaks the OpenAI chat API from a script: streamed, with tool calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
ToolCallScript = tuple[str, dict[str, Any]]
Turn = Callable[[Request], "Sequence[ToolCallScript] | str | Status | Cut"]


@dataclass(frozen=True)
class Status:
    """Answer with an HTTP error."""

    code: int
    message: str = "no"


@dataclass(frozen=True)
class Cut:
    """Begin this tool call and close the connection half way."""

    name: str
    arguments: str


@dataclass
class Endpoint:
    """What the server was asked, and where it is."""

    url: str
    requests: list[Request] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def endpoint(script: Sequence[Turn]) -> Iterator[Endpoint]:
    """Serve the script, one turn a request, the last one for all that follow."""
    seen = Endpoint("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.requests.append(request)
            seen.keys.append(self.headers.get("Authorization", ""))
            answer = script[min(len(seen.requests), len(script)) - 1](request)
            if isinstance(answer, Status):
                self._refuse(answer)
            else:
                self._stream(answer)

        def _refuse(self, status: Status) -> None:
            body = json.dumps({"error": {"message": status.message, "type": "error"}}).encode()
            self.send_response(status.code)
            # The client waits before it tries again: not in a test.
            self.send_header("retry-after-ms", "1")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, answer: Sequence[ToolCallScript] | str | Cut) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for delta in _deltas(answer):
                self._send({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            if isinstance(answer, Cut):
                self.close_connection = True
                return
            reason = "stop" if isinstance(answer, str) else "tool_calls"
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            self._send({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage})
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def _send(self, event: dict[str, Any]) -> None:
            head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
            self._chunk(b"data: " + json.dumps({**head, **event}).encode() + b"\n\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _deltas(answer: Sequence[ToolCallScript] | str | Cut) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None}
    if isinstance(answer, str):
        yield {"content": answer}
        return
    calls = [(answer.name, answer.arguments)] if isinstance(answer, Cut) else [(n, json.dumps(a)) for n, a in answer]
    for index, (name, arguments) in enumerate(calls):
        call = {"index": index, "id": f"call_{index}_{name}", "type": "function"}
        yield {"tool_calls": [{**call, "function": {"name": name, "arguments": ""}}]}
        for start in range(0, len(arguments), 9):
            yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[start : start + 9]}}]}
