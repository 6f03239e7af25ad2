"""How likely a model holds the words of its answer, where its server tells the probability of each token."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from calling_run import bare_answer, run
from fake_endpoint import Says, endpoint, no_formats, no_likelihoods
from pydantic_ai.messages import ModelResponse, TextPart

from assistant.conversations.transcripts.exchange import response_json
from assistant.models.calling.likelihood import likelihood_of, with_likelihoods
from assistant.models.calling.rungs import Rungs

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

HALF, TENTH = math.log(0.5), math.log(0.1)


def response(tokens: Any) -> ModelResponse:
    return ModelResponse([TextPart("{}")], provider_details={"finish_reason": "stop", "logprobs": tokens})


def told(*tokens: tuple[str, Any]) -> ModelResponse:
    return response([{"token": token, "bytes": list(token.encode()), "logprob": log} for token, log in tokens])


@pytest.mark.parametrize(
    ("tokens", "likelihood"),
    [
        # 0.5 · 0.1 of the name; what stands around it does not count, the mark that ends it does.
        ([("{", TENTH), ('"answer": "', TENTH), ("Port ", HALF), ("Ellen", TENTH), ('"', 0.0), ("}", TENTH)], 0.05),
        ([('{"answer": "', 0.0), ("Port", 0.0), ('",', HALF), (' "cited": [1]}', TENTH)], 0.5),
        ([('{"answer": "Po', HALF), ('rt"}', HALF)], 0.25),
        ([('{"answer": "say \\"no', HALF), ('\\""}', 0.0)], 0.5),
        # The first of a name counts; one that is cut off counts as far as it goes.
        ([('{"answer": "', 0.0), ("a", HALF), ('", "answer": "', 0.0), ("b", TENTH), ('"}', 0.0)], 0.5),
        ([('{"answer": "', 0.0), ("Por", HALF)], 0.5),
        ([('{"answer": ', 0.0), ("4", HALF), ("}", 0.0)], None),
        ([('{"missing": "', 0.0), ("who", HALF), ('"}', 0.0)], None),
        ([], None),
    ],
)
def test_it_is_that_of_all_tokens_of_the_string(tokens: Sequence[tuple[str, float]], likelihood: float | None) -> None:
    assert likelihood_of(with_likelihoods(told(*tokens)), "answer") == likelihood


def test_a_transcript_keeps_them_and_not_what_they_were_made_of() -> None:
    made = with_likelihoods(
        told(('{"answer": "', 0.0), ("a", HALF), ('", "missing": "', 0.0), ("b", TENTH), ('"}', 0.0))
    )
    record = json.dumps(response_json(made)["provider_details"])
    assert json.loads(record) == {"finish_reason": "stop", "likelihoods": {"answer": 0.5, "missing": 0.1}}


def test_a_letter_in_two_tokens_is_counted_once() -> None:
    first, second = "é".encode()
    cut = [
        {"token": '{"answer": "', "bytes": None, "logprob": 0.0},
        {"token": "�", "bytes": [first], "logprob": HALF},
        {"token": "�", "bytes": [second], "logprob": 0.0},
        {"token": '"}', "logprob": 0.0},
    ]
    assert likelihood_of(with_likelihoods(response(cut)), "answer") == 0.5


@pytest.mark.parametrize("log", [float("nan"), 0.5, "-1", None, True, float("inf")])
def test_numbers_that_are_no_probabilities_tell_nothing(log: Any) -> None:
    made = with_likelihoods(told(('{"answer": "', 0.0), ("a", log), ('"}', 0.0)))
    assert likelihood_of(made, "answer") is None
    assert made.provider_details == {"finish_reason": "stop"}


@pytest.mark.parametrize("tokens", [None, "x", {"a": 1}, [1, "x"], [{"token": 3, "bytes": [999], "logprob": -1.0}]])
def test_what_is_no_list_of_tokens_tells_nothing(tokens: Any) -> None:
    assert likelihood_of(with_likelihoods(response(tokens)), "answer") is None


@pytest.mark.parametrize("kept", [None, [], {"answer": "0.5"}, {"answer": 7}, {"answer": None}])
def test_what_a_transcript_may_hold_in_its_place_tells_nothing(kept: Any) -> None:
    spoilt = ModelResponse([TextPart("{}")], provider_details={"likelihoods": kept})
    assert likelihood_of(spoilt, "answer") is None


def test_a_response_without_them_stays_as_it_is() -> None:
    plain = ModelResponse([TextPart("{}")])
    assert with_likelihoods(plain) is plain


def telling(request: dict[str, Any]) -> Says:
    said = str(bare_answer(request))
    before, after = said.split("Tarnow Bay", 1)
    return Says(said, tokens=[(before, TENTH), ("Tarnow", HALF), (" Bay", HALF), (after[:1], 0.0), (after[1:], TENTH)])


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_model_that_is_asked_for_an_answer_tells_how_likely_it_is(small_file: Path, streamed: bool) -> None:
    with endpoint([telling]) as server:
        ran = await run(small_file, server.url, "planned", streamed=streamed)
        [request] = server.requests
    assert (ran.answer, ran.workspace.likelihood) == ("Tarnow Bay", 0.25)
    assert request["logprobs"] is True


@pytest.mark.usefixtures("doubtful_reading")
async def test_a_server_that_does_not_tell_them_is_asked_without(small_file: Path) -> None:
    rungs = Rungs("planned")
    with endpoint([telling], refuses=no_likelihoods) as server:
        ran = [await run(small_file, server.url, "planned", rungs=rungs) for _ in range(2)]
        asked = [(request.get("logprobs"), request["response_format"]["type"]) for request in server.requests]
    assert [(one.answer, one.workspace.likelihood) for one in ran] == [("Tarnow Bay", None)] * 2
    assert asked == [(True, "json_schema"), (None, "json_schema"), (None, "json_schema")]


@pytest.mark.usefixtures("doubtful_reading")
async def test_a_server_that_refuses_the_form_keeps_telling_them(small_file: Path) -> None:
    with endpoint([telling], refuses=no_formats) as server:
        ran = await run(small_file, server.url, "planned")
    assert (ran.answer, ran.workspace.likelihood) == ("Tarnow Bay", 0.25)
