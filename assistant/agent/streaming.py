"""The answer's Markdown out of the arguments of the output tool while they arrive."""

from __future__ import annotations

from typing import Any

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_core import from_json

from assistant.agent.replying.reply import Reply

ANSWER_TOOL = "answer"
NOT_FOUND_TOOL = "not_found"


class AnswerStream:
    """Feeds on the events of model responses and gives the Markdown as it grows.

    What it has given is always the beginning of what `Reply.markdown` gives in the end, but for the mark behind the
    answer, which is known only then; unless the model takes an answer back: then it stays silent where the new one
    differs, and the finished reply stands for all of it.
    """

    def __init__(self) -> None:
        self._given = ""
        self._name = ""
        self._arguments = ""
        self._index = -1

    def feed(self, event: ModelResponseStreamEvent) -> str:
        """The Markdown that this event adds; mostly nothing."""
        match event:
            case PartStartEvent(index=index, part=ToolCallPart(tool_name=name) as part):
                if name not in (ANSWER_TOOL, NOT_FOUND_TOOL):
                    self._index = -1
                    return ""
                self._index, self._name, self._arguments = index, name, _given(part)
            case PartDeltaEvent(index=index, delta=ToolCallPartDelta(args_delta=str(more))) if index == self._index:
                self._arguments += more
            case _:
                return ""
        return self._grown()

    def _grown(self) -> str:
        markdown = _markdown(self._name, _partial(self._arguments))
        if not markdown.startswith(self._given):
            return ""
        new, self._given = markdown[len(self._given) :], markdown
        return new


def _partial(arguments: str) -> dict[str, Any]:
    try:
        value = from_json(arguments, allow_partial="trailing-strings") if arguments else {}
    except ValueError:
        # Not JSON so far: the agent's own check of the finished arguments deals with it.
        return {}
    return value if isinstance(value, dict) else {}


def _markdown(name: str, partial: dict[str, Any]) -> str:
    if name == NOT_FOUND_TOOL:
        return Reply("", "", found=False, missing=str(partial.get("missing", ""))).markdown(with_mark=False)
    if list(partial)[-1:] in ([], ["answer"]) or "answer" not in partial:
        # The headline is closed by its asterisks, so it waits for the whole answer.
        return ""
    return Reply("", str(partial["answer"]), str(partial.get("explanation", ""))).markdown(with_mark=False)


def _given(part: ToolCallPart) -> str:
    """The arguments so far as they came: `args_as_json_str` gives an empty object for what is not JSON yet."""
    return part.args if isinstance(part.args, str) else part.args_as_json_str() if part.args else ""
