"""A server on loopback that speaks the OpenAI chat API, counts what it is asked, and answers as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Answer = dict[str, Any] | bytes | tuple[int, bytes]
"""A message of the assistant's, or the whole body of a response, whatever it is, also of an error with its status."""


@dataclass
class Endpoint:
    """Where the server is, and what it was asked since `requests` was last emptied."""

    url: str
    answer: Callable[[Request], Answer]
    requests: list[Request] = field(default_factory=list)


def sensible(request: Request) -> Answer:
    """What a model might say that extracts nothing and answers with the first passage that it is shown."""
    if not request.get("tools"):
        lines = request["messages"][-1]["content"].splitlines()
        with suppress(ValueError, KeyError, TypeError):
            empty = {str(json.loads(line)["n"]): {"entities": {}, "triples": []} for line in lines}
            return {"role": "assistant", "content": json.dumps(empty)}
        return {"role": "assistant", "content": "Tarnow Bay"}
    said = {"answer": "Tarnow Bay", "explanation": "She was born in Tarnow Bay [1].", "cited": [1]}
    call = {"id": "c1", "type": "function", "function": {"name": "answer", "arguments": json.dumps(said)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        listed = {"object": "list", "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "nobody"}]}
        self._send(json.dumps(listed).encode())

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.requests.append(request)
        said = self.server.seen.answer(request)
        with suppress(OSError):  # who asked may have been killed
            if isinstance(said, tuple):
                self._send(said[1], status=said[0])
            elif isinstance(said, bytes):
                self._send(said)
            elif request.get("stream"):
                self._send(_streamed(said), "text/event-stream")
            else:
                self._send(json.dumps(_completion("chat.completion", "message", said)).encode())

    def _send(self, body: bytes, kind: str = "application/json", status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


class _Server(ThreadingHTTPServer):
    seen: Endpoint
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away is none."""


def _completion(kind: str, name: str, message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    choice = {"index": 0, name: message, "finish_reason": reason}
    return {"id": "c1", "object": kind, "created": 1, "model": "scripted", "choices": [choice], "usage": usage}


def _streamed(message: dict[str, Any]) -> bytes:
    calls = [{"index": place, **call} for place, call in enumerate(message.get("tool_calls", ()))]
    delta = {**message, **({"tool_calls": calls} if calls else {})}
    event = _completion("chat.completion.chunk", "delta", delta)
    return b"data: " + json.dumps(event).encode() + b"\n\ndata: [DONE]\n\n"


@contextmanager
def endpoint(answer: Callable[[Request], Answer] = sensible) -> Iterator[Endpoint]:
    """Serve until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.seen = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
