"""What a language model is offered, and what it is told when a call goes wrong: through the agent itself."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_core import to_json

from assistant.agent.deps import Deps
from assistant.agent.guidance import EXAMPLES
from assistant.agent.loop import agent
from assistant.agent.offering import AT_ONCE
from assistant.agent.offline.offline_model import OfflineModel
from assistant.agent.toolbox.method_tools import TECHNIQUES
from assistant.agent.workspace import Workspace
from assistant.shared.spending_limits import MOST_CALLS
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Plan

QUESTION = "Where was the director of The Glass Harbour born?"
STEPS = {"steps": ["The Glass Harbour | directed by | ?director", "?director | born in | ?place"]}
GIVE_UP = ("not_found", {"missing": "all of it"})

ScriptedCall = tuple[str, Any]


@dataclass
class Run:
    """What a scripted model was told of its calls, in order, and which tools each request offered it."""

    told: list[str] = field(default_factory=list)
    offered: list[list[str]] = field(default_factory=list)
    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    workspace: Workspace = field(default_factory=lambda: Workspace(QUESTION))
    gave_up: int = 1


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as made:
        yield made


class Script:
    """Runs calls one a request, then gives up."""

    def __init__(self, kb: KnowledgeBase, thread: ThreadPoolExecutor) -> None:
        self._kb = kb
        self._thread = thread

    async def __call__(
        self,
        *calls: ScriptedCall | list[ToolCallPart],
        history: list[ModelMessage] | None = None,
        window: int = 0,
        plan: Plan | None = None,
        provider: str | None = None,
    ) -> Run:
        """What comes of these calls, a list in one response; with a `plan`, of those of the offline model."""
        run = Run(workspace=Workspace(QUESTION, plan))

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            if len(run.offered) > len(calls):  # it was told to go on
                run.gave_up += 1
                return ModelResponse([ToolCallPart(*GIVE_UP)])
            run.offered.append([tool.name for tool in info.function_tools])
            run.schemas |= {tool.name: tool.parameters_json_schema for tool in info.function_tools + info.output_tools}
            call = [*calls, GIVE_UP][min(len(run.offered) - 1, len(calls))]
            return ModelResponse(call if isinstance(call, list) else [ToolCallPart(*call)], provider_name=provider)

        deps = Deps(self._kb, run.workspace, self._thread)
        deps.context_window = window or deps.context_window
        answering = OfflineModel(deps) if plan else FunctionModel(model)
        result = await agent().run(QUESTION, model=answering, deps=deps, message_history=history)
        parts = [part for message in result.new_messages() for part in message.parts]
        run.told = [part.model_response_str(wrap_if_error=False) for part in parts if isinstance(part, ToolReturnPart)]
        return run


@pytest.fixture
def script(small: KnowledgeBase, thread: ThreadPoolExecutor) -> Script:
    # The file is read in one thread, as a session does.
    return Script(thread.submit(KnowledgeBase.open, small.path).result(), thread)


async def test_one_call_resolves_searches_and_ranks(script: Script) -> None:
    run = await script(("find_evidence", STEPS))
    assert {"constraint_retrieval", "textual_recovery", "evidence_walk"} <= run.workspace.lists.keys()
    lines = run.told[0].splitlines()
    first = lines.index(
        "1. The Glass Harbour | director | ?director: The Glass Harbour silent film directed by Irena Valdis [1]"
    )
    second = next(at for at, line in enumerate(lines) if line.startswith("2. ?director | place of birth | ?place: "))
    assert "Tarnow Bay [" in lines[second]
    # Each step has its own evidence below it.
    assert "The Glass Harbour is a 1931 silent film directed by Irena Valdis." in lines[first:second]
    born = "Irena Valdis (born 4 May 1899 in Tarnow Bay; died 2 June 1970) was a film director."
    assert any(born in line for line in lines[second:])


@pytest.mark.parametrize("steps", [["Zanzibar Nights | directed by | ?who", "?who | born in | ?place"], STEPS["steps"]])
async def test_a_whole_search_takes_the_stages_of_the_offline_policy(script: Script, steps: list[str]) -> None:
    """The same lists, passage by passage, as the offline model makes of the same plan."""
    run = await script(("find_evidence", {"steps": steps}))
    offline = await script(plan=run.workspace.plan)
    assert ("path_resurrection" in run.workspace.lists) == (steps != STEPS["steps"])
    assert run.workspace.ranked_ids() == offline.workspace.ranked_ids()
    assert [one.passage.id for one in run.workspace.evidence] == [one.passage.id for one in offline.workspace.evidence]


async def test_a_name_that_no_passage_has_is_said_to_be_in_none(script: Script) -> None:
    run = await script(("find_evidence", {"steps": ["Irina Waldis | place of birth | ?place"]}))
    assert run.told[0].startswith("No passage so far names 'Irina Waldis'. The nearest names are: Irena Valdis")


@pytest.mark.parametrize(
    "steps",
    [
        "The Glass Harbour | directed by | ?director\n?director | born in | ?place",
        [["The Glass Harbour", "directed by", "?director"], ["?director", "born in", "?place"]],
        [
            {"head": "The Glass Harbour", "relation": "directed by", "tail": "?director"},
            {"head": "?director", "relation": "born in", "tail": "?place"},
        ],
    ],
)
async def test_steps_are_understood_in_any_clear_form(script: Script, steps: Any) -> None:
    run = await script(("find_evidence", {"steps": steps}))
    assert run.workspace.plan is not None
    assert [one.text() for one in run.workspace.plan.constraints] == [
        "The Glass Harbour director director",
        "director place of birth place",
    ]


UNKNOWN = {"steps": ["The Glass Harbour | directed by | ?director", "?director | taught by | ?teacher"]}
FIRST = ["find_evidence", "passage_search"]


async def test_what_is_offered_follows_from_what_is_open(script: Script) -> None:
    names = {function.__name__ for function in TECHNIQUES}
    run = await script(("find_evidence", UNKNOWN), ("walk_facts", {}), ("chain_facts", {}), ("find_evidence", STEPS))
    assert run.offered[0] == FIRST
    # One name and a chain with an open end: it is walked to, then chained towards; what was called comes after others.
    assert run.offered[1] == ["passage_search", "read_passage", "walk_facts", "chain_facts"]
    assert "walk_facts" not in run.offered[2]
    assert not names & set(run.offered[3]) & {"walk_facts", "chain_facts"}
    assert all(len(tools) <= 2 + AT_ONCE for tools in run.offered)


async def test_a_plan_that_the_graph_resolves_leaves_only_another_one_to_offer(script: Script) -> None:
    run = await script(("find_evidence", {"steps": STEPS["steps"][:1]}))
    assert {state.status for state in run.workspace.states} == {"resolved"}
    assert run.offered[1] == ["find_evidence", "passage_search", "read_passage"]


async def test_passages_without_a_plan_can_be_planned_for_or_joined(script: Script) -> None:
    run = await script(("passage_search", {"query": "harbour"}))
    assert run.offered[1] == ["find_evidence", "passage_search", "read_passage", "join_concepts"]


@pytest.mark.parametrize(
    ("steps", "first"),
    [
        # Nothing in the file answers to it, so there is nothing to set out from.
        (["Zanzibar Nights | directed by | ?director"], "join_concepts"),
        (["The Glass Harbour | painted by | ?who", "?who | taught by | Oskar Valdis"], "follow_paths"),
        (["The Glass Harbour | directed by | ?director", "?director | taught by | ?teacher"], "walk_facts"),
    ],
)
async def test_the_technique_that_fits_best_is_named_first(script: Script, steps: list[str], first: str) -> None:
    run = await script(("find_evidence", {"steps": steps}))
    assert run.offered[1][2] == first


async def test_who_gives_up_after_one_search_is_told_once_what_fits(script: Script) -> None:
    run = await script(("find_evidence", UNKNOWN))
    assert run.told[1].startswith("Not yet: call walk_facts or chain_facts for what is open")
    assert run.gave_up == 2
    resolved = await script(("find_evidence", {"steps": STEPS["steps"][:1]}))
    looked = await script(("find_evidence", UNKNOWN), ("walk_facts", {}))
    planless = await script(("passage_search", {"query": "harbour"}))
    assert resolved.gave_up == looked.gave_up == planless.gave_up == 1


async def test_all_techniques_fit_into_one_question(script: Script) -> None:
    calls: list[ScriptedCall] = [("find_evidence", UNKNOWN)]
    seen: list[str] = []
    for _ in TECHNIQUES:
        run = await script(*calls)
        seen.append(next(name for name in run.offered[-1] if name in EXAMPLES and name not in (*FIRST, "read_passage")))
        calls.append((seen[-1], UNKNOWN if seen[-1] == "resolve_constraints" else {}))
    run = await script(*calls)
    assert {call.name for call in run.workspace.calls} == {
        "find_evidence",
        "walk_facts",
        "chain_facts",
        "resolve_constraints",
        "join_concepts",
    } | ({"follow_paths"} & set(seen))
    assert run.offered[-1] != []
    assert not any(call.failed for call in run.workspace.calls)


async def test_every_tool_can_be_called_at_any_time(script: Script) -> None:
    run = await script(("edge_scoring", {}), ("path_resurrection", {}))
    assert '<passage number="1"' in run.told[0]
    assert [call.failed for call in run.workspace.calls] == [False, False]


async def test_after_many_calls_only_an_answer_is_taken(script: Script) -> None:
    run = await script(*[("passage_search", {"query": f"harbour {number}"}) for number in range(MOST_CALLS)])
    assert run.offered[-1] == []
    assert run.told[MOST_CALLS - 1].endswith("Call answer, or not_found with what is missing.")
    assert "No more tools" not in run.told[MOST_CALLS - 2]


@pytest.mark.parametrize("provider", [None, "clew"])
async def test_calls_beyond_the_last_that_is_taken_are_not_made(
    script: Script, monkeypatch: pytest.MonkeyPatch, provider: str | None
) -> None:
    """Also where one response has them all; the offline model's own stages are not counted."""
    many = [ToolCallPart("passage_search", {"query": f"harbour {number}"}) for number in range(MOST_CALLS + 2)]
    run = await script(many, provider=provider)
    made = MOST_CALLS if provider is None else len(many)
    assert len(run.workspace.calls) == made
    assert [text.startswith("Not called: 10 calls were made.") for text in run.told[: len(many)]] == [
        at >= made for at in range(len(many))
    ]


