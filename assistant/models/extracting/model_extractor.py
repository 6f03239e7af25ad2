"""Asking a model for what passages say, several at a time, each answer kept as soon as it is there."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic_ai import exceptions
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from assistant.models.budget import BudgetSpent, Meter
from assistant.models.extracting.extraction_prompt import answers, batches, instructions, prompt_version, question
from assistant.models.metered import MeteredModel
from assistant.models.model_errors import explanation, label, reason
from assistant.shared.model_choice import ModelChoice
from kb.errors import ModelFailure
from kb.graph.model_extraction import ModelExtraction, ModelPrompt, extraction_key
from kb.store.model_cache import EXTRACTION, ModelAnswer, ModelCache, PassageText

CONCURRENCY = 4
"""Requests under way at a time: what a local server takes by default, and hosted ones take more."""

FAILURES_IN_A_ROW = 5
"""After so many requests in a row without an answer no more are sent: the server is down, or the model not up to it."""

SPARE_TOKENS = 2048
"""Room in every answer besides four tokens for one of the passages, for models that think aloud first."""

_HOPELESS = (
    exceptions.ModelAuthenticationError,
    exceptions.ModelNotFoundError,
    exceptions.ModelQuotaExceededError,
)
"""What the next request would meet as well."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A passage that the model gave no answer for, and why."""

    passage: PassageText
    reason: str


@dataclass(slots=True)
class Asked:
    """How far the asking is, in passages. `left` were not asked, for the reason `stopped`; `over_budget` says whether
    that is the budget, else the model fails.
    """

    total: int = 0
    cached: int = 0
    answered: int = 0
    requests: int = 0
    failed: list[Failed] = field(default_factory=list)
    left: list[PassageText] = field(default_factory=list)
    stopped: str = ""
    over_budget: bool = False

    @property
    def done(self) -> int:
        """Passages that need not be asked any more."""
        return self.cached + self.answered + len(self.failed)


Report = Callable[[Asked], None]


@dataclass(frozen=True, slots=True)
class _Job:
    """Passages for one request; `again` where an earlier request for them has failed."""

    passages: tuple[PassageText, ...]
    again: bool = False


class ModelExtractor:
    """A `kb.model_extraction.PassageExtractor`: asks `endpoint`, the model of `choice`, through `meter`.

    Of an answer that cannot be read, or of a request that fails, each passage is asked for once more on its own; then
    it is given up, and named in `asked`. When the budget is spent, or `FAILURES_IN_A_ROW` requests have failed, no
    more are sent.
    """

    def __init__(
        self,
        choice: ModelChoice,
        endpoint: Model,
        meter: Meter,
        *,
        concurrency: int = CONCURRENCY,
        progress: Report | None = None,
    ) -> None:
        self.prompt = ModelPrompt(choice.title, prompt_version())
        self.choice = choice
        self.meter = meter
        self.asked = Asked()
        self._endpoint = MeteredModel(endpoint, meter)
        self._concurrency = concurrency
        self._progress = progress or _silent

    def ask(self, passages: Sequence[PassageText], cache: ModelCache) -> None:
        """Put the answers for `passages` into `cache`, each as soon as it is there.

        Raises ModelFailure where the very first request shows that none can succeed, or where requests go on failing
        and none has got an answer; what `cache` holds stays.
        """
        keys = {one: extraction_key(one, self.prompt) for one in passages}
        known = cache.known(keys.values())
        rest = [one for one in passages if keys[one] not in known]
        self.asked.total += len(passages)
        self.asked.cached += len(passages) - len(rest)
        self._progress(self.asked)
        if rest:
            asyncio.run(self._ask(_Asking(self, cache, rest)))

    async def _ask(self, asking: _Asking) -> None:
        async with self._endpoint:  # closes its connections, which belong to this loop
            await asking.run(self._concurrency)

    async def request(self, passages: Sequence[PassageText]) -> ModelResponse:
        """The model's answer for passages. Raises BudgetSpent, AgentRunError."""
        size = sum(len(one.title) + len(one.text) for one in passages)
        messages: list[ModelMessage] = [ModelRequest.user_text_prompt(question(passages), instructions=instructions())]
        return await model_request(
            self._endpoint, messages, model_settings=ModelSettings(max_tokens=SPARE_TOKENS + size)
        )

    def report(self) -> None:
        """Tell how far the asking is."""
        self._progress(self.asked)


