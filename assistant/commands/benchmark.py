"""The command that measures: bench."""

from __future__ import annotations

from pathlib import Path

import click

from assistant.commands.options import AS_JSON, PRESETS, QUIET, print_json, progress_on_stderr
from assistant.shared.config import model_choice
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import plain

PARTS = ("quality", "ablations", "damage")


@click.command(short_help="Measure techniques, ablations and damage on benchmark data.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder for the results.")
@click.option("--only", multiple=True, type=click.Choice(PARTS), help="This part; may be repeated. Default: all.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N questions of each folder.")
@click.option(
    "--kb",
    "kb_path",
    type=click.Path(path_type=Path),
    help="A built knowledge base, or a folder with NAME.clew for each data folder, instead of building.",
)
@click.option(
    "--seeds", type=click.IntRange(1, 100), default=3, show_default=True, help="Damaged copies at each rho and scope."
)
@PRESETS
@click.option("--model", metavar="NAME", help="A model that judges inside the techniques, each measured so as well.")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint that serves it.")
@AS_JSON
@QUIET
def bench(
    folder: Path,
    output: Path,
    only: tuple[str, ...],
    limit: int | None,
    kb_path: Path | None,
    seeds: int,
    presets: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure what every technique and the agent find, and how fast, with a step switched off, and on spoilt facts.

    FOLDER holds corpus.jsonl (`id`, `title`, `text`), questions.jsonl (`id`, `question`, `supporting`, `answers`,
    `type`) and maybe plans.jsonl, or is a folder of such folders. The output folder gets tables (results.md,
    results.json), figures (.png, .svg) and manifest.json with machine, versions, hashes and seeds. Everything is
    seeded; a bench that was stopped carries on when it is run again, and what has been measured on the same inputs by
    the same code is not measured again. It runs offline, whatever model is configured, but for what --model adds; what
    an endpoint was asked is kept, and asked for once.

    \b
    Examples:
      clew bench data/hotpotqa -o out --only quality
      clew bench data -o out --only quality --preset published --preset hipporag2
      clew bench data -o out --limit 100 --seeds 5
    """
    from assistant.evaluation.bench.report import aligned, quality_rows, summary
    from assistant.evaluation.bench.terminal import drawings
    from assistant.evaluation.bench.whole_bench import Options, run_bench

    judge = ModelChoice() if model is None and base_url is None else model_choice(model, base_url, None)
    chosen = tuple(part for part in PARTS if not only or part in only)
    with progress_on_stderr(quiet) as progress:
        report = run_bench(folder, output, Options(chosen, limit, seeds, kb_path, presets, judge), progress)
    if as_json:
        print_json(report.to_json())
        return
    for result in report.folders:
        blocks = [f"{plain(result.name)}: {summary(result)}", *map(plain, result.notes)]
        blocks += [aligned(quality_rows(result, intervals=False))] if result.quality else []
        _print("\n\n".join([*blocks, *drawings(result)]) + "\n")
    if not quiet:
        _told(output, report.files)


COMMANDS = (bench,)


def _print(text: str) -> None:
    click.echo(text.encode("utf-8", "replace"))


def _told(output: Path, files: list[str]) -> None:
    figures = sum(name.endswith((".png", ".svg")) for name in files)
    click.echo(f"{plain(str(output))}: results.md, results.json, manifest.json and {figures} figures", err=True)
