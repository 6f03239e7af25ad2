"""What goes into the agent's loop and comes out of it: the question and the turns before it, messages, calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai import exceptions
from pydantic_ai.agent.abstract import AgentRunEvents
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart
from pydantic_core import from_json, to_json

from assistant.agent.final_answer import Output, without_citations
from assistant.agent.replying.reply import Reply
from assistant.agent.short_text import clip
from assistant.agent.workspace import Workspace
from assistant.conversations.events import ToolFinished


def prompt_of(workspace: Workspace) -> str:
    """The question, with the steps of a plan that was given with it."""
    if workspace.plan is None:
        return workspace.question
    steps = to_json([f"{one.head} | {one.relation} | {one.tail}" for one in workspace.plan.constraints]).decode()
    return f"{workspace.question}\n\nUse these steps for find_evidence: {steps}"


def messages_of_turns(turns: Sequence[Reply]) -> list[ModelMessage]:
    """Earlier questions and answers as plain text: their tools' results would only carry numbers that mean nothing
    now.
    """
    messages: list[ModelMessage] = []
    for turn in turns:
        told = f"{turn.answer}\n\n{turn.explanation}" if turn.found else f"Not found: {turn.missing}"
        messages.append(ModelRequest(parts=[UserPromptPart(turn.question)]))
        messages.append(ModelResponse(parts=[TextPart(without_citations(told).strip())]))
    return messages


def arguments_of(arguments: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    """A call's arguments for people; what is not JSON yet is shown as it came."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        value = from_json(arguments)
    except ValueError:
        return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": arguments}


def finished_call(workspace: Workspace, part: ToolReturnPart) -> ToolFinished:
    """How a call of a tool ended, for a surface."""
    for call in reversed(workspace.calls):
        if call.call_id == part.tool_call_id:
            return ToolFinished(call.call_id, call.name, call.seconds, call.summary, call.failed)
    # Refused before it ran: the arguments do not fit the tool.
    return ToolFinished(
        part.tool_call_id, part.tool_name, 0.0, clip(part.model_response_str(wrap_if_error=False), 300), failed=True
    )


def messages_of_run(events: AgentRunEvents[Output]) -> list[ModelMessage]:
    """The messages of a run as far as it has come; none of one that was cancelled before its first."""
    try:
        return events.new_messages()
    except exceptions.UserError:
        return []
