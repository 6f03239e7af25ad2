"""By how much something changed."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.answer_rules.told_changes import find_change

MAIL = (
    "Insurance",
    "Our insurer raises the premium for the clubhouse from 410 to 465 EUR a year. Membership fell from 1,240 to 1,105. "
    "The fence is changed from 5 to 16 May. The entrance fee went up from £12.50 to £14. Our share grew "
    "from 3% to 4.5%. The weight rose from 3 kg to 4 lb. The pond was closed from 2 to 4 pm.",
)


@pytest.mark.parametrize(
    ("question", "amount", "reason"),
    [
        ("By how much does the premium go up?", "55 EUR", "465 - 410 = 55."),
        ("By how much did membership fall?", "135", "1,240 - 1,105 = 135."),
        ("How much higher is the entrance fee?", "£1.50", "14 - 12.50 = 1.50."),
        ("What was the increase of the entrance fee?", "£1.50", "14 - 12.50 = 1.50."),
        # Nothing of that kind, of another thing, a time, two units, shares, no change; another question.
        ("By how much did the rent rise?", None, ""),
        ("By how much does the premium for the boat go up?", None, ""),
        ("By how much did the fence change?", None, ""),
        ("By how much did the weight rise?", None, ""),
        ("By how much did our share grow?", None, ""),
        ("By how much was the pond closed?", None, ""),
        ("How much is the premium?", None, ""),
        ("By how much?", None, ""),
    ],
)
def test_the_difference_of_the_numbers_of_the_sentence_that_tells_it(
    question: str, amount: str | None, reason: str
) -> None:
    found = find_change(question, evidence(MAIL))
    assert ((found.text, found.reason) if found else (None, "")) == (amount, reason)


def test_two_sentences_that_tell_a_change_decide_nothing_and_long_texts_are_quick() -> None:
    again = ("Rent", "The premium fell from 500 to 490 EUR.")
    assert find_change("By how much did the premium change?", evidence(MAIL, again)) is None

    def find(letters: int) -> None:
        long = "the premium rises from " + "1" * (letters // 2) + " from 1 to " * (letters // 23)
        assert find_change("By how much does the premium rise?", evidence(("Long", long))) is None

    assert is_linear(find, MAX_CHARS)
