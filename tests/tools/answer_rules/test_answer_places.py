from __future__ import annotations

import pytest
from answer_evidence import best, evidence

from tools.answer_rules.places import address_part, find_countries, find_locations, sort_of


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("Ann Lee (born 1950) is a Dutch film director.", "Dutch"),
        ("Ann Lee is a 1950 South Korean drama film directed by French director Max Snow.", "South Korean"),
        ("Ann Lee is a village in Hill District, Kerman Province, Iran.", "Iran"),
        ("Ann Lee was an Austrian-born Argentine painter.", "Argentine"),
        ("Ann Lee is a band from Austria, formed in 1996.", "Austria"),
        ("Ann Lee is a painter.", ""),
    ],
)
def test_the_country_of_a_passages_topic(text: str, country: str) -> None:
    assert best(find_countries(evidence(("Ann Lee", text)), "Ann Lee")) == country


def test_the_country_of_somebody_who_is_only_mentioned() -> None:
    found = evidence(("Hill Play", "Hill Play is a work by the Norwegian playwright Ann Lee."))
    assert best(find_countries(found, "Ann Lee")) == "Norwegian"
    beside = evidence(("Some List", "It is far from Bluff, Minas Gerais, Brazil."))
    assert best(find_countries(beside, "Bluff")) == "Brazil"


@pytest.mark.parametrize(
    ("sort", "value"),
    [("", "Onawa, Iowa"), ("county", "Monona County"), ("state", "Iowa"), ("city", "Onawa")],
)
def test_the_part_of_an_address_that_is_asked_for(sort: str, value: str) -> None:
    text = "Hill House is a house located in Onawa, Monona County, Iowa. Hill House is in Onawa, Iowa."
    expected = "Onawa" if sort == "" else value
    assert best(find_locations(evidence(("Hill House", text)), "Hill House", sort)) == expected
    short = "Hill House is located in Onawa, Iowa."
    assert best(find_locations(evidence(("Hill House", short)), "Hill House", "")) == "Onawa, Iowa"


def test_an_address_behind_a_find() -> None:
    passages = evidence(("Ann Lee", "Ann Lee was born in Hoosick, Rensselaer County, New York."))
    found = passages.docs[0].found(20, 27, 0.9)
    assert found.text == "Hoosick"
    part = address_part(found, "county")
    assert part is not None
    assert part.text == "Rensselaer County"
    assert address_part(found, "river") is None


def test_the_sort_of_place_in_a_variables_name() -> None:
    assert sort_of("?home_county2") == "county"
    assert sort_of("?person") == ""
