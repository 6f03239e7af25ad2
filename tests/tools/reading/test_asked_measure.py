"""What a question for a measure can be answered with."""

from __future__ import annotations

import pytest

from tools.reading.asked_measure import is_other_measure


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("How warm were the plates kept?", "72 h", True),
        ("How warm were the plates kept?", "30°", False),
        ("How warm were the plates kept?", "30", False),
        ("How long is the walk?", "14 km", False),
        ("How long is the walk?", "four hours", False),
        ("How long is the walk?", "£4", True),
        ("And how deep is the well?", "3 weeks", True),
        ("How much does the cake weigh?", "3 h", True),
        ("How old is Ana?", "12 kg", True),
        ("What is the price?", "2 days", True),
        ("What is the price?", "12.50", False),
        ("How heavy is it?", "as heavy as the other", False),
        ("How heavy is it?", "18 kg after 3 days", False),
        ("Who told how warm it was?", "72 h", False),
        ("", "", False),
    ],
)
def test_another_measure_than_the_one_that_is_asked_for(question: str, text: str, is_other: bool) -> None:
    assert is_other_measure(question, text) is is_other
