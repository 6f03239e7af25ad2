"""A call's arguments brought into the form that the tool's JSON schema asks for, where only the form differs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.models.calling.lenient import DEPTH, Unreadable, read_json

Schema = Mapping[str, Any]

WRAPPERS = ("arguments", "parameters", "args", "params", "input", "kwargs", "action_input", "tool_input")
"""Keys that models put around all arguments."""

_TERMS = {"head": ("subject", "source", "h", "s"), "relation": ("predicate", "rel", "property", "r", "p")}
_TERMS |= {"tail": ("object", "target", "t", "o"), "variants": ("relation_variants", "relationVariants")}
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?")


def fitted(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments in the form of `schema`; what is ambiguous stays as it is, for the tool's own check to name it."""
    root = _resolved(schema, schema)
    properties = _properties(root)
    unwrapped = _unwrapped(dict(arguments), properties)
    fitting = _fit(unwrapped, root, schema, 0)
    return fitting if isinstance(fitting, dict) else unwrapped


def fits(value: Any, schema: Schema, root: Schema | None = None, depth: int = 0) -> bool:
    """Whether the value has the types and the required keys of the schema. Bounds and formats are not looked at."""
    root = schema if root is None else root
    schema = _resolved(schema, root)
    if depth > DEPTH or not schema:
        return True
    if options := _options(schema):
        return any(fits(value, option, root, depth + 1) for option in options)
    if "enum" in schema or "const" in schema:
        return value in (schema.get("enum") or [schema.get("const")])
    match schema.get("type"):
        case "object":
            known = _properties(schema)
            return (
                isinstance(value, dict)
                and all(name in value for name in schema.get("required", ()))
                and (schema.get("additionalProperties") is not False or all(name in known for name in value))
                and all(fits(value[name], known[name], root, depth + 1) for name in value if name in known)
            )
        case "array":
            item = schema.get("items", {})
            return isinstance(value, list) and all(fits(one, item, root, depth + 1) for one in value)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str) or _is_triple(value)
        case "null":
            return value is None
    return True


def _fit(value: Any, schema: Schema, root: Schema, depth: int) -> Any:
    schema = _resolved(schema, root)
    if depth > DEPTH or not schema:
        return value
    if fits(value, schema, root):
        return _fit_what_fits(value, schema, root, depth)
    if options := _options(schema):
        tried = (_fit(value, option, root, depth + 1) for option in options)
        return next((one for one, option in zip(tried, options, strict=True) if fits(one, option, root)), value)
    match schema.get("type"):
        case "object":
            made = _as_object(value, schema)
            return _fit_inside(made, schema, root, depth) if isinstance(made, dict) else value
        case "array":
            item = schema.get("items", {})
            made = _as_list(value, _resolved(item, root))
            return [_fit(one, item, root, depth + 1) for one in made] if isinstance(made, list) else value
        case "integer" | "number" | "boolean" as kind:
            return _as_plain(value, kind)
        case "string":
            return _as_text(value)
    return value


def _fit_what_fits(value: Any, schema: Schema, root: Schema, depth: int) -> Any:
    """A value of the right type, whose parts may still have other names than the schema's."""
    schema = next((_resolved(option, root) for option in _options(schema) if fits(value, option, root)), schema)
    if schema.get("type") == "string":
        return _joined_triple(value)
    if isinstance(value, dict):
        return _fit_inside(value, schema, root, depth)
    if isinstance(value, list) and schema.get("items"):
        return [_fit(one, schema["items"], root, depth + 1) for one in value]
    return value


def _fit_inside(value: dict[str, Any], schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
    """The values of an object; a null where the schema has a default and wants none is left out."""
    known = _properties(schema)
    if not known:
        return value
    if {"head", "relation", "tail"} <= known.keys():
        value = _named_terms(value, known)
    required = schema.get("required", ())
    fitting: dict[str, Any] = {}
    for name, one in value.items():
        if one is None and name in known and name not in required and not fits(None, known[name], root):
            continue
        fitting[name] = _fit(one, known[name], root, depth + 1) if name in known else one
    return fitting


def _named_terms(value: dict[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """A triple pattern under the names that the schema has for its terms."""
    renamed = dict(value)
    for name, others in _TERMS.items():
        for other in others:
            if name in known and name not in renamed and other in renamed and other not in known:
                renamed[name] = renamed.pop(other)
    return renamed


def _as_object(value: Any, schema: Schema) -> Any:
    """Text that is an object's JSON; a triple written as "a | r | b" or as a list of its terms."""
    known = _properties(schema)
    is_triple = {"head", "relation", "tail"} <= known.keys()
    if isinstance(value, str):
        try:
            read = read_json(value)
        except Unreadable:
            read = None
        if isinstance(read, dict):
            return read
        terms: Any = [term.strip() for term in value.strip().strip("()").split("|")]
    else:
        terms = value
    if is_triple and isinstance(terms, Sequence) and len(terms) == 3 and all(isinstance(t, str) for t in terms):
        return dict(zip(("head", "relation", "tail"), terms, strict=True))
    return value


def _as_list(value: Any, item: Schema) -> Any:
    """A list's JSON as text, a lone item, and triples one a line."""
    if isinstance(value, list):
        return [_joined_triple(one) if item.get("type") == "string" else one for one in value]
    if isinstance(value, str):
        try:
            read = read_json(value)
        except Unreadable:
            read = None
        if isinstance(read, list):
            return read
        if item.get("type") == "object" or "|" in value:
            lines = [line.strip().lstrip("-*•").strip() for line in re.split(r"[\n;]", value)]
            return [line for line in lines if line]
        return [value] if value.strip() else []
    if isinstance(value, dict):
        return [_joined_triple(value) if item.get("type") == "string" else value]
    if value is None:
        return value
    return [value]


def _joined_triple(value: Any) -> Any:
    """A triple as the text "a | r | b", for a schema that wants texts; one with variants keeps them."""
    if isinstance(value, dict):
        value = _named_terms(value, _TERMS)
        if value.get("variants") and _is_triple(value):
            return value
        value = [value.get("head"), value.get("relation"), value.get("tail")]
    if isinstance(value, list) and len(value) == 3 and all(isinstance(term, str) for term in value):
        return " | ".join(value)
    return value


def _is_triple(value: Any) -> bool:
    """Whether this is a step with its terms named, which is taken wherever a step's text is."""
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("head", "relation", "tail"))


def _as_plain(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        text = value.strip()
        if kind == "boolean":
            return {"true": True, "false": False}.get(text.lower(), value)
        if kind == "integer":
            return int(text) if _INTEGER.fullmatch(text) else value
        return float(text) if _NUMBER.fullmatch(text) else value
    if kind == "integer" and isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _as_text(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return value


def _unwrapped(arguments: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Without a key that was put around all arguments, and that the tool does not have."""
    inside = [key for key in WRAPPERS if key in arguments and key not in properties]
    if len(inside) != 1 or any(key in properties for key in arguments):
        return arguments
    value = arguments[inside[0]]
    if isinstance(value, str):
        try:
            value = read_json(value)
        except Unreadable:
            return arguments
    return value if isinstance(value, dict) else arguments


def _properties(schema: Schema) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _options(schema: Schema) -> Sequence[Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or ()


def _resolved(schema: Schema, root: Schema) -> Schema:
    """What a reference within the schema stands for."""
    for _ in range(DEPTH):
        name = schema.get("$ref")
        if not isinstance(name, str):
            break
        schema = root.get("$defs", {}).get(name.rpartition("/")[2], {})
    return schema
