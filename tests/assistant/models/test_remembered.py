"""On which rung a model begins: on the one that worked, or on the last one if it is small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calling_run import answer, answer_as_json, bare_answer, chat, plan, plan_as_json
from fake_endpoint import Turn, endpoint, ollama_without_tools
from small_documents import QUESTION

from assistant.agent.replying.reply import Reply
from assistant.conversations.session import Session, final_reply
from assistant.models.calling.remembered import is_small, parameters_in, remember, remembered
from assistant.shared.model_choice import Calling, ModelChoice
from assistant.shared.user_folders import state_folder

pytestmark = pytest.mark.usefixtures("model_requests_allowed")


async def asked(file: Path, *script: Turn, name: str = "scripted", calling: Calling = "auto") -> tuple[Reply, int]:
    """The reply, and how many of the requests offered tools. Every endpoint is at the same address but for its port."""
    with endpoint(script, models=(name,)) as server:
        choice = ModelChoice(name, server.url, calling)
        if known := remembered(ModelChoice(name, "http://last")):
            remember(choice, known)
        with Session.open(file, choice) as session:
            reply = await final_reply(session, QUESTION)
        remember(ModelChoice(name, "http://last"), remembered(choice))
        return reply, sum("tools" in request for request in server.requests)


async def test_the_rung_that_works_is_that_of_the_next_session(small_file: Path) -> None:
    first, tools = await asked(small_file, chat, chat, plan_as_json, answer_as_json)
    assert (first.answer, tools, len(first.notes)) == ("Tarnow Bay", 2, 1)
    second, tools = await asked(small_file, plan_as_json, answer_as_json)
    assert (second.answer, tools, second.notes) == ("Tarnow Bay", 0, ())
    third, tools = await asked(small_file, plan, answer, calling="tools")
    assert (third.answer, tools) == ("Tarnow Bay", 2)


@pytest.mark.usefixtures("doubtful_reading")
async def test_a_model_that_says_that_it_is_small_is_only_asked_for_an_answer(small_file: Path) -> None:
    reply, tools = await asked(small_file, bare_answer, name="qwen2.5-coder:1.5b")
    assert (reply.answer, tools, reply.notes) == ("Tarnow Bay", 0, ())
    reply, tools = await asked(small_file, plan, answer, name="llama3.1:8b")
    assert (reply.answer, tools) == ("Tarnow Bay", 2)


async def test_what_is_remembered_goes_before_the_size(small_file: Path) -> None:
    remember(ModelChoice("tiny:1b", "http://last"), "tools")
    reply, tools = await asked(small_file, plan, answer, name="tiny:1b")
    assert (reply.answer, tools) == ("Tarnow Bay", 2)


async def test_another_endpoint_is_another_matter(small_file: Path) -> None:
    with endpoint([plan_as_json, answer_as_json], refuses=ollama_without_tools) as server:
        here = ModelChoice("scripted", server.url)
        with Session.open(small_file, here) as session:
            await final_reply(session, QUESTION)
    assert remembered(here) == "json"
    assert remembered(ModelChoice("scripted", "http://elsewhere/v1")) is None
    remember(here, None)
    assert remembered(here) is None


def test_no_password_is_kept_and_a_broken_file_is_none() -> None:
    choice = ModelChoice("m", "http://user:secret@host/v1?key=secret")
    remember(choice, "planned")
    kept = state_folder() / "rungs.json"
    assert (remembered(choice), "secret" in kept.read_text()) == ("planned", False)
    for broken in ("{", "[]", json.dumps({"http://host/v1 m": "upside down"})):
        kept.write_text(broken)
        assert remembered(choice) is None
    remember(choice, "json")
    assert remembered(choice) == "json"


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("qwen2.5-coder:1.5b-instruct-q4_K_M", 1_500_000_000),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", 135_000_000),
        ("mixtral-8x7b", 0),
        ("qwen3-30b-a3b", 30_000_000_000),
        ("gpt-4o-mini", 0),
        ("bge-m3", 0),
    ],
)
def test_sizes_that_names_tell(name: str, parameters: int) -> None:
    assert parameters_in(name) == parameters


def test_a_model_of_unknown_size_is_not_taken_for_a_small_one() -> None:
    assert (is_small(0), is_small(1_500_000_000), is_small(7_000_000_000)) == (False, True, False)
