"""A question on its way through a session, and how a session is told to answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from pydantic_ai.messages import ModelMessage
from pydantic_ai.run import AgentRunResult

from assistant.answers import Output
from assistant.budget import Budget, Meter
from assistant.deps import Deps
from assistant.judging.model_judge import ModelJudge
from assistant.metered import MeteredModel
from assistant.transcripts.record import Recorder
from assistant.transcripts.transcript import Transcript
from assistant.workspace import Workspace


class SessionOptions(TypedDict, total=False):
    """How a session answers: `top` ranked passages at least, a `budget` for each question and the meter `above` for all
    of them, a folder for `transcripts` (none are kept without one), a transcript whose question is answered `again`
    with the responses that it holds, and the `risk` (0..1), which share of the answers given may be wrong.
    """

    top: int
    budget: Budget | None
    above: Meter | None
    transcripts: Path | None
    again: Transcript | None
    risk: float


@dataclass(slots=True)
class Asked:
    """A question on its way: what it works with, and what has come of it. `stopped` says that it was cut short."""

    deps: Deps
    recorder: Recorder | None = None
    metered: MeteredModel | None = None
    judge: ModelJudge | None = None
    messages: list[ModelMessage] = field(default_factory=list)
    result: AgentRunResult[Output] | None = None
    stopped: bool = False

    @property
    def workspace(self) -> Workspace:
        return self.deps.workspace

    def close(self) -> None:
        """Let nothing wait for a judgement any more."""
        if self.judge is not None:
            self.judge.stop()
