"""The commands that make and look after a knowledge base: build, add, remove, copy, info, check."""

from __future__ import annotations

import dataclasses
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from assistant.commands.extraction_options import (
    ModelUse,
    exit_code,
    extraction_json,
    extraction_options,
    refuse_offline,
    tell_estimate,
    tell_extraction,
)
from assistant.commands.options import (
    AS_JSON,
    FILE,
    PLACE,
    QUIET,
    Number,
    Progress,
    interrupted_by_sigterm,
    plain_error,
    print_json,
    progress_on_stderr,
)
from assistant.shared.rendering import counted, plain
from assistant.shared.standard_streams import standard_input
from kb.errors import LockedFileError, UsageError

if TYPE_CHECKING:
    from assistant.models.extracting.model_extractor import ModelExtractor
    from kb.build import BuildReport
    from kb.build import Progress as Step

T = TypeVar("T")

SOURCES = click.argument("sources", nargs=-1, required=True, type=click.Path())
OPENIE = click.option(
    "--openie",
    type=click.Path(path_type=Path),
    help="Take entities and facts from this OpenIE file instead of extracting them.",
)
EXTRACT = click.option(
    "--extract",
    type=click.Choice(["rules", "model"]),
    default="rules",
    show_default=True,
    help="Find facts by rule, or have a language model read every passage.",
)
ALL = click.option(
    "--all", "everything", is_flag=True, help="In folders, read what is hidden or named in .gitignore as well."
)
LONGEST_SECONDS = 366 * 86400.0
"""A year; no clock that interrupts a reader counts for ever."""

FILE_SECONDS = click.option(
    "--file-seconds",
    type=Number(0, LONGEST_SECONDS, min_open=True),
    default=300.0,
    show_default=True,
    help="What takes longer to read is left out, and named.",
)
WAIT = click.option("--wait", is_flag=True, help="Wait where another process is writing to the file.")
SHOWN_PROBLEMS = 20
NAMED = 3
"""Files of other types that are named; `--json` has all of them."""
LOOK_SECONDS = 0.5
"""Between two looks whether another writer has finished."""


@dataclasses.dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How documents are to be read and written, as the user says; `use` is of the model that extracts."""

    openie: Path | None
    extract: str
    everything: bool
    file_seconds: float
    wait: bool
    use: ModelUse
    as_json: bool
    quiet: bool


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that reads documents, given to it as `reading`, ReadingOptions."""

    @wraps(command)
    def gathered(**options: Any) -> None:
        own = {field.name: options.pop(field.name) for field in dataclasses.fields(ReadingOptions)}
        command(**options, reading=ReadingOptions(**own))

    made: Any = gathered
    for option in (QUIET, AS_JSON, extraction_options, WAIT, FILE_SECONDS, ALL, EXTRACT, OPENIE):
        made = option(made)
    return made  # type: ignore[no-any-return]


