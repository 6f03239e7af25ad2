"""The commands that put the techniques to the test: race, damage."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.options import (
    AS_JSON,
    FILE,
    PRESETS,
    QUIET,
    Number,
    model_options,
    print_json,
    progress_on_stderr,
    styled,
)
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import duration, marked, plain
from kb.errors import UsageError

if TYPE_CHECKING:
    from assistant.evaluation.race import Race

MODES = ("spurious", "incomplete")
PATTERNS = ("generic-relation", "wrong-end", "flip", "missing-bridge", "dropped-qualifier")
"""As in kb.store.damage, whose import `--help` need not wait for; with hyphens for the shell."""


@click.command(short_help="Run every technique on a question.")
@FILE
@click.argument("question")
@click.option("-k", "--top", "k", type=click.IntRange(1, 100), default=5, show_default=True, help="Passages of each.")
@PRESETS
@model_options
@AS_JSON
@QUIET
def race(
    file: Path, question: str, k: int, presets: tuple[str, ...], choice: ModelChoice, as_json: bool, quiet: bool
) -> None:
    """Run a question through every technique and through the agent, side by side.

    Each row is a passage; a column holds its rank with that technique. A passage with a single rank was found by no
    other one.

    \b
    Examples:
      clew race notes.clew "Where was the director of Metropolis born?"
      clew race notes.clew "Where was the director of Metropolis born?" --preset published --preset hipporag2
    """
    from assistant.evaluation.race import race as run_race

    with progress_on_stderr(quiet) as progress:
        result = asyncio.run(run_race(file, question, k, choice, progress, presets))
    if as_json:
        print_json(result.to_json())
    else:
        _print_race(result)


@click.command(short_help="Spoil the facts of a copy, to test with.")
@FILE
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The damaged copy to write.")
@click.option("--mode", type=click.Choice(MODES), help="Wrong facts, or missing ones.")
@click.option("--pattern", type=click.Choice(PATTERNS), help="In this way alone; it has its mode.")
@click.option("--rho", type=Number(0, 1), required=True, help="Share of the facts in scope that is spoilt.")
@click.option(
    "--scope",
    type=click.Choice(("question", "all")),
    default="all",
    show_default=True,
    help="Two steps around what the questions name, or the whole file.",
)
@click.option("--question", "asked", multiple=True, help="A question, for --scope question; may be repeated.")
@click.option("--questions", type=click.Path(path_type=Path), help="A file of them.")
@click.option("--mentions", is_flag=True, help="Forget where spoilt facts' names stand in the text, too.")
@click.option("--text", is_flag=True, help="Take dropped dates and conditions out of the passages, too.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed spoils the same facts.")
@AS_JSON
@QUIET
def damage(
    file: Path,
    output: Path,
    mode: str | None,
    pattern: str | None,
    rho: float,
    scope: str,
    asked: tuple[str, ...],
    questions: Path | None,
    mentions: bool,
    text: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a copy of a knowledge base in which facts are spoilt as extractors spoil them, to see what still is found.

    The file itself is only read. Spurious: vague relations, wrong ends, relations turned round. Incomplete: missing
    facts, dropped dates and conditions (CS-RAG, appendix D.1). A single pattern leaves facts as they are that it cannot
    spoil, so fewer than rho of them are spoilt. Passages stay as they are unless --text shortens them.

    \b
    Examples:
      clew damage notes.clew -o worse.clew --mode incomplete --rho 0.5 --seed 1
      clew damage notes.clew -o worse.clew --pattern wrong-end --rho 0.5
      clew damage notes.clew -o worse.clew --pattern dropped-qualifier --rho 0.5 --text
    """
    from kb.store.damage import damage as spoil
    from kb.store.open_base import refuse_server

    refuse_server(file, "clew damage")
    roots, relations = None, frozenset[str]()
    if scope == "question":
        roots, relations = _scope(file, [*asked, *_read(questions)])
    elif asked or questions:
        raise UsageError("--question and --questions go with --scope question; add it, or leave them out")
    checked, named = _way(mode, pattern)
    report = spoil(file, output, checked, rho, seed, roots, relations, mentions=mentions, text=text, pattern=named)
    if as_json:
        print_json(
            {"path": str(output), "facts": report.facts, "spoilt": dict(report.spoilt), "shortened": report.shortened}
        )
    elif not quiet:
        parts = ", ".join(f"{count:,} {name}" for name, count in report.spoilt.items())
        total = sum(report.spoilt.values())
        sentences = f"; {report.shortened:,} sentences shortened" if report.shortened else ""
        click.echo(f"{plain(str(output))}: {total:,} of {report.facts:,} facts spoilt: {parts}{sentences}", err=True)


