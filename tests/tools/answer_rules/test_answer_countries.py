from __future__ import annotations

from tools.answer_rules.countries import country_mentions, country_of, form_of, is_demonym
from tools.answer_rules.text import tokenize


def test_names_adjectives_regions_and_cities() -> None:
    assert country_of("Dutch") == country_of("the Netherlands") == country_of("Holland") == "Netherlands"
    assert country_of("U.S.") == country_of("American") == country_of("Ohio") == "United States"
    assert (form_of("Dutch"), form_of("Peru"), form_of("Ohio"), form_of("Lima")) == (
        "adjective",
        "name",
        "region",
        "city",
    )
    assert country_of("Atlantis") == ""
    assert form_of("") is None


def test_parts_of_the_united_kingdom_agree() -> None:
    assert country_of("English") == country_of("Scottish") == country_of("Wales") == "United Kingdom"


def test_mentions_take_the_longest_form_and_need_a_capital() -> None:
    text = "Papua New Guinea, not guinea; told us in the US"
    assert [text[one.start : one.end] for one in country_mentions(tokenize(text))] == ["Papua New Guinea", "US"]


def test_demonyms_are_single_adjectives() -> None:
    assert is_demonym("French")
    assert not is_demonym("France")
