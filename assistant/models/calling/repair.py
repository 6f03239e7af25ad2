"""What a language model wrote, as the calls that it must have meant; nothing where that is not clear.

Pure functions over text and JSON schemas. They never raise, and leave alone what is right already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.models.calling.lenient import Span, Unreadable, find_json, read_json, value_at
from assistant.models.calling.shapes import WRAPPERS, Schema, fits, fitted

_NAMES = ("tool", "name", "tool_name", "function", "function_name", "action", "recipient_name")
_LIST_KEYS = ("tool_calls", "calls", "tool_uses", "function_call")
_THOUGHTS = re.compile(r"</think(?:ing)?>")
_TAGGED = re.compile(
    r"<(?:tool_call|function_call|tools)>|<\|tool_call\|>|<\|python_tag\|>|\[TOOL_CALLS\]|functools(?=\[)"
)
_END_TAG = re.compile(r"</(?:tool_call|function_call|tools)>|<\|/tool_call\|>")
_FUNCTION = re.compile(r"<function=([\w.:/-]{1,80})>")
_NAMED = re.compile(r"\s*([A-Za-z_][\w.:/-]{0,80})\s*(?:\[ARGS\])?\s*(?=\{)")
_BETWEEN = re.compile(r"(?:\s|,|;|`{1,3}(?:json)?|</?tool_call>)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CITED = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]|【(\d{1,4})】")
_SHORT = re.compile(r"(?im)^[\s*#>_-]*(?:final |short )?answer[\s*_]*[:：][\s*_]*(\S[^\n]{0,200}?)[\s*_]*$")
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*")
_SENTENCE = re.compile(r"\S.{0,300}?(?:[.!?。](?=\s|$)|$)", re.DOTALL)

ANSWER_CHARACTERS = 4_000
"""Of a plain text that is taken for an answer: explanations have one to four sentences, so more is something else."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as far as repair needs to know it."""

    name: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class MeantCall:
    """A call, its arguments in the tool's form."""

    name: str
    arguments: dict[str, Any]


def tool_named(name: str, tools: Sequence[Tool]) -> Tool | None:
    """The tool that `name` means, whatever its case, its separators and what stands before it; None if not just one."""
    for tool in tools:
        if tool.name == name:
            return tool
    wanted = _plain_name(name)
    # Kimi and others write "functions.passage_search:0".
    parts = [part for part in re.split(r"[.:/]+", wanted) if part and not part.isdigit()]
    found = [tool for tool in tools if parts and tool.name == parts[-1]]
    return found[0] if len(found) == 1 else None


def _plain_name(name: str) -> str:
    return re.sub(r"[\s-]+", "_", _CAMEL.sub("_", name[:200].replace("\\", "").strip(" \t\n\"'`<>()"))).lower()


def arguments_of(written: str | Mapping[str, Any] | None, tool: Tool, *, closed: bool = False) -> dict[str, Any] | None:
    """The arguments of a call, from text or as they are, in the tool's form; None where they cannot be read.

    Nothing and null mean no arguments. With `closed` nothing may be missing at the text's end.
    """
    value: Any = written
    for _ in range(3):
        if not isinstance(value, str):
            break
        value = _object_in(value, closed=closed)
    if value is None and (written is None or not str(written).strip() or str(written).strip() in ("null", "None")):
        value = {}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Mapping):
        return None
    inner = _named_call(value, [tool])
    return inner.arguments if inner else fitted(value, tool.schema)


def _object_in(text: str, *, closed: bool) -> Any:
    """The JSON that a text is, or the one object in it; None for none."""
    if not text.strip():
        return None
    try:
        return read_json(text, closed=closed)
    except Unreadable:
        spans = find_json(text, closed=closed)
        return spans[0].value if len(spans) == 1 else None


def glued_calls(name: str, arguments: str, tools: Sequence[Tool]) -> list[MeantCall]:
    """Several calls that a server sent under one index, their names and arguments run together; [] where it is not so.

    Older Ollama numbers all parallel calls 0.
    """
    names = _segments(name, [tool.name for tool in tools])
    spans = find_json(arguments, closed=True)
    whole = "".join(arguments[span.start : span.end] for span in spans) == "".join(arguments.split("\n")).strip()
    if len(names) < 2 or len(spans) != len(names) or not whole:
        return []
    by_name = {tool.name: tool for tool in tools}
    meant = [arguments_of(span.value, by_name[one]) for one, span in zip(names, spans, strict=True)]
    return [MeantCall(one, read) for one, read in zip(names, meant, strict=True) if read is not None]


def _segments(name: str, known: Sequence[str]) -> list[str]:
    """The names that `name` is made of, longest first; [] where something is left over."""
    segments: list[str] = []
    while name and len(segments) < 32:
        head = max((one for one in known if name.startswith(one)), key=len, default="")
        if not head:
            return []
        segments.append(head)
        name = name[len(head) :]
    return segments if not name else []