COMMANDS = (race, damage)


def _way(mode: str | None, pattern: str | None) -> tuple[Any, str]:
    """The mode and the pattern, "" for all of its own, as kb.store.damage calls them."""
    from kb.store.damage import PATTERNS as BY_MODE

    if pattern is None:
        if mode is None:
            raise UsageError(f"say how to spoil facts: --mode {' or '.join(MODES)}, or --pattern for one way alone")
        return mode, ""
    name = pattern.replace("-", " ")
    own = next(one for one, patterns in BY_MODE.items() if name in patterns)
    if mode not in (None, own):
        raise UsageError(f"--pattern {pattern} is {own} damage, not {mode}; leave --mode out")
    return own, name


def _read(path: Path | None) -> list[str]:
    from assistant.shared.question_files import read_questions

    return [question.text for question in read_questions(path)] if path else []


def _scope(file: Path, questions: list[str]) -> tuple[frozenset[int], frozenset[str]]:
    from assistant.evaluation.damage_target import question_scope
    from kb.store.knowledge_base import KnowledgeBase

    if not questions:
        raise UsageError("--scope question needs a question: --question TEXT, or --questions FILE")
    with KnowledgeBase.open(file) as kb:
        roots, relations = question_scope(kb, questions)
    if not roots:
        raise UsageError("the questions name nothing that this file knows; use --scope all, or other questions")
    return roots, relations


def _print_race(result: Race) -> None:
    """One row a passage, one column a technique, in the order of how many found it; times and lone finds below."""
    ranks: dict[int, dict[str, int]] = {}
    titles: dict[int, str] = {}
    for runner in result.runners:
        for rank, passage in enumerate(runner.passages, 1):
            ranks.setdefault(passage.id, {})[runner.name] = rank
            titles[passage.id] = passage.title or passage.document
    order = sorted(ranks, key=lambda one: (-len(ranks[one]), sum(ranks[one].values()), one))
    letters = {runner.name: chr(ord("A") + at) for at, runner in enumerate(result.runners)}
    width = max(2, *(len(str(len(runner.passages))) for runner in result.runners))
    click.echo("  ".join([*(f"{letter:>{width}}" for letter in letters.values()), "passage"]))
    for one in order:
        cells = [f"{ranks[one].get(name, '·'):>{width}}" for name in letters]
        click.echo("  ".join([*cells, plain(titles[one], 60)]))
    click.echo()
    names = max(len(runner.name) for runner in result.runners)
    for runner in result.runners:
        told = plain(f"failed: {runner.error}", 100) if runner.error else _alone(len(result.only(runner)))
        told = "; ".join(filter(None, (told, *(plain(note) for note in runner.notes))))
        click.echo(f"{letters[runner.name]}  {runner.name:<{names}}  {duration(runner.seconds):>8}  {told}".rstrip())
    said = f"The agent's answer: {plain(result.answer) or 'not found'}"
    click.echo(f"\n{styled(marked(said, result.certainty, ''))}")


def _alone(count: int) -> str:
    return f"{count} found by it alone" if count else ""
