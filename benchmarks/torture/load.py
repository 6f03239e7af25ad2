"""A day's load in minutes: many questions in one chat, many sessions, readers beside a writer, clients of MCP.

    python -m benchmarks.torture.load --trials 10000      # questions in the chat; the rest goes with them

Memory and open files must be level from a fifth of the way on, and nobody may be refused or misled by a writer.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.torture.trials import DOCUMENTS, Outcome, Tally, clew, forked, run_alone, small_file

QUESTIONS = (
    "Where was the director of The Glass Harbour born?", "Who is the father of Irena Valdis?", "And when was he born?",
    "List all towns.", "What is in here?", "Who composed the anthem of Ruritania?", "Which river does Karsk lie on?",
)  # fmt: skip
SESSIONS, READERS, CLIENTS, CALLS = 100, 50, 8, 25
MORE_MEMORY, MORE_FILES = 60_000_000, 4
"""Bytes and open files that may come on top after a fifth of the way: caches that are bounded fill up slowly."""


def attack(home: Path, trials: int, seed: int, seconds: float) -> Tally:
    """`trials` questions in one chat; of the others their full numbers for 10,000 and ten minutes, or a share."""
    file, tally, share = small_file(home), Tally(), min(trials / 10_000, seconds / 600, 1.0)
    for name, work in (
        ("one chat", lambda: _chat(file, trials, time.monotonic() + seconds / 2)),
        ("sessions", lambda: _sessions(file, max(int(SESSIONS * share), 5), max(int(10 * share), 2))),
    ):
        _level(name, forked(work, seconds=seconds + 900), tally)
    _readers(home, max(int(READERS * share), 4), tally)
    _clients(file, max(int(CLIENTS * share), 2), tally)
    return tally


def _level(name: str, outcome: Outcome, tally: Tally) -> None:
    """Read what a fork has measured: how many, p95 in ms, memory and open files at a fifth and at the end."""
    if outcome.code:
        tally.faults[f"{name}: ended with {outcome.code}: {outcome.err[-300:]}"] += 1
        return
    done, p95, memory, files, memory_then, files_then = map(int, outcome.out.split())
    tally.trials += done
    level = f"{memory / 1e6:.0f} → {memory_then / 1e6:.0f} MB, {files} → {files_then} files"
    tally.notes.append(f"{name}: {done:,}, p95 {p95:,} ms, {level}")
    if memory_then > memory + MORE_MEMORY:
        tally.faults[f"{name}: memory grows, {memory:,} to {memory_then:,} bytes"] += 1
    if files_then > files + MORE_FILES:
        tally.faults[f"{name}: open files grow, {files} to {files_then}"] += 1


def _chat(file: Path, questions: int, deadline: float) -> None:
    from assistant.conversations.session import Session

    async def ask() -> None:
        await _warm(file)
        with Session.open(file) as session:

            async def one(number: int) -> None:
                async for _ in session.ask(QUESTIONS[number % len(QUESTIONS)]):
                    pass

            await _measured(one, questions, deadline)

    asyncio.run(ask())


def _sessions(file: Path, count: int, rounds: int) -> None:
    """All open at once, each asked, and closed; over and over."""
    from assistant.conversations.session import Session, final_reply

    async def one(number: int) -> None:
        opened = [Session.open(file) for _ in range(count)]
        try:
            for session in opened[:3]:
                await final_reply(session, QUESTIONS[number % len(QUESTIONS)])
        finally:
            for session in opened:
                session.close()

    async def ask() -> None:
        await _warm(file)
        await _measured(one, rounds, float("inf"))

    asyncio.run(ask())


async def _warm(file: Path) -> None:
    """Ask each question once: what a process loads once, such as the readers, is no growth."""
    from assistant.conversations.session import Session, final_reply

    with Session.open(file) as session:
        for question in QUESTIONS:
            await final_reply(session, question)


async def _measured(one: Callable[[int], object], count: int, deadline: float) -> None:
    times: list[float] = []
    early = (0, 0)
    for number in range(count):
        started = time.perf_counter()
        await one(number)  # type: ignore[misc]
        times.append(time.perf_counter() - started)
        if number == count // 5 or not number:
            early = _used()
        if time.monotonic() > deadline:
            break
    p95 = sorted(times)[int(len(times) * 0.95)]
    print(len(times), int(p95 * 1000), *early, *_used())


def _used() -> tuple[int, int]:
    """Bytes of memory and open files of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(list(Path("/proc/self/fd").iterdir()))


def _readers(home: Path, count: int, tally: Tally) -> None:
    """Readers of a file that is built and changed meanwhile: each finds what the file says before or after."""
    corpus, file = home / "busy", home / "busy.clew"
    corpus.mkdir()
    for name, text in DOCUMENTS.items():
        (corpus / name).write_text(text, "utf-8")
    clew(["build", str(corpus), "-o", str(file), "-q"], seconds=600)
    search = ["tool", "passage_search", str(file), "--args", json.dumps({"query": "Karsk river"})]
    with ThreadPoolExecutor(count + 1) as threads:
        for number in range(20):
            (corpus / f"new{number}.txt").write_text(f"Village {number} lies on the river Skarn. " * 30, "utf-8")
        writer = threads.submit(clew, ["build", str(corpus), "-o", str(file), "-q"], seconds=600)
        asked = [threads.submit(clew, search, seconds=600) for _ in range(count)]
        found = [one.result() for one in asked]
        for one in (writer.result(), *found):
            tally.trials += 1
            if one.code or one.fault or (one in found and "Karsk" not in one.out):
                tally.faults[f"beside a writer: {one.code} {one.fault or one.err[-200:]}"] += 1
    tally.notes.append(f"beside a writer: {count} readers, slowest {max(one.seconds for one in found):.1f} s")


def _clients(file: Path, count: int, tally: Tally) -> None:
    """Clients of MCP over stdio, each with a server of its own and a search after the other."""
    with ThreadPoolExecutor(count) as threads:
        served = list(threads.map(lambda _: forked(lambda: _client(file), seconds=600), range(count)))
    for one in served:
        answers = one.out.count('"result"')
        tally.trials += CALLS
        if one.code or answers != CALLS + 1:
            tally.faults[f"MCP: {one.code} {one.fault or one.err[-200:]}, {answers} of {CALLS + 1} answers"] += 1
    slowest = max(one.seconds for one in served)
    tally.notes.append(f"MCP: {count} clients at once, {CALLS} searches each, all done in {slowest:.1f} s")


def _client(file: Path) -> None:
    """Serve in this process what a thread of it asks; the answers are printed."""
    from assistant.commands.cli import main

    told = os.fdopen(os.dup(1), "w")
    (theirs, ask), (answers, ours) = os.pipe(), os.pipe()
    for source, target in ((theirs, 0), (ours, 1)):
        os.dup2(source, target)
        os.close(source)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}
    call = {"name": "passage_search", "arguments": {"query": "Karsk river"}}
    lines = [_request(0, "initialize", hello), *(_request(number + 1, "tools/call", call) for number in range(CALLS))]

    def client() -> None:
        with os.fdopen(answers) as answered, os.fdopen(ask, "w", buffering=1) as asking:
            for number, line in enumerate(lines):
                asking.write(line + "\n")
                told.write(answered.readline())
                if not number:
                    asking.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        told.flush()

    thread = threading.Thread(target=client)
    thread.start()
    main(["mcp", str(file)], prog_name="clew", standalone_mode=False)
    thread.join()


def _request(number: int, method: str, params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


if __name__ == "__main__":
    run_alone(attack, 10_000, __doc__)
