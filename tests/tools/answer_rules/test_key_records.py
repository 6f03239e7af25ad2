"""What a record tells of the one that a question describes."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import Found
from tools.answer_rules.key_records import STATED, find_in_record, is_of_another_record

FIRMS = (
    "Firms",
    "## Ballard Marine\n\nTrade: engines\nPhone: 01632 960510\nVAT no: GB 417 2293 06\n\n"
    "## Pike Roofing\n\nFor: roof, gutters\nPhone: 01632 960759\n\n"
    "## Corks\n\nName: Lusocork UK\nAccount no: LC/0883\nTerms: 60 days\n\n"
    "## Puffin\n\nRoom: 4\nServer: our ticket server; the machine before it was called Razorbill and is gone\n\n"
    "## Sundries\n\nName: Bees & Co\nAccount no: 5519\nTerms: 30 days\n\nRent: 400",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("vat number engine man", "GB 417 2293 06"),
        ("What is the account number of the cork people?", "LC/0883"),
        ("Which terms do we have with Bees & Co?", "30 days"),
        ("What is the phone number of the roofer?", "01632 960759"),
        # a record without that key, a key of two records, a record that nobody describes, yes or no, nothing
        ("vat number roofer", None),
        ("What are the terms?", None),
        ("server before Puffin", None),
        ("What is the account number of the bank?", None),
        ("Do we have an account number with the cork people?", None),
        ("", None),
    ],
)
def test_the_value_of_the_key_in_the_record_that_is_described(question: str, answer: str | None) -> None:
    found = find_in_record(question, evidence(FIRMS))
    assert ((found.text, found.confidence) if found else None) == ((answer, STATED) if answer else None)


STAFF = (
    "## Ana Kovarik\n\nExtension: 114\nStands in: Jonas Wick\n\n"
    "## Noor Haddin\n\nExtension: 130\nNote: lunch with Bert Olm\n\n## Stores\n\nName: Mill Loft\nExtension: 140\n\n"
)
ROW = "Name: Jonas Wick; Team: Payments; Ext.: 115"


@pytest.mark.parametrize(
    ("question", "below", "answer"),
    [
        ("What is Jonas Wick's extension?", ROW, None),
        ("What is Jonas's extension?", ROW, None),
        ("What is Jonas Wick's extension?", "## Jonas Wick\n\nTeam: Payments\nJob: developer", None),
        ("Bert Olm's extension", "Name: Bert Olm; Team: Payments; Since: 2021", None),
        ("extension Ana Kovarik", ROW, "114"),
        ("extension of the Mill Loft", "Name: Mill Loft; Town: Penmarsh; Since: 2012", "140"),
    ],
)
def test_whoever_a_record_speaks_of_is_not_whose_it_is_where_he_has_his_own(
    question: str, below: str, answer: str | None
) -> None:
    found = find_in_record(question, evidence(("People", STAFF + below)))
    assert (found.text if found else None) == answer


def test_a_record_that_is_parted_by_a_passage_is_one() -> None:
    first = ("Firms", "## Corks\n\nName: Lusocork UK\nContact: Ana")
    second = ("Firms", "## Corks\n\nAccount no: LC/0883\nTerms: 60 days")
    found = find_in_record("account number of Lusocork", evidence(first, second))
    assert found is not None
    assert found.text == "LC/0883"


def place(text: str) -> Found:
    doc = evidence(FIRMS).docs[0]
    start = doc.text.index(text)
    return doc.found(start, start + len(text), 0.9)


@pytest.mark.parametrize(
    ("answer", "question", "is_of_another"),
    [
        ("GB 417 2293 06", "What is the VAT number of the roofer?", True),
        ("GB 417 2293 06", "What is the VAT number of the engine people?", False),
        # nobody is called so, the one who is called so has the key as well, and prose
        ("GB 417 2293 06", "What is the VAT number of Holbeach Road?", False),
        ("01632 960510", "What is the phone number of the roofer?", False),
        ("Lusocork", "Who sells corks?", False),
    ],
)
def test_an_answer_from_a_record_of_something_else(answer: str, question: str, is_of_another: bool) -> None:
    found = place(answer)
    assert is_of_another_record(question, found, [found.doc]) is is_of_another


def test_prose_is_of_no_record() -> None:
    doc = evidence(("Note", "The phone number of Pike is 01632.")).docs[0]
    found = doc.found(28, 33, 0.9)
    assert not is_of_another_record("What is the phone number of Holbeach Road?", found, [doc])


def test_long_texts_take_a_moment() -> None:
    def find(count: int) -> None:
        firms = [f"## Firm {at}\n\nName: F{at}\nPhone: 0{at}" for at in range(count)]
        parts = [("Long", "\n".join(firms[at : at + 100])) for at in range(0, count, 100)]
        found = find_in_record("phone number of F77", evidence(*parts))
        assert found is None or found.text == "077"

    assert is_linear(find, 3_200)