async def test_schemas_are_short_valid_and_fit_the_examples(script: Script) -> None:
    calls = [("walk_facts", {}), ("chain_facts", {}), ("resolve_constraints", UNKNOWN)]
    schemas = (await script(("find_evidence", UNKNOWN), *calls)).schemas
    assert {"find_evidence", "read_passage", "join_concepts", "resolve_constraints", "chain_facts"} <= schemas.keys()
    for name, schema in schemas.items():
        example = EXAMPLES.get(name, {})
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) <= example.keys() <= schema["properties"].keys()
        assert not any(noise in to_json(schema).decode() for noise in ("title", "$ref", "additionalProperties"))
        assert all("type" in one for one in schema["properties"].values())
    assert set(schemas["passage_search"]["properties"]) == {"query"}
    assert set(schemas["not_found"]["properties"]) == {"missing"}


async def test_a_question_of_its_own_is_asked_for_only_in_a_conversation(script: Script) -> None:
    first = await script()
    assert set(first.schemas["find_evidence"]["properties"]) == {"steps"}
    history: list[ModelMessage] = [ModelRequest([UserPromptPart("Who?")])]
    later = await script(history=history)
    assert set(later.schemas["find_evidence"]["properties"]) == {"steps", "question"}


OTHER = "What is the role of Irena Valdis?"


