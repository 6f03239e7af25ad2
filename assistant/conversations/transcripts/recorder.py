"""Taking down a question while it is answered."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic_ai import RunContext, exceptions
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_core import to_jsonable_python

from assistant.agent.replying.reply import Reply
from assistant.agent.workspace import Workspace
from assistant.conversations.transcripts.contents import known_fingerprint
from assistant.conversations.transcripts.exchange import Sent, failure_of, messages_json, response_json
from assistant.conversations.transcripts.form import (
    Call,
    Exchange,
    Fact,
    Found,
    KnowledgeBaseUsed,
    Rung,
    State,
    Transcript,
)
from assistant.conversations.transcripts.transcript_folder import Store
from assistant.shared.model_choice import ModelChoice, without_secrets
from assistant.shared.spending_limits import Budget
from kb.errors import ClewError, NotAKnowledgeBase
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Plan
from tools.reading.certainty import RISK
from tools.triple_scoring.triple_model import own_digest


@dataclass(slots=True)
class _Slot:
    """The place of an exchange in the order in which the requests were sent; empty until it has ended."""

    exchange: Exchange | None = None


class Recorder:
    """Takes down one question, from before it is asked until its reply.

    `earlier` are the turns that the model is told, `plan` one given with the question, `rung` how the model is asked at
    first ("tools", "json" or "planned"), `risk` the share of wrong answers that was allowed.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        choice: ModelChoice,
        *,
        top: int,
        earlier: Sequence[Reply] = (),
        plan: Plan | None = None,
        budget: Budget | None = None,
        rung: Rung = "",
        risk: float = RISK,
    ) -> None:
        self._kb = kb
        # Nobody knows what further fields hold: which there were has to do.
        told = dict.fromkeys(choice.extra)
        self._choice = replace(choice, base_url=without_secrets(choice.base_url), extra=told)
        self._top = top
        # Texts of earlier passages are neither told to the model nor needed to understand "her".
        self._earlier = tuple(replace(turn, passages=()) for turn in earlier)
        self._plan = plan
        self._budget = budget or Budget()
        self._rung = rung
        self._risk = risk
        self.judgements: Mapping[str, Mapping[str, Any]] = {}
        """Those of a model that were used, by key; to be set when there is a judge."""
        self.stopped_at = 0
        """The step that the end of the time or of a run's budget cut off, as `Deps.begin` counts; 0 for none."""
        self._when = datetime.now(UTC)
        self._slots: list[_Slot] = []
        self._secrets: tuple[str, ...] = tuple(filter(None, [_password(choice.base_url)]))

    def model(self, base: Model) -> Model:
        """`base`, the model at the endpoint, with every exchange taken down. Its key will be in no transcript."""
        key = getattr(getattr(base, "client", None), "api_key", None)
        self._secrets += (key,) if isinstance(key, str) else ()
        return RecordingModel(base, self._slots)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Those that have ended, in the order in which they were sent."""
        return tuple(slot.exchange for slot in self._slots if slot.exchange is not None)

    def transcript(
        self, workspace: Workspace, messages: Sequence[ModelMessage], reply: Reply, error: str = ""
    ) -> Transcript:
        """The transcript as of now; `messages` are those of this question. To be called in the file's thread.

        Raises as the knowledge base does.
        """
        path = self._kb.path.resolve()
        return Transcript(
            id=secrets.token_hex(4),
            when=self._when.isoformat(timespec="microseconds"),
            clew=version("clew"),
            question=workspace.question,
            standalone=workspace.standalone,
            knowledge_base=KnowledgeBaseUsed(str(path), known_fingerprint(path), self._kb.info().passages),
            model=self._choice,
            top=self._top,
            reply=reply,
            earlier=self._earlier,
            plan=self._plan,
            budget=self._budget,
            messages=messages_json(messages),
            rung=self._rung,
            risk=self._risk,
            scorer=own_digest(self._kb),
            exchanges=self.exchanges,
            judgements={key: dict(value) for key, value in self.judgements.items()},
            calls=tuple(_calls(workspace, messages)),
            evidence=tuple(_evidence(workspace)),
            states=tuple(_states(workspace)),
            bindings={name: tuple(values) for name, values in workspace.bindings.items()},
            facts=tuple(_facts(workspace)),
            stopped_at=self.stopped_at,
            error=error,
        )

    def keep(
        self, folder: Path, workspace: Workspace, messages: Sequence[ModelMessage], reply: Reply, error: str = ""
    ) -> str:
        """Write the transcript to `folder`; what to tell the reader where that fails, else "". Never raises for it.

        To be called in the file's thread.
        """
        try:
            Store(folder).write(self.transcript(workspace, messages, reply, error), self._secrets)
        except (OSError, ClewError, ValueError) as problem:
            reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            if isinstance(problem, NotAKnowledgeBase):  # it was one when it was opened
                reason = f"{str(self._kb.path)!r} was moved, deleted or replaced since it was opened"
            return f"no transcript of this answer could be kept in {str(folder)!r} ({reason})"
        return ""


class RecordingModel(WrapperModel):
    """Keeps each request's response, or how it failed, in the order in which the requests were sent."""

    def __init__(self, wrapped: Model, slots: list[_Slot]) -> None:
        super().__init__(wrapped)
        self._slots = slots

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        with self._recorded(messages, model_request_parameters, streamed=False) as pending:
            pending.response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        return pending.response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        with self._recorded(messages, model_request_parameters, streamed=True) as pending:
            async with self.wrapped.request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as pending.stream:
                yield pending.stream

    @contextmanager
    def _recorded(
        self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters, *, streamed: bool
    ) -> Iterator[_Pending]:
        """What was stopped from outside is no exchange: nobody learnt how it would have ended."""
        sent = Sent.of(messages, parameters, streamed=streamed)
        slot, pending, start = _Slot(), _Pending(), time.perf_counter()
        self._slots.append(slot)
        try:
            yield pending
        except exceptions.AgentRunError as error:
            slot.exchange = _exchange(sent, start, pending.got(), error)
            raise
        slot.exchange = _exchange(sent, start, pending.got(), None)


