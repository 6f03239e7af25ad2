"""How quick the chat is: first paint, echo of what is typed, and how long its event loop is ever held up.

    python -m benchmarks.chat_speed notes.clew --questions questions.txt [--json]

Everything happens in a real pseudo-terminal. First paint is the time from the start of the process until the prompt is
on the screen, typing echo the time from a key until its character is, while the model is still being loaded. Then the
chat opens the file and answers three questions in one process whose event loop is watched. Sessions are kept in a
temporary place. The first of several runs warms up the disk and is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROWS, COLUMNS = 40, 120
PLACEHOLDER = b"k a question"  # the cursor stands on its beginning
QUESTIONS = (
    "Who directed the film that was released first?",
    "Where was the director of Metropolis born?",
    "When did the mother of Lothair II die?",
)


class Terminal:
    """A command in a pseudo-terminal."""

    def __init__(self, command: Sequence[str], home: str) -> None:
        self.began = time.perf_counter()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "CLEW_HOME": home, "CLEW_CONFIG": f"{home}/config.toml"}
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)

    def until(self, wanted: bytes, limit: float = 120.0) -> float:
        """Seconds from the start until `wanted` has been written."""
        written = b""
        while wanted not in written:
            if time.perf_counter() - self.began > limit:
                raise SystemExit(f"{wanted!r} was not written within {limit:.0f} s, but {written[-2000:]!r}")
            if select.select([self._master], [], [], 0.1)[0]:
                written += os.read(self._master, 65536)
        return time.perf_counter() - self.began

    def skip(self) -> None:
        """Pass over what has been written so far."""
        while select.select([self._master], [], [], 0.0)[0]:
            os.read(self._master, 65536)

    def cpu_seconds(self) -> float:
        """Processor time so far, which does not grow where other programs keep the machine busy."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def type(self, key: bytes) -> None:
        os.write(self._master, key)

    def drain(self) -> None:
        """Read what is written until the process ends."""
        while self.process.poll() is None:
            if select.select([self._master], [], [], 0.05)[0]:
                try:
                    os.read(self._master, 65536)
                except OSError:
                    break
        self.process.wait()
        os.close(self._master)


def first_paint_and_echo(file: Path, home: str) -> tuple[float, float, list[float]]:
    """Seconds to the first paint, those of the processor until then, and those to the echo of each of ten keys typed
    right after it, 0.2 s apart.
    """
    terminal = Terminal([sys.executable, "-m", "assistant", "chat", str(file)], home)
    paint, cpu = terminal.until(PLACEHOLDER), terminal.cpu_seconds()
    echoes = []
    for key in b"qwxzvkjpyu":
        time.sleep(0.2)
        terminal.skip()
        typed = time.perf_counter() - terminal.began
        terminal.type(bytes([key]))
        echoes.append(terminal.until(bytes([key])) - typed)
    terminal.type(b"\x11")
    terminal.drain()
    return paint, cpu, echoes


def stalls(file: Path, questions: Sequence[str], home: str) -> dict[str, object]:
    """What held up the event loop while the file was opened and the questions were answered."""
    report = Path(home) / "stalls.json"
    command = [sys.executable, "-m", "benchmarks.chat_speed", str(file), *questions, "--inside", str(report)]
    terminal = Terminal(command, home)
    terminal.drain()
    found: dict[str, object] = json.loads(report.read_text())
    return found


async def watched(file: Path, questions: Sequence[str]) -> dict[str, object]:
    """The chat with a watched loop: opens the file, asks, waits for each answer, and leaves."""
    from textual.pilot import Pilot

    from tui import Prompt, Turn, make_app
    from tui.app import collect_rarely
    from tui.watch import LoopWatch

    collect_rarely()

    app = make_app(file)
    seen: dict[str, object] = {}

    async def until(condition: Callable[[], object]) -> float:
        began = time.perf_counter()
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return time.perf_counter() - began

    def ended() -> int:
        return sum(1 for turn in app.query(Turn) if turn.reply or turn.query(".error"))

    async def ask_all(pilot: Pilot[object]) -> None:
        async with LoopWatch() as watch:
            seen["opened_s"] = await until(lambda: app.view.conversation.passages is not None)
            seen["answers_s"] = []
            for number, question in enumerate(questions, 1):
                app.prompt.post_message(Prompt.Sent(question))
                seen["answers_s"].append(await until(lambda number=number: ended() == number))  # type: ignore
            await asyncio.sleep(1)
        seen["longest_ms"] = watch.longest * 1000
        over = [{"at": round(one.at, 2), "ms": round(one.seconds * 1000), "doing": one.doing} for one in watch.stalls]
        seen["over_50_ms"] = over
        app.exit()

    await app.run_async(auto_pilot=ask_all)
    return seen


def measure(file: Path, questions: Sequence[str], runs: int) -> dict[str, object]:
    """All of it; medians of `runs` after one that is left out."""
    paints, cpus, echoes, held = [], [], [], []
    for number in range(runs + 1):
        with tempfile.TemporaryDirectory() as home:
            paint, cpu, echo = first_paint_and_echo(file, home)
        with tempfile.TemporaryDirectory() as home:
            stall = stalls(file, questions, home)
        if number:
            paints.append(paint)
            cpus.append(cpu)
            echoes += echo
            held.append(stall)
    return {
        "file": file.name,
        "first_paint_s": round(statistics.median(paints), 3),
        "first_paint_cpu_s": round(statistics.median(cpus), 3),
        "echo_ms_median": round(statistics.median(echoes) * 1000, 1),
        "echo_ms_worst": round(max(echoes) * 1000, 1),
        "stalls": held,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("asked", nargs="*", help="three questions to ask")
    parser.add_argument("--questions", type=Path, help="a file of questions, a line each, of which three are asked")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    asked = given.asked or (given.questions.read_text("utf-8").splitlines()[:3] if given.questions else QUESTIONS)
    if given.inside:
        given.inside.write_text(json.dumps(asyncio.run(watched(given.file, asked))))
        return
    result = measure(given.file, asked, given.runs)
    if given.json:
        print(json.dumps(result, indent=1))
        return
    echo = f"echo {result['echo_ms_median']} ms, at worst {result['echo_ms_worst']} ms"
    print(f"first paint {result['first_paint_s']} s ({result['first_paint_cpu_s']} s of the processor), {echo}")
    for run in result["stalls"]:  # type: ignore[attr-defined]
        print(f"longest stall {run['longest_ms']:.0f} ms; over 50 ms: {[one['ms'] for one in run['over_50_ms']]}")


if __name__ == "__main__":
    main()
