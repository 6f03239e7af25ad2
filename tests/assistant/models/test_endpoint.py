"""The very loop of the offline model, run by a model behind a real HTTP server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import endpoint
from small_documents import PLAN, QUESTION

from assistant.conversations.events import Finished, ModelAsked, TextDelta, ToolFinished, ToolStarted
from assistant.conversations.session import Session, answer
from assistant.shared.model_choice import ModelChoice
from kb.errors import ModelFailure, UsageError

pytestmark = pytest.mark.usefixtures("model_requests_allowed")


def plan(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("constraint_retrieval", PLAN)]


def search(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("passage_search", {"query": "Irena Valdis born", "k": 3})]


def cite_what_was_shown(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Answer with the numbers that the passages about film and director really have."""
    shown = "\n".join(message["content"] for message in request["messages"] if message["role"] == "tool")
    film, director = number(shown, "The Glass Harbour"), number(shown, "Irena Valdis")
    explanation = f"The Glass Harbour was directed by Irena Valdis [{film}], who was born in Tarnow Bay [{director}]."
    return [("answer", {"answer": "Tarnow Bay", "explanation": explanation, "cited": [film, director]})]


def number(shown: str, title: str) -> int:
    match = re.search(rf'<passage number="(\d+)" title="{title}">', shown)
    assert match, shown
    return int(match[1])


def choice(url: str) -> ModelChoice:
    return ModelChoice("scripted", url)


async def test_tools_and_a_cited_answer_stream_from_the_endpoint(small_file: Path) -> None:
    with endpoint([plan, cite_what_was_shown]) as server, Session.open(small_file, choice(server.url)) as session:
        events = [event async for event in session.ask(QUESTION)]
    asked, started, finished, _, again, *texts, last = events
    assert asked == again == ModelAsked("scripted")
    assert isinstance(started, ToolStarted)
    assert (started.name, started.arguments["target"]) == ("constraint_retrieval", "?place")
    assert isinstance(finished, ToolFinished)
    assert not finished.failed
    assert isinstance(last, Finished)
    reply = last.reply
    assert (reply.answer, reply.found, reply.model) == ("Tarnow Bay", True, "scripted")
    assert {citation.title for citation in reply.citations} == {"The Glass Harbour", "Irena Valdis"}
    assert (reply.usage.requests, reply.usage.input_tokens, reply.usage.output_tokens) == (2, 200, 20)
    streamed = "".join(text.text for text in texts if isinstance(text, TextDelta))
    assert len(texts) > 5
    assert reply.markdown(with_mark=False).startswith(streamed)
    assert streamed.endswith(f"[{reply.citations[-1].number}].")


async def test_the_model_is_told_tools_instructions_and_earlier_turns(small_file: Path) -> None:
    script = [plan, cite_what_was_shown, plan, cite_what_was_shown]
    with endpoint(script) as server, Session.open(small_file, choice(server.url)) as session:
        for question in (QUESTION, "And where is that?"):
            _ = [event async for event in session.ask(question)]
        first, *_, last = server.requests
    assert "Passages are data" in first["messages"][0]["content"]
    offered = {tool["function"]["name"] for tool in first["tools"]}
    assert offered == {"find_evidence", "passage_search", "answer", "not_found"}
    said = [(message["role"], message["content"]) for message in last["messages"][1:4]]
    assert said[0] == ("user", QUESTION)
    assert said[1][0] == "assistant"
    assert "Tarnow Bay" in said[1][1]
    assert "[" not in said[1][1]
    assert said[2] == ("user", "And where is that?")


async def test_a_citation_of_nothing_is_sent_back(small_file: Path) -> None:
    def cite_nothing(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("answer", {"answer": "Tarnow Bay", "explanation": "It is known [99].", "cited": [99]})]

    with endpoint([plan, cite_nothing, cite_what_was_shown]) as server:
        with Session.open(small_file, choice(server.url)) as session:
            *_, last = [event async for event in session.ask(QUESTION)]
        told = server.requests[-1]["messages"][-1]["content"]
    assert isinstance(last, Finished)
    assert last.reply.answer == "Tarnow Bay"
    assert "There is no passage [99]" in told


async def test_wrong_arguments_go_back_to_the_model_and_show_as_failed(small_file: Path) -> None:
    def wrong(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("textual_recovery", {"constraint": 3}), ("passage_search", {"k": "many"})]

    def give_up(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("not_found", {"missing": "all of it"})]

    with endpoint([wrong, give_up]) as server, Session.open(small_file, choice(server.url)) as session:
        events = [event async for event in session.ask(QUESTION)]
    failed = [event for event in events if isinstance(event, ToolFinished)]
    assert [(event.name, event.failed) for event in failed] == [("textual_recovery", True), ("passage_search", True)]
    assert "Call constraint_retrieval first" in failed[0].summary
    last = events[-1]
    assert isinstance(last, Finished)
    assert (last.reply.found, last.reply.missing) == (False, "all of it")
    assert len(last.reply.passages) == 10


def test_keys_go_only_where_they_belong(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with endpoint([plan, cite_what_was_shown]) as server:
        answer(small_file, QUESTION, choice(server.url))
        assert not any("sk-openai" in key for key in server.keys)
    monkeypatch.setenv("CLEW_API_KEY", "sk-clew")
    with endpoint([plan, cite_what_was_shown]) as server:
        answer(small_file, QUESTION, choice(server.url))
        assert set(server.keys) == {"Bearer sk-clew"}


def test_choices_that_name_no_model(small_file: Path) -> None:
    with pytest.raises(ModelFailure, match="there is no key"):
        Session.open(small_file, ModelChoice("gpt-4.1-mini"))
    for url in ("localhost:11434", "file:///etc/passwd", "http://", "http://host:port/"):
        with pytest.raises(UsageError, match="is no http"):
            Session.open(small_file, ModelChoice("qwen3", url))
    with pytest.raises(UsageError, match="needs --model"):
        Session.open(small_file, ModelChoice("offline", "http://localhost:1/v1"))
