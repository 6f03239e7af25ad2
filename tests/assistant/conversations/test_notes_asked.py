"""What is answered of a few notes and what is left open: risk, threads of refusals, two questions in one."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.agent.offline import situation, what_is_read
from assistant.agent.offline.extracted_answer import Extracted, extract
from assistant.agent.replying.closest import closest_sentences, near_sentences
from assistant.agent.replying.reply import Link, Reply
from assistant.agent.workspace import ClosestSentence, Workspace
from assistant.commands.cli import main
from assistant.conversations.chat import Conversation
from assistant.conversations.opening import Opening
from assistant.conversations.session import Session, final_reply
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tools.types import Hit

NOTES = {
    "ann": "# Ann Lee\n\nAnn Lee was a potter in Ostby. She was born on 12 May 1920.",
    "cleo": "# Cleo Hart\n\n## What Cleo Hart did bake\n\nShe baked rye bread.",
    "bob": "# Bob Day\n\nBob Day was a miller in Karsk.",
    "mill": "# The old mill\n\nAt the gate you type the door code, 4471. "
    "The mill was shut for a year because the wheel had cracked in the frost.",
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
    question = "Where was Bob Day's home?"
    given = links(asked(notes, question))["Bob Day"]
    assert (given.tail, given.state) == ("Karsk", "recovered")
    withheld = links(asked(notes, question, risk=0))["Bob Day"]
    assert (withheld.tail, withheld.value, withheld.state) == (given.unknown, "", "unresolved")
    assert (withheld.passage_id, withheld.sentence) == (None, "")


def test_a_refusal_says_which_fact_no_passage_says_for_certain(notes: Path) -> None:
    reply = asked(notes, "When was Ann Lee born?", risk=0)
    assert (reply.found, reply.missing) == (False, "no passage says for certain when Ann Lee was born")


def test_two_questions_in_one_are_both_answered(notes: Path) -> None:
    reply = asked(notes, "When was Ann Lee born and where did Bob Day live?", risk=0.5)
    assert reply.answer == "12 May 1920; Karsk"
    assert {link.head for chain in reply.chains for link in chain.links} == {"Ann Lee", "Bob Day"}


def test_what_a_thing_is_is_read_where_no_sentence_says_it_outright(notes: Path) -> None:
    assert asked(notes, "What is the door code?").answer == "4471"


def test_all_rows_of_a_table_are_counted_and_cited_also_those_that_no_search_found(tmp_path: Path) -> None:
    rows = "".join(f"Keeper {at} Alder,{'Hythe' if at % 4 == 0 else 'Rye'},{2000 + at % 9}\n" for at in range(100))
    (tmp_path / "keepers.csv").write_text(f"Name,Town,Since\n{rows}")
    build([str(tmp_path / "keepers.csv")], tmp_path / "keepers.clew")
    reply = asked(tmp_path / "keepers.clew", "How many keepers are from Hythe?")
    assert (reply.answer, reply.certainty) == ("25", "likely")
    assert len(reply.citations) == 25


def test_a_table_longer_than_is_looked_through_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"Keeper {at} Alder,Hythe\n" for at in range(50))
    (tmp_path / "keepers.csv").write_text(f"Name,Town\n{rows}")
    build([str(tmp_path / "keepers.csv")], tmp_path / "keepers.clew")
    monkeypatch.setattr(what_is_read, "ROWS", 49)
    assert not asked(tmp_path / "keepers.clew", "How many keepers are from Hythe?").found


def test_who_somebody_is_is_told_by_the_lines_below_the_name(tmp_path: Path) -> None:
    (tmp_path / "people.md").write_text("# People\n\n## Greta Pohl\n\nRole: shipping\nPlace: the quay\n")
    build([str(tmp_path / "people.md")], tmp_path / "people.clew")
    assert asked(tmp_path / "people.clew", "Who is Greta Pohl?").answer == "Role: shipping"


def test_the_surest_answer_is_given_though_what_is_found_later_hides_it(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Extracted] = []

    def hidden_later(kb: KnowledgeBase, workspace: Workspace) -> Extracted:
        found = extract(kb, workspace).found
        assert found is not None
        read.append(Extracted(replace(found, confidence=0.8), asked=("Who is Ann Lee?",)))
        return read[0] if len(read) == 1 else Extracted()

    monkeypatch.setattr(situation, "extract", hidden_later)
    reply = asked(notes, "When was Ann Lee born?")
    assert len(read) > 1
    assert (reply.answer, reply.confidence) == ("12 May 1920", 0.8)


def test_no_heading_is_among_the_closest_sentences(notes: Path) -> None:
    with KnowledgeBase.open(notes) as kb:
        passages = kb.document_passages("cleo.md")
        assert any("# What Cleo Hart" in passage.text for passage in passages)
        near = near_sentences(kb, "What did Cleo Hart bake?", passages)
    assert [one.text for one in near] == ["She baked rye bread."]


def test_of_two_closest_sentences_one_in_the_other_the_first_is_shown(notes: Path) -> None:
    """What was read comes first; what it says more or less of is not shown again, nor what is a part of it."""
    with KnowledgeBase.open(notes) as kb:
        (passage,) = kb.document_passages("ann.md")
        workspace = Workspace("Where was Ann Lee a potter?")
        workspace.add_hits("passage_search", [Hit(passage, 1.0)])
        longer = ClosestSentence(passage.id, "Ann Lee was a potter in Ostby. She was born on 12 May 1920.")
        workspace.closest = (longer, ClosestSentence(passage.id, "Ann Lee was a potter in Ostby."))
        assert closest_sentences(kb, workspace, [passage.id]) == (longer,)


async def said_in_chat(conversation: Conversation, question: str) -> Reply:
    await conversation.open()
    async for _ in conversation.ask(question):
        pass
    reply = conversation.end()
    conversation.close()
    assert reply is not None
    return reply


def test_the_risk_of_a_chat_and_of_a_run_is_that_of_their_sessions(notes: Path, tmp_path: Path) -> None:
    question = "When was Ann Lee born?"
    assert not asyncio.run(said_in_chat(Opening(risk=0).conversation(notes), question)).found
    (tmp_path / "q.txt").write_text(question + "\n")
    for risk, is_found in (("0", False), ("0.5", True)):
        out = tmp_path / f"{risk}.jsonl"
        arguments = ["run", notes, tmp_path / "q.txt", "-o", out, "-q", "--risk", risk]
        assert CliRunner().invoke(main, list(map(str, arguments))).exit_code == 0
        assert json.loads(out.read_text())["found"] == is_found
