"""What the commands share that have passages extracted by a model: options, the extractor, what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.options import Command, Number, Progress, print_json
from assistant.shared.config import model_choice
from assistant.shared.rendering import counted, plain
from kb.errors import UsageError

if TYPE_CHECKING:
    from assistant.models.budget import Spending
    from assistant.models.extracting.model_extractor import Asked, ModelExtractor
    from assistant.shared.model_choice import ModelChoice
    from assistant.shared.spending_limits import Budget
    from kb.enriching import ExtractionReport
    from kb.graph.model_extraction import ModelPrompt
    from kb.records import PassageText

SHOWN_PASSAGES = 5
MOST_CONCURRENT = 64


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Which model to ask, how many requests at a time, what all together may cost, and whether to ask at all."""

    choice: ModelChoice
    budget: Budget
    concurrency: int
    estimate: bool

    @property
    def prompt(self) -> ModelPrompt:
        """The model with what it is told."""
        from assistant.models.extracting.extraction_prompt import prompt_version
        from kb.graph.model_extraction import ModelPrompt

        return ModelPrompt(self.choice.title, prompt_version())

    def extractor(self, progress: Progress) -> ModelExtractor:
        """The extractor, which tells how far it is. Raises UsageError, ModelFailure."""
        from assistant.models.budget import Meter
        from assistant.models.endpoints import price
        from assistant.models.extracting.model_extractor import ModelExtractor
        from assistant.models.openai_chat import endpoint_model

        choice = self.choice
        meter = Meter(self.budget, price=lambda taken, given: price(choice, taken, given))

        def told(asked: Asked) -> None:
            progress("asking", asked.done, asked.total, spent_text(meter.spent))

        return ModelExtractor(choice, endpoint_model(choice), meter, concurrency=self.concurrency, progress=told)


def extraction_options(command: Command) -> Command:
    """`--model`, `--base-url`, `--max-tokens`, `--max-cost`, `--concurrency` and `--estimate`, given to the command as
    `use`, a ModelUse.
    """

    @wraps(command)
    def resolved(
        *args: Any,
        model: str | None,
        base_url: str | None,
        max_tokens: int | None,
        max_cost: float | None,
        concurrency: int,
        estimate: bool,
        **options: Any,
    ) -> Any:
        from assistant.shared.model_choice import ModelChoice
        from assistant.shared.spending_limits import Budget

        # Where no model is asked, what is set for one does not matter.
        asks = estimate or options.get("extract", "model") == "model"
        choice = model_choice(model, base_url, None) if asks else ModelChoice()
        use = ModelUse(choice, Budget(max_tokens, max_cost), concurrency, estimate)
        return command(*args, use=use, **options)

    above_zero = Number(0, min_open=True)
    options: tuple[Callable[[Any], Any], ...] = (
        click.option("--model", metavar="NAME", help="The language model that extracts."),
        click.option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint that serves it."),
        click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="Tokens that its answers may cost."),
        click.option("--max-cost", type=above_zero, metavar="USD", help="US dollars that its answers may cost."),
        click.option(
            "--concurrency",
            type=click.IntRange(1, MOST_CONCURRENT),
            default=4,
            show_default=True,
            help="Requests to it at a time.",
        ),
        click.option("--estimate", is_flag=True, help="Only say what asking it would cost; asks and writes nothing."),
    )
    made: Any = resolved
    for option in reversed(options):
        made = option(made)
    return made  # type: ignore[no-any-return]


def refuse_offline(choice: ModelChoice, what: str) -> None:
    """Raise UsageError where there is no language model that `what` could ask."""
    if choice.offline:
        raise UsageError(f"{what} needs a language model: give --model NAME, with --base-url URL for one of your own")


def tell_estimate(path: Path, passages: Sequence[PassageText], use: ModelUse, as_json: bool) -> None:
    """Print what it would take to ask for `passages`."""
    from assistant.models.extracting.estimate import estimate
    from kb.store.model_cache import tokens_spent

    told = estimate(passages, use.choice, tokens_spent(path, use.prompt.model, use.prompt.version))
    if as_json:
        print_json({"path": str(path), **told.to_json()})
    else:
        click.echo(f"{plain(use.choice.title)} would be asked for {told.text()}")


def extraction_json(extractor: ModelExtractor, report: ExtractionReport) -> dict[str, Any]:
    """What came of the asking, and what is left and would cost how much, as plain JSON types."""
    from assistant.models.extracting.estimate import estimate

    asked, spent = extractor.asked, extractor.meter.spent
    return {
        "model": extractor.prompt.model,
        "by_model": report.by_model,
        "cached": asked.cached,
        "asked": asked.answered,
        "failed": [{"title": one.passage.title, "reason": one.reason} for one in asked.failed],
        "left": estimate(asked.left, extractor.choice).to_json() if asked.left else None,
        "stopped": asked.stopped,
        "facts": report.facts,
        "dropped": report.dropped,
        "usage": {
            "requests": spent.requests,
            "input_tokens": spent.input_tokens,
            "output_tokens": spent.output_tokens,
            "cost": spent.cost,
        },
    }


def tell_extraction(extractor: ModelExtractor, report: ExtractionReport, quiet: bool) -> None:
    """The same on stderr. What was not extracted by the model always is told, as it is what was asked for."""
    from assistant.models.extracting.estimate import estimate

    asked = extractor.asked
    if not quiet and not asked.total:
        click.echo(f"nothing to ask {plain(extractor.prompt.model)} for: all of it has been extracted before", err=True)
    elif not quiet:
        dropped = f", {report.dropped:,} more dropped that their passages do not bear out" if report.dropped else ""
        known = f" ({asked.cached:,} of them answered before)" if asked.cached else ""
        told = f"{counted(report.by_model, 'passage')}{known}, {report.facts:,} facts{dropped}"
        click.echo(
            f"extracted by {plain(extractor.prompt.model)}: {told}; {spent_text(extractor.meter.spent)}", err=True
        )
    for one in asked.failed[:SHOWN_PASSAGES]:
        click.echo(f"clew: extracted by rule: {plain(one.passage.title, 80)!r}: {plain(one.reason, 200)}", err=True)
    if len(asked.failed) > SHOWN_PASSAGES:
        click.echo(f"clew: extracted by rule: {len(asked.failed) - SHOWN_PASSAGES} more", err=True)
    if asked.left:
        rest = estimate(asked.left, extractor.choice).text()
        click.echo(
            f"clew: {plain(asked.stopped, 400)}; not asked for: {rest}; run the command again to go on", err=True
        )


def exit_code(extractor: ModelExtractor) -> int:
    """5 where the budget left passages out, 4 where the model failed before all were asked for, else 0."""
    asked = extractor.asked
    return (5 if asked.over_budget else 4) if asked.left else 0


def spent_text(spent: Spending) -> str:
    """As in "12,345 tokens, $0.0123"; "0 tokens" where nothing was asked."""
    cost = f", ${spent.cost:.4f}" if spent.cost is not None else ""
    return f"{spent.tokens:,} tokens{cost}"
