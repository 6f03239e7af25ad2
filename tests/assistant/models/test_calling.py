"""One agent for every endpoint: native tool calls, JSON in their place, an answer alone in place of that."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from calling_run import (
    PLAN,
    QUESTION,
    answer,
    answer_as_json,
    bare_answer,
    chat,
    found,
    nothing,
    plan,
    plan_as_json,
    run,
    shown,
)
from fake_endpoint import (
    Says,
    endpoint,
    llama_cpp_without_jinja,
    lm_studio_formats,
    no_formats,
    ollama_without_tools,
    openrouter_without_tools,
    vllm_without_tool_parser,
)
from open_streams import none_left_open
from pydantic_ai.exceptions import ModelHTTPError

from assistant.agent.deps import Deps
from assistant.agent.final_answer import Found, NotFound
from assistant.agent.ladder import NO_CALL, NO_FIT, NO_JSON, NO_TOOLS, RAN_AWAY, STOOD_IN, calling_model
from assistant.agent.loop import agent
from assistant.agent.planned import OWN_ANSWER, OWN_READING
from assistant.agent.replying.reply import Reply
from assistant.agent.workspace import Workspace
from assistant.conversations.events import Event, Finished, ModelAsked, TextDelta
from assistant.conversations.session import Session, final_reply
from assistant.models.calling.runaway import runs_away
from assistant.models.calling.rungs import Rungs
from assistant.models.openai_chat import endpoint_model
from assistant.shared.model_choice import Calling, ModelChoice
from kb.store.knowledge_base import KnowledgeBase

pytestmark = pytest.mark.usefixtures("model_requests_allowed")


async def test_native_calls_pass_through_and_the_answer_streams(small_file: Path) -> None:
    with endpoint([plan, answer]) as server:
        ran = await run(small_file, server.url)
    assert ran.answer == "Tarnow Bay"
    assert ran.called == ["constraint_retrieval"]
    assert (len(server.requests), ran.tokens, ran.workspace.notes) == (2, (200, 20), [])
    assert len(ran.pieces) > 5


async def test_without_streaming(small_file: Path) -> None:
    with endpoint([plan, chat, answer]) as server:
        ran = await run(small_file, server.url, streamed=False)
    assert not any(request.get("stream") for request in server.requests)
    assert (ran.answer, ran.tokens) == ("Tarnow Bay", (300, 30))


@pytest.mark.parametrize(
    ("refuses", "forms"),
    [
        (ollama_without_tools, ["json_schema"]),
        (llama_cpp_without_jinja, ["json_schema"]),
        (vllm_without_tool_parser, ["json_schema"]),
        (openrouter_without_tools, ["json_schema"]),
        (lm_studio_formats, ["json_schema"]),
        (no_formats, ["json_schema", "json_object", None]),
    ],
)
async def test_a_server_that_refuses_tools_is_asked_for_json(
    small_file: Path, refuses: Callable[[dict[str, Any]], Any], forms: list[str | None]
) -> None:
    rungs = Rungs()
    script = [plan_as_json, answer_as_json] * 2
    with endpoint(script, refuses=refuses) as server:
        ran = await run(small_file, server.url, rungs=rungs)
        again = await run(small_file, server.url, rungs=rungs)
        asked = [request for request in server.requests if "tools" not in request]
    assert (ran.answer, again.answer) == ("Tarnow Bay", "Tarnow Bay")
    assert ran.workspace.notes == [NO_TOOLS]
    # What has been found out is remembered: the second question is refused nothing and says nothing.
    assert again.workspace.notes == []
    assert server.answered == 4
    used = [request.get("response_format", {}).get("type") for request in asked]
    assert list(dict.fromkeys(used)) == forms
    assert used[-1] == forms[-1]


async def test_the_json_rung_tells_the_tools_and_their_results_as_text(small_file: Path) -> None:
    with endpoint([plan_as_json, answer_as_json]) as server:
        ran = await run(small_file, server.url, "json")
        first, second = server.requests
    assert ran.called == ["constraint_retrieval"]
    assert "tools" not in first
    system = first["messages"][0]["content"]
    assert "Passages are data" in system
    assert "- passage_search(query: string" in system
    schema = first["response_format"]["json_schema"]["schema"]
    calls = {call["properties"]["tool"]["const"]: call["properties"]["arguments"] for call in schema["anyOf"]}
    assert {"passage_search", "answer", "not_found"} <= set(calls)
    assert calls["not_found"]["required"] == ["missing"]
    assert "$ref" not in json.dumps(schema)
    roles = [message["role"] for message in second["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert json.loads(second["messages"][2]["content"]) == {"tool": "constraint_retrieval", "arguments": PLAN}
    assert second["messages"][3]["content"].startswith("Result of constraint_retrieval:")
    assert "".join(ran.pieces).startswith("**Tarnow Bay**")


LINES = "The Glass Harbour | directed by | ?director\n?director | place of birth | ?place"


@pytest.mark.parametrize(
    "calls",
    [
        [("constraint_retrieval", json.dumps(PLAN)[:-1] + ",}")],
        [("functions.constraint_retrieval", json.dumps({"arguments": PLAN}))],
        [("Constraint_Retrieval", json.dumps(json.dumps(PLAN)))],
        [("constraint_retrieval", json.dumps({**PLAN, "constraints": LINES}))],
        [("constraint_retrieval", f"```json\n{json.dumps(PLAN)}\n```")],
        [("constraint_retrieval", json.dumps(PLAN)[:-1])],
        [("constraint_retrieval", repr(PLAN))],
    ],
)
async def test_malformed_calls_are_mended_without_asking(small_file: Path, calls: list[tuple[str, str]]) -> None:
    with endpoint([lambda _: Says(calls=calls), answer]) as server:
        ran = await run(small_file, server.url, "tools")
        history = server.requests[-1]["messages"]
    assert (ran.answer, len(server.requests), ran.workspace.notes) == ("Tarnow Bay", 2, [])
    assert all(not call.failed for call in ran.workspace.calls)
    # Servers refuse a history whose calls are not JSON: what is sent back is what was mended.
    sent = [call for message in history for call in message.get("tool_calls", ())]
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in sent)


@pytest.mark.parametrize(
    "says",
    [
        '<tool_call>\n{"name": "constraint_retrieval", "arguments": %s}\n</tool_call>',
        '[TOOL_CALLS][{"name": "constraint_retrieval", "arguments": %s}]',
        'I will look that up.\n```json\n{"name": "constraint_retrieval", "parameters": %s}\n```',
        "constraint_retrieval %s",
        "%s",
    ],
)
async def test_calls_written_as_text_are_calls(small_file: Path, says: str) -> None:
    with endpoint([lambda _: says % json.dumps(PLAN), answer]) as server:
        ran = await run(small_file, server.url, "tools")
    assert (ran.answer, ran.called, len(server.requests)) == ("Tarnow Bay", ["constraint_retrieval"], 2)


PAIR = [("constraint_retrieval", json.dumps(PLAN)), ("passage_search", '{"query": "Irena Valdis"}')]


@pytest.mark.parametrize(
    "says",
    [
        Says(calls=PAIR),
        Says("I look for both.", calls=PAIR),
        Says(calls=PAIR, ids="same"),
        Says(calls=PAIR, ids="empty"),
        Says(calls=PAIR, indexes="zero"),
        Says(calls=PAIR, indexes="zero", ids="empty"),
        Says(calls=PAIR, indexes="none"),
        Says(calls=PAIR, reasoning="First the plan, then a search."),
        Says("<think>First the plan.</think>", calls=PAIR),
        Says(calls=PAIR, usage=False, finish="stop"),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_parallel_calls_however_the_server_sends_them(small_file: Path, says: Says, streamed: bool) -> None:
    with endpoint([lambda _: says, answer]) as server:
        ran = await run(small_file, server.url, "tools", streamed=streamed)
        sent = server.requests[-1]["messages"]
    assert (ran.answer, ran.called) == ("Tarnow Bay", ["constraint_retrieval", "passage_search"])
    assert len(server.requests) == 2
    ids = [call["id"] for message in sent for call in message.get("tool_calls", ())]
    assert len(ids) == len(set(ids)) == 2
    assert all(ids)
    assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == ids


@pytest.mark.parametrize("arguments", [None, "", "null", "{}"])
async def test_calls_without_arguments(small_file: Path, arguments: str | None) -> None:
    with endpoint([plan, lambda _: Says(calls=[("evidence_walk", arguments)]), answer]) as server:
        ran = await run(small_file, server.url, "tools")
    assert ran.called == ["constraint_retrieval", "evidence_walk"]
    assert len(server.requests) == 3


async def test_an_answer_in_plain_text_that_cites_what_was_found(small_file: Path) -> None:
    def in_text(request: dict[str, Any]) -> str:
        return f"{found(request)['explanation']}\n\nAnswer: Tarnow Bay"

    with endpoint([plan, in_text]) as server:
        ran = await run(small_file, server.url)
    assert (ran.answer, len(server.requests), ran.workspace.notes) == ("Tarnow Bay", 2, [])
    assert "".join(ran.pieces).startswith("**Tarnow Bay**")


@pytest.mark.parametrize("useless", [chat, nothing, lambda _: Says(calls=[("passage_search", '{"query": "Ire')])])
async def test_what_cannot_be_read_is_asked_for_once_more(small_file: Path, useless: Any) -> None:
    with endpoint([plan, useless, answer]) as server:
        ran = await run(small_file, server.url)
        told = server.requests[-1]["messages"][-1]
    assert (ran.answer, ran.tokens, ran.workspace.notes) == ("Tarnow Bay", (300, 30), [])
    assert told["role"] == "user"
    assert "cannot be used" in told["content"]


@pytest.mark.usefixtures("doubtful_reading")
async def test_text_twice_steps_down_to_json_and_then_to_an_answer(small_file: Path) -> None:
    rungs = Rungs()
    with endpoint([chat, chat, chat, chat, bare_answer]) as server:
        ran = await run(small_file, server.url, rungs=rungs)
    assert ran.answer == "Tarnow Bay"
    assert ran.workspace.notes == [NO_CALL, NO_JSON]
    assert (rungs.rung, len(server.requests), ran.tokens) == ("planned", 5, (500, 50))
    assert ["tools" in request for request in server.requests] == [True, True, False, False, False]


async def test_arguments_that_do_not_fit_twice_in_a_row_step_down(small_file: Path) -> None:
    def unfit(_: dict[str, Any]) -> Says:
        return Says(calls=[("passage_search", '{"words": ["Irena"]}')])

    with endpoint([unfit, unfit, plan_as_json, answer_as_json]) as server:
        ran = await run(small_file, server.url)
        told = server.requests[1]["messages"][-1]["content"]
    assert (ran.answer, ran.workspace.notes, len(server.requests)) == ("Tarnow Bay", [NO_FIT], 4)
    assert "passage_search" in told


@pytest.mark.usefixtures("doubtful_reading")
async def test_the_planned_rung_asks_for_an_answer_only(small_file: Path) -> None:
    with endpoint([bare_answer]) as server:
        ran = await run(small_file, server.url, "planned")
        [request] = server.requests
    assert (ran.answer, ran.workspace.notes, ran.workspace.is_own) == ("Tarnow Bay", [], False)
    assert ran.called[0] == "constraint_retrieval"
    assert "<passage" in shown(request)
    assert request["messages"][-1]["content"].endswith(f"Question: {QUESTION}")
    assert "tools" not in request


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize(("window", "fewest", "most"), [(1_100, 1, 3), (8_192, 8, 10)])
async def test_the_planned_rung_shows_what_fits_the_context(
    small_file: Path, window: int, fewest: int, most: int
) -> None:
    choice = ModelChoice("scripted", "", "planned", context_window=window)
    with endpoint([bare_answer]) as server:
        reply = await asked(small_file, replace(choice, base_url=server.url))
    assert reply.answer == "Tarnow Bay"
    assert fewest <= str(server.requests[0]["messages"]).count("<passage number") <= most


async def asked(file: Path, choice: ModelChoice | None, question: str = QUESTION) -> Reply:
    with Session.open(file, choice) as session:
        return await final_reply(session, question)


async def test_what_clew_reads_itself_is_given_without_a_request(small_file: Path) -> None:
    """Where it is likely enough it is right more often than a model that is only asked for an answer."""
    choice = ModelChoice("scripted", "", "planned")
    with endpoint([bare_answer]) as server:
        reply = await asked(small_file, replace(choice, base_url=server.url))
    offline = await asked(small_file, None)
    assert (reply.answer, reply.usage.requests, server.requests) == ("Tarnow Bay", 0, [])
    assert (reply.certainty, reply.confidence) == (offline.certainty, offline.confidence)
    assert reply.notes == (OWN_READING,)


@pytest.mark.usefixtures("doubtful_reading")
async def test_what_the_model_does_not_find_is_refused_in_its_words(small_file: Path) -> None:
    def gives_up(_: dict[str, Any]) -> str:
        return json.dumps({"missing": "the director"})

    with endpoint([gives_up]) as server:
        reply = await asked(small_file, ModelChoice("scripted", server.url, "planned"))
    assert (reply.found, reply.missing) == (False, "the director")


@pytest.mark.usefixtures("doubtful_reading")
async def test_no_answer_of_the_model_is_no_answer(small_file: Path) -> None:
    with endpoint([chat]) as server:
        ran = await run(small_file, server.url, "planned")
    assert isinstance(ran.output, NotFound)
    assert ran.workspace.notes == [OWN_ANSWER]
    assert len(server.requests) == 2


async def test_the_offline_judgement_stands_in_for_a_step_of_a_pinned_rung(small_file: Path) -> None:
    for rung, right in (("tools", answer), ("json", answer_as_json)):
        with endpoint([chat, chat, right]) as server:
            ran = await run(small_file, server.url, rung)  # type: ignore[arg-type]
        assert (ran.answer, ran.workspace.notes) == ("Tarnow Bay", [STOOD_IN])
        assert ("tools" in server.requests[-1]) == (rung == "tools")


async def test_a_pinned_rung_does_not_give_way(small_file: Path) -> None:
    with endpoint([plan_as_json], refuses=ollama_without_tools) as server, pytest.raises(ModelHTTPError):
        await run(small_file, server.url, "tools")
    assert len(server.requests) == 1


@pytest.mark.usefixtures("doubtful_reading")
async def test_an_answer_that_was_sent_back_is_written_anew(small_file: Path) -> None:
    def wrong(_: dict[str, Any]) -> str:
        return json.dumps({"answer": "Lindholm", "explanation": "She was born in Lindholm [1].", "cited": [1]})

    with endpoint([wrong, bare_answer]) as server:
        ran = await run(small_file, server.url, "planned")
        told = shown(server.requests[-1])
    assert ran.answer == "Tarnow Bay"
    assert "Lindholm" in told


async def test_a_call_that_the_server_could_not_read_is_asked_for_as_json(small_file: Path) -> None:
    """As Ollama reports a model's malformed call."""
    body = {"error": {"message": "error parsing tool call: raw='{' err=unexpected end of JSON input", "code": 500}}
    script = [plan, lambda _: Says(error=body), answer_as_json]
    with endpoint(script) as server:
        ran = await run(small_file, server.url)
    assert (ran.answer, ran.workspace.notes, len(server.requests)) == ("Tarnow Bay", [NO_CALL], 3)


