"""What the commands share: options, progress on stderr, and text that is safe to print."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from assistant.rendering import Line, Role, plain

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.argument("file", type=click.Path(path_type=Path))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
TOP = click.option(
    "--top", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many ranked passages to give."
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
    """Tells how far the work is; `total` is 0 while not known."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def model_options(command: Command) -> Command:
    """`--model` and `--base-url`."""
    url = click.option("--base-url", default="", metavar="URL", help="An OpenAI-compatible endpoint that serves it.")
    name = click.option(
        "--model",
        default="offline",
        show_default=True,
        metavar="NAME",
        help="The model that answers; keys are read from CLEW_API_KEY (or OPENAI_API_KEY, for OpenAI's own).",
    )
    return name(url(command))


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace"))


def styled(line: Line) -> str:
    """A line as text for stdout: indented, and coloured on a terminal unless NO_COLOR is set."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return " " * line.indent + line.text
    return " " * line.indent + "".join(click.style(text, **_STYLES[role]) for text, role in line.parts)


def plain_error(error: BaseException) -> str:
    """An error's message as one printable line."""
    return plain(str(error)) or type(error).__name__


@contextmanager
def progress_on_stderr(quiet: bool) -> Iterator[Progress]:
    """A bar with rate and time left on a terminal, a line now and then elsewhere, nothing when `quiet`."""
    if quiet:
        yield lambda stage, done, total: None
    elif sys.stderr.isatty():
        with _bars() as report:
            yield report
    else:
        yield _Lines()


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

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None, rate="")
            speed = next(task.speed for task in bars.tasks if task.id == tasks[stage])
            bars.update(tasks[stage], completed=done, total=total or None, rate=f"{speed:.0f}/s" if speed else "")

        yield report


class _Lines:
    """Progress as plain lines: each stage's end, and every few seconds between with rate and time left."""

    def __init__(self) -> None:
        self._stage = ""
        self._start = self._last = 0.0
        self._first = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._start, self._last, self._first = stage, now, now, done
        is_end = done == total and done > 0
        if is_end or now - self._last >= LINE_SECONDS:
            self._last = now
            click.echo(f"{stage}: {done}{f' of {total}' if total else ''}{self._speed(now, done, total)}", err=True)

    def _speed(self, now: float, done: int, total: int) -> str:
        seconds, finished = now - self._start, done - self._first
        if seconds < 1 or finished <= 0:
            return ""
        rate = finished / seconds
        left = f", {(total - done) / rate:.0f} s left" if total > done else ""
        return f", {rate:.1f}/s{left}"
