"""A conversation with one knowledge base: questions in, events and cited answers out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from pydantic_ai import AgentRunResultEvent, exceptions
from pydantic_ai.messages import (
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartStartEvent,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from assistant.agent.deps import Deps
from assistant.agent.final_answer import Output
from assistant.agent.ladder import calling_model
from assistant.agent.loop import agent
from assistant.agent.offline.extracted_answer import agreeing_hops
from assistant.agent.offline.offline_model import OfflineModel
from assistant.agent.offline.sorts import sort_of
from assistant.agent.replying.composing import build_reply
from assistant.agent.replying.reply import Reply, Usage
from assistant.agent.replying.trust import mark_beside_reading, stopped_early
from assistant.agent.streaming import AnswerStream
from assistant.agent.toolbox.search_stages import rank_again
from assistant.agent.workspace import AnsweredBefore, Workspace
from assistant.conversations.asked import Asked, SessionOptions
from assistant.conversations.dialogue import arguments_of, finished_call, messages_of_run, messages_of_turns, prompt_of
from assistant.conversations.events import Event, Finished, ModelAsked, Spent, TextDelta, ThoughtDelta, ToolStarted
from assistant.conversations.follow_up.standing_alone import standing_alone
from assistant.conversations.narration import silent
from assistant.conversations.transcripts.contents import known_fingerprint
from assistant.conversations.transcripts.playback import ReplayModel
from assistant.conversations.transcripts.recorder import Recorder
from assistant.models.budget import BudgetSpent, Meter, OutOfTime
from assistant.models.calling.remembered import is_small, remember, remembered
from assistant.models.calling.rungs import Rung, Rungs
from assistant.models.endpoints import model_failures, price
from assistant.models.judging.cache import JudgementCache
from assistant.models.judging.model_judge import ModelJudge
from assistant.models.metered import MeteredModel
from assistant.shared.chosen_scorer import open_to_ask
from assistant.shared.model_choice import CONTEXT_WINDOW, ModelChoice
from assistant.shared.spending_limits import Budget
from kb.errors import ClewError, ModelFailure, UsageError
from kb.store.knowledge_base import KnowledgeBase
from kb.wellformed import well_formed
from tools.planning.plan import Plan
from tools.reading.certainty import RISK

T = TypeVar("T")

MAX_WORDS = 2_000
MAX_CHARACTERS = 20_000
REMEMBERED_TURNS = 6
"""Earlier questions and answers that a model is told: enough for "and when did she die?", and small."""

FINISHING = 2.0
"""Seconds kept back from a budget, but no more than half of it, to answer without the model: from nothing that takes a
second.
"""

REQUESTS = 16
"""Model requests for one question, answers sent back for their citations included; two to five are usual."""


class Session:
    """One knowledge base and one model; remembers its questions and answers for follow-up questions.

    Lives in one event loop and answers one question at a time. Everything that reads the file runs in one thread of its
    own, so that the loop stays free and a call that was cancelled cannot meet the next one.
    """

    def __init__(self, kb: KnowledgeBase, model: ModelChoice | None = None, **options: Unpack[SessionOptions]) -> None:
        self.choice = model or ModelChoice()
        self.top = options.get("top", 10)
        self.budget = options.get("budget") or Budget()
        self.risk = options.get("risk", RISK)
        self._above = options.get("above")
        self._transcripts = options.get("transcripts")
        self._again = options.get("again")
        self._kb = kb
        self._model = self._endpoint()
        self._rungs = Rungs(self.choice.calling)
        self._known_rung: Rung | None = None
        if self._again is not None:
            self._rungs.stand_on(self._again.rung)
        self._judgements = JudgementCache(kb, given=self._again.judgements if self._again else None)
        self._judge: ModelJudge | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-kb")
        self.turns: list[Reply] = []

    @classmethod
    def open(cls, path: str | Path, model: ModelChoice | None = None, **options: Unpack[SessionOptions]) -> Self:
        """A session over the file at `path`.

        Raises BadFileError, and UsageError or ModelFailure for an unusable model or scorer.
        """
        kb = open_to_ask(path)
        try:
            return cls(kb, model, **options)
        except BaseException:
            kb.close()
            raise

    def _endpoint(self) -> Model | None:
        """The model at the endpoint, or what stands in its place; None for the offline model."""
        if self.choice.offline:
            return None
        if self._again:
            return ReplayModel(self._again.exchanges, self.choice.name)
        from assistant.models.openai_chat import endpoint_model  # a second: openai

        return endpoint_model(self.choice)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        if isinstance(error, Exception) and (told := self._kb.explained(error)) is not error:
            raise told from error

    def close(self) -> None:
        """Wait for a tool that still runs, though for no judgement of a model, then close the file."""
        if self._judge is not None:
            self._judge.stop()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._judgements.close()
        self._kb.close()

    @property
    def passages(self) -> int:
        """How many passages the file holds."""
        return self._kb.info().passages

    def asked_with(self) -> dict[str, Any]:
        """What the answers depend on besides the question, as JSON: what the file holds, the model and the risk."""
        return {"knowledge_base": known_fingerprint(self._kb.path), "model": self.choice.name, "risk": self.risk}

    def resume(self, replies: Sequence[Reply]) -> None:
        """Take up an earlier conversation: what was asked and answered, oldest first."""
        self.turns = list(replies)[-REMEMBERED_TURNS:]

    async def ask(self, question: str, plan: Plan | None = None) -> AsyncGenerator[Event, None]:
        """What happens on the way to the answer, as it happens; `Finished` with the reply comes last.

        A recorded `plan` is used instead of planning. The question is remembered once it has been answered. Where the
        model fails after it has answered a request, or the question's budget is spent, the answer is made of what has
        been found by then, and marked as partial. Raises UsageError for an unusable question, ModelFailure,
        BadFileError, and BudgetSpent where it is the budget above that is spent.
        """
        await self._find_rung()
        asked = self._asked(question, plan)
        try:
            if self.choice.offline:
                asked.workspace.before = self._answered_before()
                asked.workspace.standalone = await self._in_thread(self._standing_alone, asked.workspace.question)
            async with aclosing(self._answered(asked)) as events:
                async for event in events:
                    yield event
        except ClewError as error:
            await self._in_thread(self._keep_failure, asked, error)
            raise
        except Exception as error:
            # What a damaged file holds can make any code fail, and a chat or a server goes on with its other files.
            told = await self._in_thread(self._kb.explained, error)
            if told is error:
                raise
            raise told from error
        reply = await self._in_thread(self._reply, asked)
        self.turns = [*self.turns, reply][-REMEMBERED_TURNS:]
        yield Finished(reply)

    async def _find_rung(self) -> None:
        """Before the first question: begin on the rung that is known to work, or the last one for a small model."""
        if self._model is None or self._again is not None or self._rungs.pinned or self._known_rung is not None:
            return
        from assistant.models.openai_chat import parameters_of  # loaded with the model

        rung = await self._in_thread(remembered, self.choice)
        if rung is None and is_small(await parameters_of(self._model, self.choice)):
            rung = "planned"
        self._rungs.stand_on(rung or "tools")
        self._known_rung = self._rungs.rung

    async def _in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(function, *arguments))

    def _standing_alone(self, question: str) -> str:
        return standing_alone(question, self.turns, partial(sort_of, self._kb))

    def _answered_before(self) -> AnsweredBefore | None:
        """The last answer, or refusal, that was no small talk."""
        last = next((turn for turn in reversed(self.turns) if not turn.is_talk), None)
        if last is None:
            return None
        cited = tuple((one.passage_id, one.quote) for one in last.citations) if last.found else ()
        return AnsweredBefore(last.question, last.answer, last.certainty, cited)

    def _asked(self, question: str, plan: Plan | None) -> Asked:
        """A question with all that it is answered with: the stack of models from the endpoint up to the loop."""
        workspace = Workspace(checked_question(question), plan, risk=self.risk)
        meter = Meter(self.budget, partial(price, self.choice), self._above)
        if not self._kb.is_finished:
            workspace.notes.append("the knowledge base is not complete: its build was stopped, or is still at work")
        asked = Asked(Deps(self._kb, workspace, self._thread, meter=meter), self._recorder(plan))
        if self._again is not None:
            asked.deps.stop = self._again.stop(meter)
        if self._model is None:
            return asked
        asked.deps.context_window = self.choice.context_window or self._model.context_window or CONTEXT_WINDOW
        base = asked.recorder.model(self._model) if asked.recorder else self._model
        asked.metered = MeteredModel(base, meter)
        # A model that is only asked for an answer is not up to judging.
        if self.choice.judge == "model" and self._rungs.rung != "planned":
            self._judge = asked.judge = asked.deps.judge = ModelJudge(
                self._kb,
                asked.metered,
                name=self.choice.title,
                loop=asyncio.get_running_loop(),
                cache=self._judgements,
                notes=workspace.notes,
                meter=meter,
                rungs=self._rungs,
            )
        return asked

    def _recorder(self, plan: Plan | None) -> Recorder | None:
        if self._transcripts is None:
            return None
        rung = "" if self.choice.offline else self._rungs.rung
        return Recorder(
            self._kb,
            self.choice,
            top=self.top,
            earlier=self.turns,
            plan=plan,
            budget=self.budget,
            rung=rung,
            risk=self.risk,
        )

    async def _answered(self, asked: Asked) -> AsyncGenerator[Event, None]:
        try:
            async with aclosing(self._run(asked, self._loop_model(asked))) as events:
                async for event in events:
                    yield event
        except (ModelFailure, BudgetSpent, exceptions.RunTimedOut) as error:
            reason = self._reason(asked, error)
            # Offline it costs nothing to look on, but time.
            at_once = isinstance(error, exceptions.RunTimedOut | OutOfTime)
            rest = "the answer is what had been found by then" if at_once else "clew went on without the model"
            asked.workspace.notes.append(f"{reason}; {rest}")
            asked.stopped = True
            async with aclosing(self._run(asked, OfflineModel(asked.deps, at_once=at_once))) as events:
                async for event in events:
                    if not isinstance(event, TextDelta):
                        yield event

    def _loop_model(self, asked: Asked) -> Model:
        """The model that the agent's loop talks to, with all that stands between it and the endpoint."""
        if asked.metered is None:
            return OfflineModel(asked.deps)
        return calling_model(asked.metered, self.choice, asked.deps, self._rungs)

    def _reason(self, asked: Asked, error: Exception) -> str:
        """Why the answer is partial, for its reader. Raises `error` where there is to be no answer."""
        if isinstance(error, exceptions.RunTimedOut):
            error = asked.deps.meter.late()
        over = isinstance(error, BudgetSpent) and error.meter is not asked.deps.meter
        if asked.recorder is not None and (over or isinstance(error, OutOfTime)):
            asked.recorder.stopped_at = asked.deps.steps
        match error:
            case BudgetSpent() if over:
                raise error
            case ModelFailure() if asked.metered is None or not asked.metered.answered:
                raise error
            case _:
                return str(error)

    async def _run(self, asked: Asked, model: Model) -> AsyncGenerator[Event, None]:
        stream, deps = AnswerStream(), asked.deps
        run = agent().run_stream_events(
            prompt_of(deps.workspace),
            model=model,
            deps=deps,
            message_history=messages_of_turns(self.turns),
            usage_limits=UsageLimits(request_limit=REQUESTS),
            timeout=None if asked.stopped else _seconds(deps.meter),
        )
        # Entering the model closes its connections at the end of each question, whatever loop asks the next one.
        with model_failures(self.choice):
            async with model, run as events:
                try:
                    async for event in events:
                        for told in self._told(asked, stream, event):
                            yield told
                finally:
                    # Before the loop is left, which may wait for a tool that waits for a judgement.
                    asked.close()
                    asked.messages += messages_of_run(events)

    def _told(self, asked: Asked, stream: AnswerStream, event: object) -> Iterator[Event]:
        """What a surface is told of an event of the loop."""
        deps = asked.deps
        match event:
            case FunctionToolCallEvent(part=part):
                yield ToolStarted(part.tool_call_id, part.tool_name, arguments_of(part.args))
            case FunctionToolResultEvent(part=part):
                yield finished_call(deps.workspace, part)
                yield Spent(deps.meter.spent, deps.meter.left)
            case (
                PartStartEvent(part=ThinkingPart(content=str(thought)))
                | PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(thought)))
            ):
                # A thought of no words only says that the model has been asked.
                yield ThoughtDelta(thought) if thought else ModelAsked(self.choice.title)
            case PartStartEvent() | PartDeltaEvent():
                if text := stream.feed(event):
                    yield TextDelta(text)
            case AgentRunResultEvent(result=result):
                asked.result = result

    def _reply(self, asked: Asked) -> Reply:
        assert asked.result is not None, "a run that does not raise has a result"
        spent = asked.deps.meter.spent
        output = self._trusted(asked, asked.result.output)
        requests = asked.result.usage.requests if self.choice.offline else spent.requests
        reply = build_reply(
            self._kb,
            asked.workspace,
            output,
            top=self.top,
            model=self.choice.title,
            usage=Usage(requests, spent.input_tokens, spent.output_tokens, spent.cost),
            seconds=spent.seconds,
        )
        if self._known_rung is not None and self._rungs.rung != self._known_rung:
            self._known_rung = self._rungs.rung
            remember(self.choice, self._rungs.rung)
        return self._kept(asked, replace(reply, partial=asked.stopped))

    def _trusted(self, asked: Asked, output: Output) -> Output:
        """The output, where it is sure enough, with its certainty in the Workspace.

        That of the offline model is there already, which also finishes what was stopped.
        """
        workspace = asked.workspace
        if asked.stopped:
            stopped_early(workspace)
        if asked.stopped or asked.metered is None or workspace.is_own:
            return output
        rank_again(self._kb, workspace)
        extracted, hops = agreeing_hops(self._kb, workspace, output)
        workspace.hops = workspace.hops or hops
        reading = None if extracted.unknown else extracted.found
        return mark_beside_reading(workspace, output, reading, answers_only=self._rungs.rung == "planned")

    def _kept(self, asked: Asked, reply: Reply, error: str = "") -> Reply:
        """The reply, with a note where its transcript could not be kept."""
        if asked.recorder is None or self._transcripts is None:
            return reply
        asked.recorder.judgements = asked.judge.used if asked.judge else {}
        note = asked.recorder.keep(self._transcripts, asked.workspace, asked.messages, reply, error)
        return replace(reply, notes=(*reply.notes, note)) if note else reply

    def _keep_failure(self, asked: Asked, error: ClewError) -> None:
        self._kept(asked, Reply(asked.workspace.question, "", found=False, model=self.choice.title), str(error))


