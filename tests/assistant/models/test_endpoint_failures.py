"""Every failure of an endpoint ends in a right answer, a partial one that says so, or one clear line; nothing is paid
twice.
"""

from __future__ import annotations

import asyncio
import json
import socket
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from calling_run import QUESTION, answer, answer_as_json, bare_answer, chat, found, nothing, plan, plan_as_json
from fake_endpoint import (
    LLAMA_CPP_TOO_LONG,
    OLLAMA_UNKNOWN_MODEL,
    OPENAI_TOO_LONG,
    OPENAI_UNKNOWN_MODEL,
    Cut,
    Endpoint,
    Says,
    Status,
    Turn,
    endpoint,
    llama_cpp_without_jinja,
    no_formats,
    ollama_without_tools,
    vllm_without_tool_parser,
)

from assistant.agent.ladder import CUT_OFF
from assistant.agent.planned import OWN_READING
from assistant.agent.replying.reply import Reply
from assistant.conversations.session import Session, final_reply
from assistant.conversations.session import answer as answered
from assistant.shared.model_choice import Calling, ModelChoice
from kb.errors import ModelFailure

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

TRIES = 3
"""Requests that the SDK makes where a server is busy or broken: one, and two more."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key to be refused, which no line may tell."""
    monkeypatch.setenv("CLEW_API_KEY", "sk-secret")
    return "sk-secret"


def ask(file: Path, server: Endpoint, calling: Calling = "auto") -> Reply:
    return answered(file, QUESTION, ModelChoice("scripted", server.url, calling))


def paid(server: Endpoint) -> list[str]:
    """The requests that the server was put, each as what it told the model."""
    return [json.dumps(request["messages"]) for request in server.requests]


LASTING: list[tuple[Any, str, int]] = [
    (Status(401, "bad key sk-secret"), "refuses the key", 1),
    (Status(404), "is not served there", 1),
    (OPENAI_UNKNOWN_MODEL, "is not served there", 1),
    (OLLAMA_UNKNOWN_MODEL, "is not served there", 1),
    (Status(429, headers={"Retry-After": "0"}), "too many requests", TRIES),
    (Status(500), "HTTP status 500", TRIES),
    (OPENAI_TOO_LONG, "too small a context", 1),
    (LLAMA_CPP_TOO_LONG, "too small a context", 1),
    (Cut("passage_search", '{"query": "Irena'), "broke off", 1),
    (Says("The director", cut="closed"), "broke off", 1),
    (Says(error={"error": {"message": "CUDA out of memory", "type": "server_error", "code": 500}}), "500", 1),
]


@pytest.mark.parametrize(("failure", "line", "tries"), LASTING)
def test_a_failure_at_the_first_request_is_one_line(small_file: Path, failure: Any, line: str, tries: int) -> None:
    with endpoint([lambda _: failure], models=["qwen3"]) as server, pytest.raises(ModelFailure) as error:
        ask(small_file, server)
    assert "sk-secret" not in str(error.value)
    assert line in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 4
    assert len(server.requests) == tries


@pytest.mark.parametrize(("failure", "line", "tries"), LASTING)
def test_a_failure_at_a_later_request_ends_in_a_partial_answer(
    small_file: Path, failure: Any, line: str, tries: int
) -> None:
    with endpoint([plan, lambda _: failure], models=["qwen3"]) as server:
        reply = ask(small_file, server)
    assert (reply.answer, reply.partial) == ("Tarnow Bay", True)
    assert line in reply.notes[-1]
    assert len(server.requests) == 1 + tries
    # What was answered is not asked again.
    assert paid(server).count(paid(server)[0]) == 1


@pytest.mark.parametrize(
    "failure",
    [Status(429, headers={"Retry-After": "0"}), Status(500), Status(503), Status(408)],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_failure_that_passes_is_not_noticed(small_file: Path, failure: Status, first: bool) -> None:
    script: Sequence[Turn] = [plan, answer]
    script = [lambda _: failure, *script] if first else [plan, lambda _: failure, answer]
    with endpoint(script) as server:
        reply = ask(small_file, server)
    assert (reply.answer, reply.partial, reply.notes) == ("Tarnow Bay", False, ())
    assert (len(server.requests), reply.usage.requests) == (3, 2)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    "odd",
    [
        chat,
        nothing,
        lambda _: Says("", finish="length"),
        lambda _: Says(calls=[("passage_search", '{"query": "Irena')]),
        lambda _: Says(calls=[("passage_search", '{"query": "Irena')], cut="ended"),
        lambda _: Says(calls=[("passage_search", '{"query": "Irena"')], finish="length"),
        lambda _: "{'tool': 'passage_search', 'arguments': {'query': ",
    ],
)
def test_a_reply_that_is_no_call_is_asked_for_once_more(small_file: Path, odd: Turn, first: bool) -> None:
    with endpoint([odd, plan, answer] if first else [plan, odd, answer]) as server:
        reply = ask(small_file, server)
    assert (reply.answer, reply.partial) == ("Tarnow Bay", False)
    assert {*reply.notes} <= {CUT_OFF}, "what was cut off is told, and nothing else"
    assert len(server.requests) == 3
    assert len(set(paid(server))) == 3
    assert reply.usage.requests == 3
    # What a server does not count is estimated, on the high side.
    assert reply.usage.input_tokens >= 300


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("useless", [chat, nothing])
def test_a_model_that_never_calls_a_tool_still_ends_in_an_answer(small_file: Path, useless: Turn, first: bool) -> None:
    with endpoint([useless] if first else [plan, useless]) as server:
        reply = ask(small_file, server)
    assert reply.answer == "Tarnow Bay"
    assert reply.notes[-1] == OWN_READING
    # Twice by tools, twice by JSON; the rest clew does itself.
    assert len(server.requests) == (4 if first else 5)