class _Asking:
    """One call of `ask`: the jobs that wait, and how many requests in a row have failed."""

    def __init__(self, extractor: ModelExtractor, cache: ModelCache, passages: Sequence[PassageText]) -> None:
        self._extractor = extractor
        self._asked = extractor.asked
        self._cache = cache
        self._jobs = deque(_Job(batch) for batch in batches(passages))
        self._in_a_row = 0
        self._answered = False
        self._spent = ""

    async def run(self, concurrency: int) -> None:
        """Ask for everything; the first request goes alone, as it may show that no other can succeed."""
        try:
            if not await self._next():
                return
            await asyncio.gather(*(self._work() for _ in range(concurrency)))
        finally:
            self._asked.over_budget = bool(self._jobs and self._spent and not self._asked.stopped)
            self._asked.stopped = self._asked.stopped or (self._spent if self._jobs else "")
            self._asked.left = [one for job in self._jobs for one in job.passages]

    async def _work(self) -> None:
        while self._jobs and not self._asked.stopped:
            if not await self._next():
                return

    async def _next(self) -> bool:
        """Do the next job; False where the budget does not allow it.

        A worker that the budget stops goes home. The others, whose answers may free what they had reserved, go on.
        """
        job = self._jobs.popleft()
        try:
            response = await self._extractor.request(job.passages)
        except BudgetSpent as spent:
            self._jobs.appendleft(job)
            self._spent = str(spent)
            return False
        except exceptions.AgentRunError as error:
            self._fail(job, error)
        else:
            self._take(job, response)
        self._asked.requests += 1
        self._extractor.report()
        return True

    def _take(self, job: _Job, response: ModelResponse) -> None:
        found = answers(response.text or "", len(job.passages), cut=response.finish_reason == "length")
        if found:
            self._cache.put(EXTRACTION, self._extractor.prompt.model, self._extractor.prompt.version,
                            _shares(job.passages, found, response))  # fmt: skip
            self._asked.answered += len(found)
            self._in_a_row, self._answered = 0, True
        missing = tuple(one for at, one in enumerate(job.passages) if at not in found)
        if not missing:
            return
        if not found:
            self._count_failure("gives answers that are not in the form asked for: name a model that writes JSON")
        if job.again:
            self._give_up(missing, "its answer could not be read")
        else:
            self._jobs.extendleft(_Job((one,), again=True) for one in reversed(missing))

    def _fail(self, job: _Job, error: exceptions.AgentRunError) -> None:
        why = explanation(error) or reason(error)
        refused = isinstance(error, exceptions.ModelConnectionError) and error.phase == "connect"
        if isinstance(error, _HOPELESS) or (refused and not self._answered):
            self._stop(why)
        self._count_failure(why)
        if job.again:
            self._give_up(job.passages, f"the model {why}")
        else:
            # To the end: what is wrong now may be over by then.
            self._jobs.extend(_Job((one,), again=True) for one in job.passages)

    def _count_failure(self, why: str) -> None:
        self._in_a_row += 1
        if self._in_a_row >= FAILURES_IN_A_ROW:
            self._stop(why)

    def _stop(self, why: str) -> None:
        told = f"{label(self._extractor.choice)} {why}"
        if not self._answered:
            raise ModelFailure(told)
        self._asked.stopped = told

    def _give_up(self, passages: Sequence[PassageText], why: str) -> None:
        self._asked.failed += [Failed(one, why) for one in passages]


def _shares(
    passages: Sequence[PassageText], found: dict[int, ModelExtraction], response: ModelResponse
) -> list[ModelAnswer]:
    """Each passage's answer with its share of the request's tokens, by length."""
    values = {at: one.to_json() for at, one in found.items()}
    read = sum(len(one.text) for one in passages) or 1
    written = sum(map(len, values.values())) or 1
    return [
        ModelAnswer(
            passages[at].content, value,
            round(response.usage.input_tokens * len(passages[at].text) / read),
            round(response.usage.output_tokens * len(value) / written),
        )
        for at, value in values.items()
    ]  # fmt: skip


def _silent(_: Asked) -> None:
    return
