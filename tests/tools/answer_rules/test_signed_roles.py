"""Who holds an office, by how a letter is signed."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.answer_rules.signed_roles import find_signed

COVER = (
    "Insurance of the clubhouse",
    "From: Greta Holm <greta@club.example>\nTo: all\n\nHello,\n\nwe stay.\n\nGreta, treasurer",
)
FENCE = ("Fence", "From: Brigitte Lang <b@club.example>\n\nDear all,\n\nit comes.\n\nBrigitte (chair)")
OFFER = (
    "Your offer",
    "From: Petra Novak <p@acme.example>\n\nThank you.\n\nKind regards,\nPetra Novak\nHead of Sales\n+44 20 1234",
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is the treasurer?", "Greta Holm"),
        ("who's our treasurer", "Greta Holm"),
        ("Who is the treasurer of the clubhouse?", "Greta Holm"),
        ("Who is the chair?", "Brigitte Lang"),
        ("Who is the head of sales?", "Petra Novak"),
        # Another office, of another thing, what is no office, another question.
        ("Who is the secretary?", None),
        ("Who is the treasurer of the choir?", None),
        ("Who is the head?", None),
        ("Who was paid by the treasurer?", None),
        ("", None),
    ],
)
def test_the_sender_holds_the_office_that_is_signed_with(question: str, name: str | None) -> None:
    found = find_signed(question, evidence(COVER, FENCE, OFFER))
    assert (found.text if found else None) == name


@pytest.mark.parametrize(
    "text",
    [
        "From: Greta Holm <g@club.example>\n\nPlease ask:\n\nAnton, treasurer",  # somebody else
        "Hello,\n\nGreta, treasurer",  # nobody sent it
        'From: "" <g@club.example>\n\nGreta, treasurer',
        "From: Greta Holm <g@club.example>\n\nGreta, treasurer. He left us at the end of the year.",
        "From: Greta Holm <g@club.example>\n\nGreta\nthe treasurer will tell you all that you want to know about it",
    ],
)
def test_only_a_signature_of_the_sender_counts(text: str) -> None:
    assert find_signed("Who is the treasurer?", evidence(("Mail", text))) is None


def test_two_who_sign_so_are_nobody_and_long_texts_are_quick() -> None:
    other = ("Re", "From: Ida Berg <i@club.example>\n\nIda Berg, treasurer")
    assert find_signed("Who is the treasurer?", evidence(COVER, other)) is None

    def find(letters: int, office: str = "treasurer") -> None:
        long = "From: A B\n\n" + "A, " * (letters // 6) + "A" * (letters // 3) + "\n" * (letters // 7)
        assert find_signed(f"Who is the {office}?", evidence(("Long", long))) is None

    assert is_linear(find, MAX_CHARS)
    assert is_linear(lambda letters: find(MAX_CHARS, "a" * letters), 100_000)
