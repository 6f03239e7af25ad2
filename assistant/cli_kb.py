"""The commands that make and look after a knowledge base: build, add, remove, info, check."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.cli_common import AS_JSON, FILE, QUIET, Progress, plain_error, print_json, progress_on_stderr
from assistant.rendering import plain

if TYPE_CHECKING:
    from kb.build import BuildReport
    from kb.build import Progress as Step

SOURCES = click.argument("sources", nargs=-1, required=True)
OPENIE = click.option(
    "--openie",
    type=click.Path(path_type=Path),
    help="Take entities and facts from this OpenIE file instead of extracting them.",
)
SHOWN_PROBLEMS = 20


@click.command(short_help="Make a knowledge base from documents, or bring it up to date.")
@SOURCES
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The knowledge base to write.")
@click.option("--embedding", metavar="NAME", help="Another sentence-transformers model, by name or folder.")
@OPENIE
@AS_JSON
@QUIET
def build(
    sources: tuple[str, ...], output: Path, embedding: str | None, openie: Path | None, as_json: bool, quiet: bool
) -> None:
    """Make a knowledge base from documents, or bring it up to date.

    SOURCES are files (.txt .md .html .pdf .docx .csv .jsonl), folders, or - for text on stdin. Documents that have not
    changed cost nothing, changed ones are replaced, and those that are gone from the same sources are removed. A build
    that was stopped carries on when it is run again.

    \b
    Example:
      clew build notes/ papers/*.pdf -o notes.clew
    """
    from kb.build import build as build_file
    from kb.embeddings import DEFAULT_MODEL

    with progress_on_stderr(quiet) as progress:
        report = build_file(
            sources,
            output,
            model=embedding or DEFAULT_MODEL,
            openie=openie,
            progress=_adapted(progress),
            stdin=_stdin(sources),
        )
    _tell(report, output, as_json, quiet)


@click.command(short_help="Add documents to a knowledge base.")
@FILE
@SOURCES
@OPENIE
@AS_JSON
@QUIET
def add(file: Path, sources: tuple[str, ...], openie: Path | None, as_json: bool, quiet: bool) -> None:
    """Add documents to a knowledge base, replacing those that have changed; nothing is removed.

    \b
    Example:
      clew add notes.clew inbox/letter.docx
    """
    from kb.build import add as add_to_file

    with progress_on_stderr(quiet) as progress:
        report = add_to_file(sources, file, openie=openie, progress=_adapted(progress), stdin=_stdin(sources))
    _tell(report, file, as_json, quiet)


@click.command(short_help="Forget documents, without a trace.")
@FILE
@click.argument("documents", nargs=-1, required=True)
@AS_JSON
@QUIET
def remove(file: Path, documents: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Forget documents, named by id or title, and everything that came from them.

    \b
    Example:
      clew remove notes.clew inbox/letter.docx
    """
    from kb.build import remove as remove_from_file

    keys = remove_from_file(file, documents)
    if as_json:
        print_json({"removed": keys})
    elif not quiet:
        click.echo(f"removed {_count(len(keys), 'document')}: {plain(', '.join(keys), 400)}", err=True)


@click.command(short_help="Say what a knowledge base holds.")
@FILE
@click.option("--documents", is_flag=True, help="List the documents: id, passages, title.")
@AS_JSON
def info(file: Path, documents: bool, as_json: bool) -> None:
    """Say what a knowledge base holds and how it was made.

    \b
    Example:
      clew info notes.clew --documents
    """
    from kb.store import KnowledgeBase

    with KnowledgeBase.open(file) as kb:
        facts: dict[str, Any] = dataclasses.asdict(kb.info())
        listed = kb.documents() if documents else []
    if as_json:
        keys = ("id", "title", "passages", "metadata")
        rows = [dict(zip(keys, (key, title, count, more), strict=True)) for key, title, count, more in listed]
        print_json({**facts, "list": rows} if documents else facts)
    elif documents:
        for key, title, count, _ in listed:
            click.echo(f"{plain(key)}\t{count}\t{plain(title)}")
    else:
        width = max(map(len, facts))
        for name, value in facts.items():
            click.echo(f"{name.replace('_', ' '):<{width}}  {_shown(value)}")


@click.command(short_help="Look for damage in a knowledge base.")
@FILE
@AS_JSON
def check(file: Path, as_json: bool) -> None:
    """Look for damage in a knowledge base; exit code 3 where there is some.

    \b
    Example:
      clew check notes.clew
    """
    from kb.check import check as check_file

    problems = check_file(file)
    if as_json:
        print_json({"path": str(file), "problems": problems})
    else:
        for problem in problems:
            click.echo(plain(problem))
        if not problems:
            click.echo(f"{plain(str(file))} is sound", err=True)
    sys.exit(3 if problems else 0)


COMMANDS = (build, add, remove, info, check)


def _adapted(progress: Progress) -> Callable[[Step], None]:
    return lambda step: progress(step.stage, step.done, step.total)


def _stdin(sources: tuple[str, ...]) -> Any:
    return sys.stdin.buffer if "-" in sources else None


def _tell(report: BuildReport, path: Path, as_json: bool, quiet: bool) -> None:
    """Problems always go to stderr: a document that is missing from the file must not go unnoticed."""
    for problem in report.problems[:SHOWN_PROBLEMS]:
        click.echo(f"clew: left out {plain_error(problem)}", err=True)
    if len(report.problems) > SHOWN_PROBLEMS:
        click.echo(f"clew: left out {len(report.problems) - SHOWN_PROBLEMS} more", err=True)
    counts = {name: getattr(report, name) for name in ("added", "changed", "removed", "unchanged", "passages")}
    if as_json:
        problems = [{"path": problem.path, "reason": problem.reason} for problem in report.problems]
        skipped = [dataclasses.asdict(one) for one in report.skipped]
        print_json({"path": str(path), **counts, "problems": problems, "skipped": skipped})
    elif not quiet:
        passages = _count(counts.pop("passages"), "new passage")
        summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing to do"
        click.echo(f"{plain(str(path))}: documents: {summary}; {passages}{_skipped(report)}", err=True)


def _skipped(report: BuildReport) -> str:
    return f"; {_count(len(report.skipped), 'file')} of other types skipped" if report.skipped else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else plain(str(value))
