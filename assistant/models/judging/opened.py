"""Judges for techniques that are called outside a session: by one tool's call, a race, a bench."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget
from kb.store.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from assistant.models.budget import Meter
    from assistant.models.judging.model_judge import ModelJudge


class JudgeMaker:
    """Makes a judge for each question, all of one model, which is held open in a loop of its own; see `open_judges`."""

    def __init__(
        self,
        choice: ModelChoice,
        model: Model | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._choice, self._model, self._loop, self._meter = choice, model, loop, meter

    @contextmanager
    def judging(self, kb: KnowledgeBase, notes: list[str]) -> Iterator[ModelJudge | None]:
        """A judge for one question, or None for the offline one; where the model's judgement was not to be had, and the
        offline one stood in, `notes` tell so, and in the end what the model failed with.
        """
        if self._model is None or self._loop is None:
            yield None
            return
        from assistant.models.calling.rungs import Rungs
        from assistant.models.judging.cache import JudgementCache
        from assistant.models.judging.model_judge import ModelJudge
        from assistant.models.model_errors import label

        cache = JudgementCache(kb)
        try:
            with ModelJudge(
                kb, self._model, name=self._choice.title, loop=self._loop, cache=cache, notes=notes,
                rungs=Rungs(self._choice.calling), meter=self._meter,
            ) as judge:  # fmt: skip
                yield judge
            if judge.failure:
                notes.append(f"{label(self._choice)} {judge.failure}")
        finally:
            cache.close()


@contextmanager
def open_judges(choice: ModelChoice, budget: Budget | None = None) -> Iterator[JudgeMaker]:
    """Judges of the model that was chosen; offline ones where none was, or where it is not to judge.

    All that they ask together is held to `budget`. Raises UsageError or ModelFailure for an unusable model.
    """
    if choice.offline or choice.judge != "model":
        yield JudgeMaker(choice)
        return
    from assistant.models.budget import Meter
    from assistant.models.endpoints import model_failures, price  # a second: pydantic-ai
    from assistant.models.metered import MeteredModel
    from assistant.models.openai_chat import endpoint_model

    meter = Meter(budget, partial(price, choice)) if budget is not None else None
    model: Model = endpoint_model(choice)
    model = model if meter is None else MeteredModel(model, meter)
    opened: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = Thread(target=asyncio.run, args=(_held_open(model, opened),), name="clew-judge", daemon=True)
    thread.start()
    with model_failures(choice):
        loop, end = opened.result()
    try:
        yield JudgeMaker(choice, model, loop, meter)
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()


async def _held_open(model: Model, opened: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    """The model entered, until it is told to end; what entering it raises goes to who waits for it."""
    end = asyncio.Event()
    try:
        async with model:
            opened.set_result((asyncio.get_running_loop(), end))
            await end.wait()
    except Exception as error:
        if opened.done():
            raise
        opened.set_exception(error)
