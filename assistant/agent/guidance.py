"""What keeps the agent usable for small language models: short schemas, few tools at a time, and errors that say how
to mend a call. Every tool can be called at any time; what changes is which ones are offered (offering.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_ai import ModelRetry, RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.output import OutputContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset
from pydantic_core import to_json

from assistant.agent.deps import Deps, context_left, is_answered_offline
from assistant.agent.offering import offered
from assistant.agent.rewording import is_follow_up
from assistant.agent.short_text import attribute
from assistant.agent.streaming import ANSWER_TOOL, NOT_FOUND_TOOL
from assistant.shared.spending_limits import MOST_CALLS

ROOM = 200
"""Tokens of context that a call and the least of results take: with less only an answer is taken."""

EXAMPLES: Mapping[str, Mapping[str, object]] = {
    "find_evidence": {"steps": ["Metropolis | directed by | ?director", "?director | born in | ?place"]},
    "constraint_retrieval": {
        "constraints": [{"head": "Metropolis", "relation": "directed by", "tail": "?director"}],
        "target": "?director",
    },
    "passage_search": {"query": "Fritz Lang was born in"},
    "read_passage": {"number": 3},
    "resolve_constraints": {"steps": ["Metropolis | director | Fritz Lang", "Fritz Lang | place of birth | ?place"]},
    "join_concepts": {"concepts": ["Metropolis", "birthplace of the director"]},
    "follow_paths": {"names": ["Metropolis", "Vienna"]},
    "walk_facts": {"query": "Where was Fritz Lang born?"},
    "chain_facts": {"query": "Where was Fritz Lang born?"},
    ANSWER_TOOL: {"answer": "Vienna", "explanation": "Fritz Lang was born in Vienna [2].", "cited": [2]},
    NOT_FOUND_TOOL: {"missing": "where Fritz Lang was born"},
}
"""A right call of each tool that needs arguments."""

_NOISE = ("title", "additionalProperties", "default", "minLength", "minimum", "maximum", "minItems")
"""What a schema says that no model heeds; the arguments are checked against all of it."""


@dataclass
class Guidance(AbstractCapability[Deps]):
    """Shortens each request, and tells the model in a line what was wrong with a call."""

    async def prepare_model_request(
        self, ctx: RunContext[Deps], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        ctx.deps.begin()
        # Not in before_model_request: what is offered later would be announced in system messages between the others,
        # which the chat templates of several local models refuse.
        parameters = request_context.model_request_parameters
        without = () if is_follow_up(ctx.messages) else ("question",)
        full = bool(ctx.deps.workspace.evidence) and context_left(ctx.messages, ctx.deps.context_window) < ROOM
        known = {tool.name: tool for tool in parameters.function_tools}
        names = () if full else offered(ctx.deps.workspace)
        tools = [slim(known[name], without) for name in names]
        answers = [_unexplained(slim(tool)) for tool in parameters.output_tools]
        shorter = replace(parameters, function_tools=tools, output_tools=answers)
        return replace(request_context, model_request_parameters=shorter)

    async def on_tool_validate_error(
        self,
        ctx: RunContext[Deps],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> NoReturn:
        raise mended(tool_def.name, error)

    async def on_output_validate_error(
        self,
        ctx: RunContext[Deps],
        *,
        output_context: OutputContext,
        output: Any,
        error: ValidationError | ModelRetry,
    ) -> NoReturn:
        call = output_context.tool_call
        raise mended(call.tool_name if call else ANSWER_TOOL, error)


@dataclass
class GuidedToolset(WrapperToolset[Deps]):
    """Says so where a call only repeats an earlier one, and when it was the last that is taken; none is made after."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        deps = ctx.deps
        # One response may have any number of calls.
        if len(deps.workspace.calls) >= MOST_CALLS and not is_answered_offline(ctx.messages):
            return ToolReturn(f"Not called: {MOST_CALLS} calls were made. {_LAST}")
        key = f"{name} {to_json(tool_args).decode()}"
        result = await super().call_tool(name, tool_args, ctx, tool)
        known = len(deps.workspace.evidence)
        repeated, deps.made[key] = deps.made.get(key) == known, known
        if not isinstance(result, ToolReturn):
            return result
        hints = [_REPEATED] if repeated else [str(result.return_value)]
        hints += [_LAST] if len(deps.workspace.calls) >= MOST_CALLS else []
        return replace(result, return_value="\n".join(hints))


_REPEATED = (
    "You made this very call before and nothing new has been found since: its result is above. Call another tool, or "
    f"{ANSWER_TOOL}, or {NOT_FOUND_TOOL}."
)
_LAST = f"No more tools can be called for this question. Call {ANSWER_TOOL}, or {NOT_FOUND_TOOL} with what is missing."


def slim(tool: ToolDefinition, without: Sequence[str] = ()) -> ToolDefinition:
    """The tool as a language model gets it: its summary, and of its arguments those that are required or explained,
    but not the optional ones named by `without`.

    The others have defaults that are right for a model, and are taken all the same. The schema is not marked as
    strict, which would say of every object that it takes nothing else.
    """
    summary = (tool.description or "").partition("\n\n")[0]
    full = tool.parameters_json_schema
    schema = _slim_schema(full, full.get("$defs", {}), without)
    return replace(tool, description=summary, parameters_json_schema=schema, strict=False)


def _unexplained(tool: ToolDefinition) -> ToolDefinition:
    """A tool whose arguments the instructions explain: only those that are required, without a word on them."""
    schema = tool.parameters_json_schema
    required = schema.get("required", [])
    properties = {name: _without_words(one) for name, one in schema["properties"].items() if name in required}
    return replace(tool, parameters_json_schema={**schema, "properties": properties})


def _without_words(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def mended(name: str, error: ValidationError | ModelRetry) -> ModelRetry:
    """The error in a line, with a right call to go by."""
    if isinstance(error, ModelRetry):
        return error
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    wrong = attribute(f"{where}: {what}" if where else what, 300)
    return ModelRetry(f"{name}: {wrong}. A right call has arguments like {to_json(EXAMPLES.get(name, {})).decode()}")


def _slim_schema(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], without: Sequence[str] = ()
) -> dict[str, Any]:
    """A schema without noise, its references resolved and its optional unexplained properties left out."""
    if reference := schema.get("$ref"):
        return _slim_schema(definitions[str(reference).rpartition("/")[2]], definitions)
    kept = {key: _slimmed(value, definitions) for key, value in schema.items() if key not in (*_NOISE, "$defs")}
    if "properties" in schema:
        required: Sequence[str] = schema.get("required", ())
        kept["properties"] = {
            name: _slim_schema(one, definitions)
            for name, one in schema["properties"].items()
            if name in required or ("description" in one and name not in without)
        }
    return kept


def _slimmed(value: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return _slim_schema(value, definitions)
    return [_slimmed(one, definitions) for one in value] if isinstance(value, list) else value
