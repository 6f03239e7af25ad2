"""Tool calls for models without them: the tools described in the prompt, each call one JSON object of plain chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Literal

from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings, merge_model_settings
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_json

from assistant.models.calling.lenient import DEPTH

Form = Literal["json_schema", "json_object", "text"]
"""How a server is told that the reply is JSON: with the schema, without it, or in the prompt alone."""

FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")

_KEPT = ("type", "enum", "const", "required")


@cache
def prompt(name: str) -> Template:
    """A prompt of this package, by the name of its Markdown file."""
    return Template(files("assistant.models.calling").joinpath(f"{name}.md").read_text(encoding="utf-8").strip())


def tools_in_words(tools: Sequence[ToolDefinition]) -> str:
    """The tools with their arguments, a line each, and one for each argument that is explained."""
    lines: list[str] = []
    for tool in tools:
        schema = tool.parameters_json_schema
        known = schema.get("properties", {})
        arguments = ", ".join(f"{name}: {_type_of(one, schema)}{_default(one)}" for name, one in known.items())
        lines.append(f"- {tool.name}({arguments}): {_one_line(tool.description)}")
        lines += [f"  - {name}: {_one_line(one['description'])}" for name, one in known.items() if "description" in one]
    return "\n".join(lines)


def _default(schema: Mapping[str, Any]) -> str:
    return f" = {to_json(schema['default']).decode()}" if "default" in schema else ""


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())


def _type_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """A type in a word; for objects the names of what they need."""
    plain = plain_schema(schema, root)
    if plain.get("type") == "array":
        return f"list of {_type_of(plain.get('items', {}), root)}"
    if plain.get("type") == "object":
        known = plain.get("properties", {})
        return "{" + ", ".join(plain.get("required") or known) + "}" if known else "object"
    return str(plain.get("type", "value"))


def plain_schema(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0) -> dict[str, Any]:
    """The schema without references, bounds and words: what every server's grammar understands."""
    root = schema if root is None else root
    if isinstance(name := schema.get("$ref"), str):
        schema = root.get("$defs", {}).get(name.rpartition("/")[2], {})
    if depth > DEPTH:
        return {}
    plain = {key: schema[key] for key in _KEPT if key in schema}
    if isinstance(schema.get("items"), Mapping):
        plain["items"] = plain_schema(schema["items"], root, depth + 1)
    if schema.get("type") == "object":
        known = schema.get("properties", {})
        plain["properties"] = {name: plain_schema(one, root, depth + 1) for name, one in known.items()}
    if options := schema.get("anyOf"):
        plain["anyOf"] = [plain_schema(option, root, depth + 1) for option in options]
    return plain


def call_schema(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The schema of one call of one of the tools, with the arguments of that tool."""
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": plain_schema(tool.parameters_json_schema)},
            "required": ["tool", "arguments"],
        }
        for tool in tools
    ]
    return {"type": "object", "anyOf": calls}


def either_schema(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The schema of the bare arguments of one of the tools."""
    return {"type": "object", "anyOf": [plain_schema(tool.parameters_json_schema) for tool in tools]}


def all_tools(parameters: ModelRequestParameters) -> list[ToolDefinition]:
    """Tools to search with and tools to answer with."""
    return [*parameters.function_tools, *parameters.output_tools]


def as_chat(parameters: ModelRequestParameters, *instructions: str) -> ModelRequestParameters:
    """The parameters of a plain chat with these instructions instead of tools."""
    return replace(
        parameters,
        function_tools=[],
        output_tools=[],
        output_mode="text",
        output_object=None,
        allow_text_output=True,
        # One system message: several chat templates take no second one.
        instruction_parts=[InstructionPart(content="\n\n".join(instructions))],
    )


def told(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> list[str]:
    """The instructions of the agent as texts."""
    if parameters.instruction_parts is not None:
        return [part.content for part in parameters.instruction_parts]
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    return [requests[-1].instructions] if requests and requests[-1].instructions else []


def constrained(settings: ModelSettings | None, form: Form, name: str, schema: Mapping[str, Any]) -> ModelSettings:
    """The settings that ask a server for JSON of this schema."""
    if form == "text":
        return settings or ModelSettings()
    wanted: dict[str, Any] = {"type": form}
    if form == "json_schema":
        wanted["json_schema"] = {"name": name, "schema": dict(schema), "strict": False}
    extra = (settings or {}).get("extra_body")
    body = {**(extra if isinstance(extra, dict) else {}), "response_format": wanted}
    return merge_model_settings(settings, ModelSettings(extra_body=body)) or ModelSettings()


def messages_in_words(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The messages with tool calls as the JSON of `json_calls.md` and their results as what the user says.

    Each becomes one text, so that chat templates that want user and assistant in turn are content.
    """
    return [_request(message) if isinstance(message, ModelRequest) else _response(message) for message in messages]


def _request(message: ModelRequest) -> ModelRequest:
    system = [part for part in message.parts if isinstance(part, SystemPromptPart)]
    said = [text for part in message.parts if part not in system and (text := _said(part))]
    return replace(message, parts=[*system, UserPromptPart("\n\n".join(said))])


def _said(part: object) -> str:
    if isinstance(part, ToolReturnPart):
        return f"Result of {part.tool_name}:\n{part.model_response_str()}"
    content = getattr(part, "content", "")
    return content if isinstance(content, str) else to_json(content, fallback=str).decode()


def _response(message: ModelResponse) -> ModelResponse:
    texts = [call_text(part) for part in message.parts if isinstance(part, ToolCallPart)]
    # Text beside calls told of them; without any it is all that was said.
    texts = texts or [part.content for part in message.parts if isinstance(part, TextPart)]
    return replace(message, parts=[TextPart("\n".join(texts))])


def call_text(part: ToolCallPart) -> str:
    """A call as the JSON object that stands for it."""
    return to_json({"tool": part.tool_name, "arguments": part.args_as_dict()}).decode()


def again(messages: Sequence[ModelMessage], response: ModelResponse, problem: str, wanted: str) -> list[ModelMessage]:
    """The messages with an unusable response, as text, and what is wrong with it.

    Calls that cannot be read are no longer calls: servers refuse a history with broken ones.
    """
    written = [part.content for part in response.parts if isinstance(part, TextPart)]
    written += [f"{part.tool_name}({part.args})" for part in response.parts if isinstance(part, ToolCallPart)]
    text = "\n".join(written).strip()[:2_000] or "(nothing)"
    said = prompt("again").substitute(problem=problem, wanted=wanted)
    unusable = ModelResponse(parts=[TextPart(text)])
    return [*messages, unusable, ModelRequest(parts=[UserPromptPart(said)])]
