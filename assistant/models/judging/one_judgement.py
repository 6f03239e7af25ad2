"""One judgement asked of a language model, from a thread that may wait while the event loop is free."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from assistant.models.budget import BudgetSpent, Meter
from assistant.models.calling.lenient import find_json
from assistant.models.calling.rungs import Rungs
from assistant.models.judging.schemas import SCHEMAS
from assistant.shared.rendering import plain
from kb.errors import ClewError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model

T = TypeVar("T")
Value = Mapping[str, Any]
Reader = Callable[[Value], T]
"""Makes a judgement of the object that a model gave. Raises Malformed."""

QUESTION_BYTES = 16_000
"""Of all prompts about one question, about 4,000 tokens: the growth of ten graphs could ask sixty times, each of which
takes a small model seconds. What comes after is judged offline."""
SHARE = 0.25
"""Of the tokens that a budget has left, what one judgement may cost: the answer itself has to be paid for as well."""
ANSWER_TOKENS = 2_000
"""Of one answer at most: forty scores have 250, but some models think first; one that goes on and on is stopped."""
ANSWER_CHARACTERS = 20_000
"""Of an answer that are looked at, where a server does not keep to the tokens."""
RETURNED = 2_000
"""Characters of an answer that could not be read, as the model sees it again."""
SECONDS = 120.0
"""That one judgement may take, tries over a busy server included. A reader waits for the whole answer."""


class Malformed(ValueError):
    """An answer that is no such judgement; `str()` says what was wrong, for the model to mend it."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """A judgement, the object that it was read from, and the tokens that it took, in and out."""

    judgement: T
    value: Value
    tokens: tuple[int, int]


@cache
def prompt(kind: str) -> str:
    """The instructions for a kind of judgement."""
    return files("assistant.models.judging").joinpath("asked", f"{kind}.md").read_text(encoding="utf-8").strip()


@cache
def version(kind: str) -> str:
    """Of what is asked for, from its text and schema: who edits them need not remember to count."""
    asked = prompt(kind) + json.dumps(SCHEMAS[kind])
    return hashlib.blake2b(asked.encode(), digest_size=6).hexdigest()


class Asker:
    """Asks a model that lives in `loop`; None wherever it does not get a judgement, and then the caller has its own.

    After `stop`, a failure of the model or the end of a budget nothing more is asked, and of a kind of judgement that
    the model could not make no more of that kind. `failed` is called with what happened in words for the reader, but
    for a budget's end in the middle of a request, of which the loop tells itself. All but `stop` is called in one
    thread, not the loop's.
    """

    def __init__(
        self,
        model: Model,
        loop: asyncio.AbstractEventLoop,
        failed: Callable[[str, str], None],
        meter: Meter | None = None,
        rungs: Rungs | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._model, self._loop, self._failed, self._meter, self._seconds = model, loop, failed, meter, seconds
        self._rungs = rungs or Rungs()
        self._left = QUESTION_BYTES
        self.failure = ""
        """What the model itself failed with, without its key; "" where it did not."""
        self._over = False
        self._unreadable: set[str] = set()
        self._pending: Future[ModelResponse] | None = None

    def stop(self) -> None:
        """Ask no more, and let go of what is being waited for. From any thread."""
        self._over = True
        if (pending := self._pending) is not None:
            pending.cancel()

    def ask(self, kind: str, data: str, read: Reader[T]) -> Asked[T] | None:
        """The judgement on `data`; an answer that cannot be read is sent back once with what was wrong."""
        from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

        messages: list[ModelMessage] = [ModelRequest([UserPromptPart(data)], instructions=prompt(kind))]
        size, taken, given = _bytes(data + prompt(kind)), 0, 0
        for _ in range(0 if kind in self._unreadable else 2):
            if not self._affords(kind, size):
                break
            response = self._request(kind, messages, size)
            if response is None:
                return None
            taken, given = taken + response.usage.input_tokens, given + response.usage.output_tokens
            text = (response.text or "")[:ANSWER_CHARACTERS]
            try:
                value, judgement = _read(text, read)
            except Malformed as error:
                again = f"That could not be used: {error}. Give the whole JSON object again."
                # Some servers refuse a history with an empty answer in it.
                messages += [ModelResponse([TextPart(plain(text, RETURNED))])] if text.strip() else []
                messages.append(ModelRequest([UserPromptPart(plain(again))], instructions=prompt(kind)))
                size += _bytes(text[:RETURNED] + again)
            else:
                return Asked(judgement, value, (taken, given))
        if len(messages) > 1:
            self._unreadable.add(kind)
            self._failed(kind, "could not be read")
        return None

    def _affords(self, kind: str, size: int) -> bool:
        """Whether so many bytes may be asked; where not, that is told, once for each kind."""
        if self._over:
            return False
        if size > self._left:
            self._failed(kind, "no longer fitted into what one question may ask of it")
            return False
        if not self._within_budget(size):
            self._failed(kind, f"would have cost more than {SHARE:.0%} of what is left of the budget")
            return False
        return True

    def _within_budget(self, size: int) -> bool:
        if self._meter is None:
            return True
        tokens, left = self._meter.estimate(size), self._meter.left
        dollars = self._meter.price(tokens, 0) or 0.0
        return (left.tokens is None or tokens <= SHARE * left.tokens) and (
            left.cost is None or dollars <= SHARE * left.cost
        )

    def _request(self, kind: str, messages: list[ModelMessage], size: int) -> ModelResponse | None:
        from pydantic_ai.exceptions import AgentRunError, UserError

        from assistant.models.model_errors import explanation, reason

        self._left -= size
        try:
            return self._waited(kind, list(messages))
        except (BudgetSpent, CancelledError):
            pass
        except TimeoutError:
            self.failure = f"took more than {self._seconds:g} seconds"
            self._failed(kind, self.failure)
        except (ClewError, AgentRunError, UserError) as error:
            # Where there is an agent's loop, its own next request tells of it in full.
            self.failure = explanation(error) or (str(error) if isinstance(error, ClewError) else reason(error))
            self._failed(kind, "failed")
        self._over = True
        return None

    async def _requested(self, kind: str, messages: list[ModelMessage]) -> ModelResponse:
        """In the loop: one request, and others where the server refuses a way to see to the JSON."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.settings import ModelSettings

        from assistant.models.calling.json_chat import ask_for_json

        settings = ModelSettings(max_tokens=ANSWER_TOKENS, temperature=0.0)
        async with asyncio.timeout(self._seconds):
            return await ask_for_json(
                lambda sent, how, what: model_request(
                    self._model, sent, model_settings=how, model_request_parameters=what
                ),
                self._rungs, messages, settings, ModelRequestParameters(), kind, SCHEMAS[kind],
            )  # fmt: skip

    def _waited(self, kind: str, messages: list[ModelMessage]) -> ModelResponse:
        work = self._requested(kind, messages)
        try:
            self._pending = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError as error:
            # The loop has been closed: whoever asked is gone.
            work.close()
            raise CancelledError from error
        try:
            if self._over:
                self._pending.cancel()
            # A loop that no longer runs would never come to its own limit.
            return self._pending.result(self._seconds + 1)
        finally:
            self._pending.cancel()
            self._pending = None


def _read(text: str, read: Reader[T]) -> tuple[Value, T]:
    """The one object in the text that is a judgement; what a model writes before it may quote the example."""
    spans = find_json(text)
    if not spans:
        raise Malformed(f"there is no JSON object in {text[:80]!r}" if text.strip() else "the answer was empty")
    problem: Malformed | None = None
    for span in reversed(spans):
        try:
            if not isinstance(span.value, dict):
                raise Malformed("the answer must be one JSON object, not a list")
            return span.value, read(span.value)
        except Malformed as error:
            problem = problem or error
    raise problem or AssertionError


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
