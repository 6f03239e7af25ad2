"""The command that trains the triple scorer on the user's own questions: train."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.commands.options import (
    AS_JSON,
    FILE,
    QUIET,
    model_options,
    print_json,
    progress_on_stderr,
    run_budget_options,
)
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import plain
from kb.errors import UsageError

if TYPE_CHECKING:
    from assistant.evaluation.trained_scorer import Training
    from assistant.shared.spending_limits import Budget


@click.command(short_help="Train the scorer of facts on your own questions.")
@FILE
@click.argument("questions", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the scorer here, to be used by choice.")
@click.option("--force", is_flag=True, help="Write it even where it is not better than the one that ships.")
@model_options
@run_budget_options
@AS_JSON
@QUIET
def train(
    file: Path,
    questions: Path,
    output: Path | None,
    force: bool,
    choice: ModelChoice,
    run_budget: Budget,
    as_json: bool,
    quiet: bool,
) -> None:
    """Train the scorer that ranks facts (ReG) on questions to FILE whose answers are known, and say what that is worth.

    QUESTIONS is a file as for clew run, with `answers` or, better, `supporting` documents; ten questions are the least,
    fifty a good start. Which facts are evidence follows from the documents; where only answers are known, a model picks
    the paths that lead to them sensibly, if one is set, else these questions are left out. Training goes on from the
    scorer that ships. Each question is then ranked by a scorer that has not seen it, and only where that is better,
    beyond chance, is anything written.

    The scorer is kept with your own settings and used whenever you ask FILE, which stays as it is: who shares it sees
    no change. One written with -o is used for any file by `clew config scorer PATH`; `clew config scorer shipped`
    switches all of them off.

    \b
    Examples:
      clew train notes.clew questions.jsonl
      clew train notes.clew questions.jsonl -o ours.npz --force
    """
    from assistant.evaluation.trained_scorer import train as train_scorer
    from assistant.models.judging.opened import open_judges
    from assistant.shared.question_files import read_questions
    from kb.store.knowledge_base import KnowledgeBase

    asked = read_questions(questions)
    if output is not None and output.exists():
        raise UsageError(f"{str(output)!r} is there already; name another file, or delete it")
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"{str(output.parent)!r} is no folder; make it first, or name another file")
    with (
        KnowledgeBase.open(file) as kb,
        open_judges(choice, run_budget) as judges,
        progress_on_stderr(quiet) as progress,
    ):
        trained = train_scorer(kb, asked, judges, progress)
    written = _write(trained, file, output) if trained.better or force else None
    if as_json:
        print_json({**trained.to_json(), "path": str(written) if written else None})
        return
    for note in trained.notes:
        click.echo(f"note: {plain(note)}", err=True)
    _print(trained)
    click.echo(_outcome(trained, file, written, output is not None))


COMMANDS = (train,)


def _write(trained: Training, file: Path, output: Path | None) -> Path:
    from assistant.shared.chosen_scorer import own_scorer
    from assistant.shared.writing import replace_file, write_new
    from kb.errors import WriteError
    from tools.scorer_training.fitting import written

    data = written(trained.model)
    if output is not None:
        write_new(output, data)
        return output
    path = own_scorer(file)
    try:
        replace_file(path, data)
    except OSError as error:
        raise WriteError(f"cannot write {str(path)!r} ({error.strerror or error})") from error
    return path


def _print(trained: Training) -> None:
    left_out = [
        f"{count} {why}"
        for count, why in (
            (trained.unanswered, "without an answer"),
            (trained.elsewhere, "about documents that are not in the file"),
            (trained.unjudged, "with answers alone and no model to judge what leads to them"),
            (trained.far, "without a fact of their evidence near them"),
        )
        if count
    ]
    click.echo(
        f"learned from {trained.learned} of {trained.questions} questions{''.join(f', {one}' for one in left_out)}"
    )
    click.echo(f"{'questions kept aside, per cent':<42}{'shipped':>9}{'trained':>9}")
    low_high = f"  {trained.gain:+.1f}"
    if trained.interval is not None:
        low_high += f" [{trained.interval[0]:+.1f}, {trained.interval[1]:+.1f}]"
    rows = (
        ("average precision of the evidence's facts", "precision", low_high),
        ("of them among the best 10", "best_10", ""),
        ("of them among the best 30", "best_30", ""),
        ("of its documents among the first 5", "documents", ""),
    )
    for name, field, more in rows:
        before, after = getattr(trained.shipped, field), getattr(trained.trained, field)
        if before is not None:
            click.echo(f"{name:<42}{before:>9.1f}{after:>9.1f}{more}")


def _outcome(trained: Training, file: Path, written: Path | None, by_choice: bool) -> str:
    from assistant.shared.config import OWN_SCORER, value

    verdict = "better" if trained.better else "not better than the scorer that ships, beyond chance"
    if written is None:
        return f"{verdict}: nothing was written; more questions may help, --force writes it all the same"
    name = plain(str(written))
    if by_choice:
        return f"{verdict}: written to {name}; to use it: clew config scorer {name}"
    if (chosen := value("scorer")).value != OWN_SCORER:
        return (
            f"{verdict}: written to {name}; it is not used, as scorer is {plain(str(chosen.value))} ({chosen.origin})"
        )
    return f"{verdict}: written to {name}, and used from now on when you ask {plain(str(file))}; delete it to go back"
