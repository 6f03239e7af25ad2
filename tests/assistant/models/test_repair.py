"""Repair of what models write: what is meant clearly is understood, all else is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.agent.final_answer import Found
from assistant.agent.mending import known_tools
from assistant.models.calling.lenient import Unreadable, find_json, read_json
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

SEARCH = Tool(
    "passage_search",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}, "k": {"type": "integer", "default": 10}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
STEP = {
    "type": "object",
    "properties": {
        "head": {"type": "string"},
        "relation": {"type": "string"},
        "tail": {"type": "string"},
        "variants": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["head", "relation", "tail"],
}
PLAN = Tool(
    "constraint_retrieval",
    {
        "$defs": {"Constraint": STEP},
        "type": "object",
        "properties": {
            "constraints": {"type": "array", "items": {"$ref": "#/$defs/Constraint"}},
            "target": {"type": "string", "default": ""},
        },
        "required": ["constraints"],
    },
)
STEPS = Tool(
    "find_evidence",
    {"type": "object", "properties": {"steps": {"type": "array", "items": {"type": "string"}}}, "required": ["steps"]},
)
WALK = Tool("evidence_walk", {"type": "object", "properties": {"k": {"type": "integer", "default": 10}}})
ANSWER = Tool("answer", Found.model_json_schema())
TOOLS = [SEARCH, PLAN, STEPS, WALK, ANSWER]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NEARLY = st.text(
    st.sampled_from("{}[]()\"':,\\/*#`\n 019.-eutrfalsNon|<>_=") | st.characters(codec="utf-8"), max_size=80
)


@given(JSON)
def test_valid_json_is_read_as_what_it_says(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False), f" {json.dumps(value)}\n"):
        assert read_json(text) == value


@given(NEARLY)
@settings(max_examples=300)
def test_reading_what_is_nearly_json_never_raises(text: str) -> None:
    assert isinstance(find_json(text), list)
    assert isinstance(calls_in_text(text, TOOLS), list)
    assert arguments_of(text, SEARCH) is None or isinstance(arguments_of(text, SEARCH), dict)
    answer_in_text(text, ANSWER, {1})
    glued_calls(text, text, TOOLS)
    tool_named(text, TOOLS)


@given(JSON)
def test_any_arguments_are_taken_and_fitting_is_done_after_once(value: Any) -> None:
    for tool in TOOLS:
        once = arguments_of({"query": value, "constraints": value, "steps": value, "cited": value}, tool)
        assert once is not None
        assert arguments_of(once, tool) == once


@given(st.dictionaries(st.sampled_from(["query"]), st.text(max_size=20), min_size=1), st.integers(1, 30))
def test_right_arguments_stay(arguments: dict[str, Any], k: int) -> None:
    assert arguments_of({**arguments, "k": k}, SEARCH) == {**arguments, "k": k}


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"query": "x"}\n```',
        'Sure, here it is: {"query": "x"} Hope that helps!',
        '{"query": "x",}',
        '{"query": "x", // what to look for\n}',
        '{/* one */ "query": "x" # two\n}',
        "{'query': 'x'}",
        '{query: "x"}',
        '{"query": "x"',
        '[{"query": "x"',
        '{"query": "\\u0078"}\n```',
    ],
)
def test_json_that_can_be_read_in_one_way_only(text: str) -> None:
    assert arguments_of(text, SEARCH) == {"query": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        '{"query": "Irena Val',
        '{"query": "x", "k": 1',
        '{"query": "x", ',
        '{"query": ',
        '{"query": "say "hello" now"}',
        '{"a": 1} and {"b": 2}',
        '{"a": NaN}',
        "[1] and [2]",
        "{",
    ],
)
def test_what_is_ambiguous_is_left_alone(text: str) -> None:
    assert arguments_of(text, SEARCH) is None


def test_python_words_raw_line_breaks_and_odd_escapes() -> None:
    assert read_json("{'a': True, 'b': None, \"c\": \"two\nlines\", 'd': 'it\\'s'}") == {
        "a": True,
        "b": None,
        "c": "two\nlines",
        "d": "it's",
    }
    assert read_json('{"passage\\_search": "\\ud83d\\ude00",}') == {"passage_search": "😀"}
    with pytest.raises(Unreadable):
        read_json('{"a": "b"', closed=True)


@pytest.mark.parametrize(
    "piece",
    ["{", "[", '"', '{"', '{"a":', "{'", "{/*", "[1,", "[1]", '{"a":1,', "<tool_call>{", "passage_search(", "**a"],
)
def test_hostile_characters_are_read_a_fixed_number_of_times(piece: str, monkeypatch: Any) -> None:
    """Counted, not timed: how often a value is begun may not grow faster than the text."""
    from assistant.models.calling import lenient

    begun = 0
    value = lenient._Reader.value

    def counted(reader: Any, depth: int) -> Any:
        nonlocal begun
        begun += 1
        return value(reader, depth)

    monkeypatch.setattr(lenient._Reader, "value", counted)
    text = piece * (300_000 // len(piece))
    assert arguments_of(text, SEARCH) is None
    calls_in_text(text, TOOLS)
    answer_in_text(text, ANSWER, {1})
    assert begun < 6 * len(text)


def test_depth_is_limited() -> None:
    assert find_json('{"a":' * 10 + "1" + "}" * 10)
    assert not find_json('{"a":' * 2_000 + "1" + "}" * 20)


@pytest.mark.parametrize(
    "name",
    [
        "passage_search",
        "functions.passage_search",
        "Passage_Search",
        "passageSearch",
        "passage-search",
        "tools/passage_search",
        "functions.passage_search:0",
        " `passage_search` ",
        "default_api:passage_search",
    ],
)
def test_names_of_tools(name: str) -> None:
    assert tool_named(name, TOOLS) is SEARCH
    assert tool_named("passage", TOOLS) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (None, {}),
        ("", {}),
        ("null", {}),
        ("{}", {}),
        ('{"query": "x", "k": "3"}', {"query": "x", "k": 3}),
        ('{"query": "x", "k": 3.0}', {"query": "x", "k": 3}),
        ('{"query": "x", "k": null}', {"query": "x"}),
        ('"{\\"query\\": \\"x\\"}"', {"query": "x"}),
        ('{"arguments": {"query": "x"}}', {"query": "x"}),
        ('{"parameters": "{\\"query\\": \\"x\\"}"}', {"query": "x"}),
        ('{"name": "passage_search", "arguments": {"query": "x"}}', {"query": "x"}),
        ('{"query": 1931}', {"query": "1931"}),
        ('{"query": "x", "k": "many"}', {"query": "x", "k": "many"}),
        ("query x", None),
    ],
)
def test_arguments(written: str | None, meant: dict[str, Any] | None) -> None:
    assert arguments_of(written, SEARCH) == meant


TRIPLE = {"head": "a", "relation": "r", "tail": "?b"}


@pytest.mark.parametrize(
    "written",
    [
        [TRIPLE],
        TRIPLE,
        json.dumps([TRIPLE]),
        "a | r | ?b",
        "- a | r | ?b\n",
        ["a | r | ?b"],
        ["(a | r | ?b)"],
        [["a", "r", "?b"]],
        [{"subject": "a", "predicate": "r", "object": "?b"}],
        [{"h": "a", "r": "r", "t": "?b"}],
    ],
)
def test_steps_of_a_plan(written: Any) -> None:
    assert arguments_of({"constraints": written}, PLAN) == {"constraints": [TRIPLE]}
    assert arguments_of({"steps": written}, STEPS) in ({"steps": ["a | r | ?b"]}, {"steps": ["(a | r | ?b)"]})


def test_every_recorded_plan_is_read_with_its_variants(benchmark_data: Path) -> None:
    files = sorted(benchmark_data.glob("*/plans.jsonl"))
    assert files
    plans = [json.loads(line)["plan"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    tools = {tool.name: tool for tool in known_tools()}
    for plan in plans:
        for name, key in (("constraint_retrieval", "constraints"), ("find_evidence", "steps")):
            arguments = arguments_of(json.dumps({key: plan}), tools[name])
            assert arguments is not None
            assert fits(arguments, tools[name].schema)
            assert [one.get("variants", []) for one in arguments[key]] == [one["relation_variants"] for one in plan]


QUERY = MeantCall("passage_search", {"query": "x"})


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "passage_search", "arguments": {"query": "x"}}',
        '<tool_call>\n{"name": "passage_search", "arguments": {"query": "x"}}\n</tool_call>',
        'I look.\n<tool_call>{"name": "passage_search", "arguments": {"query": "x"}}',
        '[TOOL_CALLS][{"name": "passage_search", "arguments": {"query": "x"}}]',
        '[TOOL_CALLS]passage_search[ARGS]{"query": "x"}',
        'functools[{"name": "functions.passage_search", "arguments": {"query": "x"}}]',
        '<|python_tag|>{"name": "passage_search", "parameters": {"query": "x"}}',
        '<function=passage_search>{"query": "x"}</function>',
        "<tool_call><function=passage_search><parameter=query>\nx\n</parameter></function></tool_call>",
        'Let me call passage_search(query="x").',
        "```tool_code\nprint(default_api.passage_search(query='x'))\n```",
        'passage_search {"query": "x"}',
        '{"passage_search": {"query": "x"}}',
        '{"query": "x"}',
        '{"function": {"name": "passage_search", "arguments": "{\\"query\\": \\"x\\"}"}, "id": "1"}',
        '{"tool_calls": [{"name": "passage_search", "arguments": {"query": "x"}}]}',
        '{"action": "passage_search", "action_input": {"query": "x"}}',
        '<think>{"tool": "evidence_walk"} or not?</think>{"tool": "passage_search", "query": "x",}',
        '{"tool": "passage_search", "arguments": {"query": "x"}}\nResult: none.\n{"tool": "evidence_walk"}',
    ],
)
def test_calls_written_as_text(text: str) -> None:
    assert calls_in_text(text, TOOLS) == [QUERY]


def test_several_calls_in_a_row_all_count() -> None:
    text = '<tool_call>{"name": "passage_search", "arguments": {"query": "x"}}</tool_call>\n'
    assert calls_in_text(text * 2, TOOLS) == [QUERY, QUERY]
    assert calls_in_text('{"tool": "passage_search", "query": "x"}\n{"tool": "evidence_walk"}', TOOLS) == [
        QUERY,
        MeantCall("evidence_walk", {}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would use passage_search or evidence_walk.",
        'passage_search(query="x") or passage_search(query="y")?',
        '{"tool": "web_search", "arguments": {"query": "x"}}',
        '{"colour": "red"}',
        '<tool_call>{"name": "passage_search", "arguments": {"query": "Ire',
        "passage_search(x)",
    ],
)
def test_texts_that_call_nothing_for_certain(text: str) -> None:
    assert calls_in_text(text, TOOLS) == []


def test_calls_that_a_server_ran_together() -> None:
    assert glued_calls("passage_searchevidence_walk", '{"query": "x"}{}', TOOLS) == [
        QUERY,
        MeantCall("evidence_walk", {}),
    ]
    assert glued_calls("passage_search", '{"query": "x"}', TOOLS) == []
    assert glued_calls("passage_searchevidence_walk", '{"query": "x"}', TOOLS) == []


def test_an_answer_in_plain_text() -> None:
    text = "The Glass Harbour was directed by Irena Valdis [1]. She was born in Tarnow Bay [2].\n\nAnswer: Tarnow Bay"
    call = answer_in_text(text, ANSWER, {1, 2})
    assert call is not None
    assert call.arguments["answer"] == "Tarnow Bay"
    assert call.arguments["cited"] == [1, 2]
    bold = answer_in_text("She was born in **Tarnow Bay** 【2】.", ANSWER, {1, 2})
    assert bold is not None
    assert bold.arguments == {
        "answer": "Tarnow Bay",
        "explanation": "She was born in **Tarnow Bay** [2].",
        "cited": [2],
    }
    plain = answer_in_text("Tarnow Bay [1][2].", ANSWER, {1, 2})
    assert plain is not None
    assert plain.arguments["answer"] == "Tarnow Bay"


@pytest.mark.parametrize("text", ["", "Tarnow Bay", "Tarnow Bay [9]", "Tarnow Bay [1] and [9]", "x [1] " * 1_000])
def test_text_that_cites_nothing_known_is_no_answer(text: str) -> None:
    assert answer_in_text(text, ANSWER, {1, 2}) is None