@pytest.mark.parametrize(
    "call",
    [
        ("find_evidence", {**STEPS, "question": OTHER}),
        ("constraint_retrieval", {**EXAMPLES["constraint_retrieval"], "question": OTHER}),
        ("evidence_walk", {"question": OTHER}),
    ],
)
async def test_only_a_follow_up_is_put_in_other_words_and_the_reader_is_told(
    script: Script, call: ScriptedCall
) -> None:
    """Otherwise the answer to a question that nobody asked would be a sure one."""
    first = await script(call)
    assert (first.workspace.standalone, first.workspace.notes) == (QUESTION, [])
    later = await script(call, history=[ModelRequest([UserPromptPart("Who?")])])
    assert (later.workspace.standalone, later.workspace.notes) == (OTHER, [f"understood as: “{OTHER}”"])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            ("passage_search", {"k": 3}),
            'passage_search: query: Field required. A right call has arguments like {"query"',
        ),
        (("passage_search", {"query": "x", "k": 99}), "k: Input should be less than or equal to 30"),
        (("passage_search", '{"query": '), "passage_search: Invalid JSON"),
        (("find_evidence", {"steps": ["Metropolis, director"]}), "is not 'subject | relation | object'"),
        (("find_evidence", {"steps": []}), "give at least one step"),
        (("find_evidence", {}), 'steps: Field required. A right call has arguments like {"steps":["Metropolis | dir'),
        (("read_passage", {"number": 7}), "There is no passage [7]: none has been found so far, call find_evidence"),
        (("textual_recovery", {}), "There is no plan so far. Call constraint_retrieval first, or find_evidence"),
        (("search_the_web", {"query": "x"}), "Unknown tool name: 'search_the_web'. Available tools: "),
        (("answer", {"answer": "Vienna"}), 'explanation: Field required. A right call has arguments like {"answer"'),
    ],
)
async def test_errors_say_in_a_line_how_to_mend_the_call(script: Script, call: ScriptedCall, told: str) -> None:
    run = await script(call)
    assert told in run.told[0]
    assert len(run.told[0].splitlines()) == 1
    assert len(run.told[0]) < 600


