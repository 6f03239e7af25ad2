"""The year of a question that only the heads of documents tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.agent.offline.own_year import LIKELY, passages_of_year, without_year
from assistant.conversations.session import answer
from kb.build import build
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.docs import EvidencePassage

NOTES = {
    "minutes_2022.txt": "Minutes of the meeting, 17 May 2022\n\nThe summer party took place on 9 July in the yard.\n\n"
    "In 2019 the cup was won by Holger Lund.\n",
    "minutes_2023.txt": "Minutes of the meeting, 16 May 2023\n\nThe summer party took place on 1 July in the yard.\n",
    "rules.txt": "House rules\n\nNobody grills on a balcony. Bikes stand in the yard.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("years")
    for name, text in NOTES.items():
        (folder / name).write_text(text)
    build([str(folder)], Path(folder / "notes.clew"))
    with KnowledgeBase.open(folder / "notes.clew") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where was the 2022 retreat?", ("Where was the retreat?", 2022)),
        ("When was the summer party in 2022?", ("When was the summer party?", 2022)),
        ("What did the 2023 accounts say?", ("What did the accounts say?", 2023)),
        ("Who won the 2022 cup?", ("Who won the cup?", 2022)),
        ("What was 2022's motto?", ("What was motto?", 2022)),
        ("What was the 2000 pound grant for?", None),
        ("Where is the 2000 litre tank?", None),
        ("Who printed 2000 leaflets?", None),
        ("Who planted 2000 roses?", None),
        ("What was the grant of 2000 pounds for?", None),
        ("Who ran the 2022 book fair?", ("Who ran the book fair?", 2022)),
        ("In which year was the party of 2022?", None),
        ("What happened on 3 May 2022?", None),
        ("Did more people come in 2022 or in 2023?", None),
        ("Who has been a member since 2022?", None),
        ("How much was it in 2022/23?", None),
        ("Where was the retreat?", None),
        ("Was the retreat in 2022?", None),
    ],
)
def test_the_one_year_of_a_question(question: str, asked: tuple[str, int] | None) -> None:
    assert without_year(question) == asked


def test_the_passages_of_a_year_are_those_of_its_documents_alone(kb: KnowledgeBase) -> None:
    passages = [EvidencePassage.of(one, 1.0) for one in listing.opening_passages(kb, sorted(NOTES)).values()]
    assert [one.source for one in passages_of_year(kb, passages, 2022)] == ["minutes_2022.txt"]
    assert passages_of_year(kb, passages, 1999) == []


@pytest.mark.parametrize(("year", "day"), [(2022, "9 July"), (2023, "1 July")])
def test_what_the_minutes_of_a_year_announce_is_of_that_year(kb: KnowledgeBase, year: int, day: str) -> None:
    found = answer(kb.path, f"When was the summer party in {year}?")
    assert day in found.answer
    assert found.certainty == "likely"
    assert found.confidence <= LIKELY


def test_what_the_minutes_of_a_year_tell_of_another_year_is_not_of_that_year(kb: KnowledgeBase) -> None:
    assert "Holger Lund" not in answer(kb.path, "Who won the 2022 cup?").answer
