from __future__ import annotations

import pytest
from answer_evidence import best, evidence

from tools.answer_rules.kin import find_kin


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("He was the son of Tom Day and Eve Day.", "father", "Tom Day"),
        ("He was the son of Tom Day and Eve Day.", "mother", "Eve Day"),
        ("He was the second son of Tom Day (1900–1950) and his wife, Queen Eve.", "mother", "Queen Eve"),
        ("He was a son of actress Eve Day.", "mother", "Eve Day"),
        ("Born in Rome to Tom, 4th Earl of Hill, and Eve Day, he sang.", "father", "Tom, 4th Earl of Hill"),
        ("He was the son of the late banker Tom Day by his second wife, Eve Day.", "mother", "Eve Day"),
        ("His father, Tom Day, was a baker.", "father", "Tom Day"),
        ("The baker Tom Day was his father.", "father", "Tom Day"),
        ("He was the father of actress Lil Day.", "child", "Lil Day"),
        ("His eldest son Max Day is a poet.", "child", "Max Day"),
        ("In 1930 he married the actress Eve Hill.", "spouse", "Eve Hill"),
        ("Actress Eve Hill is his wife and his son Max is an actor.", "spouse", "Eve Hill"),
        ("He was the younger brother of director Sam Day.", "sibling", "Sam Day"),
    ],
)
def test_kin_told_in_the_subjects_own_passage(text: str, kind: str, value: str) -> None:
    found = find_kin(evidence(("Bob Day", f"Bob Day (1930–1990) was a singer. {text}")), "Bob Day", kind)
    assert best(found) == value


def test_a_parents_spouse_and_parents_are_not_the_subjects() -> None:
    text = "Bob Day was a singer, the son of Tom Day and his wife Eve Hill, daughter of Sam Hill."
    found = evidence(("Bob Day", text))
    assert best(find_kin(found, "Bob Day", "spouse")) == ""
    assert best(find_kin(found, "Eve Hill", "father")) == "Sam Hill"


def test_kin_told_in_the_other_ones_passage() -> None:
    found = evidence(
        ("Tom Day", "Tom Day was a baker. He was the father of Bob Day."),
        ("Eve Hill", "Eve Hill was an actress. She was the mother of Bob Day and the wife of Tom Day."),
    )
    assert best(find_kin(found, "Bob Day", "father")) == "Tom Day"
    assert best(find_kin(found, "Bob Day", "mother")) == "Eve Hill"
    assert best(find_kin(found, "Tom Day", "spouse")) == "Eve Hill"


def test_a_passage_about_a_parent_settles_which_parent_it_is() -> None:
    found = evidence(
        ("Bob Day", "Bob Day is a singer. His parents were actors Lee Hill and Sam Day."),
        ("Lee Hill", "Lee Hill was an actress. She sang, and her voice was loved."),
    )
    assert best(find_kin(found, "Bob Day", "mother")) == "Lee Hill"


def test_no_kin_in_empty_or_foreign_text() -> None:
    assert find_kin(evidence(), "Bob Day", "father") == []
    assert find_kin(evidence(("Bob Day", "")), "Bob Day", "father") == []
