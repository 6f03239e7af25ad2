"""What is allowed, offered, accepted or required."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.permissions import find_permission

RULES = (
    "Exam rules",
    "Water is allowed in a clear bottle without label. Phones are not allowed. No hats. Dictionaries may be used.",
)
SHOP = ("Shop", "We take cash and cards. Dogs are welcome. The yellow bean isn't available any more.")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Can pupils have water with them in an exam?", "yes"),
        ("Are phones allowed in exams?", "no"),
        ("Are phones forbidden in exams?", "yes"),
        ("Can I wear hats?", "no"),
        ("Can I pay by card?", "yes"),
        ("Is the yellow bean still available?", "no"),
        ("Can I bring my cat?", ""),
        ("Is the shop nice?", ""),
        ("Can we?", ""),
        ("", ""),
    ],
)
def test_the_sentence_that_names_the_thing_decides(question: str, answer: str) -> None:
    told = find_permission(question, evidence(RULES, SHOP))
    assert (told[0] if told else "") == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Are dogs allowed?", "Dogs are allowed, but barbecues are forbidden.", "yes"),
        (
            "Are bicycles allowed on the train?",
            "No reservation is needed, and bicycles are allowed on the train.",
            "yes",
        ),
        ("Are dogs allowed?", "Dogs are welcome but not in the restaurant.", ""),
        ("Can we use the pool?", "The pool opens again on 3 May.", ""),
        ("Can we bring dogs?", "Dogs cannot be brought into the house.", "no"),
        ("Can we bring dogs?", "Dogs must not be brought into the house.", "no"),
    ],
)
def test_only_the_clause_that_names_the_thing_decides(question: str, text: str, answer: str) -> None:
    told = find_permission(question, evidence(("House rules", text)))
    assert (told[0] if told else "") == answer


def test_sentences_that_disagree_decide_nothing() -> None:
    other = ("Old rules", "Water is not allowed.")
    assert find_permission("Is water allowed?", evidence(RULES, other)) is None


STATUTES = (
    "Statutes",
    "# Work days\n\nEvery tenant works six hours a year. Tenants over 75 are exempt.\n\n# Sheds\n\nA shed must be "
    "approved by the committee. Helmets are required in the hall. Guests need not book. "
    "Boats over 9 m must be insured.",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do tenants over 75 have to work?", "no"),
        ("Does a shed have to be approved?", "yes"),
        ("Must a shed be approved by the committee?", "yes"),
        ("Are helmets required in the hall?", "yes"),
        ("Do guests have to book?", "no"),
        ("Must guests book?", "no"),
        # What is said of some tells nothing of all, nor of others.
        ("Do tenants have to work?", ""),
        ("Do tenants over 70 have to work?", ""),
        ("Must boats be insured?", ""),
        ("Do dogs have to be insured?", ""),
    ],
)
def test_what_has_to_be_done(question: str, answer: str) -> None:
    told = find_permission(question, evidence(STATUTES))
    assert (told[0] if told else "") == answer
