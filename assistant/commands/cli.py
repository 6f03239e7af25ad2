"""The command `clew`. Nothing slow is imported before a command runs, so that `--help` is there at once."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from assistant.commands import (
    answer_thread,
    ask,
    bases,
    benchmark,
    browse,
    enrich,
    kept_sessions,
    kept_transcripts,
    lab,
    mcp,
    setup,
    techniques,
    train,
    watch,
)
from assistant.commands import eval as scoring
from assistant.commands.options import Terminated, plain_error
from assistant.shared.rendering import plain
from kb.errors import BadFileError, ClewError, UsageError
from kb.wellformed import well_formed

EXIT_CODES = """\b
Exit codes:
  0    answered, done
  1    not found in this knowledge base
  2    bad use: an option, a question or a source file is wrong
  3    bad file: the knowledge base cannot be opened, read or written
  4    the language model cannot be reached, or fails
  5    a budget was spent before all was done; run again to go on
  130  stopped with Ctrl-C
  141  whoever reads what is printed, such as head, has had enough
  143  a run of questions stopped with SIGTERM
"""

EXAMPLE = """\b
Start here:
  clew build notes/ papers/*.pdf -o notes.clew
  clew ask notes.clew "Where was the director of Metropolis born?"
  clew chat notes.clew
"""

# In the order of a first use, which is how the help is read.
SECTIONS: Mapping[str, Sequence[click.Command]] = {
    "Knowledge bases": (*bases.COMMANDS, *watch.COMMANDS, *enrich.COMMANDS, *browse.COMMANDS),
    "Questions": (*ask.COMMANDS, *scoring.COMMANDS),
    "What was asked": (*kept_sessions.COMMANDS, *answer_thread.COMMANDS, *kept_transcripts.COMMANDS),
    "Techniques": (*techniques.COMMANDS, *lab.COMMANDS, *train.COMMANDS, *benchmark.COMMANDS),
    "Set up": (*setup.COMMANDS, *mcp.COMMANDS),
}


GONE: Mapping[str, str] = {
    "forget": "clew remove FILE DOCUMENT forgets, clew check FILE --gone TEXT proves it",
    "tools": "clew tool lists the retrieval tools",
}
"""Commands that there were, and what does their work now."""

_GIVEN = "clew.arguments"
"""Where a context keeps what the command line said."""
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""What the system says where a disk takes no more."""


class ClewGroup(click.Group):
    """Turns our errors into one line and an exit code, and leaves bugs alone. Its help has the commands in sections."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **options: Any) -> click.Context:
        given = tuple(args)
        with _told():
            context = super().make_context(info_name, args, *more, **options)  # prints the help
        context.meta[_GIVEN] = given
        return context

    def invoke(self, ctx: click.Context) -> Any:
        with _told(), _damage_told(ctx.meta[_GIVEN]):
            return super().invoke(ctx)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] in GONE:
            raise UsageError(f"there is no clew {args[0]} any more: {GONE[args[0]]}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands))
        for title, section in SECTIONS.items():
            rows = [
                ((one.name or "").ljust(width), one.get_short_help_str(formatter.width - width - 6)) for one in section
            ]
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(cls=ClewGroup, epilog=f"{EXAMPLE}\n{EXIT_CODES}", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="clew", prog_name="clew")
def main() -> None:
    """Answers questions whose answer is spread over several documents, and shows the thread."""


class Text(click.types.StringParamType):
    """An argument that is text and no path: what bytes the terminal sent that are none are replaced."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return well_formed(super().convert(value, param, ctx))


def _take_text(command: click.Command) -> None:
    for param in command.params:
        if param.type is click.STRING:
            param.type = Text()
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        _take_text(below)


for section in SECTIONS.values():
    for command in section:
        _take_text(command)
        main.add_command(command)


@contextmanager
def _damage_told(arguments: Sequence[str]) -> Iterator[None]:
    """Where the block fails over what nobody wrote into a knowledge base among the arguments, say so."""
    try:
        yield
    except (ClewError, OSError, click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception:
        # Seldom needed, and long to import.
        from kb.store.check import damage_told

        with ExitStack() as stack:
            for path in filter(os.path.isfile, arguments):
                stack.enter_context(damage_told(Path(path)))
            raise


@contextmanager
def _told() -> Iterator[None]:
    """Turn our errors within the block into one line and an exit code."""
    try:
        yield
    except ClewError as error:
        _fail(plain_error(error), error.exit_code)
    except BrokenPipeError:
        _end_unread()
    except OSError as error:
        _fail(_refused(error), BadFileError.exit_code)
    except UnicodeEncodeError as error:
        if error.reason != "surrogates not allowed":
            raise
        _fail(f"{plain(ascii(error.object), 120)} has half a character, which no name of a file can have", 2)
    except (KeyboardInterrupt, click.Abort) as stop:
        _fail("stopped; what was finished is kept", 143 if isinstance(stop, Terminated) else 130)


def _refused(error: OSError) -> str:
    """What the system refused: a name that is too long, a folder without permission, a full disk."""
    kept = "; nothing that was there before is lost" if error.errno in _OF_WRITING else ""
    what = f"{plain(os.fsdecode(error.filename), 120)!r}: " if isinstance(error.filename, str | bytes) else ""
    return f"{what}{plain(error.strerror or str(error), 200)}{kept}"


def _end_unread() -> NoReturn:
    """Whoever read what is printed, such as `head`, has had enough: no word, and the code that shells give for it."""
    for stream in (sys.stdout, sys.stderr):
        # What is still in its buffer goes nowhere, instead of failing again.
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(141)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"clew: {message}", err=True)
    sys.exit(code)
