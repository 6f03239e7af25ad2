"""What has been measured, kept on disk, so that a command that is run again asks no question twice for nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.evaluation.bench.measure import Outcome
from kb.errors import WriteError


@dataclass(frozen=True, slots=True)
class Stage:
    """One piece of work: its name, the seconds that it took when it was done, and whether that was before."""

    name: str
    seconds: float
    reused: bool


@dataclass(slots=True)
class StageFolder:
    """A folder of finished measurements, one file each, found again by everything that decides what comes out.

    `common` is what all of them rest on: the code, the machine, the packages. A file that is torn, foreign or of
    another key counts as not there.
    """

    folder: Path
    common: Mapping[str, Any]
    done: list[Stage] = field(default_factory=list)

    def outcomes(self, name: str, key: Mapping[str, Any], make: Callable[[], Sequence[Outcome]]) -> list[Outcome]:
        """What `make` gives, or gave before for the same key. Raises WriteError where it cannot be kept.

        What a judge that failed had no part in is not kept: the next run asks it again.
        """
        full = json.loads(json.dumps({**self.common, **key}, sort_keys=True))
        path = self.folder / f"{slug(name)}-{digest(full)[:12]}.json"
        kept = _read(path, full)
        if kept:
            self.done.append(Stage(name, kept[1], reused=True))
            return kept[0]
        start = time.perf_counter()
        outcomes = list(make())
        seconds = time.perf_counter() - start
        record = {"key": full, "seconds": round(seconds, 3), "outcomes": [one.to_json() for one in outcomes]}
        if not any(one.judge_failed for one in outcomes):
            write_whole(path, json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))
        self.done.append(Stage(name, seconds, reused=False))
        return outcomes

    def timed(self, name: str, work: Callable[[], None]) -> None:
        """Do work that is not kept here, and note how long it took."""
        start = time.perf_counter()
        work()
        self.done.append(Stage(name, time.perf_counter() - start, reused=False))

    def holds(self, name: str, key: Mapping[str, Any]) -> bool:
        """Whether `outcomes` would have nothing to make."""
        full = json.loads(json.dumps({**self.common, **key}, sort_keys=True))
        return _read(self.folder / f"{slug(name)}-{digest(full)[:12]}.json", full) is not None


def digest(value: Any) -> str:
    """SHA-256 of a value in JSON, in hexadecimal."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def slug(name: str) -> str:
    """A name as a part of a file name: letters, digits, dots and dashes, up to 80; another name gives another one."""
    short = re.sub(r"[^\w.]+", "-", name).strip("-.")[:80]
    return short if name and short == name else f"{short}-{digest(name)[:6]}".lstrip("-")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file in one step, so that a kill leaves the old one or the new one. Raises WriteError."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise WriteError(f"{str(path)!r} cannot be written ({error.strerror or error})") from error


def _read(path: Path, key: Mapping[str, Any]) -> tuple[list[Outcome], float] | None:
    try:
        record = json.loads(path.read_bytes())
        if record["key"] != key:
            return None
        return [Outcome.from_json(one) for one in record["outcomes"]], float(record["seconds"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