@click.command(short_help="Make a knowledge base from documents, or bring it up to date.")
@SOURCES
@click.option("-o", "--output", required=True, type=PLACE, help="The knowledge base to write.")
@click.option("--embedding", metavar="NAME", help="Another sentence-transformers model, by name or folder.")
@click.option("--cluster", metavar="ADDRESS", help="Have a Ray cluster work: HOST:PORT, auto, or local to start one.")
@reading_options
def build(
    sources: tuple[str, ...],
    output: Path,
    embedding: str | None,
    cluster: str | None,
    reading: ReadingOptions,
) -> None:
    """Make a knowledge base from documents, or bring it up to date.

    SOURCES are files (documents, mail, tables, slides, books, notebooks, source code: see docs/formats.md), folders, or
    - for text on stdin. In folders, what is hidden or named in .gitignore is left aside. Documents that have not
    changed cost nothing, changed ones are replaced, and those that are gone from the same sources are removed. A build
    that was stopped carries on when it is run again.

    With --cluster documents are read and the file is written here, and a cluster of Ray works out vectors and facts:
    see docs/cluster.md.

    With --extract model every answer of the model is kept in the file at once, so that none is paid for twice. What it
    gives no answer for, or what --max-tokens or --max-cost do not allow, is extracted by rule, and asked for when the
    command is run again.

    \b
    Examples:
      clew build notes/ papers/*.pdf -o notes.clew
      clew build notes/ -o notes.clew --extract model --model gpt-4o-mini --estimate
      clew build notes/ -o notes.clew --cluster 10.0.0.1:6379
    """
    from kb.build import build as build_file
    from kb.cluster.joining import on_cluster
    from kb.store.deriving import here
    from kb.store.embeddings import DEFAULT_MODEL

    if not output.name:
        raise click.BadParameter(
            f"{str(output)!r} is a folder: name the file to write, like notes.clew", param_hint="-o"
        )
    if not all(source.strip() for source in sources):
        raise click.BadParameter("a source is empty, which is no path: is a variable unset?", param_hint="SOURCES")
    model = embedding or DEFAULT_MODEL
    place = here if cluster is None else partial(on_cluster, cluster)
    _read_into(output, sources, reading, partial(build_file, model=model, place=place), lambda: model)


@click.command(short_help="Add documents to a knowledge base.")
@FILE
@SOURCES
@reading_options
def add(
    file: Path,
    sources: tuple[str, ...],
    reading: ReadingOptions,
) -> None:
    """Add documents to a knowledge base, replacing those that have changed; nothing is removed.

    \b
    Example:
      clew add notes.clew inbox/letter.docx
    """
    from kb.build import add as add_to_file
    from kb.build import stored_model

    _read_into(file, sources, reading, add_to_file, lambda: stored_model(file))


def _read_into(
    path: Path,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    write: Callable[..., BuildReport],
    embedding: Callable[[], str],
) -> None:
    """Have `write` read the sources into the file and end with the exit code, or only tell what a model would cost."""
    from kb.build import unextracted

    use, everything = reading.use, reading.everything
    by_model = _asks_model(reading.extract, reading.openie, use)
    if use.estimate:
        asked = unextracted(sources, path, use.prompt, model=embedding(), stdin=_stdin(sources), everything=everything)
        tell_estimate(path, asked, use, reading.as_json)
        return
    with progress_on_stderr(reading.quiet) as progress:
        extractor = use.extractor(progress) if by_model else None
        report = _written(
            reading.wait,
            lambda: write(
                sources,
                path,
                openie=reading.openie,
                extractor=extractor,
                progress=_adapted(progress),
                stdin=_stdin(sources),
                everything=everything,
                file_seconds=reading.file_seconds,
            ),
        )
    _end(report, path, extractor, reading.as_json, reading.quiet)


@click.command(short_help="Forget documents, without a trace.")
@FILE
@click.argument("documents", nargs=-1, required=True)
@WAIT
@AS_JSON
@QUIET
def remove(file: Path, documents: tuple[str, ...], wait: bool, as_json: bool, quiet: bool) -> None:
    """Forget documents, named by id or title, and everything that came from them.

    No word of them stays in FILE, and what a model has judged of it is forgotten. Transcripts and sessions of the chat
    may still quote them, and stay; the command says how many there are. `clew check --gone` proves what is gone.

    \b
    Example:
      clew remove notes.clew inbox/letter.docx
    """
    from kb.build import remove as remove_from_file

    keys = _written(wait, lambda: remove_from_file(file, documents))
    _forget_judgements(file)
    transcripts, sessions = _kept_of(file)
    if as_json:
        print_json({"removed": keys, "transcripts": transcripts, "sessions": sessions})
    elif not quiet:
        click.echo(f"removed {counted(len(keys), 'document')}: {plain(', '.join(keys), 400)}", err=True)
        _tell_of_quotes(file, transcripts, sessions)


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
    from kb.store.knowledge_base import KnowledgeBase

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


