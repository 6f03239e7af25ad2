"""What sort of thing a question asks for."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.reading.wanted_sort import (
    is_anything,
    is_mere_amount,
    is_named,
    is_no_contact,
    is_no_count,
    is_no_share,
    is_no_time,
    is_piece_of_link,
    is_year_told,
    says_nothing_new,
)


@pytest.mark.parametrize(
    ("text", "is_none"),
    [
        ("12 September 2025", False),
        ("the Monday before", False),
        ("February", False),
        ("before the roof is done", False),
        ("as soon as the paint is dry", False),
        ("every other week", False),
        ("at seven", False),
        ("the drain before anything else is tried", True),
        ("the blue door", True),
        ("", True),
    ],
)
def test_an_answer_to_when_tells_a_time(text: str, is_none: bool) -> None:
    for question in ("When must the cellar be cleared?", "By when must it be cleared?", "And until when is it open?"):
        assert is_no_time(question, text) is is_none


def test_another_question_may_have_any_answer() -> None:
    assert not is_no_time("What must be cleared when it rains?", "the drain")
    assert not is_no_time("", "the drain")


def test_a_day_is_no_mere_number() -> None:
    assert is_no_time("first day of the trip", "10")
    assert is_no_time("What is the last day for complaints?", "10")
    assert not is_no_time("What is the last day for complaints?", "10 June")
    assert not is_no_time("In what year was it?", "1984")
    assert not is_no_time("Which year did she join?", "in '98")
    assert is_no_time("In what year did she join?", "2")
    assert not is_no_time("How many days is the trip?", "10")


def test_an_address_and_a_telephone_number_look_like_it() -> None:
    assert is_no_contact("email address of Ann", "0171 555 9026")
    assert not is_no_contact("email address of Ann", "ann@example.org")
    assert is_no_contact("What is Ann's email", "weekends")
    assert is_no_contact("phone number of the alarm company?", "7741-K")
    assert not is_no_contact("phone number of the alarm company?", "+44 (0)473 90 11 12")
    assert not is_no_contact("mobile for the vet", "ring 4499 at once")
    assert not is_no_contact("Which number has the house?", "7b")


def test_a_number_to_ring_is_a_telephone_number() -> None:
    for question in (
        "Which number do I ring for the lift?",
        "number to ring about the butter",
        "What mobile can I call?",
    ):
        assert is_no_contact(question, "the desk in room 8")
        assert not is_no_contact(question, "01632 960402")
    assert not is_no_contact("What number should the sound be at?", "41")


@pytest.mark.parametrize(
    ("question", "text", "is_none"),
    [
        ("how many tickets have they sold", "€8", True),
        ("How many tickets have they sold?", "forty", False),
        ("how many pounds did he get back", "half the fee", True),
        ("how many pounds did he get back", "£90", False),
        ("How many of us are there?", "most of them", True),
        ("How much did they pay?", "€8", False),
        ("", "€8", False),
    ],
)
def test_how_many_there_are_is_a_number_and_no_money(question: str, text: str, is_none: bool) -> None:
    assert is_no_count(question, text) is is_none


@pytest.mark.parametrize(
    ("text", "is_none"),
    [("bk 2 ch 19", True), ("22nd", False), ("the 3rd", False), ("12/6", False), ("May 6", False), ("Tue", False)],
)
def test_an_answer_to_on_which_date_tells_one(text: str, is_none: bool) -> None:
    assert is_no_time("On which date did he die?", text) is is_none
    assert is_no_time("What is on that date?", text) is False


def test_the_year_that_things_are_of_is_not_how_many_there_are() -> None:
    question = "How many hedgehogs are there?"
    assert is_year_told(question, "2024", "She named most of the 2024 hedgehogs.")
    assert not is_year_told(question, "2024", "There are 2024 hedgehogs.")
    assert not is_year_told(question, "24", "She named most of the 24 hedgehogs.")
    assert not is_year_told("Which hedgehogs are those?", "2024", "She named most of the 2024 hedgehogs.")


def test_what_it_is_a_night_is_told_by_what_speaks_of_nights() -> None:
    assert is_no_share("what does a double cost us a night", "Paid so far GBP 1587.12")
    assert not is_no_share("what does a double cost us a night", "Double, per night 92")
    assert not is_no_share("What is the rent per month?", "Monthly rent: £675")
    assert not is_no_share("What does Doreen charge an hour?", "remarks £16/hr")
    assert not is_no_share("What is it a week?", "£90 p.w.")
    assert not is_no_share("What is it a head?", "12.50 pp")
    assert is_no_share("What does she charge an hour?", "12.50 each way, 16 Hart Street")
    assert is_no_share("What is it a month?", "open till 8 pm")
    assert not is_no_share("What does a double cost?", "Paid so far GBP 1587.12")
    assert not is_no_share("Why did they put it back by nearly a week?", "their bungalow is not ready")


@pytest.mark.parametrize(
    ("question", "text", "is_amount"),
    [
        ("Where did the listeria sit?", "25 g", True),
        ("And where is the key?", "£185", True),
        ("Where is the pump?", "3.5 %", True),
        ("Who paid late?", "12", True),
        ("Who lives there?", "3 Smiths", False),
        ("Where is the pump?", "12 High Street", False),
        ("Where is the pump?", "Room 4", False),
        ("Where is the pump?", "2B", False),
        ("How much is where the pump stands?", "25 g", False),
    ],
)
def test_a_mere_amount_is_no_place_and_nobody(question: str, text: str, is_amount: bool) -> None:
    assert is_mere_amount(question, text) == is_amount


PLUGGY = "Used by pytest and tox. Badge: (https://github.com/pytest-dev/pluggy/actions)"


@pytest.mark.parametrize(
    ("question", "answer", "is_piece"),
    [
        ("Which project uses pluggy?", "pytest-dev", True),
        ("Which project uses pluggy?", "github.com/pytest-dev/pluggy/actions", True),
        ("Which project uses pluggy?", "pytest", False),
        ("What is the badge?", "https://github.com/pytest-dev/pluggy/actions", False),
        ("In which organisation is it?", "pytest-dev", False),
        ("Where is the code?", "github.com/pytest-dev/pluggy", False),
    ],
)
def test_a_word_out_of_a_link_answers_what_asks_for_one(question: str, answer: str, is_piece: bool) -> None:
    doc = evidence(("pluggy", PLUGGY)).docs[0]
    at = doc.text.index(answer)
    assert is_piece_of_link(question, doc.found(at, at + len(answer), 1.0)) == is_piece


@pytest.mark.parametrize(
    ("question", "text", "is_nothing"),
    [
        ("What was Herrmann's first film score?", "his first score for a film", True),
        ("What was Herrmann's first film score?", "the first score, for Welles", False),
        ("Who looks after the well-kept garden?", "the well-kept garden", True),
        ("What came first, the tram or the bus?", "the bus", False),
        ("Which of the trams is the first?", "the first", False),
        ("How many of the 40 came?", "40", False),
        ("How do I roll it back?", "--back", False),
        ("Who is it?", "it", False),
        ("Who is it?", "", False),
    ],
)
def test_what_only_the_question_says_is_no_answer(question: str, text: str, is_nothing: bool) -> None:
    assert says_nothing_new(question, text) == is_nothing


@pytest.mark.parametrize(
    ("text", "is_any"), [("somebody else", True), ("it", True), ("nobody", False), ("Ana", False), ("", False)]
)
def test_what_nobody_knows_anything_by(text: str, is_any: bool) -> None:
    assert is_anything(text) is is_any


@pytest.mark.parametrize(
    ("question", "text", "is_none"),
    [
        ("need wool. which weekday is it no use going?", "when below 5 m", True),
        ("need wool. which weekday is it no use going?", "Wednesdays", False),
        ("Which days of the week is it shut?", "Mon + Tue", False),
        ("Which day of the week is practice?", "Friday the 17th", False),
        ("when is Roz's birthday?", "Jan 2026", True),
        ("when is Roz's birthday?", "8 March", False),
        ("when is Roz's birthday?", "8.3.", False),
        ("When is her birthday party?", "Saturday", False),
    ],
)
def test_a_weekday_is_named_and_a_birthday_has_its_day(question: str, text: str, is_none: bool) -> None:
    assert is_no_time(question, text) is is_none


@pytest.mark.parametrize(("text", "named"), [("Revelstoke", True), ("Edward Baring", True), ("Tom Baring", False)])
def test_what_the_question_names_is_named_in_any_form(text: str, named: bool) -> None:
    assert is_named("Who is the father of Edward Baring, 1st Baron Revelstoke's father?", text) is named
