"""Models that think before they answer: how they are told to, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calling_run import QUESTION, answer, bare_answer, plan, run
from fake_endpoint import Says, endpoint
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models import ModelRequestParameters

from assistant.agent.ladder import RAN_AWAY
from assistant.conversations.events import Event, Finished, ThoughtDelta
from assistant.conversations.session import Session
from assistant.models.budget import Meter
from assistant.models.calling.rungs import Rungs
from assistant.models.judging.one_judgement import ANSWER_TOKENS
from assistant.models.judging.opened import open_judges
from assistant.models.metered import MeteredModel, prompt_bytes
from assistant.models.openai_chat import endpoint_model
from assistant.models.thinking import thinking_fields
from assistant.shared.model_choice import ModelChoice, Thinking
from assistant.shared.spending_limits import Budget
from kb.store.knowledge_base import KnowledgeBase

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

THOUGHT = "Passage [9] says that she was born in Paris, so I will call find_evidence."


def thinking(turn: Any) -> Any:
    """The turn, with a thought before it."""
    return lambda request: Says(calls=turn(request).calls, reasoning=THOUGHT)


async def asked(path: Path, choice: ModelChoice) -> list[Event]:
    with Session.open(path, choice) as session:
        return [event async for event in session.ask(QUESTION)]


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize(
    ("thinking", "fields"),
    [
        (None, {}),
        (True, {"chat_template_kwargs": {"enable_thinking": True}}),
        (False, {"chat_template_kwargs": {"enable_thinking": False}, "reasoning_effort": "none"}),
        (
            500,
            {
                "chat_template_kwargs": {"enable_thinking": True},
                "thinking_budget_tokens": 500,
                "thinking_token_budget": 500,
            },
        ),
    ],
)
async def test_every_request_says_whether_to_think(
    small_file: Path, thinking: Thinking, fields: dict[str, Any]
) -> None:
    assert thinking_fields(thinking, at_openai=False) == fields
    known = {"chat_template_kwargs", "reasoning_effort", "thinking_budget_tokens", "thinking_token_budget"}
    for script, calling in (([plan, answer], "tools"), ([bare_answer], "planned")):
        with endpoint(script) as server:
            choice = ModelChoice("scripted", server.url, calling, thinking=thinking)  # type: ignore[arg-type]
            await asked(small_file, choice)
        assert [{key: one[key] for key in known & one.keys()} for one in server.requests] == [fields] * len(script)
    # The budget is not taken from the answer.
    budget = 500 if thinking == 500 else 0
    assert [one["max_tokens"] for one in server.requests] == [1_024 + budget]
    assert "response_format" in server.requests[-1]


async def test_a_judgement_has_its_tokens_beside_those_for_thinking(small_file: Path) -> None:
    with KnowledgeBase.open(small_file) as kb, endpoint([lambda request: "no idea"]) as server:
        choice = ModelChoice("scripted", server.url, thinking=500)
        with open_judges(choice) as judges, judges.judging(kb, []) as judge:
            assert judge is not None
            judge.concepts(QUESTION, ())
    assert {one["max_tokens"] for one in server.requests} == {ANSWER_TOKENS + 500}


async def test_a_budget_reserves_thinking_and_answer_and_caps_them_together() -> None:
    messages: list[ModelMessage] = [ModelRequest.user_text_prompt(QUESTION)]
    prompt = Meter().estimate(prompt_bytes(messages, ModelRequestParameters()))
    left: list[int | None] = []

    def say(request: dict[str, Any]) -> str:
        left.append(meter.left.tokens)
        return "Tarnow Bay"

    for budget, most in ((10_000, 1_500), (1_200, 1_200 - prompt), (400, 400 - prompt)):
        meter = Meter(Budget(budget))
        with endpoint([say]) as server:
            choice = ModelChoice("scripted", server.url, answer_tokens=1_000, thinking=500)
            async with MeteredModel(endpoint_model(choice), meter) as model:
                await model_request(model, messages)
        assert server.requests[0]["max_tokens"] == most
        assert left.pop() == budget - prompt - most


def test_openai_knows_an_effort_and_nothing_else() -> None:
    efforts = {thinking: thinking_fields(thinking, at_openai=True) for thinking in (False, True, 1_000, 8_000, 9_000)}
    assert [one["reasoning_effort"] for one in efforts.values()] == ["none", "medium", "low", "medium", "high"]
    assert all(len(one) == 1 for one in efforts.values())


@pytest.mark.usefixtures("doubtful_reading")
async def test_extra_fields_go_with_every_request_and_before_all_others(small_file: Path) -> None:
    extra = {"top_k": 20, "chat_template_kwargs": {"thinking": False}}
    with endpoint([bare_answer]) as server:
        choice = ModelChoice("scripted", server.url, "planned", thinking=True, extra=extra)
        await asked(small_file, choice)
    sent = [(request["top_k"], request["chat_template_kwargs"]) for request in server.requests]
    assert sent == [(20, {"thinking": False})]


async def test_what_is_thought_is_told_apart_and_neither_cited_nor_sent_back(small_file: Path) -> None:
    with endpoint([thinking(plan), thinking(answer)]) as server:
        events = await asked(small_file, ModelChoice("scripted", server.url, "tools"))
    thought = "".join(event.text for event in events if isinstance(event, ThoughtDelta))
    assert thought == 2 * THOUGHT
    (reply,) = (event.reply for event in events if isinstance(event, Finished))
    assert reply.answer == "Tarnow Bay"
    assert 9 not in {citation.number for citation in reply.citations}
    assert "Paris" not in reply.markdown()
    assert "Paris" not in json.dumps(server.requests[-1])


@pytest.mark.usefixtures("doubtful_reading")
async def test_thoughts_that_go_round_are_cut_and_those_that_quote_a_schema_are_not(small_file: Path) -> None:
    quoted = 'The tool takes {"type": "object", "properties": {"steps": ...}}, so I give it steps.'
    for thought, notes in (("Hm, let me see. " * 60, [RAN_AWAY]), (quoted, [])):
        rungs = Rungs()
        script = [lambda request, thought=thought: Says(calls=plan(request).calls, reasoning=thought)]
        later = [bare_answer] if notes else [answer]
        with endpoint([*script, *later]) as server:
            ran = await run(small_file, server.url, rungs=rungs)
        assert (ran.answer, ran.workspace.notes) == ("Tarnow Bay", notes)
