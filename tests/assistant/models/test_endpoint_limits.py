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
from fake_endpoint import USAGE, Endpoint, Raw, Says, Status, endpoint
from open_streams import none_left_open
from pydantic_ai import exceptions
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters

from assistant.agent.replying.reply import Reply
from assistant.conversations.session import answer as answered
from assistant.models.endpoint_limits import CALLS_AT_ONCE, CHARACTERS_PER_TOKEN, MOST_BYTES, Allowance, taken
from assistant.models.openai_chat import endpoint_model
from assistant.shared.model_choice import ModelChoice
from kb.errors import ModelFailure

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

NO_CHOICE = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": []}
HALF = "Tarnow \ud83d Bay"


def ask(file: Path, server: Endpoint) -> Reply:
    return answered(file, QUESTION, ModelChoice("scripted", server.url))


async def request(server: Endpoint, *, streamed: bool = False) -> Any:
    model = endpoint_model(ModelChoice("scripted", server.url))
    given = [ModelRequest.user_text_prompt("?")], None, ModelRequestParameters()
    async with model:
        if not streamed:
            return await model.request(*given)
        async with model.request_stream(*given) as stream:
            async for _ in stream:
                pass
            return stream.get()


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


@pytest.mark.parametrize("code", [500, 400])
def test_the_words_of_an_error_may_be_too_many(small_file: Path, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.models.endpoint_limits.MOST_BYTES", 10_000)
    failure = pytest.raises(ModelFailure, match=f"HTTP status {code}")
    with endpoint([lambda _: Status(code, "no " * 20_000)]) as server, failure:
        ask(small_file, server)


def said(text: str, *, streamed: bool, **fields: Any) -> Raw:
    """A response with numbers of its own."""
    if not streamed:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return Raw(json.dumps({**NO_CHOICE, "choices": [choice], **fields}).encode())
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    chunk = {**NO_CHOICE, "object": "chat.completion.chunk", "choices": [choice], **fields}
    return Raw(b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n")


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -5, 10**30, 1e308])
async def test_numbers_that_count_nothing_are_none(
    number: float, streamed: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    fields = {"created": number, "usage": {**USAGE, "prompt_tokens": number}}
    with endpoint([lambda _: said("Tarnow Bay", streamed=streamed, **fields)]) as server:
        response = await request(server, streamed=streamed)
    assert response.parts[0].content == "Tarnow Bay"
    assert (response.usage.input_tokens, response.usage.output_tokens) == (0, 0)
    assert capfd.readouterr().err == ""


def test_a_usage_below_zero_is_estimated(small_file: Path) -> None:
    """It would give back what a budget has spent."""
    usage = {"prompt_tokens": -(10**6), "completion_tokens": -(10**6), "total_tokens": -2 * 10**6}
    with endpoint([lambda _: said("Tarnow Bay", streamed=True, usage=usage)]) as server:
        reply = ask(small_file, server)
    assert reply.usage.input_tokens > 0


async def test_a_stream_that_is_longer_than_allowed_is_cut() -> None:
    text = " ".join(map(str, range(100_000)))
    with endpoint([lambda _: Says(text)]) as server, none_left_open():
        response = await request(server, streamed=True)
    most = server.requests[0]["max_tokens"]
    assert len(response.parts[0].content) <= CHARACTERS_PER_TOKEN * most + 9
    assert response.finish_reason == "length"


@pytest.mark.parametrize("streamed", [True, False])
async def test_no_more_calls_are_taken_than_a_question_may_make(streamed: bool) -> None:
    calls = [("passage_search", f'{{"query": "harbour number {number}"}}') for number in range(400)]
    with endpoint([lambda _: Says(calls=calls)]) as server:
        response = await request(server, streamed=streamed)
    assert [part.args for part in response.parts] == [arguments for _, arguments in calls[:CALLS_AT_ONCE]]


@pytest.mark.parametrize("streamed", [True, False])
async def test_what_is_not_packed_as_it_says_is_one_line(streamed: bool) -> None:
    with endpoint([lambda _: Raw(b"not packed at all", "gzip")]) as server, pytest.raises(exceptions.ModelAPIError):
        await request(server, streamed=streamed)


def test_a_call_whose_pieces_have_each_an_id_of_their_own_is_one() -> None:
    allowance = Allowance(1_000)
    pieces = [{"index": 0, "id": "0", "function": {"name": "search", "arguments": ""}}]
    pieces += [{"index": 0, "id": f"{at}", "function": {"arguments": "x"}} for at in range(1, 40)]
    took = [allowance.take({"choices": [{"delta": {"tool_calls": [piece]}}]}) for piece in pieces]
    assert all(chunk["choices"][0]["delta"]["tool_calls"] for chunk in took)
    assert allowance.over == ""


def test_a_usage_that_is_nested_without_end_is_none() -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    assert taken({"usage": {"prompt_tokens": deep}})["usage"] is None
