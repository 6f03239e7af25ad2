"""A real HTTP server on loopback that speaks the OpenAI chat API and extracts, deterministically, what passages say."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Passage = dict[str, Any]

_BORN = re.compile(r"([A-Z]\w+ [A-Z]\w+) was born in ([A-Z]\w+) in (\d{4})\.")


@dataclass(frozen=True)
class Refusal:
    """Answer with this HTTP status, and these seconds of Retry-After."""

    code: int
    retry_after: float | None = None


@dataclass(frozen=True)
class Text:
    """Answer with this text instead of an extraction."""

    text: str
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Hold:
    """Send `share` of the answer, and no more until the client has gone."""

    share: float = 0.0


Behaviour = Refusal | Text | Hold | None
Script = Callable[[int, list[Passage]], Behaviour]
"""What to do with request number n, from 1, for these passages; None to extract."""


@dataclass
class ExtractionServer:
    """What was asked: `asked` counts requests by passage title, `answered` those whose answers were sent in full."""

    url: str = ""
    requests: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    script: Script = lambda number, passages: None
    released: threading.Event = field(default_factory=threading.Event)
    held: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def let_go(self) -> None:
        """End the requests that are held back, and begin to hold anew."""
        self.released.set()
        for _ in range(3000):
            with self.lock:
                if not self.at_once:
                    break
            time.sleep(0.001)
        self.released, self.held = threading.Event(), threading.Semaphore(0)


def extracted(passages: list[Passage]) -> dict[str, Any]:
    """The answer of a model that knows one kind of sentence."""
    answer = {}
    for one in passages:
        found = _BORN.findall(one["text"])
        types = {name: kind for who, where, _ in found for name, kind in ((who, "person"), (where, "place"))}
        triples = [[who, "born in", where, {"year": year}] for who, where, year in found]
        answer[str(one["n"])] = {"entities": types, "triples": triples}
    return answer


def passages_in(body: dict[str, Any]) -> list[Passage]:
    """The passages that a request asks for."""
    lines = body["messages"][-1]["content"].splitlines()
    return [json.loads(line) for line in lines]


@contextmanager
def extraction_server(script: Script | None = None) -> Iterator[ExtractionServer]:
    """Serve until the block ends."""
    seen = ExtractionServer()
    if script:
        seen.script = script

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            passages = passages_in(body)
            titles = [one["title"] for one in passages]
            with seen.lock:
                seen.requests += 1
                seen.at_once += 1
                seen.most_at_once = max(seen.most_at_once, seen.at_once)
                seen.asked.update(titles)
                seen.bodies.append(body)
                behaviour = seen.script(seen.requests, passages)
            try:
                self._reply(behaviour, passages)
                if behaviour is None:
                    with seen.lock:
                        seen.answered.update(titles)
            except OSError:
                self.close_connection = True
            finally:
                with seen.lock:
                    seen.at_once -= 1

        def _reply(self, behaviour: Behaviour, passages: list[Passage]) -> None:
            if isinstance(behaviour, Refusal):
                self._send(behaviour.code, {"error": {"message": "no"}}, behaviour.retry_after)
                return
            said = Text(json.dumps(extracted(passages)))
            answer = _completion(behaviour if isinstance(behaviour, Text) else said, passages)
            share = behaviour.share if isinstance(behaviour, Hold) else 1.0
            self._send(200, answer, None, share)
            if isinstance(behaviour, Hold):
                released = seen.released
                seen.held.release()
                released.wait(30)
                self.close_connection = True

        def _send(self, code: int, value: dict[str, Any], retry_after: float | None, share: float = 1.0) -> None:
            data = json.dumps(value).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if retry_after is not None:
                self.send_header("Retry-After", f"{retry_after:g}")
            self.end_headers()
            self.wfile.write(data[: int(len(data) * share)])
            self.wfile.flush()

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]}, None)

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    seen.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        seen.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(said: Text, passages: list[Passage]) -> dict[str, Any]:
    # A token for every four characters, as a stand-in.
    prompt = sum(len(one["text"]) for one in passages) // 4 + 200
    usage = {"prompt_tokens": prompt, "completion_tokens": len(said.text) // 4}
    message = {"role": "assistant", "content": said.text}
    choice = {"index": 0, "message": message, "finish_reason": said.finish_reason}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted"}
    return {**head, "choices": [choice], "usage": {**usage, "total_tokens": sum(usage.values())}}
