"""The budget is held by the loop: against a real server, down to the best answer so far."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fake_endpoint
import pytest
from fake_endpoint import Says, Status, endpoint
from small_documents import PLAN, QUESTION

from assistant.agent.replying.reply import Reply
from assistant.conversations.events import Finished, Spent
from assistant.conversations.session import Session, final_reply
from assistant.evaluation.question_run import run_questions
from assistant.models.budget import BudgetSpent, Meter
from assistant.shared.model_choice import Calling, ModelChoice
from assistant.shared.question_files import Question
from assistant.shared.spending_limits import Budget
from kb.errors import ModelFailure

pytestmark = pytest.mark.usefixtures("model_requests_allowed")


def plan(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("constraint_retrieval", PLAN)]


def search(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("passage_search", {"query": f"harbour {len(request['messages'])}", "k": 3})]


async def reply_to(small_file: Path, url: str, budget: Budget, calling: Calling = "tools") -> Reply:
    with Session.open(small_file, ModelChoice("scripted", url, calling), budget=budget) as session:
        return await final_reply(session, QUESTION)


async def test_spent_tokens_end_in_the_best_answer_so_far(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Three requests of 2,010 tokens leave 2,970, too little for a fourth, whose prompt is longer than the first.
    monkeypatch.setitem(fake_endpoint.USAGE, "prompt_tokens", 2_000)
    with endpoint([plan, search]) as server:
        reply = await reply_to(small_file, server.url, Budget(tokens=9_000))
        asked = len(server.requests)
    assert reply.partial
    assert (reply.answer, reply.found) == ("Tarnow Bay", True)
    assert {citation.title for citation in reply.citations} >= {"Irena Valdis"}
    assert "the budget of 9,000 tokens" in reply.notes[0]
    assert reply.usage.requests == asked == 3
    assert reply.usage.input_tokens + reply.usage.output_tokens <= 9_000


@pytest.mark.usefixtures("doubtful_reading")
@pytest.mark.parametrize("calling", ["tools", "json", "planned"])
async def test_each_answer_is_capped_at_what_all_that_is_sent_leaves(small_file: Path, calling: Calling) -> None:
    with endpoint([lambda _: "no call"]) as server:
        choice = ModelChoice("scripted", server.url, calling, answer_tokens=20_000)
        with Session.open(small_file, choice, budget=Budget(tokens=9_000)) as session:
            await final_reply(session, QUESTION)
    request = server.requests[0]
    sent = {name: request[name] for name in ("messages", "tools", "response_format") if name in request}
    cap = request["max_tokens"]
    # A token for three bytes; what of the JSON is no text of ours is about a tenth.
    assert 9_000 - cap == pytest.approx(len(json.dumps(sent, ensure_ascii=False)) / 3, rel=0.15)


async def test_a_budget_too_small_for_one_request_asks_nothing(small_file: Path) -> None:
    with endpoint([plan]) as server:
        reply = await reply_to(small_file, server.url, Budget(tokens=100))
    assert not server.requests
    assert reply.partial
    assert (reply.answer, reply.usage.requests) == ("Tarnow Bay", 0)


async def test_seconds_are_held_while_the_server_is_slow(small_file: Path) -> None:
    with endpoint([plan, slow]) as server:
        reply = await reply_to(small_file, server.url, Budget(seconds=2.0))
    assert reply.partial
    assert reply.answer == "Tarnow Bay"
    assert "the budget of 2 seconds is used up" in reply.notes[0]


async def test_a_model_that_hangs_from_the_start_leaves_time_to_answer_without_it(small_file: Path) -> None:
    """What the first look finds is not all that there is time for."""
    with endpoint([slow]) as server:
        reply = await reply_to(small_file, server.url, Budget(seconds=2.0))
    assert (reply.answer, reply.certainty, reply.partial) == ("Tarnow Bay", "likely", True)
    assert {"textual_recovery", "evidence_walk"} <= {tool for passage in reply.passages for tool in passage.sources}


async def test_a_partial_answer_that_the_reading_does_not_trust_is_none(small_file: Path) -> None:
    def elsewhere(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("passage_search", {"query": "clocks", "k": 1})]

    with endpoint([elsewhere, slow]) as server:
        reply = await reply_to(small_file, server.url, Budget(seconds=2.0))
    assert (reply.found, reply.certainty, reply.partial) == (False, "none", True)


def slow(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    import time

    time.sleep(4)
    return search(request)


async def test_a_model_that_fails_later_leaves_a_partial_answer(small_file: Path) -> None:
    with endpoint([plan, lambda _: Status(500)]) as server:
        reply = await reply_to(small_file, server.url, Budget())
    assert reply.partial
    assert reply.answer == "Tarnow Bay"
    assert "500" in reply.notes[0]


async def test_what_came_of_an_answer_that_broke_off_is_charged(small_file: Path) -> None:
    broken = Says(" ".join(f"It is well known that {number} is a number." for number in range(24)), cut="closed")
    with endpoint([plan, lambda _: broken]) as server:
        reply = await reply_to(small_file, server.url, Budget())
    # 10 tokens of the plan; 880 characters came, a token for three at the least.
    assert reply.usage.output_tokens >= 10 + 880 / 3


async def test_a_model_that_fails_at_once_is_an_error(small_file: Path) -> None:
    with endpoint([lambda _: Status(500)]) as server, pytest.raises(ModelFailure):
        await reply_to(small_file, server.url, Budget())


async def test_what_is_left_is_told_on_the_way(small_file: Path) -> None:
    with (
        endpoint([plan, search]) as server,
        Session.open(small_file, ModelChoice("scripted", server.url, "tools"), budget=Budget(tokens=9_000)) as session,
    ):
        events = [event async for event in session.ask(QUESTION)]
    spent = [event for event in events if isinstance(event, Spent)]
    assert [event.spending.requests for event in spent] == sorted(event.spending.requests for event in spent)
    assert (spent[0].spending.tokens, spent[0].left.tokens) == (110, 8_890)
    assert isinstance(events[-1], Finished)
    told = [message["content"] for message in server.requests[1]["messages"] if message["role"] == "system"]
    assert any("8,890 tokens" in str(content) for content in told), told


async def test_the_budget_of_a_run_ends_it_between_questions(small_file: Path, tmp_path: Path) -> None:
    questions = [Question(str(number), QUESTION) for number in range(5)]
    above = Meter(Budget(tokens=9_000))
    with endpoint([plan, search]) as server:
        choice = ModelChoice("scripted", server.url, "tools")
        with Session.open(small_file, choice, above=above) as session:
            report = await run_questions(session, questions, tmp_path / "out.jsonl")
        with Session.open(small_file, choice) as session:
            rest = await run_questions(session, questions, tmp_path / "out.jsonl")
    assert "9,000 tokens" in report.stopped
    assert "run again to go on" in report.summary()
    assert report.finished < 5
    assert above.spent.tokens <= 9_000
    assert (rest.finished, rest.kept, rest.stopped) == (5, report.finished, "")


async def test_the_time_of_a_run_is_told_as_its_own(small_file: Path) -> None:
    above = Meter(Budget(seconds=1.0))
    with (
        endpoint([plan, slow]) as server,
        Session.open(
            small_file, ModelChoice("scripted", server.url), above=above, budget=Budget(seconds=60)
        ) as session,
        pytest.raises(BudgetSpent, match="the budget of 1 seconds is used up") as spent,
    ):
        await final_reply(session, QUESTION)
    assert spent.value.meter is above


async def test_the_budget_above_is_no_answer_for_one_question(small_file: Path) -> None:
    with (
        endpoint([plan]) as server,
        Session.open(small_file, ModelChoice("scripted", server.url), above=Meter(Budget(tokens=100))) as session,
        pytest.raises(BudgetSpent),
    ):
        await final_reply(session, QUESTION)
