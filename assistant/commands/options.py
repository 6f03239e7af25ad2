"""What the commands share: options, progress on stderr, and text that is safe to print."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from math import isfinite
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TypeVar

import click

from assistant.shared.config import CALLINGS, JUDGES, model_choice, question_budget, value
from assistant.shared.rendering import Line, Role, plain
from assistant.shared.standard_streams import is_terminal, takes_colours
from assistant.shared.user_folders import transcripts_folder
from kb.store.addresses import place

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")


class _Place(click.Path):
    """The path of a knowledge base, or the address of one on a server."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return place(os.fsdecode(super().convert(value, param, ctx)))


class Number(click.FloatRange):
    """A number within a range. What compares with nothing, or is infinite, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return number


PLACE = _Place()
FILE = click.argument("file", type=PLACE)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
TOP = click.option(
    "--top", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many ranked passages to give."
)

ENDPOINT_OPTIONS = (
    click.option(
        "--model",
        metavar="NAME",
        help="The model that answers, by name or as a GGUF file; offline, the built-in one, by default.",
    ),
    click.option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint that serves it."),
    click.option(
        "--calling",
        type=click.Choice(CALLINGS),
        help="How it is asked: with tools, for JSON, or for an answer only, while clew plans; auto finds out.",
    ),
)
MODEL_OPTIONS = (
    *ENDPOINT_OPTIONS,
    click.option(
        "--judge",
        type=click.Choice(JUDGES),
        help="Who judges inside the techniques, the model by default: each judgement is kept and asked for once.",
    ),
    click.option(
        "--answer-tokens",
        type=click.IntRange(1),
        metavar="N",
        help="Tokens that one response of the model may have, 1024 by default: more for a model that thinks first.",
    ),
)

PRESETS = click.option(
    "--preset",
    "presets",
    multiple=True,
    metavar="NAME",
    help="The techniques that have a preset of this name with it, too; may be repeated. `clew tool` lists them.",
)

LINE_SECONDS = 5.0
"""Between two lines of progress where stderr is no terminal: a log, which wants few."""


_STYLES: dict[Role, dict[str, Any]] = {
    "": {},
    "strong": {"bold": True},
    "dim": {"dim": True},
    "link": {"fg": "cyan"},
    "good": {"fg": "green"},
    "warning": {"fg": "yellow"},
    "bad": {"fg": "red"},
    "mark": {"underline": True},
}


class Progress(Protocol):
    """Tells how far the work is; `total` is 0 while not known, `note` is a running total of something else."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None: ...


def model_options(command: Command) -> Command:
    """`--model`, `--base-url`, `--calling`, `--judge` and `--answer-tokens`, given to the command as `choice`, a
    ModelChoice; what is not given comes from the environment, the config file or the defaults.
    """

    @wraps(command)
    def resolved(
        *args: Any,
        model: str | None,
        base_url: str | None,
        calling: str | None,
        judge: str | None,
        answer_tokens: int | None,
        **options: Any,
    ) -> Any:
        return command(*args, choice=model_choice(model, base_url, calling, judge, answer_tokens), **options)

    decorated: Command = with_options(resolved, MODEL_OPTIONS)
    return decorated


def transcript_option(command: Command) -> Command:
    """`--no-transcript`, given to the command as `transcripts`, the folder to keep them in or None."""

    @wraps(command)
    def resolved(*args: Any, no_transcript: bool, **options: Any) -> Any:
        keeping = not no_transcript and value("transcripts").value
        return command(*args, transcripts=transcripts_folder() if keeping else None, **options)

    flag = click.option("--no-transcript", is_flag=True, help="Keep no transcript of this.")
    decorated: Command = with_options(resolved, (flag,))
    return decorated


def budget_options(command: Command) -> Command:
    """`--max-tokens`, `--max-cost` and `--max-seconds` for a question, given to the command as `budget`, a Budget; what
    is not given comes from the environment or the config file.
    """

    @wraps(command)
    def resolved(
        *args: Any, max_tokens: int | None, max_cost: float | None, max_seconds: float | None, **options: Any
    ) -> Any:
        return command(*args, budget=question_budget(max_tokens, max_cost, max_seconds), **options)

    decorated: Command = with_options(resolved, _limits("", "a question"))
    return decorated


def risk_option(command: Command) -> Command:
    """`--risk`, given to the command as `risk`, 0..1; where it is not given it comes from the environment, the config
    file or the default.
    """

    @wraps(command)
    def resolved(*args: Any, risk: float | None, **options: Any) -> Any:
        return command(*args, risk=value("risk", risk).value, **options)

    option = click.option(
        "--risk",
        type=float,
        metavar="SHARE",
        help="Share of the answers given that may be wrong, 0 to 1; by default 0.15.",
    )
    decorated: Command = with_options(resolved, (option,))
    return decorated