async def test_a_wrong_passage_number_is_told_those_that_there_are(script: Script) -> None:
    run = await script(("passage_search", {"query": "harbour", "k": 3}), ("read_passage", {"number": 12}))
    assert "There is no passage [12]: give one from 1 to 3." in run.told[1]


async def test_the_same_call_twice_is_pointed_out_and_costs_little(script: Script) -> None:
    search = ("passage_search", {"query": "harbour"})
    run = await script(search, search, ("find_evidence", STEPS), search)
    assert run.told[1].startswith("You made this very call before and nothing new has been found since")
    assert not run.told[0].startswith("You made")
    assert len(run.told[1]) < 200


async def test_a_ranking_may_be_asked_again_once_more_is_known(script: Script) -> None:
    run = await script(("passage_search", {"query": "mill", "k": 1}), ("find_evidence", STEPS), ("evidence_walk", {}))
    assert "You made this very call" not in run.told[2]


async def test_results_shrink_with_the_context_that_is_left(script: Script) -> None:
    roomy, tight = await script(("find_evidence", STEPS)), await script(("find_evidence", STEPS), window=700)
    assert len(tight.told[0]) < 0.7 * len(roomy.told[0])
    assert "Not shown, read_passage shows it: [" in tight.told[0]
    # What the steps rest on is there all the same.
    assert "Irena Valdis (born 4 May 1899 in Tarnow Bay; died 2 June 1970) was a film director." in tight.told[0]
    assert "The Glass Harbour is a 1931 silent film directed by Irena Valdis." in tight.told[0]


async def test_where_the_context_is_full_only_an_answer_is_taken(script: Script) -> None:
    searches = [("passage_search", {"query": text}) for text in ("Irena Valdis", "Tarnow Bay", "Karsk")]
    run = await script(("find_evidence", STEPS), *searches, window=1_000)
    assert run.offered[0] == FIRST
    assert run.offered[-1] == []
