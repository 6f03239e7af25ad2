"""The process that a GGUF file is served from. Run as a script; it ends when its standard input does.

It reads one line of JSON, what to serve, and writes one: the address, or what went wrong. Nothing secret is among its
arguments, where other users of the machine could read it. Whoever started it holds the other end of its standard input,
so that it cannot be left behind, however the one who started it ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import urllib.request
from typing import Any

PROMPT_CACHE_MIB = 256
"""Memory for what has been read of earlier prompts: room for the few that a question is asked with."""

ERRORS_ONLY = 1


def main() -> None:
    """Serve until nobody holds the other end of the standard input any more."""
    # Ctrl-C is for the terminal's own program, which may go on after it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reply = os.dup(1)
    os.dup2(2, 1)  # what llama.cpp prints does not get into the reply
    wanted = json.loads(sys.stdin.readline() or "{}")
    try:
        server = serve(wanted)
        told: dict[str, Any] = {"url": server.listening_address, **size(server.listening_address, wanted["key"])}
    except (ImportError, OSError, RuntimeError, ValueError, KeyError, AttributeError, TypeError) as error:
        told = {"problem": f"{type(error).__name__}: {error}"}
    os.write(reply, json.dumps(told).encode() + b"\n")
    if "url" in told:
        sys.stdin.read()
    # The threads of the server know no end.
    os._exit(0)


def serve(wanted: dict[str, Any]) -> Any:
    """llama.cpp's server for the file at `path`, on this machine alone and for whoever has the key."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = wanted["path"]
    parameters.n_ctx = wanted["context"]
    parameters.api_keys = [wanted["key"]]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_parallel = 1
    parameters.use_jinja = True
    parameters.warmup = False
    parameters.offline = True
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.verbosity = ERRORS_ONLY
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = wanted["threads"]
    return xllamacpp.Server(parameters)


def size(url: str, key: str) -> dict[str, int]:
    """How many parameters the model has, and how many tokens of context it was trained with, as far as it is told."""
    request = urllib.request.Request(f"{url}/v1/models", headers={"Authorization": f"Bearer {key}"})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=30) as response:
        meta = json.load(response)["data"][0].get("meta") or {}
    return {"parameters": int(meta.get("n_params") or 0), "trained_context": int(meta.get("n_ctx_train") or 0)}


if __name__ == "__main__":
    main()
