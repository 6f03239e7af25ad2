"""A real HTTP server on loopback that speaks the OpenAI chat API from a script, with the faults of common servers."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Request = dict[str, Any]
ToolCallScript = tuple[str, dict[str, Any]]

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(frozen=True)
class Status:
    """Answer with an HTTP error, in the words of OpenAI or with a `body` of its own. `headers` come besides."""

    code: int
    message: str = "no"
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=lambda: {"retry-after-ms": "1"})

    def json(self) -> bytes:
        error = {"error": {"message": self.message, "type": "error"}}
        return json.dumps(error if self.body is None else self.body).encode()


@dataclass(frozen=True)
class Cut:
    """Begin this tool call and close the connection half way."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Says:
    """A response in detail: text, then calls with their arguments as the server would send them.

    `indexes` numbers the calls as OpenAI does, all 0 as older Ollama does, or not at all; `ids` are the server's own,
    all the same, or empty. `cut` ends the stream before its end, by closing the connection or as if it were complete.
    `tokens` are told with the logarithm of each one's probability, where the request asks for it.
    """

    text: str | None = None
    calls: Sequence[tuple[str, str | None]] = ()
    reasoning: str = ""
    indexes: Literal["own", "zero", "none"] = "own"
    ids: Literal["own", "same", "empty"] = "own"
    usage: bool = True
    finish: str | None = "by content"
    cut: Literal["", "closed", "ended"] = ""
    pause: float = 0.0
    error: Any = None
    tokens: Sequence[tuple[str, Any]] = ()

    @property
    def logprobs(self) -> dict[str, Any]:
        told = [
            {"token": token, "bytes": list(token.encode()), "logprob": log, "top_logprobs": []}
            for token, log in self.tokens
        ]
        return {"logprobs": {"content": told}} if told else {}

    @property
    def reason(self) -> str | None:
        if self.finish != "by content":
            return self.finish
        return "tool_calls" if self.calls else "stop"

    def call_id(self, place: int) -> str:
        return {"own": f"call_{place}_{self.calls[place][0]}", "same": "call_0", "empty": ""}[self.ids]


@dataclass(frozen=True)
class Raw:
    """Answer with these bytes, over and over where it is `endless`, packed as `encoding` says."""

    body: bytes
    encoding: str = ""
    endless: bool = False


Turn = Callable[[Request], Sequence[ToolCallScript] | str | Status | Cut | Says | Raw]


@dataclass
class Endpoint:
    """What the server was asked, and where it is. `refused` counts the requests that `refuses` has turned down, `sent`
    the pieces of streamed responses.
    """

    url: str
    requests: list[Request] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    refused: int = 0
    sent: int = 0

    @property
    def answered(self) -> int:
        """Requests that the script has answered, with an error or not."""
        return len(self.requests) - self.refused


def ollama_without_tools(request: Request) -> Status | None:
    """As Ollama answers for a model whose template has no tools."""
    message = f"registry.ollama.ai/library/{request['model']} does not support tools"
    body = {"error": {"message": message, "type": "api_error", "param": None, "code": None}}
    return Status(400, body=body) if "tools" in request else None


