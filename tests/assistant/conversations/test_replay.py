"""The same answer again from a transcript, with no model."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from calling_run import bare_answer
from fake_endpoint import Cut, Says, Status, endpoint
from pydantic_ai import exceptions
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from recorded import PLANNED, ask_and_keep, plan_first, scripted
from small_documents import QUESTION

from assistant.agent.toolbox import search_stages as toolset
from assistant.conversations.replay import replay
from assistant.conversations.transcripts.exchange import Sent, failed_again, failure_of, response_json
from assistant.conversations.transcripts.form import Exchange, Failure, Transcript
from assistant.conversations.transcripts.playback import ReplayModel
from assistant.conversations.transcripts.recorder import RecordingModel
from assistant.conversations.transcripts.transcript_folder import Store, read
from assistant.models.budget import BudgetSpent, Meter
from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget
from kb.build import build
from kb.errors import BadFileError, ModelFailure
from tools.planning.plan import Constraint, Plan


def kept(file: Path, folder: Path, *questions: str, **options: Any) -> list[Transcript]:
    """Transcripts of the questions, in their order."""
    asyncio.run(ask_and_keep(file, folder, *questions, **options))
    return [read(summary.path) for summary in reversed(Store(folder).summaries())]


def assert_same(*transcripts: Transcript) -> None:
    """Each is answered again, with no request allowed, and comes out the same."""
    for transcript in transcripts:
        result = replay(transcript)
        assert result.same, (result.shown, result.differences, result.error)
        assert result.reply.answer == transcript.reply.answer


def test_offline_questions_are_the_same_again(small_file: Path, tmp_path: Path) -> None:
    plan = Plan((Constraint("Oskar Valdis", "born in", "?place"),), "?place", answer_type="place")
    questions = (QUESTION, "And when did she die?", "Who composed the anthem of Ruritania?")
    first, second, third = kept(small_file, tmp_path / "a", *questions, top=3)
    (planned,) = kept(small_file, tmp_path / "b", "And where was he born?", plan=plan, risk=0.3)
    assert (second.standalone, second.reply.answer) == ("when did Irena Valdis die?", "2 June 1970")
    assert (third.reply.found, planned.reply.answer) == (False, "Karsk")
    assert_same(first, second, third, planned)


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_models_answer_is_the_same_again_and_asks_no_server(small_file: Path, tmp_path: Path) -> None:
    with endpoint([*PLANNED, *PLANNED]) as server:
        first, second = kept(small_file, tmp_path, QUESTION, "And where is that?", choice=scripted(server.url))
        asked = len(server.requests)
        assert_same(first, second)
        assert len(server.requests) == asked == 4
    # With the server gone as well, and from the exported form.
    assert_same(first, Transcript.from_json(json.loads(json.dumps(second.to_json()))))
    assert replay(first).reply.usage == first.reply.usage


@pytest.mark.usefixtures("model_requests_allowed", "doubtful_reading")
@pytest.mark.parametrize(("log", "found"), [(-0.01, True), (-3.0, False)])
def test_how_likely_a_model_held_its_answer_is_the_same_again(
    small_file: Path, tmp_path: Path, log: float, found: bool
) -> None:
    """Where it was only asked for an answer, that decides whether the answer is given."""

    def held(request: dict[str, Any]) -> Says:
        before, after = (said := bare_answer(request)).split("Tarnow Bay", 1)
        return Says(said, tokens=[(before, -2.0), ("Tarnow Bay", log), (after[:1], 0.0), (after[1:], -2.0)])

    with endpoint([held]) as server:
        (asked,) = kept(small_file, tmp_path, QUESTION, choice=ModelChoice("scripted", server.url, "planned"))
    assert asked.reply.found is found
    result = replay(asked)
    assert result.same, (result.shown, result.differences, result.error)


def broken(kind: str, _: Any) -> Any:
    return Cut("answer", '{"answer": "Tarn') if kind == "cut" else Status(int(kind), "busy")


@pytest.mark.usefixtures("model_requests_allowed")
@pytest.mark.parametrize("kind", ["500", "429", "400", "cut"])
def test_a_failure_fails_again_and_leaves_the_same_partial_answer(small_file: Path, tmp_path: Path, kind: str) -> None:
    with endpoint([plan_first, lambda request: broken(kind, request)]) as server:
        (one,) = kept(small_file, tmp_path, QUESTION, choice=scripted(server.url))
    assert one.reply.partial
    assert one.reply.answer == "Tarnow Bay"
    failed = one.exchanges[-1]
    assert failed.failure is not None
    assert (failed.failure.status, failed.response is not None) == (None if kind == "cut" else int(kind), kind == "cut")
    assert_same(one)
    assert replay(one).reply.notes == one.reply.notes


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_spent_budget_ends_in_the_same_answer(small_file: Path, tmp_path: Path) -> None:
    with endpoint([*PLANNED]) as server:
        (one,) = kept(small_file, tmp_path, QUESTION, choice=scripted(server.url), budget=Budget(tokens=6_000))
        (cut,) = kept(
            small_file, tmp_path / "cut", QUESTION, choice=scripted(server.url), budget=Budget(tokens=1, seconds=60)
        )
    assert (len(cut.exchanges), cut.reply.partial, cut.budget) == (0, True, Budget(tokens=1, seconds=60))
    assert_same(one, cut)


@pytest.mark.usefixtures("model_requests_allowed")
@pytest.mark.parametrize("place", [0, 1])
def test_time_that_runs_out_ends_in_the_same_answer(small_file: Path, tmp_path: Path, place: int) -> None:
    def late(_: Any) -> str:
        time.sleep(2)
        return ""

    with endpoint([*PLANNED[:place], late]) as server:
        (one,) = kept(small_file, tmp_path, QUESTION, choice=scripted(server.url), budget=Budget(seconds=1))
    assert (one.reply.partial, one.stopped_at > 0) == (True, True)
    assert_same(one)
    assert replay(one).reply.notes == one.reply.notes


def test_time_that_runs_out_within_a_tool_ends_in_the_same_answer(
    small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as slowed:
        # As long as the whole budget, so that it ends behind it.
        slowed.setattr(toolset, "recover_constraints", lambda *arguments: time.sleep(2))
        (one,) = kept(small_file, tmp_path, QUESTION, budget=Budget(seconds=2))
    assert [(call.tool, call.summary) for call in one.calls][1:] == [("textual_recovery", "stopped")]
    assert_same(one)


@pytest.mark.usefixtures("model_requests_allowed")
def test_what_the_budget_of_a_run_stopped_stops_again(small_file: Path, tmp_path: Path) -> None:
    with endpoint([*PLANNED]) as server, pytest.raises(BudgetSpent):
        kept(small_file, tmp_path, QUESTION, choice=scripted(server.url), above=Meter(Budget(tokens=1_200)))
    (summary,) = Store(tmp_path).summaries()
    result = replay(read(summary.path))
    assert (result.same, result.error) == (True, summary.error)
    assert "1,200 tokens" in result.error


@pytest.mark.usefixtures("model_requests_allowed")
def test_what_was_tampered_with_differs_and_says_in_what(small_file: Path, tmp_path: Path) -> None:
    with endpoint([*PLANNED]) as server:
        (one,) = kept(small_file, tmp_path, QUESTION, choice=scripted(server.url))
    passages = one.reply.passages
    changed = replace(
        one.reply, answer="Karsk", citations=one.reply.citations[:1], passages=(passages[0], *passages[:0:-1])
    )
    result = replay(replace(one, reply=changed))
    assert not result.same
    answer, cited, ranked = result.differences
    assert answer == "answer was 'Karsk' and is 'Tarnow Bay'"
    assert cited.startswith("cited were [1] glasswork and are [1] glasswork [")
    assert ranked == "the ranked passages differ from place 2 on"
    assert result.reply.answer == "Tarnow Bay"


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_request_without_a_recorded_answer_is_said(small_file: Path, tmp_path: Path) -> None:
    with endpoint([*PLANNED]) as server:
        (one,) = kept(small_file, tmp_path, QUESTION, choice=scripted(server.url))
    result = replay(replace(one, exchanges=()))
    assert (result.same, result.differences) == (False, ("there is no answer",))
    assert result.error == "the transcript has no answer for this request"
    half = replay(replace(one, exchanges=one.exchanges[:1]))
    assert half.reply.partial
    assert "the transcript has no answer for this request" in half.reply.notes[0]
    assert not half.same


def test_a_question_that_failed_fails_again(small_file: Path, tmp_path: Path) -> None:
    (one,) = kept(small_file, tmp_path, QUESTION)
    refused = Exchange("0" * 16, "0" * 16, "agent", 0.1, failure=Failure("ModelServerError", 500))
    failed = replace(one, model=scripted("http://127.0.0.1:9/v1"), exchanges=(refused,), error="HTTP status 500")
    result = replay(failed)
    assert result.same
    assert "HTTP status 500" in result.error
    assert replay(replace(failed, error="")).differences == ("there is no answer",)


def test_without_the_knowledge_base_the_record_is_shown(small_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "moved.clew"
    file.write_bytes(small_file.read_bytes())
    (one,) = kept(file, tmp_path / "t", QUESTION)
    file.unlink()
    result = replay(one)
    assert (result.same, result.reply, result.cited) == (False, one.reply, ())
    assert result.shown == "the knowledge base is not there any more"
    # Another file of the same content will do, wherever it lies.
    assert replay(one, small_file).same
    with pytest.raises(BadFileError, match="is no file"):
        replay(one, file)
    with pytest.raises(BadFileError, match="is no file"):
        replay(one, tmp_path)


def test_over_other_content_the_record_is_shown_with_what_became_of_the_passages(
    small_file: Path, tmp_path: Path
) -> None:
    (one,) = kept(small_file, tmp_path / "t", QUESTION)
    assert [citation.document for citation in one.reply.citations] == ["glasswork", "valdis"]
    corpus = tmp_path / "corpus.jsonl"

    def now(**texts: str) -> list[tuple[str, str]]:
        lines = [{"id": key, "title": key, "text": text} for key, text in texts.items()]
        corpus.write_text("".join(json.dumps(line) + "\n" for line in lines))
        build([str(corpus)], tmp_path / "other.clew")
        result = replay(one, tmp_path / "other.clew")
        assert result.shown == "the knowledge base holds other content"
        assert result.reply == one.reply
        return [(cited.citation.document, cited.now) for cited in result.cited]

    film = next(found.text for found in one.evidence if found.document == "glasswork")
    assert now(glasswork=film, other="Something else.") == [("glasswork", "unchanged"), ("valdis", "gone")]
    assert now(glasswork=film, valdis="She was no director.") == [("glasswork", "unchanged"), ("valdis", "changed")]


def test_a_file_that_is_no_knowledge_base_is_refused(small_file: Path, tmp_path: Path) -> None:
    (one,) = kept(small_file, tmp_path / "t", QUESTION)
    (tmp_path / "notes.txt").write_text("x" * 200)
    for path in (None, tmp_path / "notes.txt"):
        with pytest.raises(BadFileError, match=r"notes\.txt"):
            replay(replace(one, knowledge_base=replace(one.knowledge_base, path=str(tmp_path / "notes.txt"))), path)


def said(text: str, told: str = "Be the agent.") -> list[Any]:
    return [ModelRequest([UserPromptPart(text)], instructions=told)]


def told(response: ModelResponse) -> str:
    (part,) = response.parts
    assert isinstance(part, TextPart)
    return part.content


async def asked(model: Model, request: list[Any]) -> str:
    """What the agent, which streams, is answered; a judgement is asked for at once."""
    if request[0].instructions == JUDGE:
        return told(await model.request(request, None, ModelRequestParameters()))
    async with model.request_stream(request, None, ModelRequestParameters()) as stream:
        _ = [event async for event in stream]
    return told(stream.get())


JUDGE = "Score the edges."


async def recorded(*requests: list[Any]) -> tuple[Exchange, ...]:
    """Exchanges with a model that says again what it is told."""

    def again(messages: Any, _: Any) -> ModelResponse:
        return ModelResponse([TextPart(f"heard {messages[-1].parts[0].content}")])

    async def streamed(messages: Any, _: Any) -> AsyncGenerator[str, None]:
        yield "heard "
        yield messages[-1].parts[0].content

    slots: list[Any] = []
    model = RecordingModel(FunctionModel(again, stream_function=streamed), slots)
    for request in requests:
        await asked(model, request)
    return tuple(slot.exchange for slot in slots)


async def test_responses_go_to_the_requests_that_they_answered_whatever_the_order() -> None:
    exchanges = await recorded(said("a"), said("b"), said("x", JUDGE), said("y", JUDGE))
    assert [one.kind for one in exchanges] == ["agent", "agent", "judgement", "judgement"]
    model = ReplayModel(exchanges, "m")
    assert await asked(model, said("y", JUDGE)) == "heard y"
    assert await asked(model, said("b")) == "heard b"
    # Nothing said this: the agent's next one.
    assert await asked(model, said("another")) == "heard a"
    # The same request once more has the same answer.
    assert await asked(model, said("b")) == "heard b"
    # A judgement is of nothing else than what it was made of.
    for request in (said("third"), said("third", JUDGE)):
        with pytest.raises(ModelFailure, match="the transcript has no answer for this request"):
            await asked(model, request)


async def test_rewritten_instructions_are_answered_in_order() -> None:
    model = ReplayModel(await recorded(said("a"), said("b")), "m")
    for request, answer in (("a", "heard a"), ("b", "heard b")):
        assert await asked(model, said(request, "Instructions of another version.")) == answer


async def test_what_is_stopped_from_outside_is_no_exchange() -> None:
    async def forever(messages: Any, _: Any) -> AsyncGenerator[str, None]:
        yield "one"
        await asyncio.sleep(60)

    slots: list[Any] = []
    model = RecordingModel(FunctionModel(stream_function=forever), slots)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await asked(model, said("a"))
    assert [slot.exchange for slot in slots] == [None]


def test_ids_and_times_of_messages_make_no_other_request() -> None:
    def request(number: str) -> list[Any]:
        call = ToolCallPart("search", '{"q": 1, "k": 2}' if number == "1" else {"q": 1, "k": 2}, tool_call_id=number)
        return [*said("a"), ModelResponse([call])]

    first, second, other = (
        Sent.of(messages, ModelRequestParameters(), streamed=True)
        for messages in (request("1"), request("2"), said("a"))
    )
    assert first == second
    assert first.request != other.request


async def test_a_recorded_response_streams_in_pieces() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"
    response = ModelResponse([TextPart(text), ToolCallPart("answer", {"answer": text})], model_name="m")
    exchange = Exchange("", "", "agent", 0.0, response_json(response))
    async with ReplayModel([exchange], "m").request_stream(said("a"), None, ModelRequestParameters()) as stream:
        events = [event async for event in stream]
    assert len([event for event in events if event.event_kind == "part_delta"]) > 4
    first, second = stream.get().parts
    assert isinstance(first, TextPart)
    assert isinstance(second, ToolCallPart)
    assert (first.content, second.args_as_dict()) == (text, {"answer": text})


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ModelHTTPError(418, "m", "teapot"),
        exceptions.ModelHTTPError.for_category(exceptions.ModelRateLimitError, status_code=429, model_name="m"),
        exceptions.ModelHTTPError.for_category(exceptions.ModelNotFoundError, status_code=404, model_name="m"),
        exceptions.ModelConnectionError("m", "gone", phase="read"),
        exceptions.ModelTimeoutError("m", "slow"),
        exceptions.ModelRequestTimeout("m", 3.0),
        exceptions.ModelServerError("m", "in stream", in_stream=True),
        exceptions.UnexpectedModelBehavior("odd"),
        exceptions.ContentFilterError("no"),
    ],
)
def test_a_failure_is_of_the_same_kind_again(error: exceptions.AgentRunError) -> None:
    again = failed_again(failure_of(error), "m")
    assert type(again) is type(error)
    for name in ("status_code", "phase", "in_stream"):
        assert getattr(again, name, None) == getattr(error, name, None)


def test_a_hostile_failure_or_response_is_harmless(small_file: Path, tmp_path: Path) -> None:
    assert type(failed_again(Failure("os.system", 7), "m")) is exceptions.ModelHTTPError
    assert type(failed_again(Failure("KeyboardInterrupt"), "m")) is exceptions.ModelAPIError
    (one,) = kept(small_file, tmp_path, QUESTION)
    model = scripted("http://127.0.0.1:9/v1")
    for response, message in (
        ({"kind": "request", "parts": []}, "a request where a response belongs"),
        ({"kind": "response", "parts": 3}, "a response that is none"),
        (
            {
                "kind": "response",
                "parts": [{"part_kind": "file", "content": {"kind": "binary", "data": "", "media_type": "x"}}],
            },
            "part",
        ),
    ):
        exchange = Exchange("", "", "agent", 0.0, response)
        result = replay(replace(one, model=model, exchanges=(exchange,)))
        assert message in result.error
        assert not result.same
