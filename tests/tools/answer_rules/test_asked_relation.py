from __future__ import annotations

import pytest

from tools.answer_rules.asked_relation import expansions, missing_fact, read_relation
from tools.planning.plan import Constraint


def kind(head: str, relation: str, tail: str, tail_type: str = "") -> tuple[str, bool]:
    read = read_relation(Constraint(head, relation, tail, tail_type=tail_type))
    return read.kind, read.head_owns


@pytest.mark.parametrize("relation", ["director", "directed by", "has director", "film director"])
def test_a_film_owns_its_director_at_the_head(relation: str) -> None:
    assert kind("Alder", relation, "?d") == ("director", True)


@pytest.mark.parametrize("relation", ["directed", "is director of", "director of"])
def test_an_active_verb_has_the_film_at_the_tail(relation: str) -> None:
    assert kind("?d", relation, "Alder") == ("director", False)


def test_born_and_died_ask_for_a_date_or_a_place_by_their_unknown() -> None:
    assert kind("Ann", "born in", "?year") == ("birth_date", True)
    assert kind("Ann", "born in", "?city") == ("birth_place", True)
    assert kind("Ann", "died", "?x", tail_type="date") == ("death_date", True)


def test_the_name_of_the_unknown_turns_kinship_round() -> None:
    assert kind("Ann", "mother of", "?x") == ("mother", False)
    assert kind("Ann", "mother of", "?child") == ("child", True)
    assert kind("Ann", "mother of", "?mother") == ("mother", True)
    assert kind("?father", "father of", "Ann") == ("father", False)


def test_location_with_the_sort_of_place() -> None:
    assert read_relation(Constraint("Hill", "located in", "?county")).sort == "county"
    assert read_relation(Constraint("Hill", "located in", "?country")).kind == "nationality"
    assert read_relation(Constraint("Hill", "headquarters", "?place")).kind == "located_in"


def test_unknown_relations_have_no_kind() -> None:
    assert kind("Ann", "broke the salt law", "?x") == ("", True)
    assert kind("", "", "") == ("", True)


def test_composite_kinship_is_taken_apart() -> None:
    (path,) = expansions(Constraint("Ann", "paternal grandfather", "?g"))
    assert [(item.head, item.relation, item.tail) for item in path] == [
        ("Ann", "father", "?paternal_grandfather_of_Ann"),
        ("?paternal_grandfather_of_Ann", "father", "?g"),
    ]
    assert len(expansions(Constraint("Ann", "uncle", "?u"))) == 2
    assert expansions(Constraint("Ann", "father", "?f")) == []


@pytest.mark.parametrize(
    ("constraint", "subject", "fact"),
    [
        (Constraint("?director", "place of birth", "?place"), "Ann Lee", "where Ann Lee was born"),
        (Constraint("Ann Lee", "date of birth", "?date"), "", "when Ann Lee was born"),
        (Constraint("Alder", "director", "?d"), "Alder", "who directed Alder"),
        (Constraint("Dale", "phone number", "?number"), "Dale", "what the phone number of Dale is"),
    ],
)
def test_what_is_missing_is_told_as_a_clause(constraint: Constraint, subject: str, fact: str) -> None:
    assert missing_fact(constraint, subject) == fact


@pytest.mark.parametrize(
    ("constraint", "subject"),
    [
        (Constraint("?director", "place of birth", "?place"), ""),
        (Constraint("Ann", "is seen in", "?town"), "Ann"),
        (Constraint("Ann", "is broken by", "?who"), "Ann"),
        (Constraint("", "", ""), ""),
        (Constraint("who broke the old law of salt", "date", "?when"), ""),
    ],
)
def test_what_no_person_would_say_is_left_out(constraint: Constraint, subject: str) -> None:
    assert missing_fact(constraint, subject) == ""


def test_what_is_missing_is_asked_from_the_right_end() -> None:
    """Of the film of Ann Lee it is not missing who directed her, nor of her parents who her children are."""
    assert missing_fact(Constraint("Ann Lee", "directed", "?film"), "Ann Lee") != "who directed Ann Lee"
    assert missing_fact(Constraint("Ann Lee", "son of", "?parent"), "Ann Lee") != "who the children of Ann Lee are"
    assert missing_fact(Constraint("Alder", "author", "?a"), "Alder") == "who wrote Alder"


def test_allowed_is_not_wed() -> None:
    assert kind("Am I", "allowed to take out", "?more")[0] != "spouse"
    assert kind("Ann", "wed", "?x")[0] == "spouse"
