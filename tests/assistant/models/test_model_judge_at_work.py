"""The techniques with a language model as judge, and the judge over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from judge_scripts import Script, apart, judging
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from small_server import Answer, refused, said, serve

from assistant.agent.deps import Deps
from assistant.agent.loop import agent
from assistant.agent.workspace import Workspace
from assistant.models.budget import Meter
from assistant.models.judging import one_judgement as asking
from assistant.models.judging.cache import JudgementCache
from assistant.models.judging.model_judge import ModelJudge
from assistant.models.metered import MeteredModel
from assistant.models.openai_chat import endpoint_model
from assistant.shared.model_choice import ModelChoice
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import group_anchors
from tools.bubble_expansion import expand_bubbles
from tools.edge_scoring import EdgeScoringParams, walk_scored_edges
from tools.evidence_expansion import expand_evidence
from tools.judgements.offline_judge import OfflineJudge

QUESTION = "Where was the painter born whose daughter directed The Glass Harbour?"


# -- the techniques ---------------------------------------------------------------------------------------------------


async def test_edge_scoring_follows_the_models_scores(small: KnowledgeBase) -> None:
    def scored(shown: str) -> dict[str, Any]:
        lines = [line for line in shown.splitlines() if " -> " in line]
        return {"scores": {str(n): 10 if "-> Tarnow Bay" in line else 0 for n, line in enumerate(lines, 1)}}

    script = Script(facts={"helpful": [1, 2]}, edges=scored)
    offline = await apart(walk_scored_edges, small, QUESTION)
    with judging(small, script) as judge:
        result = await apart(walk_scored_edges, small, QUESTION, judge=judge)
    assert script.kinds() == ["facts", "edges"]
    assert result.facts == offline.facts[:2]
    assert {(one.target.name, one.tier) for one in result.edges if one.score} == {("Tarnow Bay", "direct")}
    ranks = [[hit.passage.title for hit in one.hits].index("Tarnow Bay") for one in (result, offline)]
    assert ranks[0] < ranks[1]


async def test_summaries_are_asked_for_where_a_neighbour_is_dense(small: KnowledgeBase) -> None:
    told = "Irena Valdis, born in Tarnow Bay, directed The Glass Harbour, a silent film."
    script = Script(facts={"helpful": [1]}, edges={"scores": {"1": 9}}, summaries={"summaries": {"1": told, "2": told}})
    with judging(small, script) as judge:
        params = replace(EdgeScoringParams(), dense_entity=4)
        await apart(walk_scored_edges, small, QUESTION, params=params, judge=judge)
    assert script.kinds() == ["facts", "summaries", "edges"]
    assert f"| known: {told}" in script.asked[2][1]


async def test_anchors_and_bubbles_follow_the_models_concepts(small: KnowledgeBase) -> None:
    given = [
        {"text": "The Glass Harbour", "weight": 0.6, "specialised": "", "relaxed": []},
        {"text": "painter", "weight": 0.4, "specialised": "The Glass Harbour's painter", "relaxed": ["Oskar Valdis"]},
    ]
    script = Script(concepts={"answered_by": [], "concepts": given})
    with judging(small, script) as judge:
        anchored = await apart(group_anchors, small, QUESTION, judge=judge)
        bubbles = await apart(expand_bubbles, small, QUESTION, judge=judge)
    assert len(script.asked) == 1
    assert [(one.text, one.weight) for one in anchored.concepts] == [("The Glass Harbour", 0.6), ("painter", 0.4)]
    assert anchored.concepts[1].alternatives == ("The Glass Harbour's painter", "Oskar Valdis")
    assert sum(group.weight for group in bubbles.groups) == pytest.approx(1)
    assert bubbles.groups == anchored.groups


async def test_a_question_that_is_answered_makes_no_groups(small: KnowledgeBase) -> None:
    script = Script(concepts={"answered_by": [1], "concepts": [{"text": "painter", "weight": 1}]})
    with judging(small, script) as judge:
        anchored = await apart(group_anchors, small, QUESTION, judge=judge)
    assert (anchored.answered, anchored.groups) == (True, ())
    assert not (await apart(group_anchors, small, QUESTION)).answered


async def test_expansion_takes_the_step_that_the_model_picks(small: KnowledgeBase) -> None:
    def pick(shown: str) -> dict[str, Any]:
        offered = [line for line in shown.splitlines() if line[0].isdigit()]
        on_the_way = ("directed by | Irena", "daughter of", "| in | Karsk")
        numbers = [at for at, line in enumerate(offered, 1) if any(words in line for words in on_the_way)]
        return {"facts": numbers, "enough": any("Karsk" in line for line in offered)}

    script = Script(concepts={"answered_by": [], "concepts": [{"text": "The Glass Harbour", "weight": 1}]}, choice=pick)
    with judging(small, script) as judge:
        result = await apart(expand_evidence, small, QUESTION, judge=judge)
    assert [[fact.text() for fact in small.triples(step.picked)] for step in result.steps] == [
        ["The Glass Harbour silent film directed by Irena Valdis"],
        ["Irena Valdis was the daughter of the painter Oskar Valdis"],
        ["Oskar Valdis in Karsk"],
    ]
    assert [step.enough for step in result.steps] == [False, False, True]
    assert "Oskar Valdis" in {hit.passage.title for hit in result.hits}


# -- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture
def facts(small: KnowledgeBase) -> list[Triple]:
    return small.triples(small.fact_graph.facts.tolist())[:4]


async def filtered(kb: KnowledgeBase, facts: list[Triple], url: str, notes: list[str]) -> tuple[tuple[int, ...], Meter]:
    """The facts that a model at an endpoint keeps, and what that cost."""
    model = MeteredModel(endpoint_model(ModelChoice("m", url)), Meter())
    cache, loop = JudgementCache(kb), asyncio.get_running_loop()
    judge = ModelJudge(kb, model, name="m", loop=loop, cache=cache, notes=notes, meter=model.meter)
    async with model:
        with judge:
            found = await apart(judge.filter_facts, QUESTION, facts)
    cache.close()
    return found, model.meter


@pytest.mark.usefixtures("model_requests_allowed")
async def test_what_is_sent_and_what_it_costs(small: KnowledgeBase, facts: list[Triple]) -> None:
    notes: list[str] = []
    with serve(said('{"helpful": [2]}')) as server:
        found, meter = await filtered(small, facts, server.url, notes)
        assert (found, notes) == ((facts[1].id,), [])
        (body,) = server.bodies
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert body["messages"][0]["content"] == asking.prompt("facts")
        assert "tools" not in body
        assert body["response_format"]["json_schema"]["schema"]["required"] == ["helpful"]
        assert (meter.spent.requests, meter.spent.tokens) == (1, 15)
        # The next question's judge, with a cache that is opened anew.
        assert (await filtered(small, facts, server.url, notes))[0] == found
        assert server.posts == 1


@pytest.mark.usefixtures("model_requests_allowed")
async def test_a_server_that_refuses_schemas_is_asked_without(small: KnowledgeBase, facts: list[Triple]) -> None:
    notes: list[str] = []

    def answered(method: str, path: str) -> Answer:
        if "response_format" in server.bodies[-1]:
            return refused(400, "'response_format' is not supported")
        return said('{"helpful": [2]}')

    with serve(answered) as server:
        found, _ = await filtered(small, facts, server.url, notes)
        forms = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert (found, notes, forms) == ((facts[1].id,), [], ["json_schema", "json_object", None])


@pytest.mark.usefixtures("model_requests_allowed")
@pytest.mark.parametrize(
    "answer",
    [
        refused(401, "bad key sk-123"),
        refused(400, "context length exceeded"),
        refused(404, "no such model"),
        refused(429, "too many requests"),
        Answer(200, "no JSON at all"),
        Answer(200, {"choices": []}),
    ],
)
async def test_an_endpoint_that_fails(small: KnowledgeBase, facts: list[Triple], answer: Answer) -> None:
    notes: list[str] = []
    with serve(answer) as server:
        found, _ = await filtered(small, facts, server.url, notes)
    assert found == OfflineJudge(small).filter_facts(QUESTION, facts)
    assert notes == ["the model's choice of facts failed, so clew judged for itself"]


# -- inside the agent's loop ------------------------------------------------------------------------------------------


def calling(name: str) -> FunctionModel:
    """A model that calls one tool and then gives up."""

    async def turn(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        call, arguments = (name, {}) if len(messages) == 1 else ("not_found", {"missing": "all of it"})
        yield {0: DeltaToolCall(name=call, json_args=json.dumps(arguments), tool_call_id=call)}

    return FunctionModel(stream_function=turn)


async def test_a_tool_waits_for_its_judgement_while_the_loop_goes_on(small: KnowledgeBase) -> None:
    script = Script(facts={"helpful": [1]}, edges={"scores": {"1": 9}})
    workspace = Workspace(QUESTION)
    with ThreadPoolExecutor(1) as thread, judging(small, script, notes=workspace.notes) as judge:
        deps = Deps(small, workspace, thread, judge=judge)
        async with agent().run_stream_events(QUESTION, model=calling("edge_scoring"), deps=deps) as events:
            async for _ in events:
                pass
    assert script.kinds() == ["facts", "edges"]
    (call,) = workspace.calls
    assert (call.name, call.failed, workspace.notes) == ("edge_scoring", False, [])


async def test_a_question_that_is_cancelled_lets_its_thread_go(small: KnowledgeBase) -> None:
    begun = asyncio.Event()

    async def never() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def ask(deps: Deps, judge: ModelJudge) -> None:
        with judge:
            async with agent().run_stream_events(QUESTION, model=calling("edge_scoring"), deps=deps) as events:
                async for _ in events:
                    pass

    script, workspace = Script(facts=lambda shown: never()), Workspace(QUESTION)
    with ThreadPoolExecutor(1) as thread, judging(small, script) as judge:
        task = asyncio.create_task(ask(Deps(small, workspace, thread, judge=judge), judge))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The next question's first tool waits for what still runs there.
        assert await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(thread, lambda: "free"), 10) == "free"
