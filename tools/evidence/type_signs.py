"""How the opening of a document on a person, a place, a work or an organisation tends to sound."""

from __future__ import annotations

import re
from collections.abc import Collection

_TYPE_SIGNS = {
    "person": re.compile(r"\b(?:born|died|he|she)\b|\((?:b|c)\.", re.IGNORECASE),
    "place": re.compile(
        r"\b(?:city|town|village|county|state|country|province|district|region|river|island|located)\b", re.I
    ),
    "work": re.compile(
        r"\b(?:film|album|song|single|novel|book|series|play|magazine|opera|game|written|directed)\b", re.I
    ),
    "organisation": re.compile(r"\b(?:company|university|club|band|team|party|organi[sz]ation|founded|school)\b", re.I),
}
_OPENING = 200
"""Characters that are looked at."""


def type_fits(text: str, types: Collection[str]) -> float:
    """1 where the text opens like one on a thing of any of the types, 0 where it does not; 0.5 where none is known.

    >>> type_fits("Corvin is a town on the Skarn.", ["place"])
    1.0
    """
    signs = [_TYPE_SIGNS[kind] for kind in sorted(types) if kind in _TYPE_SIGNS]
    if not signs:
        return 0.5
    return float(any(sign.search(text[:_OPENING]) for sign in signs))
