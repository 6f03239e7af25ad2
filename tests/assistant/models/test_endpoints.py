"""Every way in which an endpoint fails, streamed or not: one line, and no request more than is good."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Any

import pytest
from pydantic_ai import exceptions
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest
from pydantic_ai.settings import ModelSettings
from small_server import Answer, models, refused, said, serve, streamed

from assistant.models.endpoints import listing, model_failures, price, served_models
from assistant.models.keys import Key
from assistant.models.model_errors import context_exceeded, unreachable
from assistant.models.openai_chat import PATIENCE_SECONDS, RETRIES, endpoint_model, parameters_of
from assistant.shared.model_choice import OPENAI_URL, ModelChoice
from kb.errors import ModelFailure, UsageError

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

PAGE = Answer(404, "<!doctype html><html><body>nothing here</body></html>", kind="text/html")
TOO_LONG = "the request exceeds the available context size, try increasing it"


def ask(url: str, *, stream: bool = False, settings: ModelSettings | None = None, name: str = "scripted") -> str:
    """One request to a model at `url`, and its text."""
    choice = ModelChoice(name, url)
    messages: list[Any] = [ModelRequest.user_text_prompt("hello")]

    async def asked() -> str:
        async with endpoint_model(choice) as model:
            if not stream:
                return (await model_request(model, messages, model_settings=settings)).text or ""
            async with model_request_stream(model, messages, model_settings=settings) as response:
                async for _ in response:
                    pass
                return response.get().text or ""

    with model_failures(choice):
        return asyncio.run(asked())


def list_and(answer: Answer, *names: str) -> Callable[[str, str], Answer]:
    """A server that lists its models and answers every request alike."""
    return lambda method, _: models(*names) if method == "GET" else answer


def chunk(text: str, end: str | None = None) -> dict[str, Any]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return {**head, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": end}]}


def test_an_answer_streamed_and_not() -> None:
    with serve(said("hello")) as server:
        assert ask(server.url) == "hello"
    with serve(streamed(chunk("hel"), chunk("lo", "stop"))) as server:
        assert ask(server.url, stream=True) == "hello"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("answer", "requests", "message"),
    [
        (refused(401, "no"), 1, "wants a key: run clew config --set-key URL, or set CLEW_API_KEY"),
        (refused(403, "no"), 1, "wants a key"),
        (refused(404, "no such page"), 1, "check the model's name and that the URL ends where its API begins"),
        (PAGE, 1, "is not there: check the model's name and that the URL"),
        (Answer(405, {"detail": "Method Not Allowed"}), 1, "(HTTP status 405): check that the URL ends"),
        (refused(429, "slow down"), 3, "has had too many requests: try again later (it says: slow down)"),
        (refused(429, "pay", code="insufficient_quota"), 1, "the account's quota or credit is used up (it says: pay)"),
        (refused(500, "boom"), 3, "failed with HTTP status 500: look into the server's log, or try again"),
        (refused(503, "Loading model"), 3, "is not available for the moment: try again later (it says: Loading"),
        (refused(400, "x does not support tools"), 1, "with HTTP status 400 (it says: x does not support tools)"),
        (refused(400, "long", code="context_length_exceeded"), 1, "has too small a context"),
        (refused(400, TOO_LONG, type="exceed_context_size_error", n_ctx=256), 1, "too small a context"),
        (refused(500, TOO_LONG), 1, "too small a context"),
        (refused(400, "the input length exceeds the context length"), 1, "too small a context"),
        (refused(400, "Trying to keep the first 9 tokens when context the overflows."), 1, "too small a context"),
        (refused(400, "This model's maximum context length is 4096 tokens."), 1, "too small a context"),
        (
            Answer(200, PAGE.body, kind="text/html"),
            1,
            "sent nothing that the OpenAI chat API knows: check that the URL",
        ),
        (Answer(200, "Ollama is running", kind="text/plain"), 1, "sent nothing that the OpenAI chat API knows"),
        (Answer(200, '{"id": "c1"', cut=True), 1, "broke off its answer"),
    ],
)
def test_each_failure_is_one_line(answer: Answer, requests: int, message: str, stream: bool) -> None:
    with serve(lambda method, _: PAGE if method == "GET" else answer) as server, pytest.raises(ModelFailure) as error:
        ask(server.url, stream=stream)
    assert str(error.value).startswith(f"model 'scripted' at {server.url} ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert "<" not in str(error.value)
    assert (server.posts, error.value.exit_code) == (requests, 4)


def test_errors_inside_a_stream() -> None:
    overflow = {"error": {"message": TOO_LONG, "type": "exceed_context_size_error", "code": 400}}
    with serve(streamed(chunk("hel"), overflow)) as server, pytest.raises(ModelFailure, match="too small a context"):
        ask(server.url, stream=True)
    broken = Answer(body=streamed(chunk("hel")).body.replace("data: [DONE]", ""), kind="text/event-stream", cut=True)
    with serve(broken) as server, pytest.raises(ModelFailure, match="broke off its answer"):
        ask(server.url, stream=True)
    assert server.posts == 1


def test_an_overlong_prompt_is_one_kind_of_error_however_it_is_worded() -> None:
    async def fails(url: str) -> None:
        async with endpoint_model(ModelChoice("scripted", url)) as model:
            await model_request(model, [ModelRequest.user_text_prompt("hello")])

    with serve(refused(500, TOO_LONG)) as server, pytest.raises(exceptions.ModelContextWindowExceededError):
        asyncio.run(fails(server.url))
    other = exceptions.ModelHTTPError(400, "scripted", {"message": "tools have no context here"})
    assert context_exceeded(other) is other


def test_what_the_server_says_is_one_plain_short_line() -> None:
    with serve(refused(400, "\x1b[31mred\n" + "very " * 100)) as server, pytest.raises(ModelFailure) as error:
        ask(server.url)
    told = str(error.value).partition("(it says: ")[2]
    assert told.startswith("red very very")
    assert (len(told) <= 201, told[-2:]) == (True, "…)")


@pytest.mark.parametrize(
    ("served", "message"),
    [
        (("llama3", "qwen3"), "is not served there; these are: llama3, qwen3 (it says: not found)"),
        ([f"m{number:02}" for number in range(10)], "m06, m07 … (it says"),
        (("scripted", "other"), "is listed by the endpoint but cannot be asked there"),
        ((), "the endpoint serves no model yet"),
    ],
)
def test_a_wrong_name_is_told_the_names_that_are_served(served: Any, message: str) -> None:
    with serve(list_and(refused(404, "not found"), *served)) as server, pytest.raises(ModelFailure) as error:
        ask(server.url)
    assert message in str(error.value)
    assert [path for _, path, _ in server.requests] == ["/v1/chat/completions", "/v1/models"]


# -- waiting ----------------------------------------------------------------------------------------------------------


def test_a_passing_refusal_is_asked_again() -> None:
    answers = [refused(429, "wait"), refused(503, "wait"), said("at last")]
    with serve(lambda *_: answers.pop(0)) as server:
        assert ask(server.url) == "at last"
    assert server.posts == 3 == RETRIES + 1


@pytest.mark.parametrize(
    ("asked", "limit", "message"),
    [
        (PATIENCE_SECONDS + 1, None, "and asks to wait 1 min 01 s: try again then"),
        (30, 20.0, "and asks to wait 30.0 s: try again then"),
    ],
)
def test_nobody_waits_longer_than_patience_or_the_requests_time(
    asked: float, limit: float | None, message: str
) -> None:
    long = Answer(429, {"error": {"message": "slow down"}}, {"Retry-After": f"{asked:.0f}"})
    settings = ModelSettings(timeout=limit) if limit else None
    with serve(long) as server, pytest.raises(ModelFailure) as error:
        ask(server.url, settings=settings)
    assert message in str(error.value)
    assert server.posts == 1


def test_a_slow_server_is_asked_once() -> None:
    with serve(Answer(wait=0.5)) as server, pytest.raises(ModelFailure, match="did not answer in time"):
        ask(server.url, settings=ModelSettings(timeout=0.1))
    assert server.posts == 1


# -- no connection ----------------------------------------------------------------------------------------------------


def test_no_server_no_tls_no_trust() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with pytest.raises(ModelFailure, match="cannot be reached: is the server running"):
        ask(url)
    with serve(said("hello")) as server, pytest.raises(ModelFailure, match="should the URL begin with http://"):
        ask(server.url.replace("http://", "https://"))
    refused_certificate = ssl.SSLCertVerificationError()
    refused_certificate.verify_message = "self-signed certificate"
    error = OSError("wrapped")
    error.__context__ = refused_certificate
    assert unreachable(error) == "cannot be trusted: its TLS certificate is refused (self-signed certificate)"


@pytest.mark.parametrize(
    ("answer", "problem", "names"),
    [
        (models("b", "a", "b"), "", ["a", "b"]),
        (Answer(body={"data": [{"id": 3}, "x", {"id": "a"}]}), "", ["a"]),
        (Answer(body={"models": []}), "what it answers is no list of models", None),
        (Answer(body="<html>"), "what it answers is no list of models", None),
        (PAGE, "HTTP status 404", None),
    ],
)
def test_the_list_of_models(answer: Answer, problem: str, names: list[str] | None) -> None:
    with serve(answer) as server:
        assert asyncio.run(listing(f"{server.url}/", Key("sk-1", "x"))) == (problem, names)
        assert asyncio.run(served_models(server.url, Key())) == names
    assert server.requests == [("GET", "/v1/models", "Bearer sk-1"), ("GET", "/v1/models", "")]


# -- what models there are, and what they cost ------------------------------------------------------------------------


def test_openai_by_name_or_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    for choice in (ModelChoice("openai:gpt-4o-mini"), ModelChoice("gpt-4o-mini", OPENAI_URL)):
        model = endpoint_model(choice)
        assert (model.model_name, model.system) == ("gpt-4o-mini", "openai")
        assert str(model.base_url).rstrip("/") == OPENAI_URL
    with pytest.raises(UsageError, match="names no model"):
        endpoint_model(ModelChoice("openai:"))
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("CLEW_API_KEY", "sk-clew")
    monkeypatch.setenv("CLEW_BASE_URL", "http://localhost:1/v1")
    with pytest.raises(ModelFailure, match=r"there is no key \(CLEW_API_KEY is for http://localhost:1 and was not"):
        endpoint_model(ModelChoice("gpt-4o-mini"))


def test_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: Any) -> None:
        raise AssertionError("a price needs no network")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    own = ModelChoice("qwen3", "http://localhost:11434/v1", price_input=2.0, price_output=8.0)
    # 2 dollars a million: 1,000 tokens cost 0.002; 8 dollars: 500 cost 0.004.
    assert price(own, 1000, 500) == pytest.approx(0.006)
    # 0.15 and 0.60 dollars a million, as published.
    assert price(ModelChoice("gpt-4o-mini"), 1000, 100) == pytest.approx(0.00021)
    assert price(ModelChoice("gpt-4o-mini", OPENAI_URL), 1000, 100) == pytest.approx(0.00021)
    assert price(ModelChoice("gpt-4o-mini", "http://localhost:11434/v1"), 1000, 100) is None
    assert price(ModelChoice("no-such-model"), 1000, 100) is None
    assert price(ModelChoice("qwen3", "http://localhost:11434/v1", price_input=2.0), 1000, 500) is None
    assert price(ModelChoice(), 1000, 500) == 0.0


@pytest.mark.parametrize(
    ("name", "listed", "parameters", "looks"),
    [
        ("m", {"data": [{"id": "other"}, {"id": "m", "meta": {"n_params": 1_777_088_000}}]}, 1_777_088_000, 1),
        ("m", {"data": [{"id": "m", "meta": "none"}, "m"]}, 0, 1),
        ("m", "no list", 0, 1),
        ("m:1.5b", {"data": []}, 1_500_000_000, 0),
    ],
)
def test_how_large_a_model_is(name: str, listed: Any, parameters: int, looks: int) -> None:
    """llama.cpp's server tells of each model; a name that tells needs no look."""
    with serve(Answer(body=listed)) as server:
        choice = ModelChoice(name, server.url)
        assert asyncio.run(parameters_of(endpoint_model(choice), choice)) == parameters
        assert len(server.requests) == looks
