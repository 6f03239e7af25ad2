"""A model's whole response, mended where there is one way to do it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.toolsets import FunctionToolset
from pydantic_core import from_json

from assistant.agent.deps import Deps
from assistant.agent.final_answer import Found, NotFound
from assistant.agent.streaming import ANSWER_TOOL, NOT_FOUND_TOOL
from assistant.models.calling.repair import (
    MeantCall,
    Tool,
    answer_in_text,
    arguments_of,
    calls_in_text,
    glued_calls,
    tool_named,
)
from assistant.models.calling.shapes import fits


@dataclass(frozen=True, slots=True)
class Mended:
    """A response that the agent can go on with, or what is `wrong` with it. `fits`: some call suits its tool."""

    response: ModelResponse
    wrong: str = ""
    fits: bool = True


def mended(response: ModelResponse, tools: Sequence[Tool], cited: Collection[int], used: Collection[str]) -> Mended:
    """The response with its calls as they must be meant.

    `cited` are the numbers of passages that an answer may cite, `used` the ids of earlier calls.
    """
    if response.finish_reason == "content_filter":
        return Mended(response)
    closed = response.finish_reason == "length"
    if any(isinstance(part, ToolCallPart) for part in response.parts):
        made = _mended_calls(response, tools, closed=closed)
        if isinstance(made, str):
            return Mended(response, made)
    else:
        made = _written_calls(response, tools, cited, closed=closed)
        if not made:
            text = any(isinstance(part, TextPart) and part.content.strip() for part in response.parts)
            return Mended(response, "it is text and calls no tool" if text else "it is empty")
    parts = list(_with_own_ids(made, used))
    reason = response.finish_reason if parts == list(response.parts) else "tool_call"
    return Mended(replace(response, parts=parts, finish_reason=reason), fits=_some_fit(parts, tools))


@cache
def known_tools() -> tuple[Tool, ...]:
    """Every tool of the agent with its whole schema. Requests offer some of them, and say less of each."""
    from assistant.agent.loop import TOOLS

    toolset: FunctionToolset[Deps] = FunctionToolset(TOOLS)
    searches = [Tool(name, tool.tool_def.parameters_json_schema) for name, tool in toolset.tools.items()]
    answers = [Tool(ANSWER_TOOL, Found.model_json_schema()), Tool(NOT_FOUND_TOOL, NotFound.model_json_schema())]
    return (*searches, *answers)


def used_ids(messages: Iterable[ModelMessage]) -> set[str]:
    """The ids of the calls in the messages."""
    return {
        part.tool_call_id
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }


def _mended_calls(response: ModelResponse, tools: Sequence[Tool], *, closed: bool) -> list[ModelResponsePart] | str:
    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if not isinstance(part, ToolCallPart):
            parts.append(part)
            continue
        tool = tool_named(part.tool_name, tools)
        if tool is None and isinstance(part.args, str) and (glued := glued_calls(part.tool_name, part.args, tools)):
            parts += [ToolCallPart(call.name, call.arguments) for call in glued]
            continue
        # The agent tells the model itself which tools there are.
        tool = tool or Tool(part.tool_name, {})
        arguments = arguments_of(part.args, tool, closed=closed)
        if arguments is None:
            return f"the arguments of {part.tool_name[:80]!r} are no JSON object"
        parts.append(_changed(part, MeantCall(tool.name, arguments)))
    return parts


def _changed(part: ToolCallPart, call: MeantCall) -> ToolCallPart:
    """The part itself where nothing is to be changed."""
    try:
        same = (from_json(part.args) if isinstance(part.args, str) else part.args) == call.arguments
    except ValueError:
        same = False
    if same and part.tool_name == call.name:
        return part
    return replace(part, tool_name=call.name, args=call.arguments)


def _written_calls(
    response: ModelResponse, tools: Sequence[Tool], cited: Collection[int], *, closed: bool
) -> list[ModelResponsePart]:
    text = "\n".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = calls_in_text(text, tools, closed=closed)
    if not calls and not closed:
        answer = next((tool for tool in tools if tool.name == ANSWER_TOOL), None)
        found = answer_in_text(text, answer, cited) if answer else None
        calls = [found] if found else []
    if not calls:
        return []
    others = [part for part in response.parts if not isinstance(part, TextPart)]
    return [*others, *(ToolCallPart(call.name, call.arguments) for call in calls)]


def _with_own_ids(parts: Iterable[ModelResponsePart], used: Collection[str]) -> Iterable[ModelResponsePart]:
    """Every call with an id that no other has."""
    taken = set(used)
    number = len(taken)
    for part in parts:
        if isinstance(part, ToolCallPart):
            name = part.tool_call_id
            while not name or name in taken:
                number += 1
                name = f"call_{number}"
            taken.add(name)
            if name != part.tool_call_id:
                part = replace(part, tool_call_id=name)
        yield part


def _some_fit(parts: Iterable[ModelResponsePart], tools: Sequence[Tool]) -> bool:
    schemas = {tool.name: tool.schema for tool in tools}
    return any(
        part.tool_name in schemas and fits(part.args_as_dict(), schemas[part.tool_name])
        for part in parts
        if isinstance(part, ToolCallPart)
    )
