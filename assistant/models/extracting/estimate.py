"""What asking a model for passages will cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assistant.models.extracting.extraction_prompt import batches, instructions, question
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import counted
from kb.records import PassageText
from kb.store.embeddings import load_embedder
from kb.store.model_cache import TokensSpent

INPUT_FACTOR = 1.1
"""Tokens that a server counts of a prompt for one of the bundled embedding model's: a tenth more for names and the
chat's own marks, which vocabularies cut differently.
"""

WRAPPING = 12
"""Tokens around the two messages of a request."""

OUTPUT_RATIO = 2.8
"""Tokens of an answer for one of the passage's title and text, both counted by the bundled model. That is what
gpt-3.5-turbo's facts on 1,890 passages come to in this form (nine facts and nine entities each); half of the passages
lie between 2.4 and 3.8.
"""

ENOUGH = 20
"""Answers in the file from which on their own ratio of output to input is taken instead."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is still to be asked. `cost` is in US dollars, None where no price is known; `measured` says that the size
    of answers is this file's own, not the usual one.
    """

    model: str
    passages: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    measured: bool = False

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def text(self) -> str:
        """As in "1,200 passages, about 410,000 tokens, $0.12"."""
        cost = (
            "price unknown" if self.cost is None else f"${self.cost:.2f}" if self.cost >= 0.1 else f"${self.cost:.4f}"
        )
        return f"{counted(self.passages, 'passage')}, about {self.tokens:,} tokens, {cost}"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)


def estimate(passages: Sequence[PassageText], choice: ModelChoice, spent: TokensSpent | None = None) -> Estimate:
    """What it will take to ask the model of `choice` for `passages`, where earlier answers have `spent` so much."""
    from assistant.models.endpoints import price  # a second, for pydantic-ai

    groups = list(batches(passages))
    count = load_embedder().count_tokens
    told = count([instructions()])[0] + WRAPPING
    read = round(INPUT_FACTOR * (told * len(groups) + sum(count([question(group) for group in groups]))))
    measured = spent is not None and spent.answers >= ENOUGH and spent.input_tokens > 0 and spent.output_tokens > 0
    if measured and spent is not None:
        written = round(read * spent.output_tokens / spent.input_tokens)
    else:
        written = round(OUTPUT_RATIO * sum(count([f"{one.title} {one.text}" for one in passages])))
    return Estimate(choice.title, len(passages), len(groups), read, written, price(choice, read, written), measured)
