"""Who holds an office of which a sentence says how somebody came to it."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.elected_holders import find_holder


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Who is the chair?", "Farida Rahman was elected chairwoman with 24 votes.", "Farida Rahman"),
        ("Who's our treasurer now?", "We elected Tom Hughes treasurer.", "Tom Hughes"),
        ("Who is the treasurer?", "Tom Hughes, from flat 21, was unanimously re-elected as treasurer.", "Tom Hughes"),
        ("Who is the deputy?", "Her place as deputy goes to Sylvia Marsh.", "Sylvia Marsh"),
        ("Who is the cook?", "Ute cooks on Thursdays; she has been our cook since 2019.", "Ute"),
        ("Who is the cook?", "Ute likes Ana; she has been our cook since 2019.", None),
        ("Who is the treasurer?", "Tom Hughes was not elected treasurer.", None),
        ("Who is the treasurer?", "Tom Hughes was elected treasurer. Tom Hughes resigned in May.", None),
        ("Who is the treasurer?", "Tom Hughes was elected treasurer. Ana Roe was elected treasurer in May.", None),
        (
            "Who is the treasurer?",
            "Hughes was elected treasurer. In May Tom Hughes was confirmed as treasurer.",
            "Tom Hughes",
        ),
        ("Who is the treasurer?", "In 2003 Ana Roe was elected treasurer. Treasurer: Bo Lim", None),
        ("Who is the treasurer?", "Ana Roe was elected treasurer in 2003. The treasurer is Bo Lim.", None),
        ("Who is the chair of the choir?", "The choir meets. Ana Roe was elected chair of the tennis club.", None),
        ("Who is the chair of the tennis club?", "Ana Roe was elected chair of the tennis club.", "Ana Roe"),
        ("Who is the secretary?", "Ana Roe was named the secretary bird of the year.", None),
        ("Who is the president?", "They named Ana Roe president elect.", None),
        ("Who is the manager?", "Bo Lim appointed Ana Roe manager. Ana Roe was fired in May.", None),
        ("Who is the treasurer of the choir?", "Tom Hughes was elected treasurer.", None),
        ("Who was the treasurer in 2019?", "Tom Hughes was elected treasurer.", None),
        ("Who is the secretary?", "Tom Hughes was elected treasurer.", None),
    ],
)
def test_who_came_to_an_office_holds_it(question: str, text: str, answer: str | None) -> None:
    found = find_holder(question, evidence(("Minutes", text)))
    assert (found.text if found else None) == answer


def test_no_passages() -> None:
    assert find_holder("Who is the chair?", evidence()) is None