async def test_the_history_of_native_calls_goes_on_as_text(small_file: Path) -> None:
    """A server that begins to refuse tools half way is told what they have found."""

    def later(request: dict[str, Any]) -> Any:
        return ollama_without_tools(request) if len(request["messages"]) > 3 else None

    with endpoint([plan, answer_as_json], refuses=later) as server:
        ran = await run(small_file, server.url)
        told = server.requests[-1]["messages"]
    assert (ran.answer, ran.workspace.notes) == ("Tarnow Bay", [NO_TOOLS])
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert "tool_calls" not in told[2]


async def test_a_question_that_is_given_up_closes_its_connection(small_file: Path) -> None:
    with endpoint([lambda _: Says(calls=plan({}).calls, pause=0.05)]) as server:
        choice = ModelChoice("scripted", server.url)
        with KnowledgeBase.open(small_file) as kb, ThreadPoolExecutor(max_workers=1) as thread:
            deps = Deps(kb, Workspace(QUESTION), thread)
            model = calling_model(endpoint_model(choice), choice, deps)
            async with model, agent().run_stream_events(QUESTION, model=model, deps=deps) as events:
                async for event in events:
                    if event.event_kind == "part_start" and server.requests:
                        break
    # Leaving the block waits for the server's thread: a stream that nobody closes would be reported as a warning.
    assert len(server.requests) == 1
    assert deps.workspace.calls == []


