"""Stands in for the package of that name in the process that a model is served from: what follows the four bytes of a
GGUF file is JSON that says what it does. `replies` are given one after the other, the last one from then on.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


class Server:
    def __init__(self, parameters: CommonParams) -> None:
        script = json.loads(Path(parameters.model.path).read_bytes()[4:])
        if "dies" in script:
            os._exit(9)
        if "refused" in script:
            sys.stderr.write(f"0.00.001 E llama_model_load: {script['refused']}\n")
            sys.stderr.flush()
            raise RuntimeError("Failed to init server, please check the input params.")
        assert parameters.hostnames == ["127.0.0.1"]
        server = ThreadingHTTPServer(("127.0.0.1", parameters.port), handler(script, parameters.api_keys[0]))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{server.server_address[1]}"


def handler(script: dict[str, Any], key: str) -> type[BaseHTTPRequestHandler]:
    left = list(script.get("replies", []))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.give({"data": [{"id": "it", "meta": {"n_params": script.get("parameters", 0), "n_ctx_train": 4096}}]})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = left.pop(0) if len(left) > 1 else left[0]
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            message = {"role": "assistant", "content": text}
            kind = "chat.completion.chunk" if request.get("stream") else "chat.completion"
            choice = {"index": 0, "finish_reason": "stop", "delta" if request.get("stream") else "message": message}
            answer = {"id": "1", "object": kind, "created": 1, "model": "it", "choices": [choice], "usage": usage}
            if request.get("stream"):
                self.send(200, "text/event-stream", f"data: {json.dumps(answer)}\n\ndata: [DONE]\n\n")
            else:
                self.give(answer)

        def give(self, answer: dict[str, Any]) -> None:
            self.send(200, "application/json", json.dumps(answer))

        def send(self, status: int, kind: str, text: str) -> None:
            if self.headers.get("Authorization") != f"Bearer {key}":
                status, kind, text = 401, "application/json", '{"error": {"message": "Invalid API Key"}}'
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    return Handler
