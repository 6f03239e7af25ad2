"""Who bought what another sold: told by the converse verb, and doubted where the sides are turned round."""

from __future__ import annotations

import pytest
from answer_evidence import evidence, passages, pointing_at

from tools.answer_rules.converses import find_converse, is_turned_round
from tools.planning.planner import plan_question
from tools.reading.answering import answer_question
from tools.reading.considering import ALONE


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("Ivan sold Jack the motorbike for £800.", "Who bought the motorbike?", "Jack"),
        ("Ivan sold Jack the motorbike for £800.", "Who purchased the motorbike from Ivan?", "Jack"),
        ("Ivan sold Jack the motorbike for £800.", "Who got the motorbike?", "Jack"),
        ("The museum bought the painting from Mr Voss.", "Who sold the painting?", "Mr Voss"),
        ("Anton lent Boris his ladder for a week.", "Who borrowed the ladder?", "Boris"),
        ("Lasse lent Ove his trailer.", "Who borrowed Lasse's trailer?", "Ove"),
        ("Uncle Rolf left the house to Helga.", "Who inherited the house?", "Helga"),
        ("Nina gave Olive a bracelet.", "Who was given a bracelet?", "Olive"),
        ("Pia got the clock from Ron.", "Who gave Pia the clock?", "Ron"),
        ("Sam owes Ted £40.", "To whom does Sam owe money?", "Ted"),
        ("Mr Pym teaches Zoe the flute.", "Who learns the flute?", "Zoe"),
        ("Greg was taught to cook by Hans.", "Who taught Greg?", "Hans"),
        ("Karl hired out the tent to the scouts for £30.", "Who hired the tent?", "the scouts"),
        ("Mrs Lane rents the flat to Mr Kerr.", "Who rents the flat?", "Mr Kerr"),
        ("The Reds won against the Blues.", "Who lost?", "the Blues"),
        ("Clara beat Doris in the final.", "Who won the final?", "Clara"),
        ("Jon lost to Kim at chess.", "Who won at chess?", "Kim"),
        ("Quentin was replaced by Rosa as goalkeeper.", "Who did Rosa replace?", "Quentin"),
        ("Yann succeeded Zoe as mayor.", "Who was mayor before Yann?", "Zoe"),
        ("Paula hired Quirin as a cook.", "Who employs Quirin?", "Paula"),
        ("Sue works for Tina.", "Who employs Sue?", "Tina"),
        ("Farida was elected. She takes over from Dennis.", "Who did Farida succeed?", "Dennis"),
    ],
)
def test_who_is_told_by_the_converse_verb(text: str, question: str, answer: str) -> None:
    told = find_converse(question, evidence(("Notes", text)))
    assert told is not None
    assert told.text == answer


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Sam owes Ted £40.", "Who owes Sam money?"),
        ("Clara beat Doris in the final.", "Who beat Clara?"),
        ("We gave him a bracelet.", "Who was given a bracelet?"),  # "him" is no answer
        ("Ivan might sell Jack the motorbike.", "Who bought the motorbike?"),
        ("Ivan never sold Jack the motorbike.", "Who bought the motorbike?"),
        ("Ivan sold Jack the motorbike.", "Who bought the piano?"),
        ("Ann bought the van in 2010. Bert bought the van in 2015.", "Who bought the van?"),
        ("She takes over from Dennis.", "Who did Farida succeed?"),
        ("Dad lost his wallet.", "Who lost?"),
    ],
)
def test_who_is_not_told(text: str, question: str) -> None:
    assert find_converse(question, evidence(("Notes", text))) is None


@pytest.mark.parametrize(
    ("question", "answer", "sentence"),
    [
        ("Who bought the motorbike?", "Ivan", "Ivan sold Jack the motorbike."),
        ("Who owes Sam money?", "Ted", "Sam owes Ted £40."),
        ("How much does Ted owe Sam?", "£40", "Sam owes Ted £40."),
        ("Who did Farida succeed?", "She", "She takes over from Dennis."),
        ("Whose child is Quinn?", "Rob", "Quinn is the parent of Rob."),
    ],
)
def test_an_answer_is_turned_round(question: str, answer: str, sentence: str) -> None:
    assert is_turned_round(question, answer, sentence)


@pytest.mark.parametrize(
    ("question", "answer", "sentence"),
    [
        ("Who bought the motorbike?", "Jack", "Ivan sold Jack the motorbike."),
        ("How much does Sam owe Ted?", "£40", "Sam owes Ted £40."),
        ("Whose child is Rob?", "Quinn", "Quinn is the parent of Rob."),
        ("Who mended the motorbike?", "Ivan", "Ivan sold Jack the motorbike."),
    ],
)
def test_an_answer_is_not_turned_round(question: str, answer: str, sentence: str) -> None:
    assert not is_turned_round(question, answer, sentence)


def test_what_is_owed_the_other_way_round_is_doubted() -> None:
    question = "How much does Ted owe Sam?"
    told = passages(("Debts", "Sam owes Ted £40."))
    asked = answer_question(question, plan_question(question), told, read=pointing_at("£40"))
    assert asked.confidence <= ALONE


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Anna sent the letter to the wrong address.", "Who got the letter?"),
        ("Anna left the house to the cleaner every Monday.", "Who inherited the house?"),
        ("Leeds beat Hull in the semi-final of the cup.", "Who won the cup?"),
    ],
)
def test_nobody_where_a_side_is_no_person_or_the_thing_another(text: str, question: str) -> None:
    assert find_converse(question, evidence(("Notes", text))) is None