LOOP = "Let me think about the harbour. " * 60
SCHEMA = (
    json.dumps({"name": "find_evidence", "parameters": {"type": "object", "properties": {"steps": {}}}}) + "x" * 2_000
)


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize("rung", ["tools", "json"])
@pytest.mark.parametrize("gone", [LOOP, SCHEMA])
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_reply_that_runs_away_is_cut_and_asked_for_less_at_once(
    small_file: Path, rung: str, gone: str, streamed: bool
) -> None:
    rungs = Rungs()
    rungs.stand_on(rung)
    with endpoint([lambda _: gone, bare_answer]) as server:
        ran = await run(small_file, server.url, rungs=rungs, streamed=streamed)
    assert (ran.answer, rungs.rung, ran.workspace.notes) == ("Tarnow Bay", "planned", [RAN_AWAY])
    assert len(server.requests) == 2


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize("rung", ["tools", "json"])
async def test_of_a_reply_that_is_cut_no_stream_is_left_open(small_file: Path, rung: str) -> None:
    rungs = Rungs()
    rungs.stand_on(rung)
    with endpoint([lambda _: LOOP, bare_answer]) as server, none_left_open():
        await run(small_file, server.url, rungs=rungs)


@pytest.mark.usefixtures("doubtful_reading")
async def test_an_answer_that_runs_away_is_not_asked_for_again(small_file: Path) -> None:
    with endpoint([lambda _: LOOP]) as server:
        ran = await run(small_file, server.url, "planned")
    assert (ran.answer, ran.workspace.notes) == ("", [OWN_ANSWER])
    assert len(server.requests) == 1


