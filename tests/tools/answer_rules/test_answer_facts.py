from __future__ import annotations

import pytest
from answer_evidence import best, evidence
from linear import is_linear

from tools.answer_rules import phrases
from tools.answer_rules.facts import find_facts, find_owners


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("is a 1950 film directed by Ann Lee and starring Bob Day.", "director", "Ann Lee"),
        ("is a film. It was written, produced and directed by French filmmaker Ann Lee.", "director", "Ann Lee"),
        ("is a film and the directorial debut of Ann Lee.", "director", "Ann Lee"),
        ('is a song by American singer Ann Lee from her album "Blue".', "performer", "Ann Lee"),
        ("is a film. The music was composed by Ann Lee.", "composer", "Ann Lee"),
        ("is a film. Ann Lee composed the soundtrack.", "composer", "Ann Lee"),
        ("is a novel by Ann Lee.", "writer", "Ann Lee"),
        ("is a film produced by Ann Lee.", "producer", "Ann Lee"),
        ("is a company founded in 1950 by Ann Lee.", "founder", "Ann Lee"),
        ("is a magazine published by Hill House Press.", "publisher", "Hill House Press"),
        ("is a subsidiary of Hill Group.", "owner", "Hill Group"),
        ("is a village named after Ann Lee.", "named_after", "Ann Lee"),
        ("is a singer. He graduated from the Hill School of Music in 1991.", "educated_at", "Hill School of Music"),
        ("is a singer. He attended the University of Hill, Dale.", "educated_at", "University of Hill, Dale"),
        ("is a chemist. He is a professor of chemistry at Hill College.", "employer", "Hill College"),
        ("is a country. Its capital is Dale.", "capital", "Dale"),
    ],
)
def test_facts_of_a_passages_topic(text: str, kind: str, value: str) -> None:
    assert best(find_facts(evidence(("Redwood", f"Redwood {text}")), "Redwood", kind)) == value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("is a 1950 crime film.", "release_date", "1950"),
        (
            "is a 1950 crime film. It was released on 3 May 1950. A DVD was released in 2009.",
            "release_date",
            "3 May 1950",
        ),
        ("is an album released by Hill on May 3, 1950.", "release_date", "May 3, 1950"),
        ("is a company founded in 1909 by Ann Lee.", "inception", "1909"),
        ("is a school. The school was established in May 1951.", "inception", "May 1951"),
        ("is a town. At the 2006 census, its population was 1,404, in 364 families.", "population", "1,404"),
    ],
)
def test_dates_and_figures(text: str, kind: str, value: str) -> None:
    assert best(find_facts(evidence(("Redwood", f"Redwood {text}")), "Redwood", kind)) == value


def test_the_owners_of_a_fact() -> None:
    found = evidence(
        ("Alder", "Alder is a film directed by Ann Lee."),
        ("Birch", "Birch is a film directed by Bob Day."),
    )
    assert [one.text for one in find_owners(found, "Bob Day", "director")] == ["Birch"]
    assert find_owners(found, "Cy Fox", "director") == []


def test_nothing_is_known_of_what_no_passage_is_about() -> None:
    assert find_facts(evidence(("Alder", "Alder is a film.")), "Birch", "director") == []
    assert find_facts(evidence(), "Birch", "director") == []
    assert find_facts(evidence(("Birch", "")), "Birch", "no such kind") == []


def test_participles_that_share_a_by_take_linear_time() -> None:
    told = phrases._PHRASES["director"]
    assert is_linear(lambda count: [one.pattern.search("directed and " * count) for one in told], 2_500)
