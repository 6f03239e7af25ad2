"""An endpoint that sends nothing, too much, the same for ever, or what is no text."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from calling_run import QUESTION, answer, bare_answer, plan
from fake_endpoint import Endpoint, Raw, Says, endpoint
from pydantic_ai import exceptions
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters

from assistant.agent.replying.reply import Reply
from assistant.conversations.session import answer as answered
from assistant.models.endpoint_limits import MOST_BYTES
from assistant.models.openai_chat import endpoint_model
from assistant.shared.model_choice import ModelChoice
from kb.errors import ModelFailure

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

NO_CHOICE = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": []}
HALF = "Tarnow \ud83d Bay"


def ask(file: Path, server: Endpoint) -> Reply:
    return answered(file, QUESTION, ModelChoice("scripted", server.url))


async def request(server: Endpoint) -> Any:
    model = endpoint_model(ModelChoice("scripted", server.url))
    async with model:
        return await model.request([ModelRequest.user_text_prompt("?")], None, ModelRequestParameters())


async def test_a_response_without_choices_is_an_error_of_the_model() -> None:
    failure = pytest.raises(exceptions.UnexpectedModelBehavior, match="no choice")
    with endpoint([lambda _: Raw(json.dumps(NO_CHOICE).encode())]) as server, failure:
        await request(server)


def test_a_stream_without_choices_is_an_answer_without_the_model(small_file: Path) -> None:
    with endpoint([lambda _: Raw(b"data: " + json.dumps(NO_CHOICE).encode() + b"\n\ndata: [DONE]\n\n")]) as server:
        reply = ask(small_file, server)
    assert any("the model" in note for note in reply.notes)


def with_half(request: Any) -> Says:
    arguments = json.loads(answer(request).calls[0][1] or "")
    arguments["explanation"] = arguments["explanation"].replace("Tarnow Bay", HALF)
    return Says(text=HALF, reasoning=HALF, calls=[("answer", json.dumps(arguments))], indexes="none")


def test_half_a_character_in_a_models_words_is_replaced(small_file: Path) -> None:
    with endpoint([plan, with_half]) as server:
        reply = ask(small_file, server)
    assert json.dumps(reply.to_json(), ensure_ascii=False).encode()


async def test_half_a_character_in_one_piece_is_replaced_too() -> None:
    with endpoint([lambda _: HALF]) as server:
        response = await request(server)
    assert response.parts[0].content == "Tarnow \ufffd Bay"


ENDLESS = Raw(b"x" * 65536, endless=True)
BOMB = Raw(gzip.compress(b" " * 1_000_000_000, 1), "gzip")


@pytest.mark.parametrize("hostile", [ENDLESS, BOMB, Raw(b"x", "br")], ids=["endless", "bomb", "br"])
@pytest.mark.parametrize("streamed", [True, False])
async def test_no_more_is_read_than_an_answer_may_have(small_file: Path, hostile: Raw, streamed: bool) -> None:
    with endpoint([lambda _: hostile]) as server:
        tracemalloc.start()
        if streamed:
            with pytest.raises(ModelFailure, match="sent no answer: the response"):
                await asyncio.to_thread(ask, small_file, server)
        else:
            with pytest.raises(exceptions.ModelAPIError):
                await request(server)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 8 * MOST_BYTES


@pytest.mark.usefixtures("doubtful_reading")
def test_every_request_says_how_long_its_answer_may_be(small_file: Path) -> None:
    for calling, tokens in (("tools", None), ("planned", None), ("planned", 3_000)):
        choice = ModelChoice("scripted", calling=calling)  # type: ignore[arg-type]
        script: list[Any] = [bare_answer] if calling == "planned" else [plan, answer]
        with endpoint(script) as server:
            choice = replace(choice, base_url=server.url, **({"answer_tokens": tokens} if tokens else {}))
            answered(small_file, QUESTION, choice)
        most = [request.get("max_tokens") or request["max_completion_tokens"] for request in server.requests]
        whole = tokens or 1_024
        assert most == ([whole] if calling == "planned" else [whole, whole])


def test_a_model_that_thinks_for_all_its_tokens_is_told_of_the_option(small_file: Path) -> None:
    with endpoint([lambda _: Says(reasoning="Hm, so. " * 3, finish="length")]) as server:
        reply = answered(small_file, QUESTION, ModelChoice("scripted", server.url, "tools"))
    assert any("--answer-tokens" in note for note in reply.notes)


LOOP = "and then the harbour was rebuilt by the town, "


@pytest.mark.usefixtures("doubtful_reading")
def test_a_text_that_goes_round_is_cut(small_file: Path) -> None:
    """Without that, the model would be read for as long as it goes on."""
    deltas = b"".join(
        b"data: " + json.dumps({**NO_CHOICE, "object": "chat.completion.chunk", "choices": [
            {"index": 0, "delta": {"content": word + " "}, "finish_reason": None}]}).encode() + b"\n\n"
        for word in LOOP.split() * 20
    )  # fmt: skip
    with endpoint([lambda _: Raw(deltas, endless=True), bare_answer]) as server:
        reply = ask(small_file, server)
    assert reply.answer == "Tarnow Bay"
    assert len(server.requests) == 2
