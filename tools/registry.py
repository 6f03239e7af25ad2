"""All tools by name, with arguments checked and results as plain JSON types: for the shell and for other programs."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_type_hints

from kb.errors import UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from kb.store import KnowledgeBase

_FUNCTIONS = {
    "passage_search": "search_passages",
    "entity_lookup": "look_up_entity",
    "neighbours": "neighbours",
    "read_passage": "read_passage",
    "evidence_walk": "evidence_walk",
    "graph_walk": "graph_walk",
    "constraint_retrieval": "retrieve_by_constraints",
    "textual_recovery": "recover_text",
}
"""Each technique is a module of its own; this names its public function."""


@dataclass(frozen=True)
class Tool:
    """A tool: its name, which is its module's, and the function that takes a knowledge base and the arguments."""

    name: str
    function: Callable[..., Any]

    @property
    def summary(self) -> str:
        """The first line of the function's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def signature(self) -> str:
        """The arguments as written in Python, without the knowledge base."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        return f"({', '.join(map(_declared, parameters))})"

    @cached_property
    def parameters(self) -> type[BaseModel]:
        """A pydantic model of the arguments; unknown ones are refused."""
        from pydantic import ConfigDict, create_model  # 0.1 s, and listing the tools needs none of it

        hints = get_type_hints(self.function)
        fields: dict[str, Any] = {}
        for name, parameter in list(inspect.signature(self.function).parameters.items())[1:]:
            required = parameter.default is inspect.Parameter.empty
            fields[name] = (hints[name], ... if required else parameter.default)
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(f"{self.name}_arguments", __config__=config, **fields)

    def call(self, kb: KnowledgeBase, arguments: Mapping[str, Any]) -> Any:
        """Run it with arguments in JSON types; the result in JSON types. UsageError where an argument is wrong."""
        from pydantic import ValidationError
        from pydantic_core import to_jsonable_python

        try:
            checked = self.parameters.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            raise UsageError(f"{self.name}: {where}: {first['msg']}; it takes {self.signature}") from error
        values = {name: getattr(checked, name) for name in type(checked).model_fields}
        return to_jsonable_python(self.function(kb, **values), fallback=_plain)


def tool_names() -> tuple[str, ...]:
    """The names of all tools, those first that a question usually needs first."""
    return tuple(_FUNCTIONS)


def get_tool(name: str) -> Tool:
    """The tool of this name; UsageError, naming all, where there is none."""
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UsageError(f"there is no tool {name!r}; there are {', '.join(_FUNCTIONS)}")
    return Tool(name, getattr(importlib.import_module(f"tools.{name}"), function))


def _plain(value: Any) -> Any:
    """numpy's scalars and arrays as Python's."""
    return value.tolist()


def _declared(parameter: inspect.Parameter) -> str:
    kind = parameter.annotation
    default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
    return f"{parameter.name}: {kind if isinstance(kind, str) else inspect.formatannotation(kind)}{default}"
