"""Questions that a chat suggests are made of the file's facts, and are answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.agent.replying.reply import Reply
from assistant.conversations.background import Session
from assistant.conversations.events import Event, Finished
from assistant.conversations.session import Session as RealSession
from assistant.conversations.session import answer
from assistant.conversations.suggesting import candidates_in, suggested
from kb.build import build

NOTES = {
    "doorbell.md": "# Doorbell\n\nHost: dipper\nOwner: Ana Souza\nMembers: Tom Hill, Mia Wong\nSince: 2019\n",
    "cadenza.md": "# Cadenza\n\nCurrent version: 4.11\nName: Cadenza the second\n",
    "lanterns.md": "# Seven Lanterns\n\nSeven Lanterns is a 1948 film directed by Tomas Brandel.\n",
}
MANUAL = {
    "AUTHORS": "License: GPL\nFounder: Ana Souza\n",
    "manual.md": "# Manual\n\nThis is a guide to all of the sluices of the mill.\n\n"
    "Sluicekit is a small program that opens the sluices of a mill.\nUsing Sluicekit is out of the scope of this.\n",
    "paper boats.md": "# Paper Boats\n\nPaper Boats is a novel written by Ada Moor.\n",
}
"""Hardly a fact to ask for, as handbooks have it."""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    build([str(folder)], folder / "notes.clew")
    return folder / "notes.clew"


def all_of(path: Path, open_session: Callable[[], Session], wanted: int = 3) -> list[str]:
    async def read() -> list[str]:
        return [question async for question in suggested(path, open_session, wanted)]

    return asyncio.run(read())


@dataclass
class Scripted:
    """A session that answers from a table, and remembers what was asked and whether it was closed."""

    reply: Reply
    answers: dict[str, str]
    asked: list[str] = field(default_factory=list)
    closed: bool = False
    passages: int = 3

    async def ask(self, question: str) -> AsyncIterator[Event]:
        self.asked.append(question)
        found = question in self.answers
        yield Finished(replace(self.reply, question=question, answer=self.answers.get(question, ""), found=found))

    def resume(self, replies: Sequence[Reply]) -> None:
        assert not replies, "no question is a follow-up of another"

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def reply(notes: Path) -> Reply:
    return answer(notes, "What is the host of Doorbell?")


def test_questions_are_made_of_facts_and_name_one_value(notes: Path) -> None:
    made = {one.question: one.value for one in candidates_in(notes)}
    assert (
        made.items()
        <= {
            "What is the host of Doorbell?": "dipper",
            "Who is the owner of Doorbell?": "Ana Souza",
            "What is the current version of Cadenza?": "4.11",
            "Who directed Seven Lanterns?": "Tomas Brandel",
        }.items()
    )
    assert len(made) == len(NOTES), "one about each thing, none about members, dates alone or names"


def test_a_handbook_is_asked_what_it_defines_and_never_about_its_files(tmp_path: Path) -> None:
    for name, text in MANUAL.items():
        (tmp_path / name).write_text(text)
    build([str(tmp_path)], tmp_path / "manual.clew")
    made = {one.question: one.value for one in candidates_in(tmp_path / "manual.clew")}
    assert made.pop("Who wrote Paper Boats?") == "Ada Moor"
    assert made == {"What is Sluicekit?": "small program that opens the sluices of a mill"}
    questions = all_of(tmp_path / "manual.clew", lambda: RealSession.open(tmp_path / "manual.clew"))
    assert "What is Sluicekit?" in questions


def test_people_come_first_and_what_tells_nothing_or_is_no_noun_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "stamp.md").write_text("# Stamp\n\nDatabase: none\nDate: 2025-02-19\n")
    (tmp_path / "hall.md").write_text("# Market Hall\n\nColour: teal\nBuilt: 1902\nTours a day: 3\n")
    (tmp_path / "mill.md").write_text("# Mill Loft\n\nOwner: Ana Souza\n")
    build([str(tmp_path)], tmp_path / "notes.clew")
    assert [one.question for one in candidates_in(tmp_path / "notes.clew")] == [
        "Who is the owner of Mill Loft?",
        "What is the colour of Market Hall?",
    ]


def test_what_is_suggested_is_answered(notes: Path) -> None:
    questions = all_of(notes, lambda: RealSession.open(notes))
    assert questions
    values = {one.question: one.value for one in candidates_in(notes)}
    for question in questions:
        told = answer(notes, question)
        assert told.found
        assert values[question] in told.answer


def test_what_is_refused_or_answered_otherwise_is_not_suggested(notes: Path, reply: Reply) -> None:
    right = {one.question: one.value for one in candidates_in(notes)}
    wrong, refused, good = right
    session = Scripted(reply, {wrong: "Zanzibar", good: right[good]})
    assert all_of(notes, lambda: session) == [good]
    assert session.asked == [wrong, refused, good]


def test_no_more_are_tried_than_wanted(notes: Path, reply: Reply) -> None:
    session = Scripted(reply, {one.question: one.value for one in candidates_in(notes)})
    assert len(all_of(notes, lambda: session, wanted=1)) == 1
    assert len(session.asked) == 1


def test_nothing_comes_of_a_file_that_is_none(tmp_path: Path, reply: Reply) -> None:
    (tmp_path / "x.clew").write_text("no database")
    session = Scripted(reply, {})
    assert all_of(tmp_path / "x.clew", lambda: session) == []
    assert session.asked == []
