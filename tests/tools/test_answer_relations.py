from __future__ import annotations

import pytest

from tools.answers.relations import expansions, missing_words, read_relation
from tools.plan import Constraint


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


def test_what_is_missing_in_words() -> None:
    constraint = Constraint("?director", "place of birth", "?place")
    assert missing_words(constraint, "Ann Lee") == "the place of birth of Ann Lee"
    assert missing_words(constraint, "") == "the place of birth of director"
    assert missing_words(Constraint("Ann", "broke", "?law"), "Ann") == "Ann broke law"
