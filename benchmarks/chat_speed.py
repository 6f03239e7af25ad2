"""How quick the chat is: first paint, echo of what is typed, and how long its event loop is ever held up.

    python -m benchmarks.chat_speed notes.clew [--browse big.clew] [--questions questions.txt] [--json]

Everything happens in a real pseudo-terminal. First paint is the time from the start of the process until the prompt is
on the screen, typing echo the time from a key until its character is, while the model is still being loaded. Then the
chat opens the file, answers three questions, turns over the evidence and is resized; opens a session of 500 turns made
of those answers and is paged up; and browses. Each scene runs while its event loop is watched. A stall's time by the
clock grows where other programs keep the machine busy; that of the processor, of the loop's own thread, does not.
Sessions are kept in a temporary place. The first of several runs warms up the disk and is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tui import ClewApp

ROWS, COLUMNS = 40, 120
PLACEHOLDER = b"k a question"  # the cursor stands on its beginning
QUESTIONS = (
    "Who directed the film that was released first?",
    "Where was the director of Metropolis born?",
    "When did the mother of Lothair II die?",
)
TURNS = 500
SIZES = ((200, 60), (80, 24), (120, 40))


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


def in_a_terminal(scenes: str, file: Path, questions: Sequence[str], home: str) -> dict[str, Any]:
    """What was measured inside a chat that plays these scenes."""
    report = Path(home) / f"{scenes}.json"
    command = [sys.executable, "-m", "benchmarks.chat_speed", str(file), *questions, "--inside", str(report)]
    terminal = Terminal([*command, "--scenes", scenes], home)
    terminal.drain()
    if not report.exists():
        raise SystemExit(f"the scenes {scenes!r} ended without a result")
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def last_question_on_screen(file: Path, home: str) -> float:
    """Seconds from the start of the process until the last of the 500 questions is on the screen."""
    terminal = Terminal([sys.executable, "-m", "assistant", "chat", str(file), "--session", "long"], home)
    seconds = terminal.until(_marker(TURNS).encode())
    terminal.type(b"\x11")
    terminal.drain()
    return seconds


def _marker(number: int) -> str:
    return f"question{number}"


def make_long(file: Path, home: str) -> None:
    """Keep a session of 500 turns, made of the answers of the latest one."""
    from assistant.conversations.session_files import SessionFolder

    sessions = SessionFolder(Path(home) / "sessions")
    replies = [turn.reply for turn in sessions.all(file)[0].line()]
    long = sessions.create(file, "long")
    for number in range(1, TURNS + 1):
        reply = replies[number % len(replies)]
        long.append(replace(reply, question=f"{_marker(number)} {reply.question}"))


class Scenes:
    """What happens in one chat, scene by scene."""

    def __init__(self, app: ClewApp, questions: Sequence[str]) -> None:
        self.app = app
        self.questions = questions
        self.seen: dict[str, Any] = {}

    @asynccontextmanager
    async def scene(self, name: str) -> AsyncIterator[None]:
        """Watch the loop, and a second longer, for what is laid out later."""
        from benchmarks.loop_watch import LoopWatch

        async with LoopWatch() as watch:
            began = time.perf_counter()
            yield
            seconds = time.perf_counter() - began
            await asyncio.sleep(1)
        self.seen[name] = {
            "s": round(seconds, 3),
            "longest_ms": round(watch.longest * 1000, 1),
            "longest_cpu_ms": round(watch.longest_cpu * 1000, 1),
            "over_50_ms": [
                {"ms": round(one.seconds * 1000), "cpu_ms": round(one.cpu * 1000), "doing": one.doing,
                 "process_cpu_ms": round(one.process * 1000)} for one in watch.stalls
            ],
        }  # fmt: skip

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def answers(self) -> None:
        """The file is opened, questions are asked, the evidence is turned over, the terminal changes its size."""
        from screens.prompt import Prompt
        from screens.turn import Turn

        app = self.app
        async with self.scene("file opened"):
            await self.until(lambda: app.view.conversation.passages is not None)
        async with self.scene(f"{len(self.questions)} answers"):
            for number, question in enumerate(self.questions, 1):
                app.prompt.post_message(Prompt.Sent(question))
                await self.until(lambda number=number: _ended(app.query(Turn)) == number)  # type: ignore[misc]
        await self._evidence()
        for width, height in SIZES:
            async with self.scene(f"resized to {width}x{height}"):
                size = struct.pack("HHHH", height, width, 0, 0)
                fcntl.ioctl(sys.__stdout__.fileno(), termios.TIOCSWINSZ, size)  # type: ignore[union-attr]
                os.kill(os.getpid(), signal.SIGWINCH)
                await self.until(lambda width=width: app.size.width == width)  # type: ignore[misc]

    async def _evidence(self) -> None:
        evidence, turns = self.app.view.evidence, self.app.view.turns
        for number, turn in enumerate(turns, 1):
            if turn.reply is not None:
                async with self.scene(f"evidence of answer {number}"):
                    await evidence.show(turn.reply)
        for name in ("graph", "passages", "tools", "thread"):
            async with self.scene(f"evidence: {name}"):
                evidence.open_tab(name)

    async def session(self) -> None:
        """A session of 500 turns is opened, and paged up."""
        view = self.app.view
        async with self.scene(f"{TURNS} turns: the last ten shown"):
            await self.until(lambda: view.turns)
            self.seen["first_turns_s"] = round(time.perf_counter() - self.began, 3)
            await self.until(lambda: view.query(".older"))
            self.seen["last_ten_s"] = round(time.perf_counter() - self.began, 3)
            await self.until(lambda: view.conversation.passages is not None)
        async with self.scene(f"{TURNS} turns: paged up to 60"):
            while len(view.turns) < 60:
                self.app.action_scroll_log(-1)
                await asyncio.sleep(0.03)

    async def browse(self) -> None:
        """Documents and entities are looked for and walked through."""
        from screens.browse_screen import BrowseScreen

        app = self.app
        await self.until(lambda: app.view.conversation.passages is not None)
        async with self.scene("browse: opened"):
            await app.push_screen(BrowseScreen(app.view.conversation.path))
            await self.until(lambda: isinstance(app.screen, BrowseScreen) and bool(app.screen.detail.rows))
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        async with self.scene("browse: a word typed"):
            await self._type("the film")
        async with self.scene("browse: ten pages down"):
            screen.found.focus()
            for _ in range(10):
                await self._type([*["down"] * 3, "pagedown"])
        async with self.scene("browse: entities"):
            screen.switch()

    async def _type(self, keys: Sequence[str]) -> None:
        for key in keys:
            await self.pilot.press("space" if key == " " else key)
            await asyncio.sleep(0.08)

    async def play(self, pilot: Pilot[object], scenes: str) -> None:
        self.pilot, self.began = pilot, time.perf_counter()
        try:
            await getattr(self, scenes)()
        finally:
            self.app.exit()


def _ended(turns: Any) -> int:
    return sum(1 for turn in turns if turn.reply or turn.query(".error"))


def inside(file: Path, questions: Sequence[str], scenes: str) -> dict[str, Any]:
    """Play scenes in a chat in this terminal."""
    from assistant.conversations.session_files import SessionFolder
    from tui import collect_rarely, make_app

    collect_rarely()
    app = make_app(file, log=SessionFolder().find("long") if scenes == "session" else None)
    played = Scenes(app, questions)
    asyncio.run(app.run_async(auto_pilot=lambda pilot: played.play(pilot, scenes)))
    return played.seen


def measure(file: Path, browsed: Path, questions: Sequence[str], runs: int) -> dict[str, Any]:
    """All of it; medians of `runs` after one that is left out."""
    paints, cpus, echoes, shown, scenes = [], [], [], [], []
    for number in range(runs + 1):
        with tempfile.TemporaryDirectory() as home:
            paint, cpu, echo = first_paint_and_echo(file, home)
            seen = in_a_terminal("answers", file, questions, home)
            make_long(file, home)
            last = last_question_on_screen(file, home)
            seen |= in_a_terminal("session", file, questions, home)
        with tempfile.TemporaryDirectory() as home:
            seen |= in_a_terminal("browse", browsed, questions, home)
        if number:
            paints.append(paint)
            cpus.append(cpu)
            echoes += echo
            shown.append(last)
            scenes.append(seen)
    return {
        "file": file.name,
        "browsed": browsed.name,
        "runs": runs,
        "first_paint_s": round(statistics.median(paints), 3),
        "first_paint_cpu_s": round(statistics.median(cpus), 3),
        "echo_ms_median": round(statistics.median(echoes) * 1000, 1),
        "echo_ms_worst": round(max(echoes) * 1000, 1),
        "last_of_500_on_screen_s": round(statistics.median(shown), 3),
        "first_turns_s": statistics.median(one.pop("first_turns_s") for one in scenes),
        "last_ten_s": statistics.median(one.pop("last_ten_s") for one in scenes),
        "scenes": {name: _together([one[name] for one in scenes]) for name in scenes[0]},
    }


def _together(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The same scene in several runs: medians, the worst, and every stall."""
    found: dict[str, Any] = {"s": round(statistics.median(one["s"] for one in runs), 3)}
    for name in ("longest_ms", "longest_cpu_ms"):
        found[name] = round(statistics.median(one[name] for one in runs), 1)
        found[f"{name}_worst"] = max(one[name] for one in runs)
    return found | {"over_50_ms": [stall for one in runs for stall in one["over_50_ms"]]}


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = [
        f"{result['file']}, {result['browsed']} browsed; medians of {result['runs']} runs",
        f"first paint {result['first_paint_s']} s ({result['first_paint_cpu_s']} s of the processor)",
        f"echo {result['echo_ms_median']} ms, at worst {result['echo_ms_worst']} ms",
        f"a session of {TURNS} turns: the last question on the screen {result['last_of_500_on_screen_s']} s after the "
        f"start; in a chat that runs, first turns {result['first_turns_s']} s, the last ten {result['last_ten_s']} s",
        "",
        "the loop's longest stall in ms        loop's own processor   by the clock   over 50",
        "                                      median   worst     median   worst",
    ]
    for name, one in result["scenes"].items():
        figures = (one[f"{kind}{which}"] for kind in ("longest_cpu_ms", "longest_ms") for which in ("", "_worst"))
        lines.append(f"{name:36}" + "".join(f"{figure:9.1f}" for figure in figures) + f"{len(one['over_50_ms']):8}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("asked", nargs="*", help="three questions to ask")
    parser.add_argument("--questions", type=Path, help="a file of questions, a line each, of which three are asked")
    parser.add_argument("--browse", type=Path, help="another file to browse in, by default the same")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--scenes", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    asked = given.asked or (given.questions.read_text("utf-8").splitlines()[:3] if given.questions else QUESTIONS)
    if given.inside:
        given.inside.write_text(json.dumps(inside(given.file, asked, given.scenes)))
        return
    result = measure(given.file, given.browse or given.file, asked, given.runs)
    print(json.dumps(result, indent=1) if given.json else table(result))


if __name__ == "__main__":
    main()
