"""All tools by name, with arguments checked and results as plain JSON types: for the shell and for other programs."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from kb.errors import UsageError
from kb.wellformed import well_formed_json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from kb.store.knowledge_base import KnowledgeBase
    from tools.judgements.judge import Judge
    from tools.types import Hit

_FUNCTIONS = {
    "passage_search": "tools.search.passage_search:search_passages",
    "entity_lookup": "tools.search.entity_lookup:look_up_entity",
    "neighbours": "tools.search.neighbours:neighbours",
    "read_passage": "tools.search.read_passage:read_passage",
    "evidence_walk": "tools.evidence.evidence_walk:evidence_walk",
    "graph_walk": "tools.graph_walk:graph_walk",
    "constraint_retrieval": "tools.constraint_retrieval:retrieve_by_constraints",
    "textual_recovery": "tools.textual_recovery:recover_text",
    "constraint_recovery": "tools.constraint_recovery:retrieve_with_recovery",
    "edge_scoring": "tools.edge_scoring:walk_scored_edges",
    "anchor_grouping": "tools.anchor_grouping:group_anchors",
    "bubble_expansion": "tools.bubble_expansion:expand_bubbles",
    "evidence_expansion": "tools.evidence_expansion:expand_evidence",
    "path_search": "tools.path_search:search_paths",
    "path_resurrection": "tools.path_resurrection:resurrect_paths",
    "triple_scorer": "tools.triple_scoring.triple_scorer:rank_triples",
    "evidence_chains": "tools.evidence_chains:build_chains",
}
"""Each tool is a module of its own, of the same name; this says where it is and names its public function."""

LONGEST_ARRAY = 1000
"""Numbers of an array that are written out."""

MOST_RESULTS = 1000
"""Largest k: a technique ranks a few hundred candidates."""

MOST_TIMES = 10
"""How many times its default a parameter may be: work grows with some of them by more than that."""

LARGEST_WEIGHT = 1e6

_QUESTION = (("question",), ("query",))
"""What a tool may require that runs on a question alone."""


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
    def presets(self) -> Mapping[str, Any]:
        """Its parameters by the name of a preset; none for most tools."""
        from tools.presets import PRESETS

        return PRESETS.get(self.name, {})

    @property
    def signature(self) -> str:
        """The arguments as written in Python, without the knowledge base."""
        return f"({', '.join(map(_declared, _arguments(self.function)))})"

    @cached_property
    def parameters(self) -> type[BaseModel]:
        """A pydantic model of the arguments; unknown ones are refused."""
        from pydantic import AfterValidator, ConfigDict, Field, create_model  # 0.1 s; listing the tools needs none

        hints = get_type_hints(self.function)
        bounds = {"k": Field(le=MOST_RESULTS), "params": AfterValidator(_within_reason)}
        fields: dict[str, Any] = {}
        for one in _arguments(self.function):
            required = one.default is inspect.Parameter.empty
            hint = Annotated[hints[one.name], bounds[one.name]] if one.name in bounds else hints[one.name]
            fields[one.name] = (hint, ... if required else one.default)
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(f"{self.name}_arguments", __config__=config, **fields)

    @property
    def takes_judge(self) -> bool:
        """Whether it makes judgements that a language model can make in its place."""
        return _takes_judge(self.function)

    def call(
        self, kb: KnowledgeBase, arguments: Mapping[str, Any], preset: str = "", judge: Judge | None = None
    ) -> Any:
        """Run it with arguments in JSON types; the result in JSON types. UsageError where an argument is wrong.

        `preset` names parameters of `tools.presets`, of which those given in `arguments` take the place. `judge` makes
        its judgements, where it has any; None: offline.
        """
        from pydantic import ValidationError
        from pydantic_core import to_jsonable_python

        refuse_huge(self.name, arguments)
        given = dict(arguments)
        if preset:
            given["params"] = _over(self._preset(preset), given.get("params") or {})
        try:
            checked = self.parameters.model_validate(well_formed_json(given))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            raise UsageError(f"{self.name}: {where}: {first['msg']}; it takes {self.signature}") from error
        values = {name: getattr(checked, name) for name in type(checked).model_fields}
        if judge is not None and self.takes_judge:
            values["judge"] = judge
        return _finite(to_jsonable_python(self.function(kb, **values), fallback=_plain))

    def _preset(self, name: str) -> dict[str, Any]:
        from tools.presets import preset

        return dataclasses.asdict(preset(self.name, name))


def tool_names() -> tuple[str, ...]:
    """The names of all tools, those first that a question usually needs first."""
    return tuple(_FUNCTIONS)


@dataclass(frozen=True)
class Technique:
    """A tool that needs nothing but a question to find passages."""

    name: str
    function: Callable[..., Any]
    params: Any = None
    """Its parameters; None for the defaults."""

    @property
    def takes_judge(self) -> bool:
        """Whether it makes judgements that a language model can make in its place."""
        return _takes_judge(self.function)

    def find(self, kb: KnowledgeBase, question: str, k: int, judge: Judge | None = None) -> list[Hit]:
        """Its k best passages, best first, as it ranks them; `judge` makes its judgements, if any; None: offline."""
        given = {"k": k, "params": self.params, "judge": judge}
        taken = inspect.signature(self.function).parameters
        found = self.function(kb, question, **{name: one for name, one in given.items() if name in taken})
        return list(getattr(found, "hits", found))[:k]


def techniques() -> tuple[Technique, ...]:
    """The tools whose one required argument is the question, in the order of `tool_names`."""
    tools = (get_tool(name) for name in _FUNCTIONS)
    return tuple(Technique(tool.name, tool.function) for tool in tools if _required(tool.function) in _QUESTION)


def preset_techniques(names: Sequence[str]) -> tuple[Technique, ...]:
    """The techniques as their presets of these names have them, each called "technique:preset", preset by preset, each
    in the order of `tool_names`. Raises UsageError for a name that is no preset's.
    """
    from tools.presets import preset, techniques_with

    wanted = {name: techniques_with(name) for name in dict.fromkeys(names)}
    return tuple(
        Technique(f"{one.name}:{name}", one.function, preset(one.name, name))
        for name, having in wanted.items()
        for one in techniques()
        if one.name in having
    )


def get_tool(name: str) -> Tool:
    """The tool of this name; UsageError, naming all, where there is none."""
    found = _FUNCTIONS.get(name)
    if found is None:
        raise UsageError(f"there is no tool {name!r}; there are {', '.join(_FUNCTIONS)}")
    module, _, function = found.partition(":")
    return Tool(name, getattr(importlib.import_module(module), function))


def _within_reason(params: Any) -> Any:
    """The parameters of a technique. Raises ValueError for a number that would keep it busy for ever."""
    for field in dataclasses.fields(params) if params is not None else ():
        given, default = getattr(params, field.name), field.default
        if isinstance(given, float) and not (math.isfinite(given) and abs(given) <= LARGEST_WEIGHT):
            raise ValueError(f"{field.name} is {given!r}; give a number of at most {LARGEST_WEIGHT:,.0f}")
        if dataclasses.is_dataclass(given):
            _within_reason(given)
        elif isinstance(given, int) and not isinstance(given, bool):
            most = max(MOST_TIMES * default, MOST_TIMES) if isinstance(default, int) else MOST_RESULTS
            if not 0 <= given <= most:
                raise ValueError(f"{field.name} is {given}; give one from 0 to {most:,}")
    return params


def refuse_huge(tool: str, value: Any) -> None:
    """Raise UsageError for a whole number, such as an id, that no file can hold."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, int) and not -(2**63) <= one < 2**63:
            raise UsageError(
                f"{tool}: {str(one)[:30]} is no id and no number that a file can hold; give one below 2**63"
            )
        left += [*one, *one.values()] if isinstance(one, Mapping) else one if isinstance(one, list) else ()


