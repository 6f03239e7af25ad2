"""The command that scores a run: eval."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.options import AS_JSON, PLACE, print_json, styled
from assistant.shared.rendering import plain
from assistant.shared.standard_streams import is_terminal
from kb.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assistant.evaluation.calibration import Calibration
    from assistant.evaluation.evaluate import Judged
    from assistant.shared.rendering import Line
    from kb.store.knowledge_base import KnowledgeBase

CAUSES = ("failed", "never-found", "ranked-low", "refused", "inexact", "wrong", "unanswerable")
"""As in assistant.evaluation.failures, whose import `--help` need not wait for."""


@click.command("eval", short_help="Score the results of a run.")
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("questions", type=click.Path(path_type=Path))
@click.option(
    "-k", "k", type=click.IntRange(1, 1000), default=5, show_default=True, help="Look at the first k passages."
)
@click.option("--kb", "file", type=PLACE, help="The run's knowledge base: hubs, titles, bridges.")
@click.option("--compare", "other", type=click.Path(path_type=Path), help="Another run over the same questions.")
@click.option("--failures", "browse", is_flag=True, help="Show each failed question and where its chain broke.")
@click.option("--curve", type=click.Path(path_type=Path), metavar="OUT", help="Draw risk by coverage: .svg or .png.")
@click.option("--cause", type=click.Choice(CAUSES), help="Only failures of this cause.")
@click.option("--type", "kind", metavar="TYPE", help="Only failures on questions of this type.")
@AS_JSON
def evaluate(
    out: Path,
    questions: Path,
    k: int,
    file: Path | None,
    other: Path | None,
    browse: bool,
    curve: Path | None,
    cause: str | None,
    kind: str | None,
    as_json: bool,
) -> None:
    """Score the results of a run against the gold in its question file, in per cent, over all questions and by type.

    Recall and full chains count documents among the first k passages, over questions with `supporting`. A strict hit,
    support precision and support F1 count those that the chain rests on as well, and with --kb, as published, all that
    name what its facts join. Exact match and F1 follow SQuAD, over questions with `answers`; joint success is a full
    chain and an answer that contains a gold one. Certainty is held against the exact matches: right answers by level,
    calibration error, and the share of wrong answers by the share of questions answered, the surest first; a run with
    --risk 1 answers them all. Intervals are 95 % bootstrap intervals over the questions.

    \b
    Examples:
      clew eval results.jsonl questions.jsonl --json
      clew eval results.jsonl questions.jsonl --curve risk.svg
      clew eval results.jsonl questions.jsonl --compare before.jsonl
      clew eval results.jsonl questions.jsonl --failures --kb notes.clew --cause never-found
    """
    if other and browse:
        raise UsageError("--compare and --failures are two views of a run; give one of them")
    if (cause or kind) and not browse:
        raise UsageError("--cause and --type choose among failures; add --failures")
    if curve and (other or browse):
        raise UsageError("--curve draws the scores of one run; leave --compare and --failures out")
    from assistant.evaluation.evaluate import judge

    with ExitStack() as stack:
        kb = stack.enter_context(_opened(file)) if file else None
        judged = judge(out, questions, k, kb)
        if browse:
            _failures(judged, k, kb, cause, kind, as_json)
        elif other:
            _compare(judged, judge(other, questions, k, kb), (str(out), str(other)), k, as_json)
        else:
            _scores(judged, k, as_json, curve)


COMMANDS = (evaluate,)


def _opened(file: Path) -> KnowledgeBase:
    from kb.store.knowledge_base import KnowledgeBase

    return KnowledgeBase.open(file)


def _scores(judged: Sequence[Judged], k: int, as_json: bool, curve: Path | None) -> None:
    from assistant.evaluation.evaluate import scores
    from assistant.evaluation.evaluation_text import score_lines

    found = scores(judged, k)
    if curve is not None:
        _draw(found[0].calibration, curve)
    if as_json:
        print_json([score.to_json() for score in found])
        return
    _print(score_lines(found))
    longest = max(len(one.line.passages) for one in judged)
    if any(one.question.supporting for one in judged) and longest < found[0].cutoffs[-1]:
        click.echo(f"no question of this run has more than {longest} passages; run with --top to get more", err=True)


def _draw(found: Calibration | None, path: Path) -> None:
    from assistant.evaluation.bench.figures import curve_figure
    from assistant.shared.writing import write_new

    if found is None or not found.curve:
        raise UsageError("no answer of this run tells how sure it is; --curve has nothing to draw")
    write_new(path, curve_figure(found, path.suffix))


def _compare(this: Sequence[Judged], other: Sequence[Judged], names: Sequence[str], k: int, as_json: bool) -> None:
    from assistant.evaluation.comparison import compare
    from assistant.evaluation.evaluate import all_cutoffs
    from assistant.evaluation.evaluation_text import comparison_lines

    comparison = compare(this, other, all_cutoffs(k))
    if as_json:
        print_json({"this": names[0], "other": names[1], **comparison.to_json()})
    else:
        _print(comparison_lines(comparison, names, k))


def _failures(
    judged: Sequence[Judged], k: int, kb: KnowledgeBase | None, cause: str | None, kind: str | None, as_json: bool
) -> None:
    from assistant.evaluation.evaluation_text import WIDTH, failure_lines
    from assistant.evaluation.failures import counts_by_cause, counts_by_loss, failures

    types = {one.question.type for one in judged}
    if kind is not None and kind not in types:
        known = ", ".join(sorted(plain(one, 40) for one in types if one)) or "none"
        raise UsageError(f"no question has the type {kind!r}; types here: {known}")
    asked = [one for one in judged if kind in (None, one.question.type)]
    found = [one for one in failures(asked, k, kb) if cause in (None, one.cause)]
    if as_json:
        causes: dict[str, Any] = {name: dict(counts) for name, counts in counts_by_cause(found).items()}
        shown = {"k": k, "questions": len(asked), "failures": [one.to_json() for one in found]}
        print_json({**shown, "causes": causes, "losses": counts_by_loss(found)})
    else:
        width = max(40, min(shutil.get_terminal_size().columns, WIDTH)) if _is_terminal() else WIDTH
        _print(failure_lines(found, k, len(asked), width), pages=True)


def _is_terminal() -> bool:
    return is_terminal(sys.stdout)


def _print(lines: Sequence[Line], pages: bool = False) -> None:
    text = "\n".join(map(styled, lines)).strip("\n")
    if pages and _is_terminal():
        click.echo_via_pager(text + "\n")
    else:
        click.echo(text.encode("utf-8", "replace"))
