"""A question on its way through a session, and how a session is told to answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from pydantic_ai.messages import ModelMessage
from pydantic_ai.run import AgentRunResult

from assistant.agent.deps import Deps
from assistant.agent.final_answer import Output
from assistant.agent.workspace import Workspace
from assistant.conversations.transcripts.form import Transcript
from assistant.conversations.transcripts.recorder import Recorder
from assistant.models.budget import Budget, Meter
from assistant.models.judging.model_judge import ModelJudge
from assistant.models.metered import MeteredModel


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
