"""How the sessions of a chat are opened."""

from __future__ import annotations

from pathlib import Path

from assistant.conversations.opening import Opening
from assistant.conversations.session import Session
from assistant.shared.config_edit import set_value
from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget


async def test_a_session_has_the_model_and_budget_of_the_chat(small_file: Path) -> None:
    opening = Opening(budget=Budget(seconds=60))
    first = opening.conversation(small_file)
    await first.open()
    assert (first.model, first.passages) == ("offline", 12)
    session = opening._latest
    assert isinstance(session, Session)
    assert session.budget == Budget(seconds=60)
    opening.limit_tokens(5000)
    assert session.budget == Budget(tokens=5000, seconds=60)
    events = [event async for event in first.ask("Where was the director of The Glass Harbour born?")]
    first.close()
    assert events
    opening.choose("qwen3", "http://127.0.0.1:9/v1")
    second = opening.conversation(small_file, first.log, first.sessions)
    assert (second.model, second.log) == ("qwen3", first.log)
    await second.open()
    assert isinstance(opening._latest, Session)
    assert opening._latest.choice == ModelChoice("qwen3", "http://127.0.0.1:9/v1")
    assert opening._latest.budget == Budget(tokens=5000, seconds=60)
    second.close()


def test_a_model_that_is_chosen_thinks_and_asks_as_its_endpoint_is_set_up() -> None:
    set_value(
        "endpoints", '{"http://x/v1" = {thinking = "off", extra = {top_k = 20}}, "http://y/v1" = {thinking = 300}}'
    )
    opening = Opening(ModelChoice("a", "http://x/v1", answer_tokens=2048))
    assert opening.choose("b", "http://x/v1/") == ModelChoice(
        "b", "http://x/v1/", answer_tokens=2048, thinking=False, extra={"top_k": 20}
    )
    assert (opening.choose("b", "http://y/v1").thinking, opening.choice.extra) == (300, {})
    set_value("thinking", "on")
    assert (opening.choose("c", "http://y/v1").thinking, opening.choose("d", "http://z/v1").thinking) == (300, True)


def test_another_model_has_none_of_the_prices_of_the_one_before() -> None:
    stated = ModelChoice("a", "http://x/v1", "json", 1.0, 2.0, 4096, "offline")
    opening = Opening(stated)
    assert opening.choose("a", "http://x/v1") == stated
    assert opening.choose("b", "http://x/v1") == ModelChoice("b", "http://x/v1", judge="offline")
