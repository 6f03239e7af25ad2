"""The commands on chat sessions: list, search, show, rename, fork, export, delete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.commands.options import AS_JSON, PLACE, print_json, styled
from assistant.shared.rendering import Line, counted, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.conversations.session_files import SessionLog

NAME = click.argument("name", metavar="NAME")
KB = click.option("--kb", "file", type=PLACE, help="Only sessions over this knowledge base.")
LIMIT = click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many, latest first."
)


@click.group(invoke_without_command=True, short_help="List, search, show, fork, export and delete chat sessions.")
@KB
@LIMIT
@AS_JSON
@click.pass_context
def sessions(context: click.Context, file: Path | None, limit: int, as_json: bool) -> None:
    """List chat sessions: id, when, how many questions, name or first question, knowledge base.

    Every chat is kept as a session in a folder of the user's own. NAME in the commands below is a session's name, its
    id, or the beginning of its id. `clew chat FILE --session NAME` goes on with one.

    \b
    Examples:
      clew sessions
      clew sessions search director born
      clew sessions show 3f9a
      clew sessions export 3f9a -o answers.md
    """
    if context.invoked_subcommand is None:
        _print_found("", file, limit, as_json)
        return
    for option in context.command.params:
        if context.get_parameter_source(str(option.name)) is click.core.ParameterSource.COMMANDLINE:
            name, command = option.opts[0], context.invoked_subcommand
            raise click.UsageError(f"{name} stands before {command!r}: write it behind, clew sessions {command} {name}")


@sessions.command(name="list", short_help="List sessions, latest first.")
@KB
@LIMIT
@AS_JSON
def list_sessions(file: Path | None, limit: int, as_json: bool) -> None:
    """List sessions, latest first: id, when, how many questions, name or first question, knowledge base.

    \b
    Example:
      clew sessions list --kb notes.clew
    """
    _print_found("", file, limit, as_json)


@sessions.command(short_help="Look for words in names, questions and answers.")
@click.argument("words", nargs=-1, required=True)
@KB
@LIMIT
@AS_JSON
def search(words: Sequence[str], file: Path | None, limit: int, as_json: bool) -> None:
    """List the sessions that have all WORDS in their name, or in one question with its answer; the latest such turn is
    shown. The exit code is 1 where there is none.

    \b
    Example:
      clew sessions search director born
    """
    if not _print_found(" ".join(words), file, limit, as_json):
        click.get_current_context().exit(1)


@sessions.command(short_help="Show a session: each question with its answer.")
@NAME
@click.option("--branches", is_flag=True, help="All branches of edited questions, not only the one it stands in.")
@AS_JSON
def show(name: str, branches: bool, as_json: bool) -> None:
    """Show a session: each question with its answer and sources, as Markdown.

    With --json, each turn has the id of the turn before it as `parent`.

    \b
    Example:
      clew sessions show 3f9a --json --branches
    """
    from assistant.conversations.session_export import to_json, to_markdown
    from assistant.conversations.session_files import readable

    log = _find(name)
    turns = readable(log.turns.values() if branches else log.line())
    click.echo((to_json if as_json else to_markdown)(log, turns).encode("utf-8", "replace"), nl=False)


@sessions.command(short_help="Give a session another name.")
@NAME
@click.argument("new_name", metavar="NEW_NAME")
def rename(name: str, new_name: str) -> None:
    """Give a session another name.

    \b
    Example:
      clew sessions rename 3f9a "Silent films"
    """
    log = _find(name)
    log.rename(new_name)
    _tell(f"{log.id} is now called “{log.title}”")


@sessions.command(short_help="Copy a session, to go on from there in two ways.")
@NAME
@click.argument("new_name", metavar="[NEW_NAME]", default="")
def fork(name: str, new_name: str) -> None:
    """Copy the branch in which a session stands into a session of its own, and print the id of that.

    \b
    Example:
      clew chat notes.clew --session "$(clew sessions fork 3f9a)"
    """
    from assistant.conversations.session_files import SessionFolder

    log = _find(name)
    copy = SessionFolder().fork(log, name=new_name)
    click.echo(copy.id)
    _tell(f"“{copy.title}” holds {len(copy.turns)} of {len(log.turns)} questions")


@sessions.command(short_help="Write answers of a session to a file, as Markdown or JSON.")
@NAME
@click.option(
    "-o", "--output", metavar="FILE", help="The file to write, .md or .json; by default named after the session."
)
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N answers.")
def export(name: str, output: str | None, last: int | None) -> None:
    """Write the answers of a session to a file, Markdown or JSON by its ending, and print the file's name.

    A file that is there already is left alone.

    \b
    Examples:
      clew sessions export 3f9a
      clew sessions export 3f9a --last 1 -o answer.json
    """
    from assistant.conversations.session_export import export as write

    path = write(_find(name), "all" if last is None else f"{last}", Path(output) if output else None)
    click.echo(plain(str(path)).encode("utf-8", "replace"))


@sessions.command(short_help="Delete a session.")
@NAME
@click.option("--yes", is_flag=True, help="Do not ask first.")
def delete(name: str, yes: bool) -> None:
    """Delete a session for good, after asking.

    \b
    Example:
      clew sessions delete 3f9a
    """
    from assistant.conversations.session_files import SessionFolder

    log = _find(name)
    if not yes and not click.confirm(f"Delete “{log.title}” with its {len(log.turns)} questions for good?"):
        _tell("nothing deleted")
        return
    SessionFolder().delete(log)
    _tell(f"“{log.title}” deleted")


COMMANDS = (sessions,)


def _find(name: str) -> SessionLog:
    from assistant.conversations.session_files import SessionFolder

    return SessionFolder().find(name)


def _print_found(words: str, file: Path | None, limit: int, as_json: bool) -> int:
    from assistant.conversations.session_export import session_record
    from assistant.conversations.session_files import SessionFolder
    from assistant.conversations.session_listing import found_sessions, listed_lines

    folder = SessionFolder()
    found = found_sessions(folder.all(file), words)
    if as_json:
        print_json(
            [session_record(item.log) | {"found": [turn.question for turn in item.turns]} for item in found[:limit]]
        )
        return len(found)
    for item in found[:limit]:
        first, *rest = listed_lines(item, with_file=True)
        for line in (Line(((f"{plain(item.log.id, 20)}  ", "link"), *first.parts)), *rest):
            click.echo(styled(line).encode("utf-8", "replace"))
    more = f", the latest {limit} shown; --limit shows more" if len(found) > limit else ""
    _tell(f"{counted(len(found), 'session')} in {folder.folder}{more}")
    return len(found)


def _tell(text: str) -> None:
    click.echo(plain(text).encode("utf-8", "replace"), err=True)
