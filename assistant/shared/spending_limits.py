"""What may be spent on a model: the limits alone; the meter that holds a question to them is models/budget.py."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kb.errors import UsageError

MOST_CALLS = 10
"""Calls of a question after which only an answer is taken; a small model goes in circles well before. A whole search,
all five techniques and four more fit into it.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent: tokens of input and output together, US dollars, seconds; None for no limit.

    Raises UsageError for a limit that is not positive.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("tokens", self.tokens), ("cost", self.cost), ("seconds", self.seconds)):
            if limit is not None and not 0 < limit < inf:
                told = "limits" if limit == inf else "allows"
                raise UsageError(f"a budget of {limit} {name} {told} nothing; give more than 0, or leave it out")

    def __bool__(self) -> bool:
        return any(limit is not None for limit in (self.tokens, self.cost, self.seconds))
