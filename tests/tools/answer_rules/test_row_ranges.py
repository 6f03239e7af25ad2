"""What a table of ranges tells of a number."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.answer_rules.row_ranges import asks_in_range, find_in_range

CHILDREN = (
    "Children",
    "Age: under 9; Latest end of rehearsal: 18:30; Chaperones for ten children: 2\n"
    "Age: 9 to 12; Latest end of rehearsal: 20:00; Chaperones for ten children: 1\n"
    "Age: 13 to 16; Latest end of rehearsal: 21:30; Chaperones for ten children: 1",
)
PARCELS = (
    "Parcels",
    "Weight: up to 2 kg; Domestic: 4.10 EUR; Abroad: 9.20 EUR\n"
    "Weight: 2.01-5 kg; Domestic: 6.50 EUR; Abroad: 14.00 EUR\n"
    "Weight: over 5 kg; Domestic: 9.90 EUR; Abroad: 21.00 EUR",
)
ROOMS = ("Room hire", "Guests: 1-20; Price: 80\nGuests: 21-50; Price: 140\nGuests: 51+; Price: 220")
LETTERS = ("Letters", "Grams: up to 20; Postage: 0.95\nGrams: 21 to 50; Postage: 1.10\nGrams: 51 to 500; Postage: 1.80")


@pytest.mark.parametrize(
    ("question", "answer", "within"),
    [
        ("Until when may a ten-year-old rehearse?", "20:00", "9 to 12"),
        ("Until when may a child of 8 years rehearse?", "18:30", "under 9"),
        ("When does the rehearsal end for somebody aged 14?", "21:30", "13 to 16"),
        ("What does a parcel of 3 kg cost abroad?", "14.00 EUR", "2.01-5 kg"),
        ("What does a parcel of 2kg cost abroad?", "9.20 EUR", "up to 2 kg"),
        ("How much is a 5.5 kg parcel, domestic?", "9.90 EUR", "over 5 kg"),
        ("What does a room for 30 guests cost?", "140", "21-50"),
        ("How much does hiring the room cost for 51 guests?", "220", "51+"),
        ("What is the postage of a letter of 45 grams?", "1.10", "21 to 50"),
        ("How much for a letter of 0.03 kg?", "1.10", "21 to 50"),
    ],
)
def test_the_row_in_whose_range_a_number_lies(question: str, answer: str, within: str) -> None:
    found = find_in_range(question, evidence(CHILDREN, PARCELS, ROOMS, LETTERS))
    assert found is not None
    assert (found.text, found.places[1].text) == (answer, within)


@pytest.mark.parametrize(
    "question",
    [
        "When does the rehearsal end at 17 years of age?",
        "What is the postage for 600 grams?",
        "How much is a 2 kg parcel?",
        "What does a parcel of 3 kg to France cost abroad?",
        "How much is a ticket for a ten-year-old?",
        "When is the fair for children of 9 years and 12 years?",
        "How many chaperones are needed for ten children?",
        "Which parcel weighs 3 kg?",
        "What does a parcel not over 3 kg cost abroad?",
        "Is 3 kg too heavy?",
        "What does it cost?",
        "",
    ],
)
def test_nothing_where_no_range_or_no_column_is_meant(question: str) -> None:
    assert find_in_range(question, evidence(CHILDREN, PARCELS, ROOMS, LETTERS)) is None


def test_ranges_that_share_an_end_and_rows_without_one_tell_nothing() -> None:
    shared = ("Parcels", "Weight: 1-2 kg; Price: 4\nWeight: 2-5 kg; Price: 6")
    assert find_in_range("What does a parcel of 2 kg cost?", evidence(shared)) is None
    single = ("Parcels", "Weight: 1 kg; Price: 4\nWeight: 2-5 kg; Price: 6")
    assert find_in_range("What does a parcel of 3 kg cost?", evidence(single)) is None
    assert find_in_range("What does a parcel of 3 kg cost?", evidence()) is None


def test_a_number_has_to_be_asked_about() -> None:
    assert asks_in_range("Until when may a ten-year-old rehearse?")
    assert asks_in_range("How much is a 3kg parcel?")
    assert not asks_in_range("What does a parcel cost?")
    assert not asks_in_range("Is 3 kg too heavy?")


def test_hostile_questions_take_linear_time() -> None:
    assert is_linear(
        lambda count: find_in_range("What does 3 kg cost " + "3 kg or more " * count, evidence(PARCELS)), 20
    )


@pytest.mark.parametrize("rows", [1, 20])
def test_hostile_rows_take_linear_time(rows: int) -> None:
    def find(letters: int) -> None:
        wide = "Weight: " + "1-" * (letters // 2 // rows) + "kg; Price: 4\n"
        find_in_range("What does a parcel of 3 kg cost?", evidence(("Parcels", wide * rows)))

    assert is_linear(find, MAX_CHARS - 21 * rows)
