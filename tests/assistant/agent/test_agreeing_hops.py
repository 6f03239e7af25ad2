"""A language model's answer shows the steps to it where the evidence, read offline, leads to the same one."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_endpoint import endpoint
from recorded import PLANNED, plan_first, scripted
from small_documents import QUESTION

from assistant.conversations.session import Session, final_reply

pytestmark = pytest.mark.usefixtures("model_requests_allowed")


async def test_the_steps_are_filled_in(small_file: Path) -> None:
    with endpoint(PLANNED) as server, Session.open(small_file, scripted(server.url)) as session:
        reply = await final_reply(session, QUESTION)
    (chain,) = reply.chains
    assert [link.tail for link in chain.links] == ["Irena Valdis", "Tarnow Bay"]
    assert all(link.sentence for link in chain.links)


async def test_another_answer_gets_no_steps_that_it_did_not_take(small_file: Path) -> None:
    def answers_otherwise(_: object) -> list[tuple[str, dict[str, object]]]:
        explanation = "Irena Valdis was the daughter of Oskar Valdis [1]."
        return [("answer", {"answer": "Oskar Valdis", "explanation": explanation, "cited": [1, 2]})]

    with endpoint([plan_first, answers_otherwise]) as server, Session.open(small_file, scripted(server.url)) as session:
        reply = await final_reply(session, QUESTION)
    assert "Tarnow Bay" not in [link.tail for chain in reply.chains for link in chain.links]
