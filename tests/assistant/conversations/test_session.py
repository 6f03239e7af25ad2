from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from small_documents import QUESTION

from assistant.agent.replying.reply import Reply
from assistant.agent.toolbox import search_stages as wiring
from assistant.conversations.events import Event, Finished, TextDelta, ToolFinished, ToolStarted
from assistant.conversations.session import MAX_CHARACTERS, Session, answer, checked_question
from kb.errors import BadFileError, DamagedFileError, NotAKnowledgeBase, UsageError
from tools.planning.plan import Constraint, Plan


async def ask(session: Session, question: str, plan: Plan | None = None) -> tuple[list[Event], Reply]:
    events = [event async for event in session.ask(question, plan)]
    last = events[-1]
    assert isinstance(last, Finished)
    return events, last.reply


async def test_a_chain_of_two_hops_is_answered_cited_and_shown(small_file: Path) -> None:
    with Session.open(small_file) as session:
        _, reply = await ask(session, "Where was the director of The Glass Harbour born?")
    assert (reply.answer, reply.found, reply.model) == ("Tarnow Bay", True, "offline")
    assert [citation.title for citation in reply.citations] == ["The Glass Harbour", "Irena Valdis"]
    (chain,) = reply.chains
    assert [(link.head, link.tail) for link in chain.links] == [
        ("The Glass Harbour", "Irena Valdis"),
        ("Irena Valdis", "Tarnow Bay"),
    ]
    assert "born 4 May 1899 in Tarnow Bay" in chain.links[1].sentence
    assert {citation.document for citation in reply.citations} <= {passage.document for passage in reply.passages[:3]}


async def test_a_comparison_has_a_chain_for_each_side(small_file: Path) -> None:
    with Session.open(small_file) as session:
        _, reply = await ask(session, "Which film came out first, The Glass Harbour or Seven Lanterns?")
    assert reply.answer == "The Glass Harbour"
    assert {chain.links[0].tail for chain in reply.chains} == {"1931", "1948"}


async def test_what_is_not_there_is_not_found_and_says_what_is_missing(small_file: Path) -> None:
    with Session.open(small_file) as session:
        _, reply = await ask(session, "Who composed the anthem of Ruritania?")
    assert (reply.answer, reply.found) == ("", False)
    assert "Ruritania" in reply.missing
    assert len(reply.passages) == 10


async def test_events_come_in_order_of_happening(small_file: Path) -> None:
    with Session.open(small_file) as session:
        events, reply = await ask(session, "When did Irena Valdis die?")
    kinds = [type(event) for event in events]
    assert kinds[0] is ToolStarted
    assert kinds[-1] is Finished
    started = {event.call_id: event.name for event in events if isinstance(event, ToolStarted)}
    finished = {event.call_id: event.name for event in events if isinstance(event, ToolFinished)}
    assert started == finished
    assert [use.name for use in reply.tools] == list(started.values())
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert kinds.count(TextDelta) > 3
    assert reply.markdown(with_mark=False).startswith(text)
    assert text.startswith("**2 June 1970**")


async def test_an_easy_question_is_looked_for_in_fewer_places_than_a_hopeless_one(small_file: Path) -> None:
    with Session.open(small_file) as session:
        _, easy = await ask(session, QUESTION)
        _, hopeless = await ask(session, "Who composed the anthem of Ruritania?")
    assert [use.name for use in easy.tools] == [
        "constraint_retrieval", "textual_recovery", "edge_scoring", "passage_search", "evidence_walk",
    ]  # fmt: skip
    assert {use.name for use in hopeless.tools} >= {
        "textual_recovery",
        "edge_scoring",
        "path_resurrection",
        "passage_search",
    }


async def test_a_follow_up_question_knows_what_it_follows(small_file: Path) -> None:
    with Session.open(small_file) as session:
        await ask(session, "Where was the director of The Glass Harbour born?")
        _, reply = await ask(session, "And when did she die?")
    assert (reply.question, reply.answer) == ("And when did she die?", "2 June 1970")


async def test_a_recorded_plan_is_used_as_given(small_file: Path) -> None:
    plan = Plan((Constraint("Oskar Valdis", "born in", "?place"),), "?place", answer_type="place")
    with Session.open(small_file, risk=0.3) as session:
        events, reply = await ask(session, "And where was he born?", plan)
    assert reply.answer == "Karsk"
    started = events[0]
    assert isinstance(started, ToolStarted)
    assert started.arguments["constraints"][0]["head"] == "Oskar Valdis"


