"""A birth tells no death."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.ends_of_life import is_of_other_end


def is_doubted(question: str, answer: str, text: str) -> bool:
    doc = evidence(("Ann Lee", text)).docs[0]
    at = doc.text.rindex(answer)
    return is_of_other_end(question, doc.found(at, at + len(answer), 1.0))


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Where did Ann Lee die?", "Troy", "Ann Lee (born 12 May 1920 in Troy) is a director."),
        ("When did Ann Lee die?", "1920", "Ann Lee was born in 1920."),
        ("When was Ann Lee born?", "1999", "Ann Lee, a nurse, died in 1999."),
        ("What was her place of birth?", "Rome", "Born in Troy, Ann Lee died in Rome."),
        ("What is the date of death of Ann Lee?", "1920", "Ann Lee's birthday was in May 1920."),
        ("When was Ann Lee born?", "1999", "Ann Lee (b. Troy, d. 1999)."),
    ],
)
def test_what_stands_with_the_other_end_of_a_life_is_doubted(question: str, answer: str, text: str) -> None:
    assert is_doubted(question, answer, text)


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Where did Ann Lee die?", "Rome", "Born in Troy, Ann Lee died in Rome."),
        ("Where did Ann Lee die?", "Rome", "Ann Lee (born 12 May 1920 in Troy – 4 July 1999 in Rome) was a director."),
        ("Where did Ann Lee die?", "Rome", "Ann Lee (born 1920 - 1999, Rome) was a director."),
        ("Where was Ann Lee born?", "Troy", "Her mother died early. Ann Lee comes from Troy."),
        ("Where was Ann Lee born?", "Troy", "Ann Lee was born to D. H. Lee in Troy."),
        ("Where did the man die who was born in Troy?", "Troy", "Ann Lee was born in Troy."),
        ("Where does Ann Lee live?", "Troy", "Ann Lee was born in Troy."),
        ("Where did Ann Lee die?", "Rome", "Rome was where Ann Lee was born."),
    ],
)
def test_what_stands_with_its_own_end_with_none_or_behind_a_dash_is_not(question: str, answer: str, text: str) -> None:
    assert not is_doubted(question, answer, text)
