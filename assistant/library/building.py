"""Writing to a knowledge base on behalf of a chat: build, add and remove as processes of their own.

So nothing is imported or computed in the chat, a stop is a signal, and a file that is being written is as safe as from
a terminal: what is finished is kept, and the next build carries on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shlex
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.library.known_files import typed_path
from assistant.shared.rendering import counted, plain
from kb.errors import BadFileError, ClewError, UsageError
from kb.store.addresses import ServerAddress, environment, place

# -P: a folder named assistant in the working folder is not the package.
CLEW: tuple[str, ...] = (sys.executable, "-P", "-m", "assistant")
_LINE = 1_000_000
"""Most bytes of a line of a process; a result with thousands of problems is one document, read as a whole."""
_PATIENCE = 5.0
"""Seconds that a process has to close its file once it is told to stop; afterwards it is killed, which does no harm."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far a stage of the work is; `total` is 0 while it is not known, `rate` is a second's, `left` in seconds."""

    stage: str
    done: int
    total: int
    rate: float | None = None
    left: float | None = None


@dataclass(slots=True)
class Pace:
    """Makes steps of counts: the rate and the time left are those of the stage so far."""

    clock: Callable[[], float] = time.monotonic
    _stage: str = ""
    _start: float = 0.0
    _first: int = 0

    def step(self, stage: str, done: int, total: int) -> Step:
        """What is known after `done` of `total`."""
        now = self.clock()
        if stage != self._stage:
            self._stage, self._start, self._first = stage, now, done
        seconds, finished = now - self._start, done - self._first
        if seconds < 0.5 or finished <= 0:
            return Step(stage, done, total)
        rate = finished / seconds
        return Step(stage, done, total, rate, (total - done) / rate if total > done else None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command printed: its JSON, and the lines that it told the user."""

    result: Mapping[str, Any]
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """One command of clew's: its arguments, and what it reads from its standard input."""

    arguments: tuple[str, ...]
    text: str | None = None

    async def run(self, tell: Callable[[Step], None]) -> Outcome:
        """Run it to its end; `tell` is given its progress. Cancelled, it is stopped, and has ended on return.

        Raises ClewError with what the command says of its failure.
        """
        process = await asyncio.create_subprocess_exec(
            *CLEW, *self.arguments, stdin=DEVNULL if self.text is None else PIPE, stdout=PIPE, stderr=PIPE,
            env={**os.environ, **environment(self.arguments), "CLEW_PROGRESS": "json"}, limit=_LINE,
            start_new_session=True,
        )  # fmt: skip
        try:
            told, out, _ = await asyncio.gather(_listen(process, tell), _read(process), _feed(process, self.text))
            code = await process.wait()
        finally:
            await asyncio.shield(_stop(process))
        if code:
            raise _failure(told, code)
        return Outcome(_result(out), tuple(told))


async def _listen(process: Process, tell: Callable[[Step], None]) -> list[str]:
    """Pass on progress as it comes, and give back all other lines."""
    assert process.stderr is not None
    pace, told = Pace(), list[str]()
    while line := await _line(process.stderr):
        record = _progress(line)
        if record is None:
            told.append(plain(line.decode("utf-8", "replace"), 1000))
        else:
            tell(pace.step(*record))
    return [line for line in told if line]


async def _line(stream: asyncio.StreamReader) -> bytes:
    while True:
        try:
            return await stream.readline()
        except ValueError:  # longer than any that is ours; what was read of it is dropped
            continue


def _progress(line: bytes) -> tuple[str, int, int] | None:
    if not line.startswith(b'{"stage"'):
        return None
    try:
        record = json.loads(line)
        return str(record["stage"]), int(record["done"]), int(record["total"])
    except (ValueError, KeyError, TypeError):
        return None


async def _read(process: Process) -> bytes:
    assert process.stdout is not None
    return await process.stdout.read()


async def _feed(process: Process, text: str | None) -> None:
    if text is None or process.stdin is None:
        return
    try:
        process.stdin.write(text.encode("utf-8", "replace"))
        await process.stdin.drain()
        process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        return  # it ended without reading, and says why


async def _stop(process: Process) -> None:
    """Ask the process to stop, and see that it ends. Ctrl-C is ignored below a chat that is in the background."""
    if process.returncode is not None:
        return
    try:
        process.terminate()
        async with asyncio.timeout(_PATIENCE):
            await process.communicate()
    except ProcessLookupError:
        await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def _failure(told: Sequence[str], code: int) -> ClewError:
    reason = next((line for line in reversed(told) if line.startswith("clew: ")), told[-1] if told else "")
    if code < 0 and not reason:
        return UsageError(f"it was killed (signal {-code}); what was finished is kept, and the same command carries on")
    message = plain(reason.removeprefix("clew: "), 600) or f"the command ended with code {code} and no message"
    return BadFileError(message) if code == BadFileError.exit_code else UsageError(message)


def _result(out: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(out)
    except ValueError as error:
        raise UsageError("the command's result cannot be read") from error
    return found if isinstance(found, dict) else {}


# -- what there is to do -----------------------------------------------------------------------------------------------


def building(sources: Sequence[str], output: Path) -> Work:
    """Make `output` hold what the sources hold. Raises UsageError where one is not there."""
    _refuse_missing(sources)
    return Work(("build", "--json", "-o", str(_absolute(output)), "--", *_sources(sources)))


def adding(file: Path, sources: Sequence[str]) -> Work:
    """Add the sources to a file. Raises UsageError, before anything is started, where one is not there."""
    if not sources:
        raise UsageError("there is nothing to add; name a file or a folder")
    _refuse_missing(sources)
    return Work(("add", "--json", "--", str(_absolute(file)), *_sources(sources)))


def adding_text(file: Path, title: str, text: str) -> Work:
    """Add a text as a document with this title, or its first words where it is empty.

    Its key comes from both, so that the same text is added once, and another of the same title beside it.
    Raises UsageError for a text without letters or digits.
    """
    from kb.documents.plaintext import first_words

    if not any(map(str.isalnum, text)):
        raise UsageError("there is no text to add; paste it into the field")
    name = plain(title, 200) or plain(first_words(text), 200)
    digest = hashlib.sha256(f"{name}\n{text}".encode("utf-8", "replace")).hexdigest()[:10]
    record = {"id": f"pasted/{digest}", "title": name, "text": text}
    return Work(("add", "--json", "--", str(_absolute(file)), "-"), json.dumps(record) + "\n")


def forgetting(file: Path, key: str) -> Work:
    """Remove the document with this key from a file."""
    return Work(("remove", "--json", "--", str(_absolute(file)), key))


def _refuse_missing(sources: Sequence[str]) -> None:
    for source in sources:
        if not _is_there(source):
            raise UsageError(f"{plain(source, 200)!r} does not exist; name a file or a folder")


def _is_there(typed: str) -> bool:
    try:
        return typed_path(typed).exists()
    except OSError:  # too long for a name, as a text is that was pasted in the place of one
        return False


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def _sources(sources: Sequence[str]) -> list[str]:
    return [str(_absolute(Path(source))) for source in sources]


def split_paths(text: str) -> list[str]:
    """The paths in what was typed or dropped: one as it stands where it is there, else as a shell would split them."""
    text = text.strip()
    if not text or _is_there(text):
        return [text] if text else []
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def is_update(output: Path) -> bool:
    """Whether `output` is a knowledge base, which a build would bring up to date.

    Raises BadFileError where it is something else, or its folder is not there: neither is written over.
    """
    from kb.store.open_base import open_if_there

    if not isinstance(output, ServerAddress) and not output.parent.is_dir():
        raise UsageError(f"there is no folder {str(output.parent)!r}; make it first")
    engine = open_if_there(output)
    if engine is not None:
        engine.close()
    return engine is not None


def count_passages(path: Path) -> int:
    """The number of passages of a knowledge base. Raises BadFileError where it cannot be opened."""
    from kb.store.knowledge_base import KnowledgeBase

    with KnowledgeBase.open(path) as kb:
        return kb.info().passages


def summary_of(counts: Mapping[str, int]) -> str:
    """What came of a build or an addition in a line; how many files there are where that is not told by the documents,
    as each row of a table is one.
    """
    documents = sum(counts.get(name, 0) for name in ("added", "changed", "unchanged"))
    files = counts.get("files") or documents
    head = "documents" if files == documents else f"{counted(files, 'file')}, {counted(documents, 'document')}"
    done = [f"{counts[name]:,} {name}" for name in ("added", "changed", "removed", "unchanged") if counts.get(name)]
    return f"{head}: {', '.join(done) or 'nothing to do'}; {counted(counts.get('passages', 0), 'new passage')}"


def told_of(outcome: Outcome) -> list[str]:
    """What came of a build or an addition, and what it left out, as lines for people."""
    result = outcome.result
    name = plain(place(str(result.get("path", ""))).name, 80)
    first = f"{name}: {summary_of({key: count for key, count in result.items() if isinstance(count, int)})}"
    problems = result.get("problems") or []
    lines = [f"left out {plain(one['path'], 120)}: {plain(one['reason'], 200)}" for one in problems[:5]]
    if len(problems) > 5:
        lines.append(f"and {len(problems) - 5:,} more left out")
    return [first, *lines]
