"""The command about the thread of an answer that was given before: thread."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.commands.options import styled
from assistant.shared.rendering import Line, plain
from kb.errors import UsageError
from kb.store.addresses import place

if TYPE_CHECKING:
    from assistant.agent.replying.reply import Reply

WIDTH = 100
"""Cells of a drawing where there is no terminal."""


@click.command(short_help="Show the thread of an answer, draw it, or write it to a file.")
@click.argument("which", metavar="[ANSWER]", default="last")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write it to FILE: .md to read, .json to keep, .svg to show.",
)
@click.option("--turn", type=click.IntRange(min=1), metavar="N", help="The Nth question of a session, not the last.")
@click.option("--source", type=click.IntRange(min=1), metavar="N", help="Print the path of the file behind source [N].")
def thread(which: str, output: Path | None, turn: int | None, source: int | None) -> None:
    """Show what led from a question to its answer: hop by hop, as a graph, and what the tools did.

    ANSWER is a transcript (a file, the beginning of an id that `clew transcripts` shows, or last) or a session of the
    chat by its name or id, as `clew sessions` shows them.

    \b
    Examples:
      clew thread
      clew thread last -o answer.svg
      clew thread "kings and queens" --turn 2 -o answer.md
    """
    reply, knowledge_base = _found(which, turn)
    if source is not None:
        click.echo(_source(reply, knowledge_base, source))
    elif output is not None:
        from assistant.conversations.threads.thread_export import write_thread

        click.echo(f"written to {plain(str(write_thread(reply, output)))}", err=True)
    else:
        print_thread(reply)


COMMANDS = (thread,)


def print_thread(reply: Reply) -> None:
    """Question, hops, graph and tools as text on stdout."""
    from assistant.conversations.threads.lines import thread_lines, tools_lines

    _print([Line(((plain(reply.question, 1_000), "strong"),)), Line(), *thread_lines(reply), Line()])
    print_graph(reply)
    _print([Line(), *tools_lines(reply)])


def print_graph(reply: Reply) -> None:
    """The graph around the answer on stdout, as wide as the terminal."""
    from assistant.conversations.threads.drawing import draw_reply

    _print(draw_reply(reply, max(shutil.get_terminal_size((WIDTH, 24)).columns - 1, 20)))


def _print(lines: list[Line]) -> None:
    click.echo("\n".join(map(styled, lines)).encode("utf-8", "replace"))


def _found(which: str, turn: int | None) -> tuple[Reply, Path]:
    """The reply that `which` names, and the knowledge base that gave it. UsageError for none."""
    from assistant.conversations.session_files import SessionFolder
    from assistant.conversations.transcripts.transcript_folder import Store, read

    if turn is None:
        try:
            transcript = read(Store().find(which))
        except UsageError:
            if which == "last":
                raise
        else:
            return transcript.reply, place(transcript.knowledge_base.path)
    try:
        log = SessionFolder().find(which)
    except UsageError as error:
        raise UsageError(
            f"{which[:80]!r} is no transcript and no session; clew transcripts and clew sessions list them"
        ) from error
    turns = log.line()
    if not turns or (turn or 1) > len(turns):
        raise UsageError(f"the session {log.title!r} has {len(turns)} questions; give --turn from 1 to {len(turns)}")
    return turns[(turn or 0) - 1].reply, place(log.knowledge_base)


def _source(reply: Reply, knowledge_base: Path, number: int) -> str:
    from assistant.conversations.threads.source_file import source_path

    cited = next((citation for citation in reply.sources if citation.number == number), None)
    if cited is None:
        known = ", ".join(f"[{citation.number}]" for citation in reply.sources) or "none"
        raise UsageError(f"the answer has no source [{number}]; it has {known}")
    return str(source_path(knowledge_base, cited))
