"""What a session tells while it answers, in order of happening."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant.agent.replying.reply import Reply, ToolUse
from assistant.models.budget import Left, Spending


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call begins. `call_id` is unique within one question and comes back in its `ToolFinished`."""

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call is over after `seconds`; `summary` says in one line what came of it, or why it failed."""

    call_id: str
    name: str
    seconds: float
    summary: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next stretch of the answer's Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """The next stretch of what a model thinks before it answers or calls a tool: no part of the answer, and nothing
    that could be cited.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A language model, by this name, has been asked: what it says may be a minute away."""

    model: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What the question has cost so far, and what is left of its budget."""

    spending: Spending
    left: Left


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete; always the last event."""

    reply: Reply


Event = ToolStarted | ToolFinished | TextDelta | ThoughtDelta | ModelAsked | Spent | Finished


class Progress:
    """What has come of a question so far, gathered from its events; the clock starts when this is made."""

    def __init__(self, question: str, model: str) -> None:
        self.question = question
        self.model = model
        self.text = ""
        self.finished_tools: list[ToolFinished] = []
        self.reply: Reply | None = None
        self.spending: Spending | None = None
        self.left: Left | None = None
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time since it was made."""
        return time.monotonic() - self._began

    def add(self, event: Event) -> None:
        """Take note of the next event."""
        match event:
            case TextDelta(text):
                self.text += text
            case ToolFinished():
                self.finished_tools.append(event)
            case Spent(spending, left):
                self.spending, self.left = spending, left
            case Finished(reply):
                self.reply = reply

    def partial(self) -> Reply:
        """The reply if it is complete, else what there is of it, marked as partial."""
        tools = tuple(ToolUse(one.name, one.seconds, one.summary[:120], one.failed) for one in self.finished_tools)
        return self.reply or Reply(
            self.question, "", self.text, found=False, tools=tools, model=self.model, seconds=self.seconds, partial=True
        )