@pytest.mark.parametrize(
    "refuses", [ollama_without_tools, llama_cpp_without_jinja, vllm_without_tool_parser, no_formats]
)
def test_servers_without_tools_answer_right_and_once(small_file: Path, refuses: Callable[[Any], Any]) -> None:
    with (
        endpoint([plan_as_json, answer_as_json] * 2, refuses=refuses) as server,
        Session.open(small_file, ModelChoice("scripted", server.url)) as session,
    ):
        replies = [asyncio.run(final_reply(session, QUESTION)) for _ in range(2)]
    assert [reply.answer for reply in replies] == ["Tarnow Bay", "Tarnow Bay"]
    assert [len(reply.notes) for reply in replies] == [1, 0]
    assert server.answered == 4
    assert [reply.usage.requests for reply in replies] == [2, 2]


@pytest.mark.parametrize(("failure", "line", "tries"), LASTING[:8])
def test_failures_while_asking_for_json(small_file: Path, failure: Any, line: str, tries: int) -> None:
    with endpoint([plan_as_json, lambda _: failure], refuses=ollama_without_tools, models=["qwen3"]) as server:
        reply = ask(small_file, server)
    assert (reply.answer, reply.partial) == ("Tarnow Bay", True)
    assert line in reply.notes[-1]
    assert server.answered == 1 + tries


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize("rung", ["json", "planned"])
def test_failures_of_a_pinned_rung_are_one_line(small_file: Path, rung: Calling) -> None:
    with endpoint([lambda _: Status(401)]) as server, pytest.raises(ModelFailure, match="refuses the key"):
        ask(small_file, server, rung)
    assert len(server.requests) == 1


def test_a_slow_server_and_one_without_usage(small_file: Path) -> None:
    def slow(_: Any) -> Says:
        return Says(calls=plan({}).calls, pause=0.01, usage=False)

    with endpoint([slow, answer]) as server:
        reply = ask(small_file, server)
    assert (reply.answer, reply.partial, len(server.requests)) == ("Tarnow Bay", False, 2)


def test_no_server(small_file: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with pytest.raises(ModelFailure, match="cannot be reached"):
        answered(small_file, QUESTION, ModelChoice("scripted", url))


def test_a_model_that_calls_tools_without_end_is_brought_to_one(small_file: Path) -> None:
    def search(_: Any) -> Says:
        return Says(calls=[("passage_search", '{"query": "Irena Valdis born"}')])

    with endpoint([search]) as server:
        reply = ask(small_file, server)
    assert reply.partial
    assert "went on calling tools" in reply.notes[-1]
    assert len(server.requests) <= 16


def test_plans_as_gpt_4o_mini_wrote_them_are_taken(small_file: Path, benchmark_data: Path) -> None:
    files = sorted(benchmark_data.glob("*/plans.jsonl"))
    assert files
    recorded = [json.loads(file.read_text(encoding="utf-8").splitlines()[n])["plan"] for file in files for n in (0, -1)]
    for steps in recorded:
        for name, key in (("constraint_retrieval", "constraints"), ("find_evidence", "steps")):
            call = Says(calls=[(name, json.dumps({key: steps}))])
            with endpoint([lambda _, call=call: call, plan, answer]) as server:
                reply = ask(small_file, server)
            assert (reply.answer, len(server.requests)) == ("Tarnow Bay", 3)
            assert [tool.name for tool in reply.tools] == [name, "constraint_retrieval"]


def test_the_server_lists_its_models() -> None:
    with endpoint([chat], models=["qwen3", "gemma3"]) as server:
        listed = json.load(urllib.request.urlopen(f"{server.url}/models"))
    assert [one["id"] for one in listed["data"]] == ["qwen3", "gemma3"]


@pytest.mark.usefixtures("doubtful_reading")
def test_the_answer_of_a_planned_pass_is_asked_for_once_more(small_file: Path) -> None:
    def right(request: Any) -> str:
        assert "<passage" in str(request["messages"])
        return bare_answer(request)

    with endpoint([chat, right]) as server:
        reply = ask(small_file, server, "planned")
    assert reply.answer == found(server.requests[-1])["answer"]
    assert len(server.requests) == 2
    assert reply.notes == ()
