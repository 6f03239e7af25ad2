"""What the rules tell or doubt is told, or held back, as the answer to a whole question."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tools.answer_rules.docs import EvidencePassage
from tools.planning.planner import plan_question
from tools.reading.answering import FoundAnswer, answer_question
from tools.reading.considering import ALONE
from tools.reading.spans import Reading, Span

ORDERS = (
    "Orders",
    "Product: primers; Supplier: Metabion; Ordered by: Moyo\nProduct: gloves; Supplier: VWR; Ordered by: Bartek\n"
    "Product: tips; Supplier: VWR; Ordered by: Moyo",
)
FEES = ("Fees", "Name: Josie; Paid: 12\nName: Samir; Paid: 0\nName: Ruth; Paid: 12")


def asked(question: str, texts: Sequence[tuple[str, str]], *read: str) -> FoundAnswer:
    """The answer where the reader holds these words for likely wherever they stand, and nothing else."""

    def reading(text: str) -> Reading:
        places = [(text.index(one), len(one)) for one in read if one in text]
        return Reading(tuple(Span(at, at + length, 0.9) for at, length in places), 0.9) if places else Reading()

    def reader(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [reading(text) for _, _, text in pairs]

    given = [EvidencePassage(at, title, text, 1.0, source=f"{at}.txt") for at, (title, text) in enumerate(texts)]
    return answer_question(question, plan_question(question), given, {}, reader, None, ())


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Who is older, Mary or Nick?", ("Notes", "Mary is older than Nick."), "Mary"),
        ("Who is the chair?", ("Minutes", "Farida Rahman was elected chairwoman with 24 votes."), "Farida Rahman"),
        ("Who bought the motorbike?", ("Notes", "Ivan sold Jack the motorbike."), "Jack"),
        ("From whom did we get the primers?", ORDERS, "Metabion"),
        ("Has Josie paid?", FEES, "yes"),
        ("Has Samir paid?", FEES, "no"),
    ],
)
def test_what_a_rule_tells_is_the_answer(question: str, text: tuple[str, str], answer: str) -> None:
    found = asked(question, [text])
    assert found.text == answer
    assert found.confidence > ALONE


MAY, JUNE = "Minutes, 16 May 2023. The summer party: 1 July.", "Minutes, 14 June 2023. The party has to be moved."
LAST = "Minutes, 17 May 2022. The summer party: 9 July."


@pytest.mark.parametrize(
    ("question", "read", "texts", "otherwise"),
    [
        ("When is the summer party?", ["1 July"], [MAY, JUNE], [MAY, JUNE.replace("party", "piano")]),
        ("When is the summer party?", ["1 July", "9 July"], [LAST, MAY, JUNE], [LAST, MAY]),
        ("Which project uses pluggy?", ["tox-dev"], ["https://a.org/tox-dev/x, pluggy"], ["tox-dev uses pluggy"]),
        ("Where did Ann Lee die?", ["Troy"], ["Ann Lee was born in Troy."], ["Ann Lee, a nurse, died in Troy."]),
    ],
)  # fmt: skip
def test_what_a_rule_doubts_is_held_back(
    question: str, read: Sequence[str], texts: Sequence[str], otherwise: Sequence[str]
) -> None:
    doubted, held_for = (
        asked(question, [(f"Note {at}", text) for at, text in enumerate(one)], *read) for one in (texts, otherwise)
    )
    assert doubted.confidence <= ALONE
    assert held_for.confidence > ALONE


def test_the_questions_own_words_are_doubted() -> None:
    text = ("Kane", "Kane was his first score for a film.")
    assert asked("What was his first film score?", [text], "his first score for a film").confidence <= ALONE
    assert asked("What was Kane?", [text], "his first score for a film").confidence > ALONE


def test_the_reason_for_another_thing_is_doubted() -> None:
    others, own = "Kim stayed at home because the ferry was full.", "It was off because the ferry was full."
    for reason, is_doubtful in ((others, True), (own, False)):
        texts = [("Note", f"The trip was called off. {reason}")]
        assert asked("Why was the trip called off?", texts, "the ferry was full").is_doubtful is is_doubtful


@pytest.mark.parametrize(
    ("question", "text", "is_no"),
    [
        ("Is camping allowed on the beach?", "Camping is forbidden on the beach.", True),
        ("Is camping allowed on the beach?", "Camping is forbidden in the dunes.", False),
        ("Are dogs allowed in August?", "Dogs are forbidden between May and July.", False),
        ("Do we still sample on Sylt?", "Sylt is sampled only twice a year.", False),
    ],
)
def test_what_is_forbidden_elsewhere_or_seldom_is_no_no(question: str, text: str, *, is_no: bool) -> None:
    found = answer_question(question, plan_question(question), [EvidencePassage(0, "Rules", text, 1.0)])
    assert found.text == "no"
    assert (found.confidence > ALONE) is is_no