@dataclass(slots=True)
class _Pending:
    """What has come so far of a response."""

    response: ModelResponse | None = None
    stream: StreamedResponse | None = None

    def got(self) -> ModelResponse | None:
        return self.stream.get() if self.stream is not None else self.response


def _password(url: str) -> str:
    try:
        return unquote(urlsplit(url).password or "")
    except ValueError:
        return ""


def _exchange(
    sent: Sent, start: float, response: ModelResponse | None, error: exceptions.AgentRunError | None
) -> Exchange:
    return Exchange(
        sent.request,
        sent.role,
        sent.kind,
        round(time.perf_counter() - start, 4),
        response_json(response) if response is not None and (response.parts or error is None) else None,
        failure_of(error) if error is not None else None,
    )


def _calls(workspace: Workspace, messages: Sequence[ModelMessage]) -> Iterator[Call]:
    given = {
        part.tool_call_id: part
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }
    for call in workspace.calls:
        part = given.get(call.call_id)
        yield Call(call.name, _arguments(part), round(call.seconds, 4), call.summary, call.failed)


def _arguments(part: ToolCallPart | None) -> dict[str, Any]:
    if part is None:
        return {}
    try:
        arguments = part.args_as_dict()
    except (ValueError, AssertionError):
        # Mended before the tool was called: shown as it came.
        arguments = {"arguments": part.args}
    plain = to_jsonable_python(arguments, fallback=str)
    return dict(plain) if isinstance(plain, Mapping) else {"arguments": plain}


def _evidence(workspace: Workspace) -> Iterator[Found]:
    for item in workspace.evidence:
        passage = item.passage
        yield Found(item.number, passage.id, passage.document, passage.title, passage.text, item.score, item.tools)


def _states(workspace: Workspace) -> Iterator[State]:
    for state in workspace.states:
        yield State(state.constraint, state.status, state.n_eff if math.isfinite(state.n_eff) else None)


def _facts(workspace: Workspace) -> Iterator[Fact]:
    for triple in workspace.triples.values():
        yield Fact(triple.head_name, triple.relation, triple.tail_name, triple.passage, triple.sentence)
