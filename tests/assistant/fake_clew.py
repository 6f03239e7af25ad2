"""Stands in for the command line in tests of what calls it: tells its progress, and does what its arguments say."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path


def tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main() -> None:
    arguments = sys.argv[1:]
    told = {"arguments": arguments, "progress": os.environ.get("CLEW_PROGRESS")}
    if arguments[-1] == "-":
        told["text"] = sys.stdin.read()
    if log := os.environ.get("FAKE_LOG"):
        with Path(log).open("a") as file:
            file.write(json.dumps(told) + "\n")
    words = " ".join(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if "stubborn" in words:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for done in range(1, 4):
        tell(json.dumps({"stage": "embedding", "done": done, "total": 3, "note": ""}))
    if "slow" in words or "stubborn" in words:
        time.sleep(60)
    if "locked" in words:
        tell("clew: 'x.clew' is being written by another process")
        sys.exit(3)
    tell("x" * 2_000_000)
    tell("clew: left out bad.md: is empty")
    output = arguments[arguments.index("-o") + 1] if "-o" in arguments else arguments[arguments.index("--") + 1]
    problems = [{"path": "[/foo].md", "reason": "is\x1b[31m empty"}]
    sys.stdout.write(json.dumps({"path": output, "added": 1, "passages": 2, "problems": problems}))


try:
    main()
except KeyboardInterrupt:
    tell("clew: stopped; what was finished is kept")
    sys.exit(130)
