from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from kept_replies import replies_of

from assistant.agent.replying.reply import Reply
from assistant.conversations.chat import Conversation
from assistant.conversations.events import Event, Finished, TextDelta, ToolFinished, ToolStarted
from assistant.conversations.session_files import SessionFolder
from kb.errors import BadFileError, ModelFailure, WriteError


class Echo:
    """Answers with the question; "wait" stops after the first words, "fail" raises."""

    passages = 3

    def __init__(self) -> None:
        self.threads = {threading.get_ident()}
        self.resumed: list[str] = []
        self.unwound: list[str] = []
        self.closed = threading.Event()

    def resume(self, replies: Sequence[Reply]) -> None:
        self.resumed = [reply.question for reply in replies]

    async def ask(self, question: str) -> AsyncIterator[Event]:
        self.threads.add(threading.get_ident())
        try:
            yield ToolStarted("1", "look", {})
            yield ToolFinished("1", "look", 0.5, "nothing")
            yield TextDelta("first words")
            if question == "wait":
                await asyncio.Event().wait()
            if question == "fail":
                raise ModelFailure("no model")
            yield Finished(Reply(question, question))
        finally:
            self.unwound.append(question)

    def close(self) -> None:
        self.threads.add(threading.get_ident())
        self.closed.set()


@pytest.fixture
def echo() -> Echo:
    return Echo()


async def opened(path: Path, echo: Echo) -> Conversation:
    conversation = Conversation(path, "offline", lambda: echo)
    await conversation.earlier()
    await conversation.open()
    return conversation


def kept(folder: Path) -> list[Reply]:
    """What the latest session over the file has."""
    return replies_of(SessionFolder().all(folder / "a.clew")[0].line())


async def asked(conversation: Conversation, question: str) -> list[Event]:
    return [event async for event in conversation.ask(question)]


async def test_events_arrive_in_order_and_the_reply_is_kept(tmp_path: Path, echo: Echo) -> None:
    conversation = await opened(tmp_path / "a.clew", echo)
    events = await asked(conversation, "hello")
    assert [type(event).__name__ for event in events] == ["ToolStarted", "ToolFinished", "TextDelta", "Finished"]
    reply = conversation.end()
    assert reply == Reply("hello", "hello")
    await conversation.keep(reply)
    conversation.close()
    assert (conversation.passages, conversation.last) == (3, reply)
    assert kept(tmp_path) == [reply]


async def test_the_session_lives_in_one_thread_of_its_own(tmp_path: Path, echo: Echo) -> None:
    sessions: list[Echo] = []

    def factory() -> Echo:
        sessions.append(Echo())
        return sessions[0]

    conversation = Conversation(tmp_path / "a.clew", "offline", factory)
    await conversation.open()
    await asked(conversation, "hello")
    conversation.close()
    assert await asyncio.to_thread(sessions[0].closed.wait, 5)
    assert len(sessions[0].threads) == 1
    assert threading.get_ident() not in sessions[0].threads


async def test_cancelling_unwinds_the_session_before_the_next_question(tmp_path: Path, echo: Echo) -> None:
    conversation = await opened(tmp_path / "a.clew", echo)
    arrived = asyncio.Event()

    async def ask() -> None:
        async for event in conversation.ask("wait"):
            if isinstance(event, TextDelta):
                arrived.set()

    task = asyncio.create_task(ask())
    await arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    reply = conversation.end()
    assert reply is not None
    assert (reply.partial, reply.found, reply.explanation) == (True, False, "first words")
    assert [tool.name for tool in reply.tools] == ["look"]
    await asked(conversation, "next")
    assert echo.unwound == ["wait", "next"]
    conversation.close()


async def test_an_error_reaches_the_caller_and_the_next_question_is_answered(tmp_path: Path, echo: Echo) -> None:
    conversation = await opened(tmp_path / "a.clew", echo)
    with pytest.raises(ModelFailure, match="no model"):
        await asked(conversation, "fail")
    assert isinstance((await asked(conversation, "hello"))[-1], Finished)
    conversation.close()


async def test_opening_may_fail_and_be_tried_again(tmp_path: Path, echo: Echo) -> None:
    failures = [BadFileError("no such file")]

    def factory() -> Echo:
        if failures:
            raise failures.pop()
        return echo

    conversation = Conversation(tmp_path / "a.clew", "offline", factory)
    with pytest.raises(BadFileError):
        await conversation.open()
    await conversation.open()
    assert conversation.passages == 3
    conversation.close()


async def test_earlier_turns_are_given_to_the_session(tmp_path: Path, echo: Echo) -> None:
    SessionFolder().create(tmp_path / "a.clew").append(Reply("before", "yes"))
    conversation = await opened(tmp_path / "a.clew", echo)
    assert echo.resumed == ["before"]
    assert conversation.last == Reply("before", "yes")
    conversation.close()


