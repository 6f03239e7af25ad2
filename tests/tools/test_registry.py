from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint
from tools.registry import Tool, get_tool, techniques, tool_names

NO_FILE = cast(KnowledgeBase, None)


@dataclass(frozen=True)
class Found:
    ids: tuple[int, ...]
    score: Any


def find(kb: KnowledgeBase, words: str, constraint: Constraint | None = None, k: int = 3) -> list[Found]:
    """Find things.

    More about it.
    """
    return [Found((len(words), k), np.float32(0.5)), Found((), np.array([1, 2]))]


FIND = Tool("find", find)


def test_every_tool_is_a_documented_function_of_its_module() -> None:
    for name in tool_names():
        tool = get_tool(name)
        assert tool.function.__module__.split(".")[0] == "tools"
        assert tool.function.__module__.rpartition(".")[2] == name
        assert tool.summary.endswith((".", ","))
        assert tool.parameters.model_json_schema()["type"] == "object"


def test_the_arguments_are_the_functions_without_the_knowledge_base() -> None:
    assert FIND.summary == "Find things."
    assert FIND.signature == "(words: str, constraint: Constraint | None = None, k: int = 3)"
    assert get_tool("neighbours").signature == "(entity: str | int, query: str = '', k: int = 15)"


def test_results_are_json_types_numpy_included() -> None:
    assert FIND.call(NO_FILE, {"words": "four", "k": 9}) == [
        {"ids": [4, 9], "score": 0.5},
        {"ids": [], "score": [1, 2]},
    ]


def test_nested_arguments_become_their_types() -> None:
    seen: list[Constraint | None] = []

    def look(kb: KnowledgeBase, constraint: Constraint) -> None:
        """Look."""
        seen.append(constraint)

    Tool("look", look).call(NO_FILE, {"constraint": {"head": "a", "relation": "b", "tail": "?c", "variants": ["d"]}})
    assert seen == [Constraint("a", "b", "?c", ("d",))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "find: words: Field required"),
        ({"words": 3}, "find: words: Input should be a valid string"),
        ({"words": "x", "n": 1}, "find: n: Extra inputs are not permitted"),
        ({"words": "x", "constraint": {"head": "a"}}, "find: constraint.relation: Field required"),
    ],
)
def test_wrong_arguments_are_told_with_the_right_ones(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        FIND.call(NO_FILE, arguments)
    assert str(error.value).startswith(message)
    assert "it takes (words: str" in str(error.value)


def test_an_unknown_name_is_no_module_to_import() -> None:
    for name in ("search", "registry", "os", "../kb", ""):
        with pytest.raises(UsageError, match="there are passage_search"):
            get_tool(name)


def test_techniques_are_the_tools_that_run_on_a_question_alone(chain: KnowledgeBase) -> None:
    names = {one.name for one in techniques()}
    assert names >= {"passage_search", "constraint_recovery", "edge_scoring", "bubble_expansion", "path_resurrection"}
    assert not names & {"entity_lookup", "neighbours", "read_passage", "textual_recovery", "constraint_retrieval"}
    for technique in techniques():
        hits = technique.find(chain, "Where was the director of Silver Lanterns born?", 2)
        assert 1 <= len(hits) <= 2, technique.name
        assert technique.find(chain, "", 2) == [], technique.name


def test_a_judge_is_no_argument_of_the_shell() -> None:
    assert "judge" not in get_tool("edge_scoring").signature
    with pytest.raises(UsageError, match="judge"):
        get_tool("edge_scoring").call(NO_FILE, {"question": "Who?", "judge": {}})


def test_an_array_over_the_whole_graph_is_told_by_its_size() -> None:
    tool = Tool("find", lambda kb: [np.zeros(1001), np.zeros(2)])
    assert tool.call(NO_FILE, {}) == ["1001 numbers", [0.0, 0.0]]


def test_infinity_is_null_as_json_has_none() -> None:
    tool = Tool("find", lambda kb: {"n_eff": float("inf"), "rest": [1.5, {"score": float("nan")}]})
    assert tool.call(NO_FILE, {}) == {"n_eff": None, "rest": [1.5, {"score": None}]}


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "graph_walk",
            {"params": {"steps": 10**9}},
            "params: Value error, steps is 1000000000; give one from 0 to 200",
        ),
        ("path_search", {"params": {"width": 2**62}}, "width is"),
        ("path_search", {"params": {"depth": -1}}, "depth is -1; give one from 0 to 30"),
        ("graph_walk", {"params": {"reset": 1e300}}, "reset is 1e+300"),
        ("graph_walk", {"params": {"reset": float("nan")}}, "reset is nan"),
        ("passage_search", {"k": 10**9}, "k: Input should be less than or equal to 1000"),
        ("neighbours", {"entity": 2**63}, "9223372036854775808 is no id"),
        ("read_passage", {"passage_id": -(2**70)}, "is no id"),
        ("evidence_walk", {"lists": {"a": [2**64]}}, "is no id"),
    ],
)
def test_numbers_out_of_all_bounds_are_refused_in_a_line(
    chain: KnowledgeBase, name: str, arguments: dict[str, Any], told: str
) -> None:
    tool = get_tool(name)
    required = {field: "Skarn" for field, info in tool.parameters.model_fields.items() if info.is_required()}
    with pytest.raises(UsageError) as error:
        tool.call(chain, {**required, **arguments})
    assert told in str(error.value)
    assert "\n" not in str(error.value)