def calls_in_text(text: str, tools: Sequence[Tool], *, closed: bool = False) -> list[MeantCall]:
    """The calls that a text makes, in order; [] where it makes none, or it is not clear which.

    Calls one after the other all count. Of calls with prose between them only the first ones do: what follows rests on
    results that the model has made up.
    """
    text = _THOUGHTS.split(text)[-1]
    if tagged := _tagged_calls(text, tools, closed=closed):
        return tagged
    if function := _FUNCTION.search(text):
        return _function_calls(text, function, tools, closed=closed)
    spans = find_json(text, closed=closed)
    return _adjacent_calls(text, spans, tools) or _spoken_call(text, tools)


def _tagged_calls(text: str, tools: Sequence[Tool], *, closed: bool) -> list[MeantCall]:
    """Calls behind the marks of chat templates that a server has not recognised."""
    calls: list[MeantCall] = []
    starts = [match.end() for match in _TAGGED.finditer(text)][:32]
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(text)
        body = _END_TAG.split(text[start:end])[0]
        if not body.strip():
            continue
        found = _body_calls(body, tools, closed=closed)
        if not found:
            return []
        calls += found
    return calls


def _body_calls(body: str, tools: Sequence[Tool], *, closed: bool) -> list[MeantCall]:
    if function := _FUNCTION.search(body):
        return _function_calls(body, function, tools, closed=closed)
    if named := _NAMED.match(body):
        tool = tool_named(named[1], tools)
        read = arguments_of(body[named.end() :], tool, closed=closed) if tool else None
        return [MeantCall(tool.name, read)] if tool and read is not None else []
    return _adjacent_calls(body, find_json(body, closed=closed), tools)


_PARAMETER = re.compile(r"<parameter=([\w-]{1,80})>")


def _function_calls(text: str, match: re.Match[str], tools: Sequence[Tool], *, closed: bool) -> list[MeantCall]:
    """The form <function=name>…</function>, with JSON or with <parameter=name>…</parameter> inside."""
    tool = tool_named(match[1], tools)
    body = text[match.end() :].split("</function>")[0]
    if tool is None or _FUNCTION.search(body):
        return []
    if _PARAMETER.search(body):
        pieces = _PARAMETER.split(body)[1:]
        values = [piece.split("</parameter>")[0].strip() for piece in pieces[1::2]]
        return [MeantCall(tool.name, fitted(dict(zip(pieces[::2], values, strict=True)), tool.schema))]
    read = arguments_of(body, tool, closed=closed)
    return [MeantCall(tool.name, read)] if read is not None else []


def _adjacent_calls(text: str, spans: Sequence[Span], tools: Sequence[Tool]) -> list[MeantCall]:
    """The first call and those that follow it at once."""
    calls: list[MeantCall] = []
    end = 0
    for span in spans:
        between = _BETWEEN.match(text, end)
        stands_on = between is not None and between.end() == span.start
        if (
            calls
            and not stands_on
            and not _call_after_name(text[between.end() if between else end : span.start], span.value, tools)
        ):
            break
        found = _call_after_name(text[end : span.start], span.value, tools) or _calls_of(span.value, tools)
        if calls and not found:
            break
        calls += found
        end = span.end
    return calls


_LAST_NAME = re.compile(r"([A-Za-z_][\w.:]{0,80})[`*:\s]{0,8}$")


def _call_after_name(before: str, value: Any, tools: Sequence[Tool]) -> list[MeantCall]:
    """A tool's name, then its arguments: `passage_search {…}`."""
    named = _LAST_NAME.search(before[-100:])
    tool = next((tool for tool in tools if named and tool.name == named[1]), None)
    return [MeantCall(tool.name, fitted(value, tool.schema))] if tool and isinstance(value, dict) else []


def _calls_of(value: Any, tools: Sequence[Tool]) -> list[MeantCall]:
    """The calls that a JSON value is: one, a list of them, or the bare arguments of the one tool that they fit."""
    if isinstance(value, list):
        found = [call for one in value[:32] if isinstance(one, dict) and (call := _named_call(one, tools))]
        return found if len(found) == len(value) else []
    if not isinstance(value, dict):
        return []
    for key in _LIST_KEYS:
        inner = value.get(key)
        if isinstance(inner, list | dict):
            return _calls_of(inner, tools)
    call = _named_call(value, tools) or _keyed_call(value, tools) or _bare_call(value, tools)
    return [call] if call else []