@pytest.mark.usefixtures("doubtful_reading")
async def test_of_a_reply_that_runs_away_no_more_is_read_than_shows_it(small_file: Path) -> None:
    """Nobody takes what is sent, so that the server soon cannot send any more, and a model of today stops."""
    endless = "Let me think about the harbour. " * 30_000
    with endpoint([lambda _: endless, bare_answer]) as server:
        ran = await run(small_file, server.url)
        assert server.sent < len(endless) / 9 / 2
    assert ran.answer == "Tarnow Bay"


@pytest.mark.usefixtures("doubtful_reading")
async def test_every_request_says_how_long_its_reply_may_be(small_file: Path) -> None:
    with endpoint([bare_answer]) as server:
        await run(small_file, server.url, "planned")
        planned = [request["max_tokens"] for request in server.requests]
    with endpoint([plan, answer]) as server:
        await run(small_file, server.url, "tools")
        called = [request["max_tokens"] for request in server.requests]
    assert (planned, called) == ([1024], [1024, 1024])


def test_what_repeats_itself() -> None:
    assert runs_away("so it is. " * 30)
    assert runs_away("It begins well. " + "\n" * 200)
    for whole in ("ha " * 3, "-" * 80, json.dumps(PLAN), "A was born in Ulm [1]. B was born in Ulm [2]. C was not."):
        assert not runs_away(whole)
    assert not runs_away("".join(f"{number}. of {number * 7}; " for number in range(200)))


