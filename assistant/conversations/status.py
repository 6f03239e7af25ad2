"""The line below a chat: what is under way, what it costs, and what the budget has left."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.models.budget import Left
from assistant.shared.rendering import counted, duration, plain
from assistant.shared.spending_limits import Budget

if TYPE_CHECKING:
    from pathlib import Path

    from assistant.conversations.chat import Conversation
    from assistant.conversations.events import Progress

# A quote inside a JSON text has a backslash before it, so this stands nowhere but at the key itself.
_USAGE = re.compile(rb'"usage": (\{[^{}]*\})')

FIRST, NEXT, THEN, LAST = range(4)
"""What a narrow line keeps, and what it drops first."""


class Bill:
    """What a session has cost: what its file tells of earlier questions, and those asked since."""

    def __init__(self) -> None:
        self.tokens = 0
        self.cost: float | None = None
        self._under_way: Progress | None = None

    def read(self, file: Path) -> None:
        """Add what the file of a session tells; nothing where it cannot be read. For a thread: it may be megabytes."""
        try:
            lines = file.read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            if found := _USAGE.findall(line):
                self._add_record(found[-1])

    def _add_record(self, text: bytes) -> None:
        try:
            record = json.loads(text)
            self.add(int(record["input_tokens"]) + int(record["output_tokens"]), record["cost"])
        except (ValueError, TypeError, KeyError):
            return

    def add(self, tokens: int, cost: float | None) -> None:
        """Add what a question has cost; `cost` is None where no price is known."""
        self.tokens += tokens
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def follow(self, progress: Progress | None) -> None:
        """Take note of the question under way; it is added once it is another one, or none, however it ended."""
        if self._under_way is not None and self._under_way is not progress:
            self.add(*_costs(self._under_way))
        self._under_way = progress


def state_line(
    conversation: Conversation, waiting: int, bill: Bill | None = None, budget: Budget | None = None, width: int = 1000
) -> str:
    """How a chat stands, in at most about `width` cells: of what does not fit, the least telling is left out."""
    progress, last, passages = conversation.progress, conversation.last, conversation.passages
    bill = bill or Bill()
    tokens, cost = _costs(progress) if progress else (0, None)
    model = plain(conversation.model, 60)
    parts = [
        (f"answering {progress.seconds:.0f} s · esc stops" if progress else "", FIRST),
        (f"{waiting} waiting" if waiting else "", FIRST),
        ("opening …" if passages is None else "", FIRST),
        (_news(conversation.news), FIRST),
        (model if width >= 60 else plain(model, 24), FIRST),
        (spent(tokens, cost), NEXT),
        (_left(progress, budget or Budget()), NEXT),
        (_session(bill.tokens + tokens, _sum(bill.cost, cost)), THEN),
        (plain(conversation.path.name, 60), LAST),
        (f"{passages:,} passages" if passages is not None else "", LAST),
        (f"last answer {duration(last.seconds)}" if last and not progress else "", LAST),
    ]
    return _fitted([(text, rank) for text, rank in parts if text], width)


def budget_line(budget: Budget) -> str:
    """What each question may cost, for people."""
    text = Left(budget.tokens, budget.cost, budget.seconds).text()
    return f"Each question may cost {text}." if text else "Questions may cost what they need."


def spent(tokens: int, cost: float | None) -> str:
    """Tokens and US dollars for people, as in "1,540 tokens $0.0021"; "" for nothing."""
    if not tokens:
        return ""
    return f"{tokens:,} tokens" + (f" ${cost:.4f}" if cost else "")


def _costs(progress: Progress) -> tuple[int, float | None]:
    if progress.reply is not None:
        usage = progress.reply.usage
        return usage.input_tokens + usage.output_tokens, usage.cost
    return (progress.spending.tokens, progress.spending.cost) if progress.spending else (0, None)


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None and other is None else (one or 0.0) + (other or 0.0)


def _left(progress: Progress | None, budget: Budget) -> str:
    """What the question under way has left; before it, what each may cost."""
    if progress is None:
        text = Left(budget.tokens, budget.cost, budget.seconds).text()
        return f"budget {text}" if text else ""
    left = progress.left or Left(budget.tokens, budget.cost, budget.seconds)
    if budget.seconds is not None:
        # Told only now and then, but it runs down all the time.
        left = Left(left.tokens, left.cost, max(budget.seconds - progress.seconds, 0.0))
    return f"{left.text()} left" if left.text() else ""


def _news(changed: int) -> str:
    """What other processes have changed in the file, as in "3 notes changed"."""
    return f"{counted(changed, 'note')} changed" if changed else ""


def _session(tokens: int, cost: float | None) -> str:
    return f"session {spent(tokens, cost)}" if tokens else ""


def _fitted(parts: Sequence[tuple[str, int]], width: int) -> str:
    """The parts in their order, without the last of the lowest rank until they fit, though never without the first."""
    kept = list(parts)
    while len(kept) > 1 and len(" · ".join(text for text, _ in kept)) > width:
        worst = max(rank for _, rank in kept)
        if worst == FIRST:
            break
        del kept[max(index for index, (_, rank) in enumerate(kept) if rank == worst)]
    return " · ".join(text for text, _ in kept)
