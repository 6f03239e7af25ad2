"""Which documents are about things of a kind of which a sentence says the rest of the question."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.things import find_things, is_titled, says_it_is

FILMS = (
    ("Solaris (1972 film)", "Solaris is a Soviet film of 1972, directed by Andrei Tarkovsky."),
    ("Stalker (film)", "Stalker is a film of 1979. It was directed by Andrei Tarkovsky."),
    ("Vertigo (film)", "Vertigo is a film of 1958 by Alfred Hitchcock."),
    ("Andrei Tarkovsky", "Andrei Tarkovsky was a film director. He directed Stalker."),
    ("Ann Lee", "Ann Lee was born in London. She wrote letters."),
    ("Bob Day", "Bob Day was born in London. He built bridges."),
    ("London", "London is a city. It was born of a ford."),
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which films were directed by Andrei Tarkovsky?", ["Solaris", "Stalker"]),
        ("which people in these documents were born in London?", ["Ann Lee", "Bob Day"]),
        ("Which films were directed by Alfred Hitchcock?", []),
        ("Which ships were directed by Andrei Tarkovsky?", []),
        ("Which film was directed by Andrei Tarkovsky?", []),
        ("Which films were not directed by Andrei Tarkovsky?", []),
        ("What is the film of Andrei Tarkovsky?", []),
        ("Which bus was born in London?", []),
        ("Who directed Stalker?", []),
        ("", []),
    ],
)
def test_things_of_a_kind(question: str, names: list[str]) -> None:
    assert [one.text for one in find_things(question, evidence(*FILMS))] == names


def test_a_director_of_films_is_no_film() -> None:
    assert says_it_is("Stalker is a film of 1979.", ["film"])
    assert not says_it_is("Andrei Tarkovsky was a film director.", ["film"])
    assert is_titled("Forth Bridge", ["bridge"])
    assert not is_titled("Bridge of Weir", ["bridge"])
