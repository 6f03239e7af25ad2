"""The thread of a question that has no answer: what was found stays, what was doubted is open."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assistant.reply import Link, Reply
from assistant.session import Session, final_reply
from kb.build import build

NOTES = {
    "ann": "# Ann Lee\n\nAnn Lee was a potter in Ostby. She was born on 12 May 1920.",
    "bob": "# Bob Day\n\nBob Day was a miller in Karsk.",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    build([str(folder)], folder / "notes.clew")
    return folder / "notes.clew"


def asked(file: Path, question: str, risk: float = 0.15) -> Reply:
    with Session.open(file, risk=risk) as session:
        return asyncio.run(final_reply(session, question))


def links(reply: Reply) -> dict[str, Link]:
    return {link.head: link for chain in reply.chains for link in chain.links}


def test_of_two_things_to_compare_the_one_that_is_known_stays_so(notes: Path) -> None:
    reply = asked(notes, "Who is older, Ann Lee or Bob Day?")
    assert not reply.found
    ann, bob = links(reply)["Ann Lee"], links(reply)["Bob Day"]
    assert (ann.tail, ann.state, ann.sentence) == ("12 May 1920", "resolved", "She was born on 12 May 1920.")
    assert (bob.state, bob.value) == ("unresolved", "")


def test_a_doubtful_answer_that_is_withheld_leaves_its_hop_open(notes: Path) -> None:
    question = "Where did Bob Day live?"
    given = links(asked(notes, question))["Bob Day"]
    assert (given.tail, given.state) == ("Karsk", "recovered")
    withheld = links(asked(notes, question, risk=0))["Bob Day"]
    assert (withheld.tail, withheld.value, withheld.state) == (given.unknown, "", "unresolved")
    assert (withheld.passage_id, withheld.sentence) == (None, "")
