"""What somebody puts right in the same breath."""

from __future__ import annotations

import pytest
from answer_evidence import evidence, passages, pointing_at
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.planning.planner import plan_question
from tools.reading.answering import answer_question
from tools.reading.considering import ALONE
from tools.reading.righted import RIGHTED, righted

CHAT = "## Monday 9 October 2023\n\n[20:14] Ann: the coach leaves at 8\n[20:15] {}\n[20:16] Ben: ok"
GONE = "(gone)"


def meant(text: str, answer: str) -> str | None:
    doc = evidence(("Talk", text)).docs[0]
    start = doc.text.index(answer)
    told = righted(doc.found(start, start + len(answer), 0.9))
    return told and (told.found.text if told.found else GONE)


@pytest.mark.parametrize(
    ("text", "answer", "right"),
    [
        ("We bought the van in 2003, no, wait, 2004, from a baker.", "in 2003", "2004"),
        ("It cost us nine hundred, sorry, eight hundred pounds.", "nine hundred", "eight hundred pounds"),
        ("The first driver was Alan... no, Alan came later, it was Steve.", "Alan", "Steve"),
        ("My mother came from Truro, no, from Falmouth, I think.", "Truro", "Falmouth"),
        ("We got the boat in 1961 or, hang on, it was 1963.", "1961", "1963"),
        ("Uncle Reg, I mean my uncle Ted, built it.", "Reg", "Ted"),
        ("Dinner is at the Swan. I meant to say the Crown, of course.", "the Swan", "Crown"),
        ("Dinner is on Friday, sorry, Saturday 18 November.", "Friday", "Saturday"),
        ("The fee is £5 (should be £6).", "£5", "£6"),
        ("The fee is £5 a head, make that £6.", "£5", "£6"),
        ("The fee is £5. Correction: £6.", "£5", "£6"),
        ("We sold 7, sorry, 8 in June.", "7", "8"),
        (CHAT.format("Ann: *9"), "8", "9"),
        (CHAT.format("Ben: no, 9"), "8", "9"),
        # nobody says what is meant
        ("It begins at 7, or rather half past.", "7", GONE),
        ("Once, in 1974, for Hans's fiftieth... no, that can't be, he was born in 1932.", "1974", GONE),
    ],
)
def test_what_is_meant(text: str, answer: str, right: str) -> None:
    assert meant(text, answer) == right


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("There is room for 20 cars, no parking for 3 vans.", "20"),
        ("He lives at No. 5. No. 7 is empty.", "5"),
        ("Dinner is on Thursday, sorry, I can't come on Friday.", "Thursday"),
        ("I saw Kurt. Sorry, Anna is out.", "Kurt"),
        ("Present: Ann, Bob and Yusuf. Sorry: Tabs", "Yusuf"),
        ("My radio was with Yusuf. Sorry Jonas.", "Yusuf"),
        ("The tent was lent by Ferrante, should be there by Tuesday.", "Ferrante"),
        ("Of these 28 are for yes or no, 21 ask why.", "28"),
        ("Ask Bob. No, Hal is not in charge.", "Bob"),
        ("We sold 5 boxes in May and 7, sorry, 8 in June.", "5"),
        ("It has 5 rooms, rather small ones, and 6 beds.", "5"),
        (CHAT.format("Ann: no, 9 people have paid so far"), "8"),
    ],
)
def test_what_is_not_put_right(text: str, answer: str) -> None:
    assert meant(text, answer) is None


def test_what_is_meant_is_the_answer() -> None:
    question = "When was the van bought?"
    text = "We bought the van in 2003. I meant to say 2004."
    told = answer_question(question, plan_question(question), passages(("Van", text)), read=pointing_at("2003", 0.99))
    assert told.text == "2004"
    assert ALONE < told.confidence <= RIGHTED
    assert [sentence for _, sentence in told.stated] == ["I meant to say 2004.", "We bought the van in 2003."]


def test_what_is_taken_back_is_no_answer() -> None:
    question = "When does the play begin?"
    text = "The play begins at 7 pm, scratch that."
    told = answer_question(question, plan_question(question), passages(("Play", text)), read=pointing_at("7 pm", 0.99))
    assert told.is_doubtful
    assert told.confidence <= ALONE


@pytest.mark.parametrize("unit", [", no", " or, er", ", sorry, the ", "\n: "])
def test_a_long_text_takes_linear_time(unit: str) -> None:
    assert is_linear(lambda letters: meant(f"5{unit * (letters // len(unit))} 6", "5"), MAX_CHARS)