def llama_cpp_without_jinja(request: Request) -> Status | None:
    """As llama.cpp's server answers without --jinja."""
    body = {"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}}
    return Status(500, body=body) if "tools" in request else None


def vllm_without_tool_parser(request: Request) -> Status | None:
    """As vLLM answers without --enable-auto-tool-choice."""
    message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    body = {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}
    return Status(400, body=body) if "tools" in request else None


def openrouter_without_tools(request: Request) -> Status | None:
    """As OpenRouter answers where no provider of the model takes tools."""
    body = {"error": {"message": "No endpoints found that support tool use.", "code": 404}}
    return Status(404, body=body) if "tools" in request else None


def lm_studio_formats(request: Request) -> Status | None:
    """As LM Studio answers for the older form of JSON output, and a server without tools besides."""
    if request.get("response_format", {}).get("type") == "json_object":
        return Status(400, body={"error": "'response_format.type' must be 'json_schema' or 'text'"})
    return ollama_without_tools(request)


def no_likelihoods(request: Request) -> Status | None:
    """A server that does not tell how likely its tokens are."""
    if "logprobs" in request:
        return Status(400, body={"error": {"message": "Unrecognized request argument supplied: logprobs"}})
    return None


def no_formats(request: Request) -> Status | None:
    """A server that knows neither tools nor JSON output."""
    if "response_format" in request:
        return Status(400, body={"error": {"message": "Unrecognized request argument supplied: response_format"}})
    return ollama_without_tools(request)


OPENAI_UNKNOWN_MODEL = Status(
    404,
    body={
        "error": {
            "message": "The model `scripted` does not exist or you do not have access to it.",
            "type": "invalid_request_error",
            "param": None,
            "code": "model_not_found",
        }
    },
)
OLLAMA_UNKNOWN_MODEL = Status(
    404, body={"error": {"message": "model 'scripted' not found", "type": "api_error", "param": None, "code": None}}
)
LLAMA_CPP_TOO_LONG = Status(
    400,
    body={
        "error": {
            "code": 400,
            "message": "the request exceeds the available context size. try increasing the context size or enable "
            "context shift",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 14429,
            "n_ctx": 8192,
        }
    },
)
OPENAI_TOO_LONG = Status(
    400,
    body={
        "error": {
            "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 "
            "tokens. Please reduce the length of the messages.",
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
    },
)


class _Server(ThreadingHTTPServer):
    """What a handler answers from."""

    seen: Endpoint
    script: Sequence[Turn]
    refuses: Callable[[Request], Status | None]
    models: Sequence[str]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away is none; a script that fails is."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request after another from what its server carries."""

    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        listed = [{"id": name, "object": "model", "created": 1, "owned_by": "nobody"} for name in self.server.models]
        self._reply(200, json.dumps({"object": "list", "data": listed}).encode())

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = self.server.seen
        seen.requests.append(request)
        seen.keys.append(self.headers.get("Authorization", ""))
        refusal = self.server.refuses(request)
        if refusal is not None:
            seen.refused += 1
            self._reply(refusal.code, refusal.json(), refusal.headers)
            return
        script = self.server.script
        answer = script[min(seen.answered, len(script)) - 1](request)
        if isinstance(answer, Raw):
            self._raw(answer, "text/event-stream" if request.get("stream") else "application/json")
        elif isinstance(answer, Status):
            self._reply(answer.code, answer.json(), answer.headers)
        elif request.get("stream"):
            self._stream(_says(answer), request)
        else:
            self._reply(200, json.dumps(_completion(_says(answer), request)).encode())

    def _reply(self, code: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _raw(self, raw: Raw, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        if raw.encoding:
            self.send_header("Content-Encoding", raw.encoding)
        self.end_headers()
        self._chunk(raw.body)
        while raw.endless:
            self._chunk(raw.body)
        self._chunk(b"")

    def _stream(self, says: Says, request: Request) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        told = says.logprobs if request.get("logprobs") else {}
        for delta in _deltas(says):
            self._send({"choices": [{"index": 0, "delta": delta, "finish_reason": None, **told}]})
            told = {}
            self.server.seen.sent += 1
            time.sleep(says.pause)
        if says.cut == "closed":
            self.close_connection = True
            return
        if says.error is not None:
            self._chunk(b"data: " + json.dumps(says.error).encode() + b"\n\n")
        elif not says.cut:
            self._send({"choices": [{"index": 0, "delta": {}, "finish_reason": says.reason}]})
            if says.usage and request.get("stream_options", {}).get("include_usage"):
                self._send({"choices": [], "usage": USAGE})
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _send(self, event: dict[str, Any]) -> None:
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        self._chunk(b"data: " + json.dumps({**head, **event}).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


@contextmanager
def endpoint(
    script: Sequence[Turn],
    *,
    refuses: Callable[[Request], Status | None] = lambda request: None,
    models: Sequence[str] = ("scripted",),
) -> Iterator[Endpoint]:
    """Serve the script, one turn a request, the last one for all that follow; what `refuses` turns down takes no turn.

    GET /v1/models lists `models`.
    """
    server = _Server(("127.0.0.1", 0), _Handler)
    seen = Endpoint("")
    server.seen, server.script, server.refuses, server.models = seen, script, refuses, models
    seen.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _says(answer: Sequence[ToolCallScript] | str | Cut | Says | Raw) -> Says:
    assert not isinstance(answer, Raw)
    if isinstance(answer, Says):
        return answer
    if isinstance(answer, str):
        return Says(answer)
    if isinstance(answer, Cut):
        return Says(calls=[(answer.name, answer.arguments)], cut="closed")
    return Says(calls=[(name, json.dumps(arguments)) for name, arguments in answer])


def _completion(says: Says, request: Request) -> dict[str, Any]:
    """The response of a request that does not stream."""
    calls = [
        {"id": says.call_id(place), "type": "function", "function": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(says.calls)
    ]
    message = {"role": "assistant", "content": says.text}
    message |= {"tool_calls": calls} if calls else {}
    message |= {"reasoning_content": says.reasoning} if says.reasoning else {}
    choice = {"index": 0, "message": message, "finish_reason": says.reason}
    choice |= says.logprobs if request.get("logprobs") else {}
    usage = {"usage": USAGE} if says.usage else {}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice], **usage}


def _deltas(says: Says) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None}
    for start in range(0, len(says.reasoning), 9):
        yield {"reasoning_content": says.reasoning[start : start + 9]}
    text = says.text or ""
    for start in range(0, len(text), 9):
        yield {"content": text[start : start + 9]}
    for place, (name, arguments) in enumerate(says.calls):
        call: dict[str, Any] = {"id": says.call_id(place), "type": "function"}
        if says.indexes != "none":
            call["index"] = place if says.indexes == "own" else 0
        if arguments is None or says.indexes != "own":
            # Servers that number no calls send each in one piece.
            yield {"tool_calls": [{**call, "function": {"name": name, "arguments": arguments}}]}
            continue
        yield {"tool_calls": [{**call, "function": {"name": name, "arguments": ""}}]}
        for start in range(0, len(arguments), 9):
            yield {"tool_calls": [{"index": place, "function": {"arguments": arguments[start : start + 9]}}]}
