"""Questions whose answer two lines of different documents say together, over a real small file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.agent.offline import extracted_answer, two_lines
from assistant.agent.offline.two_lines import answer_together, lines_near
from assistant.conversations.session import Session, final_reply
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tests.small_documents import DOCUMENTS
from tools.planning.planner import plan_question
from tools.reading.answering import FoundAnswer
from tools.reading.second_reader import read_again, read_linked
from tools.search.passage_search import search_passages
from tools.types import Hit

STAFF = (
    "Name,Role,Tel,In\nMaren Ulvestad,wheelbuilder,5520 318,Tue-Sat\nTobias Quell,front desk,5520 344,Mon-Fri\n"
    "Ines Carvalho,welding,5520 371,Wed-Sun\n"
)
WEEK = (
    "# April\n\n- Maren dropped the truing stand on Friday and has paid for half of the new one.\n"
    "- Tobias painted the counter.\n- The kettle is broken.\n"
)
QUESTION = "what's the phone number of whoever let the truing stand fall?"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workshop")
    (folder / "staff.csv").write_text(STAFF, encoding="utf-8")
    (folder / "april.md").write_text(WEEK, encoding="utf-8")
    build([str(folder)], folder / "workshop.clew")
    return folder / "workshop.clew"


def test_two_lines_say_it_together_and_both_are_quoted(workshop: Path) -> None:
    with KnowledgeBase.open(workshop) as kb:
        found = together(kb, QUESTION)
        assert found is not None
        titles = [kb.passage(one).title for one in found.support]
    assert found.text == "5520 318"
    assert [(hop.constraint.head, hop.value) for hop in found.hops] == [
        ("whoever let the truing stand fall", "Maren"),
        ("?x", "5520 318"),
    ]
    assert [hop.sentence.split()[0] for hop in found.hops] == ["-", "Name:"]
    assert titles == ["April", "Maren Ulvestad"]


def together(kb: KnowledgeBase, question: str, hits: Sequence[Hit] = ()) -> FoundAnswer | None:
    return answer_together(kb, question, plan_question(question), hits, read_linked, read_again)


@pytest.mark.parametrize(
    "question",
    ["Maren's phone number?", "what's the phone number of whoever let the truing stand fall, and where do they work?"],
)
def test_what_describes_nothing_or_asks_two_things_is_not_read_so(workshop: Path, question: str) -> None:
    with KnowledgeBase.open(workshop) as kb:
        assert together(kb, question) is None


async def test_a_session_gives_what_two_lines_say(workshop: Path) -> None:
    with Session.open(workshop) as session:
        reply = await final_reply(session, QUESTION)
    assert reply.found
    assert reply.answer == "5520 318"
    assert reply.certainty == "likely"
    assert "truing stand" in reply.explanation


async def test_what_is_answered_otherwise_is_not_read_in_two_lines(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("read in two lines")

    monkeypatch.setattr(extracted_answer, "answer_together", never)
    with Session.open(workshop) as session:
        straight = await final_reply(session, "Who was it that dropped the truing stand?")
        stepped = await final_reply(session, "what's the phone number of the person who dropped the truing stand?")
    assert (straight.answer, stepped.answer) == ("Maren", "5520 318")


async def test_what_no_two_lines_say_is_not_answered(workshop: Path) -> None:
    with Session.open(workshop) as session:
        reply = await final_reply(session, "what's the phone number of whoever bought the milk?")
    assert not reply.found


def test_of_a_large_file_lines_are_looked_at_that_say_a_name_which_was_found(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KnowledgeBase.open(workshop) as kb:
        all_lines = set(lines_near(kb, QUESTION, []).lines)
        hits = [hit for hit in search_passages(kb, "truing stand", 8) if "truing" in hit.passage.text]
        monkeypatch.setattr(two_lines, "SMALL", 0)
        monkeypatch.setattr(two_lines, "SEARCHED", 0)
        near = {one.text.split(";")[0] for one in lines_near(kb, QUESTION, hits).lines}
        monkeypatch.setattr(two_lines, "NAMES", 0)
        without = {one.text.split(";")[0] for one in lines_near(kb, QUESTION, hits).lines}
        monkeypatch.undo()
        monkeypatch.setattr(two_lines, "SMALL", 0)
        monkeypatch.setattr(two_lines, "SEARCHED", 0)
        monkeypatch.setattr(two_lines, "COMMON", 1)
        assert {one.text.split(";")[0] for one in lines_near(kb, QUESTION, hits).lines} == without
    assert len(all_lines) == 6
    assert near - without == {"Name: Maren Ulvestad", "Name: Tobias Quell"}


def test_over_an_encyclopaedia_and_over_nothing_no_lines_are_read_together(tmp_path: Path) -> None:
    for key, (title, text) in DOCUMENTS.items():
        (tmp_path / f"{key}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "one.md").write_text("Tea.\n", encoding="utf-8")
    build([str(tmp_path)], tmp_path / "films.clew")
    build([str(tmp_path / "empty")], tmp_path / "tea.clew")
    with KnowledgeBase.open(tmp_path / "films.clew") as kb:
        assert together(kb, QUESTION, search_passages(kb, "film director", 8)) is None
    with KnowledgeBase.open(tmp_path / "tea.clew") as kb:
        assert together(kb, QUESTION) is None
