"""What a later document tells otherwise in words of change, and what was turned down for something else."""

from __future__ import annotations

import pytest
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS, Evidence, EvidencePassage
from tools.reading.changed_later import SAID_SO, find_said_later, may_be_overtaken

HANDBOOK = (
    "Handbook, 12 January 2021. Lunch costs £4. The choir sings on Tuesdays at 7 pm. The treasurer is Moira. "
    "The wifi password is heron7. The thesis of Lotte is due in the autumn of 2024. A mower costs £300. "
    "The piano is tuned by Mr Voss."
)
LUNCH, CHOIR, WHO = "How much does lunch cost?", "When does the choir sing?", "Who is the treasurer?"
WIFI, THESIS = "What is the wifi password?", "When is the thesis of Lotte due?"


def looked_up(question: str, answer: str, later: str, *, handbook: str = HANDBOOK) -> tuple[str, bool]:
    """What has taken the place of an answer in the handbook, and whether the answer is in doubt."""
    files = (("handbook.txt", handbook), ("other.txt", later))
    docs = Evidence([EvidencePassage(i, "", text, 1.0, source=name) for i, (name, text) in enumerate(files)]).docs
    start = docs[0].text.index(answer)
    found = docs[0].found(start, start + len(answer), 0.9)
    now = find_said_later(question, found, docs)
    assert now is None or now.score == SAID_SO
    return now.text if now else "", may_be_overtaken(question, found, docs)


@pytest.mark.parametrize(
    ("question", "answer", "later", "now"),
    [
        (LUNCH, "£4", "From June on lunch will be £5.20.", "£5.20"),
        (LUNCH, "£4", "Lunch is, with effect from 1 June, £5.20.", "£5.20"),
        (LUNCH, "£4", "Agreed: lunch £5.20 from 1 June.", "£5.20"),
        (LUNCH, "£4", "We put the price of lunch up to £5.20.", "£5.20"),
        ("How much is lunch now?", "£4", "Lunch now costs £5.20.", "£5.20"),
        ("How much does lunch cost?", "£4", "The new price of lunch is £5.20.", "£5.20"),
        ("How much does lunch cost?", "£4", "The new school lunch costs £5.20.", "£5.20"),
        (CHOIR, "Tuesdays at 7 pm", "From May the choir will sing on Thursdays.", "Thursdays"),
        (WHO, "Moira", "Piet takes over as treasurer.", "Piet"),
        (WHO, "Moira", "Piet is the new treasurer.", "Piet"),
        (THESIS, "autumn of 2024", "Thesis: autumn of 2024 is not realistic. We agreed on May 2025.", "May 2025"),
        ("What does a mower cost?", "£300", "£300 is far too little for a mower; we set aside £550.", "£550"),
    ],
)  # fmt: skip
def test_what_a_later_document_tells_in_words_of_change(question: str, answer: str, later: str, now: str) -> None:
    assert looked_up(question, answer, f"Minutes, 3 May 2023. {later}")[0] == now


def test_what_is_taken_over_from_somebody_else_was_not_the_found_ones() -> None:
    assert looked_up(WHO, "Moira", "Minutes, 3 May 2023. Piet takes over Berta's work as treasurer.")[0] == ""
    assert looked_up(WHO, "Moira", "Minutes, 3 May 2023. Piet takes over Moira's work as treasurer.")[0] == "Piet"


@pytest.mark.parametrize(
    ("question", "answer", "later", "is_doubtful"),
    [
        (WIFI, "heron7", "The wifi password was changed to plover9.", True),
        (WHO, "Moira", "Moira hands the accounts to Piet.", True),
        (WHO, "Moira", "Moira stepped down, Piet does it.", True),
        (THESIS, "autumn of 2024", "Autumn of 2024 is not possible for the thesis of Lotte.", True),
        # it stays, another thing, another measure, no words of change
        (LUNCH, "£4", "From June on lunch stays at £4.", False),
        (LUNCH, "£4", "From June on tea will be £5.20.", False),
        (LUNCH, "£4", "From June on lunch will be in the hall at 1 pm.", False),
        (LUNCH, "£4", "Lunch for the new cook is £5.20.", False),
        (LUNCH, "£4", "From June on lunch for the guests is £5.20.", True),
        (CHOIR, "7 pm", "From June on the choir sings a second song at 8 pm.", True),
        (LUNCH, "£4", "Lunch was £5.20 at the fair.", False),
        (WHO, "Moira", "Piet takes over as editor.", False),
        (WHO, "Moira", "The treasurer thanks Piet for the new safe.", False),
        ("Who tunes the piano?", "Mr Voss", "The piano will be tuned by Ms Ray from now on.", True),
        # it is asked how it was
        ("How much was lunch in 2021?", "£4", "From June on lunch will be £5.20.", False),
        ("Who was the treasurer?", "Moira", "Piet takes over as treasurer.", False),
        ("What did lunch cost at first?", "£4", "From June on lunch will be £5.20.", False),
    ],
)
def test_what_may_be_so_no_longer(question: str, answer: str, later: str, *, is_doubtful: bool) -> None:
    assert looked_up(question, answer, f"Minutes, 3 May 2023. {later}") == ("", is_doubtful)


def test_an_earlier_document_changes_nothing_and_of_two_without_a_day_neither_is_told() -> None:
    said = "From June on lunch will be £5.20."
    assert looked_up(LUNCH, "£4", f"Minutes, 3 May 2020. {said}") == ("", False)
    assert looked_up(LUNCH, "£4", said, handbook="Lunch costs £4.") == ("", True)
    assert looked_up(LUNCH, "£4", "Lunch costs £5.20.", handbook="Lunch costs £4.") == ("", False)


@pytest.mark.parametrize(
    ("old", "new", "is_later"),
    [
        ("Handbook 2021.", "Minutes, 3 May 2023.", True),
        ("Handbook 2023.", "Minutes, 3 May 2023.", True),
        ("Handbook 2024.", "Minutes, 3 May 2023.", False),
        ("Report, May 2022.", "Report 2023.", True),
        ("Report 2023.", "Report, May 2023.", False),
        ("Anna was born on 3 May 1951.", "Minutes, 3 May 2023.", True),
        ("Minutes, 3 May 2023.", "The party was on 3 May 2024.", False),
    ],
)
def test_days_and_years_that_a_document_begins_with(old: str, new: str, *, is_later: bool) -> None:
    told, _ = looked_up(LUNCH, "£4", f"{new} Lunch now costs £5.20.", handbook=f"{old} Lunch costs £4.")
    assert bool(told) is is_later


def test_a_long_text_takes_a_moment() -> None:
    text = "Minutes, 3 May 2023. " + "From June on lunch will be new, as it is not, on and on. " * 1_000
    assert is_linear(lambda letters: looked_up(LUNCH, "£4", text[:letters]), MAX_CHARS)


@pytest.mark.parametrize(
    ("question", "later", "is_in_doubt"),
    [
        ("When is the summer party?", "Minutes, 14 June 2023. The party has to be moved. It is on the 15th.", True),
        ("When is the summer party?", "Minutes, 14 June 2023. The piano has to be moved. It is heavy.", False),
        ("Who caters for the summer party?", "Minutes, 14 June 2023. The party has to be moved.", False),
    ],
)
def test_what_has_been_moved_is_in_doubt(question: str, later: str, *, is_in_doubt: bool) -> None:
    minutes = "Minutes, 16 May 2023. The summer party: 1 July, in the yard. Farida caters for the summer party."
    answer = "Farida" if question.startswith("Who") else "1 July"
    assert looked_up(question, answer, later, handbook=minutes)[1] is is_in_doubt