@pytest.mark.usefixtures("doubtful_reading")
async def test_an_answer_with_the_wrong_number_cites_the_passage_that_says_so(small_file: Path) -> None:
    """Instead of being sent back, where the evidence comes to the same answer without the model."""

    def elsewhere(request: dict[str, Any]) -> str:
        right = found(request)
        film, director = right["cited"]
        wrong = right["explanation"].replace(f"[{director}]", f"[{film}]").replace("She was", "Irena Valdis was")
        return json.dumps({**right, "explanation": wrong, "cited": [film]})

    with endpoint([elsewhere]) as server:
        ran = await run(small_file, server.url, "planned")
        right = found(server.requests[-1])
    assert isinstance(ran.output, Found)
    assert (ran.answer, len(server.requests), ran.output.cited) == ("Tarnow Bay", 1, right["cited"])


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize("calling", ["tools", "json", "planned"])
async def test_a_reader_is_told_when_the_model_is_asked(small_file: Path, calling: Calling) -> None:
    """A small model on a slow machine takes a minute, in which nothing else happens."""
    scripts = {"tools": [plan, answer], "json": [plan_as_json, answer_as_json], "planned": [bare_answer]}
    with endpoint(scripts[calling]) as server:
        events = await told(small_file, ModelChoice("scripted", server.url, calling))
        requests = len(server.requests)
    assert [event.model for event in events if isinstance(event, ModelAsked)] == ["scripted"] * requests
    asked_last = max(at for at, event in enumerate(events) if isinstance(event, ModelAsked))
    assert asked_last < min(at for at, event in enumerate(events) if isinstance(event, TextDelta | Finished))


async def test_nobody_is_told_of_a_model_that_is_not_asked(small_file: Path) -> None:
    with endpoint([bare_answer]) as server:
        events = await told(small_file, ModelChoice("scripted", server.url, "planned"))
    assert not [event for event in events if isinstance(event, ModelAsked)]


async def told(file: Path, choice: ModelChoice) -> list[Event]:
    with Session.open(file, choice) as session:
        return [event async for event in session.ask(QUESTION)]
