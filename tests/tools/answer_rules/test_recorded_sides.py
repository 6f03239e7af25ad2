"""Comparisons, and yes or no, that structure decides outright."""

from __future__ import annotations

import pytest
from answer_evidence import blind, evidence, passages

from tools.answer_rules.recorded_sides import STATED, decide_recorded
from tools.planning.planner import plan_question
from tools.reading.answering import answer_question

FIELDS = ("Fields", "Name: Mill Field; ha: 2.8; Soil: sand\nName: Long Acre; ha: 6.5; Soil: loam")
PRICES = ("Prices", "Product: Apple juice; Unit: bottle; Price: 2.80\nProduct: Pear juice; Unit: bottle; Price: 3.10")
PHONES = ("Phones", "Name: Ann Lee; Job: clerk; Ext.: 201\nName: Tom Hill; Job: cook; Ext.: 301")
STAFF = ("Staff", "Name: Ann Lee; Born: 3 May 1960; Since: 1999\nName: Tom Hill; Born: 1 June 1971; Since: 2004")
EXAMS = ("Exam rules", "Subject: French; Calculator: no; Minutes: 60\nSubject: Physics; Calculator: yes; Minutes: 90")
HOURS = ("Shop", "Opening times: Monday 9–12, Friday 9–18. Closed on the other days.")


def decided(question: str, *texts: tuple[str, str]) -> str:
    told = decide_recorded(question, evidence(*texts))
    return told.text if told else ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is bigger, Mill Field or Long Acre?", "Long Acre"),
        ("Which is smaller, Mill Field or Long Acre?", "Mill Field"),
        ("What is dearer, a bottle of apple juice or a bottle of pear juice?", "bottle of pear juice"),
        ("Who is older, Ann Lee or Tom Hill?", "Ann Lee"),
        ("Is Mill Field bigger than Long Acre?", "no"),
        ("Is Ann Lee older than Tom Hill?", "yes"),
        ("Which exam takes longer, French or Physics?", "Physics"),
        ("Is Mill Field no bigger than Long Acre?", ""),
        ("Is Ann Lee less old than Tom Hill?", ""),
        # No column tells, a side is not there, nothing is compared.
        ("Which is warmer, Mill Field or Long Acre?", ""),
        ("Which is bigger, Mill Field or Chapel Piece?", ""),
        ("Which is heavier, Mill Field or Ann Lee?", ""),
        ("", ""),
    ],
)
def test_two_rows_are_compared_by_the_column_that_is_asked_for(question: str, answer: str) -> None:
    assert decided(question, FIELDS, PRICES, STAFF, EXAMS) == answer


BUDGET = (
    "Budget",
    "Item: Coach; Planned kr: 400; Actual kr: 390; Days: 3\nItem: Hostel; Planned kr: 600; Actual kr: 620; Days: 2\n"
    "Item: Ferry; Planned kr: 410; Actual kr: 380; Days: 1",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the hostel more expensive than the coach?", "yes"),
        ("Which is cheaper, the coach or the hostel?", "coach"),
        # What was planned and what was paid do not agree; one of them is asked for.
        ("Is the ferry cheaper than the coach?", ""),
        ("Was the planned ferry more expensive than the coach?", ""),
        ("Is the actual cost of the hostel more expensive than the coach?", ""),
    ],
)
def test_columns_that_may_be_meant_have_to_agree(question: str, answer: str) -> None:
    assert decided(question, BUDGET) == answer


TASKS = (
    "Board meeting",
    "## Actions\n- [ ] Idris: hostel in Visby\n- [x] Maren: letter to the dry cleaner\n- [x] Call the piano tuner",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was the letter to the dry cleaner written?", "yes"),
        ("Has the piano tuner been called?", "yes"),
        ("Has Maren finished the letter to the dry cleaner?", "yes"),
        ("Has Idris booked the hostel in Visby?", "no"),
        # Another letter; another person; said by half; denied.
        ("Was the letter to the baker written?", ""),
        ("Has Fred written the letter to the dry cleaner?", ""),
        ("Was the cleaner paid?", ""),
        ("Was the letter to the dry cleaner not written?", ""),
    ],
)
def test_a_task_was_done_if_it_is_ticked(question: str, answer: str) -> None:
    assert decided(question, TASKS) == answer


def test_an_open_task_may_have_been_done_since_where_other_text_says_so() -> None:
    since = ("Minutes", "In May Idris booked the hostel in Visby.")
    assert decided("Has Idris booked the hostel in Visby?", TASKS, since) == ""
    assert decided("Has Maren finished the letter to the dry cleaner?", TASKS, since) == "yes"


def test_equal_values_decide_nothing() -> None:
    same = ("Fields", "Name: Mill Field; ha: 2.8; Soil: sand\nName: Long Acre; ha: 2.8; Soil: loam")
    assert decided("Which is bigger, Mill Field or Long Acre?", same) == ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is a calculator allowed in the French exam?", "no"),
        ("Is a calculator allowed in the Physics exam?", "yes"),
        ("Is a dictionary allowed in the French exam?", ""),
        ("Is the shop open on Tuesday?", "no"),
        ("Is the shop open on Friday?", "yes"),
        ("Is the bakery open on Friday?", ""),
    ],
)
def test_yes_or_no_by_a_value_or_a_list_of_days(question: str, answer: str) -> None:
    assert decided(question, EXAMS, HOURS) == answer


def test_a_stretch_of_days_is_not_read_as_its_ends() -> None:
    assert decided("Is the shop open on Tuesday?", ("Shop", "Opening times: Monday to Friday 9–18")) == ""


def test_a_day_that_is_named_as_closed_is_not_read_as_open() -> None:
    assert decided("Is the shop open on Wednesday?", ("Shop", "Open: Monday, Tuesday; closed Wednesday")) != "yes"
    assert decided("Is the shop open on Sunday?", ("Shop", "Open: Monday, Tuesday, not Sunday")) != "yes"


def test_the_answer_cites_both_lines_and_is_likely() -> None:
    question = "Which is bigger, Mill Field or Long Acre?"
    answer = answer_question(question, plan_question(question), passages(FIELDS), read=blind)
    assert (answer.text, answer.confidence) == ("Long Acre", STATED)
    assert [sentence for _, sentence in answer.stated] == [
        "Name: Mill Field; ha: 2.8; Soil: sand",
        "Name: Long Acre; ha: 6.5; Soil: loam",
    ]


def test_numbers_that_tell_things_apart_are_not_compared() -> None:
    for question in ("Who came to the firm first, Ann Lee or Tom Hill?", "Who has more, Ann Lee or Tom Hill?"):
        assert decided(question, PHONES) == ""
    assert decided("Who has the lower extension, Ann Lee or Tom Hill?", PHONES) == "Ann Lee"
    assert decided("Who came to the firm first, Ann Lee or Tom Hill?", STAFF) == "Ann Lee"