def _arguments(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """All but the knowledge base, and the judge: it is an object with methods, which no JSON can give."""
    return [one for one in list(inspect.signature(function).parameters.values())[1:] if one.name != "judge"]


def _takes_judge(function: Callable[..., Any]) -> bool:
    return "judge" in inspect.signature(function).parameters


def _required(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(one.name for one in _arguments(function) if one.default is inspect.Parameter.empty)


def _finite(value: Any) -> Any:
    """JSON has no infinity: null stands for it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return {key: _finite(one) for key, one in value.items()} if isinstance(value, dict) else value


def _plain(value: Any) -> Any:
    """numpy's scalars and arrays as Python's; of an array over the whole graph, which nobody reads, the size."""
    return f"{value.size} numbers" if value.size > LONGEST_ARRAY else value.tolist()


def _over(base: Mapping[str, Any], given: Any) -> Any:
    """The base with what is given in its place, field by field; what is no object is left to be refused."""
    if not isinstance(given, Mapping):
        return given
    nested = {name: _over(base[name], one) for name, one in given.items() if isinstance(base.get(name), Mapping)}
    return {**base, **given, **nested}


def _declared(parameter: inspect.Parameter) -> str:
    kind = parameter.annotation
    default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
    return f"{parameter.name}: {kind if isinstance(kind, str) else inspect.formatannotation(kind)}{default}"
