"""What stands for an entity with too many facts to show, offline: the first of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kb.records import Triple
from tools.judgements.summaries import summarise, within


def facts(*texts: str) -> list[Triple]:
    """Facts of three words: head, relation, tail."""
    parts = [text.split() for text in texts]
    return [Triple(at, 1, head, said, 2, tail, 1, at, "") for at, (head, said, tail) in enumerate(parts)]


THREE = facts("Tarnow lies north", "Tarnow has docks", "Tarnow grew slowly")


@pytest.mark.parametrize(("most", "kept"), [(0, 0), (2, 0), (3, 1), (5, 1), (8, 2), (9, 3), (150, 3)])
def test_the_first_facts_that_fit_are_kept(most: int, kept: int) -> None:
    assert within(THREE, most) == tuple(THREE[:kept])


@pytest.mark.parametrize(
    ("given", "summary"), [([], ""), (THREE[:1], "Tarnow lies north"), (THREE, "Tarnow lies north; Tarnow has docks")]
)
def test_a_summary_is_these_facts(given: Sequence[Triple], summary: str) -> None:
    assert summarise(given, 6) == summary
