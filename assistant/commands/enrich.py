"""The command that has passages extracted by a model where questions have touched them: enrich."""

from __future__ import annotations

import sys
from pathlib import Path

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
from assistant.commands.options import AS_JSON, FILE, QUIET, interrupted_by_sigterm, print_json, progress_on_stderr
from assistant.shared.rendering import plain


@click.command(short_help="Have a model extract the passages that questions touched.")
@FILE
@click.option(
    "--from",
    "results",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also count the passages in these results of clew run.",
)
@extraction_options
@AS_JSON
@QUIET
def enrich(file: Path, results: tuple[Path, ...], use: ModelUse, as_json: bool, quiet: bool) -> None:
    """Have a language model extract the passages that questions have touched, most asked first, within a budget.

    Which ones these are is taken from the transcripts of the questions put to FILE, and from results files. Their facts
    replace those found by rule; texts and vectors stay. What was asked before, by a run that was stopped too, is not
    asked again, so that running the command now and then makes the graph better where it is used. What a
    model has judged while FILE was asked is put into it as well.

    \b
    Example:
      clew enrich notes.clew --model gpt-4o-mini --max-cost 0.50
    """
    from assistant.commands.touched_passages import most_asked_first, take_in_judgements, touched_in_results
    from assistant.conversations.transcripts.transcript_folder import touched
    from kb.enriching import enrich as enrich_file
    from kb.enriching import unenriched

    refuse_offline(use.choice, "clew enrich")
    passages = most_asked_first([touched(file), *map(touched_in_results, results)])
    if use.estimate:
        tell_estimate(file, unenriched(file, passages, use.prompt), use, as_json)
        return
    with interrupted_by_sigterm(), progress_on_stderr(quiet) as progress:
        extractor = use.extractor(progress)
        report = enrich_file(file, passages, extractor, progress=lambda done, total: progress("updating", done, total))
    judgements = take_in_judgements(file)
    if as_json:
        print_json(
            {
                "path": str(file),
                "touched": len(passages),
                "judgements": judgements,
                **extraction_json(extractor, report),
            }
        )
        sys.exit(exit_code(extractor))
    if not passages and not quiet:
        click.echo(f"no question has touched a passage of {plain(str(file))} yet; ask some, or give --from", err=True)
    tell_extraction(extractor, report, quiet=quiet or not passages)
    sys.exit(exit_code(extractor))


COMMANDS = (enrich,)
