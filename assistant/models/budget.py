"""A budget as a contract: what a question or a run may spend on a model, and the meter that holds it to that.

Money and tokens are held before they are spent: a request is let through only where its prompt, as estimated, and a
short answer fit into what is left, and its answer is capped at the rest. Estimates err on the high side and are
corrected by what the server reports.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kb.errors import ClewError, UsageError

BYTES_PER_TOKEN = 3.0
"""Of a prompt before the server has told how it counts: English prose has 4 to 5, JSON 3 to 4, so this errs on the
high side; other scripts have about 3 bytes a character and a token a character.
"""

SHORTEST_ANSWER = 64
"""Tokens that must be left for an answer: a request that could not hold one tool call is not worth its prompt."""

Number = TypeVar("Number", int, float)

Price = Callable[[int, int], float | None]
"""US dollars for so many tokens of input and of output; None where no price is known."""


class BudgetSpent(ClewError):
    """What is left of the budget of `meter` does not allow the next request."""

    exit_code = 5

    def __init__(self, message: str, meter: Meter) -> None:
        super().__init__(message)
        self.meter = meter


class OutOfTime(BudgetSpent):
    """The seconds of the budget of `meter` are over."""


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
            if limit is not None and not limit > 0:
                raise UsageError(f"a budget of {limit} {name} allows nothing; give more than 0, or leave it out")

    def __bool__(self) -> bool:
        return any(limit is not None for limit in (self.tokens, self.cost, self.seconds))


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent. `cost` is None where no price is known; `estimated` says that a server did not count."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def text(self) -> str:
        """For people, as in "3 requests, 1,540 tokens, $0.0021"; "" where nothing was asked."""
        if not self.requests:
            return ""
        cost = f", ${self.cost:.4f}" if self.cost is not None else ""
        return f"{self.requests} requests, {self.tokens:,} tokens{cost}"


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a budget; None where it has no such limit, never below 0."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def text(self) -> str:
        """For people and models, as in "3,200 tokens, $0.0120, 41 s"; "" without limits."""
        parts = [f"{self.tokens:,} tokens"] if self.tokens is not None else []
        parts += [f"${self.cost:.4f}"] if self.cost is not None else []
        parts += [f"{self.seconds:.0f} s"] if self.seconds is not None else []
        return ", ".join(parts)


@dataclass(slots=True, eq=False)
class Reservation:
    """A request under way: its estimated prompt, and the most tokens its answer may have, None for any."""

    bytes: int
    prompt: int
    most: int | None

    @property
    def tokens(self) -> int:
        """What the request may cost at most, as estimated."""
        return self.prompt + (self.most or 0)


@dataclass(slots=True)
class Meter:
    """Counts what is spent of `budget`, for one question or, as its `above`, for a whole run of them.

    The clock starts when it is made. Requests may run side by side: what one has reserved, the others cannot have.
    """

    budget: Budget = Budget()
    price: Price = field(default=lambda taken, given: None)
    above: Meter | None = None
    clock: Callable[[], float] = time.monotonic
    _spent: Spending = Spending()
    _open: list[Reservation] = field(default_factory=list)
    _bytes_per_token: float = BYTES_PER_TOKEN
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()
        if self.above is not None:
            self._bytes_per_token = self.above._bytes_per_token
        if self.budget.cost is not None and self.price(1, 1) is None:
            raise UsageError(
                "no price is known for this model, so --max-cost cannot be held; set price_input and price_output "
                "(US dollars for a million tokens), or use --max-tokens"
            )

    @property
    def spent(self) -> Spending:
        """What was spent so far, by requests that have ended."""
        return replace(self._spent, seconds=self.clock() - self._began)

    @property
    def left(self) -> Left:
        """What is left, here and above, when all that is under way costs what was reserved."""
        own = self._own()
        if self.above is None:
            return own
        over = self.above.left
        return Left(_least(own.tokens, over.tokens), _least(own.cost, over.cost), _least(own.seconds, over.seconds))

    def _own(self) -> Left:
        return Left(
            _rest(self.budget.tokens, self._spent.tokens + sum(one.tokens for one in self._open)),
            _rest(self.budget.cost, (self._spent.cost or 0.0) + sum(self._dollars(one) for one in self._open)),
            _rest(self.budget.seconds, self.clock() - self._began),
        )

    def reserve(self, size: int, most: int | None = None) -> Reservation:
        """Let a request with a prompt of `size` bytes and an answer of at most `most` tokens through.

        Raises BudgetSpent where the prompt and a short answer do not fit.
        """
        prompt = self.estimate(size)
        for meter in self._line():
            most = _least(most, meter._room(prompt))
        reservation = Reservation(size, prompt, most)
        for meter in self._line():
            meter._open.append(reservation)
        return reservation

    def release(self, reservation: Reservation) -> None:
        """The request was refused or never sent: nothing was spent."""
        for meter in self._line():
            meter._open.remove(reservation)

    def charge(self, reservation: Reservation, taken: int, given: int, *, estimated: bool = False) -> None:
        """The request has ended; it took `taken` tokens of input and gave `given` of output."""
        self.release(reservation)
        cost = self.price(taken, given)
        for meter in self._line():
            meter._add(taken, given, cost, estimated)
            if not estimated and taken > 0:
                # The least so far: JSON, names and other scripts have more tokens than the prose of the next prompt.
                meter._bytes_per_token = min(meter._bytes_per_token, 0.95 * reservation.bytes / taken)

    def late(self) -> OutOfTime:
        """What to raise where time has run out: of the meters from here up, that of the one whose time ends first."""
        timed = [(left, meter) for meter in self._line() if (left := meter._own().seconds) is not None]
        return min(timed, key=lambda one: one[0])[1]._out_of_time()

    def estimate(self, size: int) -> int:
        """Tokens in `size` bytes of prompt, rather too many than too few; at least 1."""
        return max(1, round(size / self._bytes_per_token))

    def _add(self, taken: int, given: int, cost: float | None, estimated: bool) -> None:
        old = self._spent
        self._spent = replace(
            old,
            requests=old.requests + 1,
            input_tokens=old.input_tokens + taken,
            output_tokens=old.output_tokens + given,
            cost=old.cost if cost is None else (old.cost or 0.0) + cost,
            estimated=old.estimated or estimated,
        )

    def _room(self, prompt: int) -> int | None:
        """The most tokens of answer that this budget alone allows after a prompt. Raises BudgetSpent for too few."""
        budget, left = self.budget, self._own()
        if left.seconds is not None and left.seconds <= 0:
            raise self._out_of_time()
        needed = prompt + SHORTEST_ANSWER
        if left.tokens is not None and left.tokens < needed:
            raise BudgetSpent(
                f"the budget of {budget.tokens:,} tokens has {left.tokens:,} left, and the next request needs about "
                f"{needed:,}",
                self,
            )
        room = None if left.tokens is None else left.tokens - prompt
        return room if left.cost is None else _least(room, self._affordable(prompt, left.cost))

    def _out_of_time(self) -> OutOfTime:
        return OutOfTime(f"the budget of {self.budget.seconds or 0:g} seconds is used up", self)

    def _affordable(self, prompt: int, dollars: float) -> int:
        """The most tokens of answer that `dollars` pay for after the prompt."""
        for_prompt, for_million = self.price(prompt, 0) or 0.0, self.price(0, 1_000_000) or 0.0
        shortest = for_prompt + for_million * SHORTEST_ANSWER / 1e6
        if shortest > dollars:
            raise BudgetSpent(
                f"the budget of ${self.budget.cost:g} has ${dollars:.4f} left, and the next request needs about "
                f"${shortest:.4f}",
                self,
            )
        return int((dollars - for_prompt) / for_million * 1e6) if for_million else 1_000_000

    def _dollars(self, reservation: Reservation) -> float:
        return self.price(reservation.prompt, reservation.most or 0) or 0.0

    def _line(self) -> list[Meter]:
        return [self, *(self.above._line() if self.above else ())]


def _rest(limit: Number | None, used: Number) -> Number | None:
    return None if limit is None else max(limit - used, type(limit)(0))


def _least(one: Number | None, other: Number | None) -> Number | None:
    limits = [limit for limit in (one, other) if limit is not None]
    return min(limits) if limits else None
