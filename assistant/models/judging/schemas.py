"""The JSON schema of each kind of judgement, for servers that hold a model to one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_NUMBERS: Schema = {"type": "array", "items": {"type": "integer"}}


def _object(**properties: Schema) -> Schema:
    """All of them required: a model that may leave one out does."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _by_number(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


SCHEMAS: Mapping[str, Schema] = {
    "concepts": _object(
        answered_by=_NUMBERS,
        concepts=_list(_object(text=_TEXT, weight={"type": "number"}, specialised=_TEXT, relaxed=_TEXTS)),
    ),
    "facts": _object(helpful=_NUMBERS),
    "edges": _object(scores=_by_number({"type": "integer"})),
    "choice": _object(facts=_NUMBERS, enough={"type": "boolean"}),
    "summaries": _object(summaries=_by_number(_TEXT)),
    "paths": _object(sensible=_NUMBERS),
}