async def test_closing_keeps_what_is_under_way(tmp_path: Path, echo: Echo) -> None:
    conversation = await opened(tmp_path / "a.clew", echo)
    events = conversation.ask("wait")
    for _ in range(3):
        await anext(events)
    conversation.close()
    assert await asyncio.to_thread(echo.closed.wait, 5)
    await events.aclose()
    (reply,) = kept(tmp_path)
    assert (reply.question, reply.explanation, reply.partial) == ("wait", "first words", True)


async def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path, echo: Echo) -> None:
    (tmp_path / "file").touch()
    conversation = Conversation(tmp_path / "a.clew", "offline", lambda: echo, sessions=SessionFolder(tmp_path / "file"))
    with pytest.raises(WriteError):
        await conversation.keep(Reply("a", "a"))
    await conversation.keep(Reply("b", "b"))
    assert conversation.last == Reply("b", "b")


def test_closing_what_was_never_opened_does_nothing(tmp_path: Path, echo: Echo) -> None:
    conversation = Conversation(tmp_path / "a.clew", "offline", lambda: echo)
    conversation.close()
    conversation.close()
    assert not echo.closed.is_set()


async def test_of_a_long_session_the_last_turns_come_first_and_the_rest_on_demand(tmp_path: Path, echo: Echo) -> None:
    log = SessionFolder().create(tmp_path / "a.clew")
    turns = [log.append(Reply(f"question {number}", "yes")) for number in range(25)]
    conversation = Conversation(tmp_path / "a.clew", "offline", lambda: echo)
    latest = await conversation.earlier()
    assert [turn.id for turn in latest.turns] == [turn.id for turn in turns[15:]]
    assert latest.older == 15
    before = conversation.before(latest.turns[0])
    assert (before.turns[0].question, before.older) == ("question 5", 5)
    assert len(conversation.before(before.turns[0]).turns) == 5


async def test_a_given_session_is_gone_on_with(tmp_path: Path, echo: Echo) -> None:
    first, second = (SessionFolder().create(tmp_path / "a.clew", name) for name in ("first", "second"))
    first.append(Reply("of the first", "yes"))
    second.append(Reply("of the second", "yes"))
    conversation = Conversation(tmp_path / "a.clew", "offline", lambda: echo, first)
    await conversation.earlier()
    await conversation.open()
    turn = await conversation.keep(Reply("more", "yes"))
    conversation.close()
    assert echo.resumed == ["of the first"]
    assert turn is not None
    assert [one.question for one in SessionFolder().find("first").line()] == ["of the first", "more"]


async def test_an_edited_question_knows_only_what_was_said_before_it(tmp_path: Path, echo: Echo) -> None:
    log = SessionFolder().create(tmp_path / "a.clew")
    for question in ("one", "two", "three"):
        log.append(Reply(question, "yes"))
    conversation = await opened(tmp_path / "a.clew", echo)
    assert echo.resumed == ["one", "two", "three"]
    await conversation.go_before(conversation.log.line()[1])
    await asked(conversation, "two, edited")
    assert echo.resumed == ["one"]
    branch = await conversation.keep(conversation.end() or Reply("", ""))
    assert branch is not None
    assert conversation.log.place(branch.id) == (2, 2)
    await conversation.select(conversation.log.branches(branch.id)[0])
    await asked(conversation, "next")
    assert echo.resumed == ["one", "two", "three"]
    conversation.close()


async def test_another_session_is_gone_to_without_opening_the_file_again(tmp_path: Path, echo: Echo) -> None:
    conversation = await opened(tmp_path / "a.clew", echo)
    await conversation.keep(Reply("here", "yes"))
    await conversation.go_to(conversation.sessions.create(tmp_path / "a.clew", "new"))
    assert (conversation.last, (await conversation.earlier()).turns) == (None, ())
    await asked(conversation, "hello")
    assert echo.resumed == []
    await conversation.keep(Reply("there", "yes"))
    assert (await conversation.asked_before())[0] == "there"
    conversation.close()
    assert {log.title for log in SessionFolder().all()} == {"here", "new"}


async def test_a_session_that_is_not_open_yet_is_told_when_it_is(tmp_path: Path, echo: Echo) -> None:
    log = SessionFolder().create(tmp_path / "a.clew")
    log.append(Reply("kept", "yes"))
    conversation = Conversation(tmp_path / "a.clew", "offline", lambda: echo)
    await conversation.go_to(log)
    assert echo.resumed == []
    await conversation.open()
    assert echo.resumed == ["kept"]
    conversation.close()
