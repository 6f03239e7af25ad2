"""A real HTTP server on loopback that answers as told, for what goes wrong before a model says anything."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = "application/json"


@dataclass(frozen=True)
class Answer:
    """What is sent back; a `body` that is no text goes out as JSON.

    `cut` closes the connection before the end; `wait` is how many seconds go by before anything is sent.
    """

    status: int = 200
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = JSON
    cut: bool = False
    wait: float = 0.0

    @property
    def data(self) -> bytes:
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass
class Seen:
    """Where the server is, and what reached it: method, path and Authorization of each request, and the bodies."""

    url: str = ""
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)

    @property
    def posts(self) -> int:
        return sum(method == "POST" for method, _, _ in self.requests)


@contextmanager
def serve(answer: Callable[[str, str], Answer] | Answer) -> Iterator[Seen]:
    """Serve until the block ends. `answer` is one for all, or is made from method and path."""
    seen = Seen()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            seen.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer("POST")

        def _answer(self, method: str) -> None:
            seen.requests.append((method, self.path, self.headers.get("Authorization", "")))
            given = answer if isinstance(answer, Answer) else answer(method, self.path)
            time.sleep(given.wait)
            self.send_response(given.status)
            for name, value in given.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", given.kind)
            self.send_header("Content-Length", str(len(given.data) + 10 * given.cut))
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(given.data)
            self.close_connection = given.cut

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


def said(text: str) -> Answer:
    """An answer of a model in one piece."""
    return _completion({"role": "assistant", "content": text})


def called(name: str, arguments: str) -> Answer:
    """A call of a tool in one piece."""
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return _completion({"role": "assistant", "content": None, "tool_calls": [call]})


def models(*names: str) -> Answer:
    """The list of the models that are served."""
    return Answer(body={"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


def refused(status: int, message: str, **more: Any) -> Answer:
    """An error as OpenAI words it; the client is told to wait a millisecond before it tries again."""
    return Answer(status, {"error": {"message": message, **more}}, {"retry-after-ms": "1"})


def _completion(message: dict[str, Any]) -> Answer:
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted"}
    return Answer(body={**head, "choices": [choice], "usage": usage})


def streamed(*events: Any) -> Answer:
    """Events of a stream, whole."""
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return Answer(body="".join([*lines, "data: [DONE]\n\n"]), kind="text/event-stream")
