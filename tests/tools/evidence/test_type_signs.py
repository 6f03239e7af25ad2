"""How a text opens, by the type of what it is about."""

from __future__ import annotations

import pytest

from tools.evidence.type_signs import type_fits


@pytest.mark.parametrize(
    ("text", "types", "expected"),
    [
        ("Anna Holm (born 3 May 1902) was a painter.", ["person"], 1.0),
        ("Anna Holm (born 3 May 1902) was a painter.", ["place"], 0.0),
        ("Corvin is a town on the Skarn.", ["person", "place"], 1.0),
        ("Corvin is a town on the Skarn.", [], 0.5),
        ("Corvin is a town on the Skarn.", ["number"], 0.5),
        ("", ["person"], 0.0),
        (" " * 200 + "He was born here.", ["person"], 0.0),
    ],
)
def test_how_a_text_opens(text: str, types: list[str], expected: float) -> None:
    assert type_fits(text, types) == expected