@click.command(short_help="Look for damage, or prove that words are gone.")
@FILE
@click.option("--gone", "texts", metavar="TEXT", multiple=True, help="Look for this instead; may be repeated.")
@AS_JSON
def check(file: Path, texts: tuple[str, ...], as_json: bool) -> None:
    """Look for damage in a knowledge base; exit code 3 where there is some.

    With --gone, say where words still stand once clew remove has forgotten their documents: in FILE's tables, indexes,
    free pages and log, and in your own sessions, transcripts and judgements. The exit code is 0 where nothing holds any
    of them and 1 where something does. Nothing is changed either way.

    \b
    Examples:
      clew check notes.clew
      clew check notes.clew --gone "Anna Kerr"
    """
    if texts:
        _look_for(file, texts, as_json)
    from kb.store.check import check as check_file

    problems = check_file(file)
    if as_json:
        print_json({"path": str(file), "problems": problems})
    else:
        for problem in problems:
            click.echo(plain(problem))
        if not problems:
            click.echo(f"{plain(str(file))} is sound", err=True)
    sys.exit(3 if problems else 0)


def _look_for(file: Path, texts: Sequence[str], as_json: bool) -> NoReturn:
    """Say what holds the texts, and end with the exit code for that."""
    from assistant.shared.user_folders import state_folder
    from kb.store.open_base import refuse_server
    from kb.store.text_traces import traces_of

    if empty := [text for text in texts if not any(map(str.isalnum, text))]:
        raise UsageError(f"--gone {empty[0][:40]!r} has no letters or digits; give words")
    refuse_server(file, "clew check --gone")
    found = {text: traces_of(file, text, state_folder()) for text in texts}
    if as_json:
        print_json({text: [dataclasses.asdict(trace) for trace in traces] for text, traces in found.items()})
    else:
        for text, traces in found.items():
            for line in [plain(trace.text()) for trace in traces] or ["nothing holds it"]:
                click.echo(f"{plain(text, 80)}: {line}")
    sys.exit(1 if any(found.values()) else 0)


@click.command(short_help="Copy a knowledge base, also to a server and back.")
@FILE
@click.argument("target", type=PLACE)
@click.option("--replace", is_flag=True, help="Put it in the place of the knowledge base that is there.")
@WAIT
@AS_JSON
@QUIET
def copy(file: Path, target: Path, replace: bool, wait: bool, as_json: bool, quiet: bool) -> None:
    """Copy a knowledge base to TARGET: a file, or postgresql://USER@HOST/DATABASE; FILE may be on a server too.

    It has the same content and the same answers there, which is checked. Stopped or killed, TARGET is as it was, and
    the command can be run again. docs/postgresql.md tells how to set up a server.

    \b
    Examples:
      clew copy notes.clew postgresql://clew@db.example.org/notes
      clew copy postgresql://clew@db.example.org/notes notes.clew
    """
    from kb.store.copying import copy as copy_base

    with progress_on_stderr(quiet) as progress:
        content = _written(wait, lambda: copy_base(file, target, replace=replace, report=progress))
    if as_json:
        print_json({"path": str(target), "fingerprint": content})
    elif not quiet:
        click.echo(f"{plain(str(target))} holds what {plain(str(file))} does: {content}", err=True)


COMMANDS = (build, add, remove, copy, info, check)


def _written(wait: bool, write: Callable[[], T]) -> T:
    """What `write` gives, once no other process writes to its file. Raises LockedFileError where it shall not wait."""
    told = False
    while True:
        try:
            with interrupted_by_sigterm():
                return write()
        except LockedFileError as error:
            if not wait:
                raise
            if not told:
                click.echo(f"waiting: {plain_error(error).partition(';')[0]}", err=True)
                told = True
        time.sleep(LOOK_SECONDS)


def _forget_judgements(file: Path) -> None:
    """What a model has judged outside the file goes as well: a summary says what a document said."""
    from assistant.models.judging.cache import forget

    forget(file)