def run_budget_options(command: Command) -> Command:
    """`--run-max-tokens`, `--run-max-cost` and `--run-max-seconds` for all questions together, given to the command as
    `run_budget`, a Budget.
    """

    @wraps(command)
    def resolved(
        *args: Any,
        run_max_tokens: int | None,
        run_max_cost: float | None,
        run_max_seconds: float | None,
        **options: Any,
    ) -> Any:
        from assistant.shared.spending_limits import Budget

        return command(*args, run_budget=Budget(run_max_tokens, run_max_cost, run_max_seconds), **options)

    decorated: Command = with_options(resolved, _limits("run-", "the whole run"))
    return decorated


def _limits(prefix: str, what: str) -> tuple[Callable[[Any], Any], ...]:
    above_zero = Number(0, min_open=True)
    return (
        click.option(f"--{prefix}max-tokens", type=click.IntRange(1), metavar="N", help=f"Tokens {what} may cost."),
        click.option(f"--{prefix}max-cost", type=above_zero, metavar="USD", help=f"US dollars {what} may cost."),
        click.option(f"--{prefix}max-seconds", type=above_zero, metavar="S", help=f"Seconds {what} may take."),
    )


def with_options(command: Any, options: Sequence[Callable[[Any], Any]]) -> Any:
    """The command with these options, in this order in its help."""
    for option in reversed(options):
        command = option(command)
    return command


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace"))


def styled(line: Line) -> str:
    """A line as text for stdout: indented, and coloured where stdout takes colours."""
    if not takes_colours(sys.stdout):
        return " " * line.indent + line.text
    return " " * line.indent + "".join(click.style(text, **_STYLES[role]) for text, role in line.parts)


def plain_error(error: BaseException) -> str:
    """An error's message as one printable line."""
    return plain(str(error)) or type(error).__name__


@contextmanager
def progress_on_stderr(quiet: bool) -> Iterator[Progress]:
    """A bar with rate and time left on a terminal, a line now and then elsewhere, nothing when `quiet`.

    For programs, where the environment has CLEW_PROGRESS=json: an object a line, with "stage", "done", "total", 0 while
    it is not known, and "note".
    """
    if quiet:
        yield lambda stage, done, total, note="": None
    elif os.environ.get("CLEW_PROGRESS") == "json":
        yield _tell_json
    elif is_terminal(sys.stderr):
        with _bars() as report:
            yield report
    else:
        yield _Lines()


class Terminated(KeyboardInterrupt):
    """Stopped by SIGTERM, where that is told apart from Ctrl-C."""


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Have SIGTERM stop what is done in the block as Ctrl-C does, which is ignored by what a shell starts in the
    background, and by all that this starts.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _on_sigterm(stop):
        yield


def run_until_terminated(work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives, run in an event loop of its own. SIGTERM cancels it between two of its steps, as Ctrl-C does
    there: raised in the midst of one it could leave a lock held, and the end waiting for it. Raises Terminated then.
    """

    async def cancellable() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task
        terminated = False

        def stop(number: int, frame: FrameType | None) -> None:
            nonlocal terminated
            terminated = True
            loop.call_soon_threadsafe(task.cancel)

        with _on_sigterm(stop):
            try:
                return await work
            except asyncio.CancelledError:
                if terminated:
                    raise Terminated from None
                raise

    return asyncio.run(cancellable())


@contextmanager
def _on_sigterm(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=60) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int, note: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None, rate="")
            speed = next(task.speed for task in bars.tasks if task.id == tasks[stage])
            rate = f"{speed:.0f}/s" if speed else ""
            bars.update(tasks[stage], completed=done, total=total or None, rate=f"{rate} {note}".strip())

        yield report


def _tell_json(stage: str, done: int, total: int, note: str = "") -> None:
    click.echo(json.dumps({"stage": stage, "done": done, "total": total, "note": note}), err=True)


class _Lines:
    """Progress as plain lines: each stage's end, and every few seconds between with rate and time left.

    A stage may come to the same end twice, as names are first embedded and then compared: that is told once.
    """

    def __init__(self) -> None:
        self._stage = ""
        self._ended = ("", 0, "")
        self._start = self._last = 0.0
        self._first = 0

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._start, self._last, self._first = stage, now, now, done
        is_end = done == total and done > 0
        if is_end and (stage, total, note) == self._ended:
            return
        self._ended = (stage, total, note) if is_end else self._ended
        if is_end or now - self._last >= LINE_SECONDS:
            self._last = now
            told = f"{f' of {total}' if total else ''}{self._speed(now, done, total)}{f', {note}' if note else ''}"
            click.echo(f"{stage}: {done}{told}", err=True)

    def _speed(self, now: float, done: int, total: int) -> str:
        seconds, finished = now - self._start, done - self._first
        if seconds < 1 or finished <= 0:
            return ""
        rate = finished / seconds
        left = f", {(total - done) / rate:.0f} s left" if total > done else ""
        return f", {rate:.1f}/s{left}"