def _named_call(value: Mapping[str, Any], tools: Sequence[Tool]) -> MeantCall | None:
    """{"name": …, "arguments": …} with the usual other words for the two, also within "function"."""
    if isinstance(value.get("function"), dict):
        return _named_call(value["function"], tools)
    named = [
        (key, tool) for key in _NAMES if isinstance(value.get(key), str) and (tool := tool_named(value[key], tools))
    ]
    if len(named) != 1:
        return None
    key, tool = named[0]
    rest = {name: one for name, one in value.items() if name not in (key, "id", "type", "thought", "reasoning")}
    inside = [name for name in WRAPPERS if name in rest]
    if len(inside) == 1:
        read = arguments_of(rest[inside[0]], tool)
        return MeantCall(tool.name, read) if read is not None else None
    if inside or not all(name in tool.schema.get("properties", {}) for name in rest):
        return None
    return MeantCall(tool.name, fitted(rest, tool.schema))


def _keyed_call(value: Mapping[str, Any], tools: Sequence[Tool]) -> MeantCall | None:
    """{"passage_search": {…}}."""
    if len(value) != 1:
        return None
    ((key, inner),) = value.items()
    tool = next((tool for tool in tools if tool.name == key), None)
    return MeantCall(tool.name, fitted(inner, tool.schema)) if tool and isinstance(inner, dict) else None


def _bare_call(value: Mapping[str, Any], tools: Sequence[Tool]) -> MeantCall | None:
    """Arguments alone, where they have all that one tool requires, nothing that it does not know, and suit no other."""
    suited = []
    for tool in tools:
        required, known = tool.schema.get("required", ()), tool.schema.get("properties", {})
        if required and all(key in value for key in required) and all(key in known for key in value):
            suited.append(MeantCall(tool.name, fitted(value, tool.schema)))
    return suited[0] if len(suited) == 1 else None


def _spoken_call(text: str, tools: Sequence[Tool]) -> list[MeantCall]:
    """`name(argument="…", …)`, where the text has one such call and no more."""
    names = "|".join(re.escape(tool.name) for tool in tools)
    matches = list(re.finditer(rf"(?<![\w.])(?:[\w]{{1,40}}[.:])?({names})\s*\(", text)) if names else []
    if len(matches) != 1:
        return []
    match = matches[0]
    tool = next(tool for tool in tools if tool.name == match[1])
    read = _keywords(text[match.end() :])
    if read is None or not all(key in tool.schema.get("properties", {}) for key in read):
        return []
    arguments = fitted(read, tool.schema)
    return [MeantCall(tool.name, arguments)] if fits(arguments, tool.schema) else []


_KEYWORD = re.compile(r"\s*([A-Za-z_]\w{0,60})\s*[=:]\s*")
_CLOSE = re.compile(r"\s*\)")


def _keywords(text: str) -> dict[str, Any] | None:
    """The keyword arguments up to the closing parenthesis, their values as JSON or Python writes them."""
    pairs: list[str] = []
    place, close = 0, _CLOSE.match(text)
    while not close:
        key = _KEYWORD.match(text, place)
        if not key or len(pairs) > 20:
            return None
        end = _value_end(text, key.end())
        if end is None:
            return None
        pairs.append(f"{json.dumps(key[1])}: {text[key.end() : end]}")
        close, place = _CLOSE.match(text, end), end + 1
        if not close and text[end : end + 1] != ",":
            return None
    try:
        return dict(read_json("{" + ", ".join(pairs) + "}", closed=True))
    except Unreadable:
        return None


def _value_end(text: str, start: int) -> int | None:
    """Where the JSON value that starts here ends."""
    try:
        return value_at(text, start).end
    except Unreadable:
        return None


def answer_in_text(text: str, tool: Tool, known: Collection[int]) -> MeantCall | None:
    """A plain text as the call of the answer tool, where it cites passages, and only such as are known.

    The short answer is the line that says "Answer: …", else the one phrase in bold, else the first sentence.
    """
    text = _THOUGHTS.split(text)[-1].strip()
    if not text or len(text) > ANSWER_CHARACTERS:
        return None
    numbers = [int(n) for match in _CITED.finditer(text) for n in (match[1] or match[2]).split(",")]
    if not numbers or not all(number in known for number in numbers):
        return None
    explanation = _CITED.sub(lambda match: f"[{match[1] or match[2]}]", text)
    written = {"answer": _short_answer(explanation), "explanation": explanation, "cited": list(dict.fromkeys(numbers))}
    properties = tool.schema.get("properties", {})
    arguments = fitted({key: value for key, value in written.items() if key in properties}, tool.schema)
    return MeantCall(tool.name, arguments) if arguments.get("answer") and fits(arguments, tool.schema) else None


def _short_answer(text: str) -> str:
    if stated := _SHORT.search(text):
        return _uncited(stated[1])
    bold = {match[1].strip() for match in _BOLD.finditer(text)}
    if len(bold) == 1:
        return _uncited(bold.pop().rstrip(":."))
    sentence = _SENTENCE.search(text)
    return _uncited(sentence[0]) if sentence else ""


def _uncited(text: str) -> str:
    return " ".join(_CITED.sub("", text).replace("**", "").split()).replace(" .", ".").strip(" .")