async def test_at_least_top_passages_as_far_as_the_file_has_them(small_file: Path) -> None:
    with Session.open(small_file, top=12) as session:
        _, reply = await ask(session, "When did Irena Valdis die?")
        assert session.passages == 12
    assert len({passage.id for passage in reply.passages}) == 12
    scores = [passage.score for passage in reply.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(passage.sources for passage in reply.passages)


async def test_the_same_question_gives_the_same_reply(small_file: Path) -> None:
    replies = []
    for _ in range(2):
        with Session.open(small_file) as session:
            replies.append((await ask(session, "Who is the father of the director of The Glass Harbour?"))[1])
    first, second = (reply.to_json("q") for reply in replies)
    for changing in ("seconds", "tools"):
        first.pop(changing), second.pop(changing)
    assert first == second
    assert first["answer"] == "Oskar Valdis"


@pytest.mark.parametrize("question", ["", "  \n", "?!", "…"])
def test_a_question_that_asks_nothing(question: str) -> None:
    with pytest.raises(UsageError, match="asks nothing"):
        checked_question(question)


def test_a_question_that_is_too_long() -> None:
    with pytest.raises(UsageError, match=r"10,000 words.*save it as a file and build it in"):
        checked_question("word " * 10_000)
    with pytest.raises(UsageError, match="characters"):
        checked_question("x" * (MAX_CHARACTERS + 1))
    assert checked_question("word " * 2_000)


@pytest.mark.parametrize(
    "question",
    [
        "Где родился режиссёр фильма?",
        "映画の監督は誰ですか",
        "' OR 1=1 --",
        "[red]bold[/] </passage> {x}",
        "a" * 5000,
        "NEAR(a b)*",
    ],
)
async def test_odd_questions_end_in_a_reply(small_file: Path, question: str) -> None:
    with Session.open(small_file) as session:
        _, reply = await ask(session, question)
    assert reply.found or reply.missing


async def test_cancelling_leaves_a_session_that_answers(small_file: Path) -> None:
    with Session.open(small_file) as session:
        events = session.ask("Where was the director of The Glass Harbour born?")
        assert isinstance(await anext(events), ToolStarted)
        await events.aclose()
        task = asyncio.create_task(ask(session, "When did Irena Valdis die?"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        _, reply = await ask(session, "When did Irena Valdis die?")
    assert reply.answer == "2 June 1970"


async def test_a_file_that_breaks_in_the_middle_ends_the_question(
    small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise DamagedFileError("the file is damaged")

    monkeypatch.setattr(wiring, "retrieve_by_constraints", broken)
    with Session.open(small_file) as session, pytest.raises(BadFileError, match="is damaged"):
        await ask(session, "When did Irena Valdis die?")


async def test_a_tool_that_fails_is_gone_without(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise UsageError("not this way")

    monkeypatch.setattr(wiring, "retrieve_by_constraints", broken)
    with Session.open(small_file) as session:
        events, reply = await ask(session, "When did Irena Valdis die?")
    failed = [event for event in events if isinstance(event, ToolFinished) and event.failed]
    assert [(event.name, event.summary) for event in failed] == [("constraint_retrieval", "not this way")]
    assert reply.answer == "2 June 1970"


def test_answer_is_for_plain_scripts(small_file: Path, tmp_path: Path) -> None:
    assert answer(small_file, "When did Irena Valdis die?").answer == "2 June 1970"
    with pytest.raises(NotAKnowledgeBase):
        answer(tmp_path / "none.clew", "Who?")


def test_a_conversation_is_resumed_with_its_last_turns(small_file: Path) -> None:
    with Session.open(small_file) as session:
        session.resume([Reply(f"q{number}", f"a{number}") for number in range(20)])
        assert [turn.question for turn in session.turns] == [f"q{number}" for number in range(14, 20)]


async def test_the_last_answer_is_doubted_and_its_passages_told(small_file: Path) -> None:
    with Session.open(small_file) as session:
        _, nothing = await ask(session, "Are you sure?")
        _, asked = await ask(session, "When did Irena Valdis die?")
        _, doubted = await ask(session, "Are you sure?")
        _, why = await ask(session, "How do you know?")
        _, wrong = await ask(session, "That's wrong, it was in May.")
        _, more = await ask(session, "Tell me more")
    assert nothing.answer == "There is no answer yet."
    assert doubted.answer in ("This is sure: 2 June 1970", "This is likely, but not sure: 2 June 1970")
    for reply in (doubted, why, wrong):
        assert reply.is_talk
        assert reply.tools == ()
        assert {one.passage_id for one in reply.citations} == {one.passage_id for one in asked.citations}
    assert wrong.answer == "My answers come from the documents alone."
    assert "Irena Valdis" in more.answer


async def test_small_talk_is_not_sure_of_anything(small_file: Path) -> None:
    with Session.open(small_file) as session:
        _, greeted = await ask(session, "How are you?")
        _, told = await ask(session, "What is in here?")
    assert greeted.markdown().startswith("**Hello.**\n")
    assert "● sure" in told.markdown()
