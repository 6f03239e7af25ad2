"""Questions in few words over tables that refer to each other, through the real session over a small folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.agent.offline.extracted_answer import Extracted, nearly_said
from assistant.agent.offline.what_is_read import rows_beside
from assistant.conversations.session import Session, final_reply
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import passages_saying
from tools.reading.answering import FoundAnswer
from tools.types import Hit

FILES = {
    "rota.csv": (
        "week,from,duty,waste\n14,30.03.2026,Tom,Ann\n15,06.04.2026,Ann,Tom\n16,13.04.2026,Tom,Mei\n"
        "17,20.04.2026,Ann,Tom\n"
    ),
    "jobs.csv": (
        "reg,cust,car,work\nWK14 PLO,C04,Ford Fiesta,brakes\nWR16 GGK,C10,Mazda MX-5,tyres\n"
        "WX20 ABC,C04,VW Golf,clutch\n"
    ),
    "customers.csv": (
        "id,name,phone,town\nC04,Aoife Brennan,07700 900552,Polmear\nC10,Philip Anstey,01632 960388,Carn\n"
    ),
    "bills.csv": (
        "bill,customer,total,paid_on\nB1,Brennan,120.50,2026-03-02\nB2,Anstey,80.00,\nB3,Brennan,40.25,\n"
        "B4,Holt,10.00,2026-03-09\n"
    ),
    "takings.md": "# Takings\n\n| Day | Stall | Takings |\n|---|---|---|\n"
    + "".join(f"| {at} June | {'quay' if at % 2 else 'square'} | {100 + at}.25 |\n" for at in range(1, 26)),
    "suppliers.txt": (
        "SUPPLIERS\n\nFirm: Lifton Hoists\nTrade: lifts\nPhone: 01632 960111\nVAT no: GB 318 4472 06\n\n"
        "Firm: Carn Tyres\nTrade: tyres\nPhone: 01632 960222\nVAT no: GB 207 9911 35\n"
    ),
    "rules.md": "# Yard rules\n\nThe big hoist takes 2 tonnes. Nobody stands under a load.\n",
    "minutes.md": "# Minutes\n\n## 4 May 2026\n\nThe limit of the big hoist is cut from 2 tonnes to 1.5 tonnes.\n",
    "hours.md": "# Hours\n\nThe shop is open from nine to five. If it snows, the shop stays closed all day.\n",
}


@pytest.fixture(scope="module")
def garage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("garage")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    build([str(folder)], folder / "garage.clew")
    return folder / "garage.clew"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("duty in the week starting 6 april", "Ann"),
        ("who does the waste in the week starting 13 april", "Mei"),
        ("telephone of whoever drives the mazda", "01632 960388"),
        # rows of which the question has no word, and a record in plain text that is described
        ("How much do people still owe us?", "120.25"),  # 80.00 + 40.25
        # thirteen rows of one passage: what they come to stands nowhere in it
        ("How much did we take at the quay in total?", "1472.25"),  # 13 x 100.25 + (1 + 3 + ... + 25)
        ("vat number of the tyre people", "GB 207 9911 35"),
    ],
)
async def test_few_words_are_asked_of_tables_in_full(garage: Path, question: str, answer: str) -> None:
    with Session.open(garage) as session:
        reply = await final_reply(session, question)
    assert reply.answer == answer
    assert reply.certainty == "likely"


async def test_what_is_so_now_is_told_with_what_was_before(garage: Path) -> None:
    with Session.open(garage) as session:
        reply = await final_reply(session, "How many tonnes does the big hoist take?")
    assert reply.answer == "1.5 tonnes"
    assert reply.explanation.endswith("Before that it was 2 tonnes.")
    assert {one.document for one in reply.citations} >= {"minutes.md", "rules.md"}


def test_what_a_record_refers_to_is_looked_up(garage: Path) -> None:
    with KnowledgeBase.open(garage) as kb:
        [job] = passages_saying(kb, ["Mazda"])
        beside = rows_beside(kb, "telephone of whoever drives the mazda", [Hit(job, 1.0)])
        others = rows_beside(kb, "How many cars are there?", [Hit(job, 1.0)])
    assert beside is not None
    assert others is not None
    assert {one.source for one in beside} == {"jobs.csv", "customers.csv"}
    assert {one.source for one in others} == {"jobs.csv", "customers.csv", "rota.csv", "bills.csv"}


def test_of_a_question_with_an_unknown_name_nothing_was_nearly_said() -> None:
    found = FoundAnswer("9", (), (), 0.1, "", "", near=((7, "The shop is open from nine to five."),))
    assert [one.sentence for one in nearly_said(Extracted(found))] == ["The shop is open from nine to five."]
    assert nearly_said(Extracted(found, unknown="Mongolia")) == ()
