"""The command that keeps a knowledge base up to date while its documents change: watch."""

from __future__ import annotations

import dataclasses
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from assistant.commands.options import PLACE, QUIET, progress_on_stderr
from assistant.shared.rendering import plain
from kb.errors import LockedFileError

if TYPE_CHECKING:
    from assistant.library.watching import Update, Watcher


@click.command(short_help="Keep a knowledge base equal to folders while they change.")
@click.argument("folders", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=PLACE, help="The knowledge base to write.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each update.")
@QUIET
def watch(folders: tuple[str, ...], output: Path, as_json: bool, quiet: bool) -> None:
    """Keep a knowledge base equal to folders while they change.

    Builds first, as build does, then takes up what is saved, renamed or deleted, within a second or two; changes that
    come together are one update, with one line on stdout. A file that cannot be read is told on stderr, and left out
    until it changes. A folder that is away, or has no documents any more, is told and changes nothing. Ctrl-C ends the
    watch with exit code 0; an update under way is finished first.

    \b
    Examples:
      clew watch notes/ -o notes.clew
      clew watch notes/ papers/ -o all.clew --json
    """
    from assistant.library.watching import Watcher
    from assistant.models.judging.cache import forget

    def tell(update: Update) -> None:
        for path, reason in update.problems:
            click.echo(f"clew: left out {plain(path)}: {plain(reason)}", err=True)
        if update.changed or update.removed:
            forget(output)
        if as_json:
            click.echo(json.dumps(_record(update), ensure_ascii=False).encode("utf-8", "replace"))
        elif not quiet:
            click.echo(update.text())

    def note(line: str) -> None:
        click.echo(f"clew: {plain(line)}", err=True)

    watcher = Watcher(folders, output, tell, note)
    with _ended_by_signals(watcher):
        with progress_on_stderr(quiet) as progress:
            update = watcher.begin(lambda step: progress(step.stage, step.done, step.total))
        tell(update)
        if not quiet:
            click.echo(f"watching {plain(', '.join(folders))}; ctrl-c ends it", err=True)
        watcher.follow()


COMMANDS = (watch,)


@contextmanager
def _ended_by_signals(watcher: Watcher) -> Iterator[None]:
    """Let Ctrl-C, and the end of the system, end the watch: after the update under way, or at once the second time.

    A first build, which may take long, is stopped at once; the next one carries on.
    """

    def end(number: int, frame: FrameType | None) -> None:
        again = watcher.stop.is_set()
        watcher.stop.set()
        if again or not watcher.updating:
            raise KeyboardInterrupt

    before = {one: signal.signal(one, end) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        return  # it is how a watch ends
    except LockedFileError:
        if not watcher.stop.is_set():
            raise
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _record(update: Update) -> dict[str, object]:
    problems = [{"path": path, "reason": reason} for path, reason in update.problems]
    return {**dataclasses.asdict(update), "seconds": round(update.seconds, 3), "problems": problems}