def _seconds(meter: Meter) -> float | None:
    """How long the loop may take, with a little kept back for the answer from what has been found."""
    left = meter.left.seconds
    return None if left is None else max(left - min(FINISHING, left / 2), 0.001)


def checked_question(question: str) -> str:
    """The question without the space around it. UsageError where it is empty or too long to be one."""
    text = well_formed(question).strip()
    if not any(character.isalnum() for character in text):
        raise UsageError(f"the question {text[:40]!r} asks nothing; write it in words")
    words = len(text.split())
    if words > MAX_WORDS or len(text) > MAX_CHARACTERS:
        raise UsageError(
            f"the question has {words:,} words and {len(text):,} characters; at most {MAX_WORDS:,} and "
            f"{MAX_CHARACTERS:,} are taken; to ask about a long text, save it as a file and build it in "
            "(clew add, or /add in the chat)"
        )
    return text


async def final_reply(
    session: Session, question: str, plan: Plan | None = None, *, tell: Callable[[Event], None] = silent
) -> Reply:
    """The reply to a question on its own, for callers that hold no conversation; `tell` is given every event.

    Raises as `Session.ask` does.
    """
    session.resume(())
    reply = await next_reply(session, question, plan, tell=tell)
    session.resume(())
    return reply


async def next_reply(
    session: Session, question: str, plan: Plan | None = None, *, tell: Callable[[Event], None] = silent
) -> Reply:
    """The reply to a question that goes on with the session's conversation; `tell` is given every event.

    Raises as `Session.ask` does.
    """
    async with aclosing(session.ask(question, plan)) as events:
        async for event in events:
            tell(event)
            if isinstance(event, Finished):
                return event.reply
    raise AssertionError("a session ends with Finished or raises")


def answer(
    path: str | Path,
    question: str,
    model: ModelChoice | None = None,
    *,
    tell: Callable[[Event], None] = silent,
    **options: Unpack[SessionOptions],
) -> Reply:
    """One question to one file, from code that is not asynchronous. Raises as `Session.open` and `Session.ask` do."""

    async def answered() -> Reply:
        with Session.open(path, model, **options) as session:
            return await final_reply(session, question, tell=tell)

    return asyncio.run(answered())
