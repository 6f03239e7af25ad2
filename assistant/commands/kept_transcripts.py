"""The commands about what was asked before: replay, transcripts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.commands.options import AS_JSON, PLACE, Number, print_json, styled
from assistant.shared.rendering import Line, Role, plain
from assistant.shared.standard_streams import is_terminal
from kb.errors import UsageError, WriteError
from kb.store.addresses import place

if TYPE_CHECKING:
    from assistant.conversations.replay import Replay
    from assistant.conversations.transcripts.form import Transcript

WHICH = click.argument("which", metavar="TRANSCRIPT")

SHOWN = 20

_NOW: dict[str, Role] = {"unchanged": "good", "changed": "warning", "gone": "bad"}


@click.command(short_help="Answer a question again from its transcript, with no model.")
@WHICH
@click.option("--kb", "file", type=PLACE, help="The knowledge base, where it is not where it was.")
@AS_JSON
def replay(which: str, file: Path | None, as_json: bool) -> None:
    """Answer a question again from its transcript, with no model, and say whether the answer is the same.

    TRANSCRIPT is a file, the beginning of an id that `clew transcripts` shows, or last. The tools run again over the
    knowledge base, which is only read; the model's part comes from the transcript. Where that knowledge base is gone or
    holds something else, the recorded answer is shown, and what has become of the passages that it cites. The exit code
    is 0 where the question was answered again and answer, citations and ranked passages are the same, else 1.

    \b
    Examples:
      clew replay last
      clew replay shared.json --kb notes.clew
    """
    from assistant.conversations.replay import replay as run_again

    transcript = _read(which)
    path = file or place(transcript.knowledge_base.path)
    click.echo(f"reading {plain(str(path))}", err=True)
    replayed = run_again(transcript, file)
    if as_json:
        print_json(replayed.to_json())
    else:
        _print_replay(replayed)
    sys.exit(0 if replayed.same else 1)


@click.group(invoke_without_command=True, short_help="List, show, export and delete transcripts of answers.")
@click.option(
    "--search", "words", default="", metavar="WORDS", help="Those with all these words in question or answer."
)
@click.option("--kb", "file", type=PLACE, help="Those of one knowledge base.")
@click.option("--limit", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="How many, latest first.")
@AS_JSON
@click.pass_context
def transcripts(context: click.Context, words: str, file: Path | None, limit: int, as_json: bool) -> None:
    """List what was asked: id, time, how it ended, model, question; ● sure, ◐ likely, ∅ not found, ■ partial, ✗ failed.

    Every answer of ask, chat and run leaves a transcript in a folder of the user's own: messages, tool calls, evidence,
    usage and timings, without any key. The commands below show, export and delete them.

    \b
    Examples:
      clew transcripts --search "director born"
      clew transcripts show last
      clew transcripts export 3f9a -o shared.json
    """
    if context.invoked_subcommand is not None:
        if words or file or as_json or limit != SHOWN:
            raise UsageError(f"options of the list go without {context.invoked_subcommand}; put its own behind it")
        return
    from assistant.conversations.transcripts.transcript_folder import Store
    from assistant.conversations.transcripts.transcript_text import summary_line

    store = Store()
    found = store.summaries(words=words, knowledge_base=file)
    if as_json:
        print_json([summary.to_json() for summary in found[:limit]])
        return
    for summary in found[:limit]:
        click.echo(styled(summary_line(summary)).encode("utf-8", "replace"))
    more = f", the latest {limit} shown; --limit shows more" if len(found) > limit else ""
    click.echo(f"{len(found)} transcripts in {plain(str(store.folder))}{more}", err=True)


@transcripts.command(short_help="Show a transcript: answer, chain, tool calls, requests.")
@WHICH
@AS_JSON
def show(which: str, as_json: bool) -> None:
    """Show a transcript: question, answer, chain, tool calls and the requests to the model.

    TRANSCRIPT is a file, the beginning of an id, or last.

    \b
    Example:
      clew transcripts show last
    """
    transcript = _read(which)
    if as_json:
        print_json(transcript.to_json())
    else:
        _print_transcript(transcript)


@transcripts.command(short_help="Write a transcript to a file, as JSON or Markdown.")
@WHICH
@click.option("-o", "--output", required=True, metavar="FILE", help="The file to write; - for stdout.")
@click.option(
    "--format", "form", type=click.Choice(["json", "md"]), help="As named; else by FILE's ending, JSON unless .md."
)
def export(which: str, output: str, form: str | None) -> None:
    """Write a transcript to a file: JSON, which `clew replay` reads anywhere, or Markdown for people.

    It holds the question, the passages that were found and the path of the knowledge base: look at it before you share
    it. A file that is there already is left alone.

    \b
    Examples:
      clew transcripts export last -o answer.md
      clew transcripts export 3f9a -o shared.json
    """
    from assistant.conversations.transcripts.transcript_text import markdown

    transcript = _read(which)
    is_markdown = form == "md" if form else output.endswith((".md", ".markdown"))
    text = (
        markdown(transcript) if is_markdown else json.dumps(transcript.to_json(), ensure_ascii=False, indent=1) + "\n"
    )
    data = text.encode("utf-8", "replace")
    if output == "-":
        click.echo(data, nl=False)
        return
    try:
        with Path(output).open("xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise UsageError(f"{output!r} is there already; name another file, or delete it") from error
    except OSError as error:
        raise WriteError(f"cannot write {output!r} ({error.strerror})") from error


@transcripts.command(short_help="Delete transcripts.")
@click.option("--older-than", type=Number(min=0), metavar="DAYS", help="Only those of more days ago.")
@click.option("--kb", "file", type=PLACE, help="Only those of one knowledge base.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def clear(older_than: float | None, file: Path | None, yes: bool) -> None:
    """Delete all transcripts, or those that are older than some days or of one knowledge base, after asking.

    \b
    Examples:
      clew transcripts clear --older-than 90
      clew transcripts clear --kb notes.clew
    """
    from assistant.conversations.transcripts.transcript_folder import Store, days_ago

    store = Store()
    before = None if older_than is None else days_ago(older_than)
    count = store.clear(before, knowledge_base=file, dry=True)
    if count and not yes and not _confirmed(f"Delete {count} transcripts in {plain(str(store.folder))}?"):
        click.echo("nothing deleted", err=True)
        return
    click.echo(f"{store.clear(before, knowledge_base=file)} transcripts deleted", err=True)


COMMANDS = (replay, transcripts)


def _confirmed(question: str) -> bool:
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if is_terminal(sys.stdin):
            raise
        raise UsageError("nobody is there on stdin to say yes; give --yes") from None


def _read(which: str) -> Transcript:
    from assistant.conversations.transcripts.transcript_folder import Store, read

    return read(Store().find(which))


def _print_replay(replayed: Replay) -> None:
    from assistant.commands.ask import print_reply

    if replayed.error:
        click.echo(styled(Line(((f"failed: {plain(replayed.error)}", "bad"),))))
    else:
        print_reply(replayed.reply)
    click.echo()
    for line in _verdict(replayed):
        click.echo(styled(line).encode("utf-8", "replace"))


def _verdict(replayed: Replay) -> list[Line]:
    if replayed.shown:
        lines = [
            Line(((f"From the record, not run again: {replayed.shown} ({plain(str(replayed.path))}).", "warning"),))
        ]
        return lines + [
            Line(((f"[{one.citation.number}] {plain(one.citation.title, 120)}: ", ""), (one.now, _NOW[one.now])))
            for one in replayed.cited
        ]
    if replayed.differences:
        differences = [Line(((f"- {plain(difference, 600)}", ""),)) for difference in replayed.differences]
        return [Line((("Replayed: not the same as recorded.", "bad"),)), *differences]
    same = "the same failure" if replayed.error else "the same answer, citations and ranked passages"
    return [Line(((f"Replayed: {same}.", "good"),))]


def _print_transcript(transcript: Transcript) -> None:
    from assistant.commands.ask import print_reply
    from assistant.conversations.transcripts.transcript_text import call_lines, exchange_lines, heading_lines

    _print_lines(heading_lines(transcript))
    if not transcript.error:
        print_reply(transcript.reply)
        click.echo()
    if transcript.calls:
        _print_lines([Line((("Tool calls", "strong"),)), *call_lines(transcript)])
    if transcript.exchanges:
        _print_lines([Line((("Model requests", "strong"),)), *exchange_lines(transcript)])


def _print_lines(lines: list[Line]) -> None:
    text = "\n".join(map(styled, lines))
    click.echo(f"{text}\n".encode("utf-8", "replace"))
