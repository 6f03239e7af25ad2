"""How likely the winner of the choice is right: a regression small enough to be worked out by hand, and the one that
ships.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from answer_evidence import evidence

from tools.reading.candidates import Candidate
from tools.reading.choice import choose
from tools.reading.doubt import LOOKED_AT, Doubt, load_doubt, looked_at, moved
from tools.reading.weighing import FEATURES


def row(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def winner(**values: float) -> np.ndarray:
    return row(*(values.get(name, 0.0) for name in FEATURES))


def test_a_probability_by_hand() -> None:
    """(3 - 1) / 2 of the first and nothing of the second come to 1; with the weight log(3) these are odds of 3."""
    by_hand = Doubt(row(1, 0), row(2, 1), row(math.log(3), 0), np.float32(0))  # type: ignore[arg-type]
    assert by_hand.probability(row(3, 9)) == pytest.approx(3 / 4)
    assert by_hand.probability(row(1, 9)) == pytest.approx(1 / 2)


def test_what_counts_stands_in_one_row() -> None:
    made = looked_at(row(0.2, 0.6, 0.1), 0.75, winner(unheld=0.5, length=0.25))
    assert made.shape == (3 + len(LOOKED_AT),)
    assert made[:3] == pytest.approx([math.log(3), 3, 0.2]), "odds of 3, three candidates, the second has 0.2"
    assert made[3 + LOOKED_AT.index("unheld")] == 0.5
    assert made[3 + LOOKED_AT.index("length")] == 0.25


def test_of_a_single_candidate_the_second_has_nothing_and_certainty_has_bounds() -> None:
    assert looked_at(row(1.0), 1.0, winner())[:3] == pytest.approx([math.log(999), 1, 0], rel=1e-4)
    assert looked_at(row(0.0), 0.0, winner())[0] == pytest.approx(-math.log(999), rel=1e-4)


def test_another_probability_moves_with_it() -> None:
    """From 1/2 to 3/4 the odds grow threefold: from 1/4, which is 1 to 3, they come to 1."""
    assert moved(0.25, 0.5, 0.75) == pytest.approx(0.5)
    assert moved(0.6, 0.5, 0.5) == pytest.approx(0.6)
    assert moved(0.0, 0.5, 0.5) < 0.01


def test_the_one_that_ships_doubts_a_sum_and_what_the_readers_find_elsewhere() -> None:
    shipped = load_doubt()
    assert len(shipped.mean) == len(shipped.scale) == len(shipped.weights) == 3 + len(LOOKED_AT)
    plain, chances = winner(again=0.9, narrow=0.9, again_lead=0.8), row(0.8, 0.1)
    told = shipped.probability(looked_at(chances, 0.8, plain))
    summed = winner(again=0.9, narrow=0.9, again_lead=0.8, reckoned_asked=1.0)
    elsewhere = winner(again=0.1, narrow=0.1, again_lead=-0.5)
    assert shipped.probability(looked_at(chances, 0.8, summed)) < told
    assert shipped.probability(looked_at(chances, 0.8, elsewhere)) < told
    assert shipped.probability(looked_at(chances, 0.9, plain)) > told


def test_an_encyclopaedia_is_asked_without_it(found_candidates: list[Candidate]) -> None:
    article, other = choose(found_candidates, is_article=True), choose(found_candidates)
    assert article is not None
    assert other is not None
    assert article.candidate is other.candidate
    assert article.chances == other.chances
    assert article.confidence != other.confidence
    assert (article.told_confidence > article.confidence) == (other.told_confidence > other.confidence)


@pytest.fixture
def found_candidates() -> list[Candidate]:
    doc = evidence(("Keys", "Sam Birch has the key. Wen Li is the deputy.")).docs[0]
    sam, wen = doc.found(0, 9, 1.0), doc.found(doc.text.index("Wen"), doc.text.index("Wen") + 6, 1.0)
    return [
        Candidate(sam, None, winner(again=0.8, narrow=0.7, close=0.4, again_first=1.0)),
        Candidate(wen, None, winner(again=0.1)),
    ]