def _kept_of(file: Path) -> tuple[int, int]:
    """How many transcripts, and sessions of the chat, there are of questions put to a file."""
    from assistant.conversations.session_files import SessionFolder
    from assistant.conversations.transcripts.transcript_folder import Store

    return len(Store().summaries(knowledge_base=file)), len(SessionFolder().all(file))


def _tell_of_quotes(file: Path, transcripts: int, sessions: int) -> None:
    name, quoting = plain(shlex.quote(str(file))), "may still quote what was removed; to delete"
    if transcripts:
        click.echo(f"{counted(transcripts, 'transcript')} {quoting}: clew transcripts clear --kb {name}", err=True)
    if sessions:
        click.echo(f"{counted(sessions, 'session')} {quoting}: clew sessions list --kb {name}, and delete", err=True)


def _adapted(progress: Progress) -> Callable[[Step], None]:
    return lambda step: progress(step.stage, step.done, step.total)


def _asks_model(extract: str, openie: Path | None, use: ModelUse) -> bool:
    """Whether a language model is to be asked. Raises UsageError for options that do not go together."""
    if extract != "model":
        if use.estimate:
            raise UsageError("--estimate tells what --extract model would cost; without it nothing is asked of a model")
        return False
    if openie is not None:
        raise UsageError("--extract model and --openie both say where facts come from; give one of them")
    refuse_offline(use.choice, "--extract model")
    return True


def _stdin(sources: tuple[str, ...]) -> Any:
    return standard_input() if "-" in sources else None


def _end(report: BuildReport, path: Path, extractor: ModelExtractor | None, as_json: bool, quiet: bool) -> NoReturn:
    """Tell what was written, forget what a model has judged of it, and end with the exit code."""
    if report.changed or report.removed:
        _forget_judgements(path)
    _tell(report, path, extractor, as_json, quiet)
    sys.exit(exit_code(extractor) if extractor else 0)


def _tell(report: BuildReport, path: Path, extractor: ModelExtractor | None, as_json: bool, quiet: bool) -> None:
    """Problems always go to stderr: a document that is missing from the file must not go unnoticed."""
    for problem in report.problems[:SHOWN_PROBLEMS]:
        click.echo(f"clew: left out {plain_error(problem)}", err=True)
    if len(report.problems) > SHOWN_PROBLEMS:
        click.echo(f"clew: left out {len(report.problems) - SHOWN_PROBLEMS} more", err=True)
    counts = {name: getattr(report, name) for name in ("files", "added", "changed", "removed", "unchanged", "passages")}
    if as_json:
        problems = [{"path": problem.path, "reason": problem.reason} for problem in report.problems]
        skipped = [dataclasses.asdict(one) for one in report.skipped]
        extraction = {"extraction": extraction_json(extractor, report.extraction)} if extractor else {}
        print_json({"path": str(path), **counts, **extraction, "problems": problems, "skipped": skipped})
        return
    if not quiet:
        from assistant.library.building import summary_of

        click.echo(f"{plain(str(path))}: {summary_of(counts)}{_skipped(report)}", err=True)
    if extractor:
        tell_extraction(extractor, report.extraction, quiet)


def _skipped(report: BuildReport) -> str:
    from kb.documents.found_files import OTHER_TYPE

    types = [one.path for one in report.skipped if one.reason == OTHER_TYPE]
    aside = [one.path for one in report.skipped if one.reason != OTHER_TYPE]
    told = f"; {counted(len(types), 'file')} of other types skipped ({_some(types)})" if types else ""
    return told + (f"; {len(aside)} left aside as hidden, ignored or without text ({_some(aside)})" if aside else "")


def _some(paths: Sequence[str]) -> str:
    """The first few of some paths."""
    return ", ".join([plain(one) for one in paths[:NAMED]] + ["…"] * (len(paths) > NAMED))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else plain(str(value))
