"""Names that lead from one passage of a pool to another."""

from __future__ import annotations

import numpy as np
import pytest

from kb.records import Passage
from tools.evidence.bridges import BRIDGE_FEATURES, PooledMentions, bridge_features, read_places

MISSISSIPPI, HINDS, WELLS = 0, 1, 2
TEXTS = ("The mounds are in Mississippi. They are near Hinds.", "Mississippi joined in 1817.", "Rain fell in Hinds.")
TITLES = ("Mounds", "History of Mississippi", "Rain")
MENTIONS = ([(18, 29, MISSISSIPPI), (45, 50, HINDS)], [(0, 11, MISSISSIPPI)], [(13, 18, HINDS)])
SENTENCES = ([(0, 30, 0.0), (31, 51, 0.0)], [(0, 27, 0.0)], [(0, 19, 0.0)])
COSINES = np.array([[0.8, 0.1], [0.5, 0.3], [0.2, 0.6], [0.4, 0.0]], dtype=np.float32)
"""Of the four sentences to the two parts of a question: where something lies, and when it joined."""
RARITY = np.array([0.25, 0.5, 1.0], dtype=np.float32)


def pool() -> list[Passage]:
    return [
        Passage(at, f"d{at}", title, text, "", 0, len(text), None, 0)
        for at, (title, text) in enumerate(zip(TITLES, TEXTS, strict=True))
    ]


def share(found: frozenset[str]) -> float:
    return float("join" in found)


def places(sources: list[int], left_out: tuple[int, ...] = ()) -> PooledMentions:
    return read_places(pool(), MENTIONS, SENTENCES, COSINES, share, np.array(sources, dtype=np.int64), left_out)


def row(found: np.ndarray, source: int, target: int) -> dict[str, float]:
    return dict(zip(BRIDGE_FEATURES, found[source, target].tolist(), strict=True))


def test_the_places_of_shared_names() -> None:
    found = places([0])
    assert found.passages.tolist() == [0, 0, 1, 2]
    assert found.names.tolist() == [MISSISSIPPI, HINDS, MISSISSIPPI, HINDS]
    np.testing.assert_array_equal(found.cosines, COSINES)
    assert found.words.tolist() == [0, 0, 1, 0]
    assert found.in_title.tolist() == [0, 0, 1, 0]


def test_names_that_no_source_shares_or_the_question_says_have_no_place() -> None:
    assert places([1]).names.tolist() == [MISSISSIPPI, MISSISSIPPI]
    assert places([0], (MISSISSIPPI,)).names.tolist() == [HINDS, HINDS]
    assert places([]).names.tolist() == []


def test_the_best_sentence_with_a_name_counts() -> None:
    """The first passage has the name in both sentences: the highest of each column is 0.8 and 0.3."""
    mentions = ([(18, 29, MISSISSIPPI), (45, 50, MISSISSIPPI)], *MENTIONS[1:])
    found = read_places(pool(), mentions, SENTENCES, COSINES, share, np.array([0]), ())
    assert found.passages.tolist() == [0, 1]
    np.testing.assert_allclose(found.cosines, [[0.8, 0.3], [0.2, 0.6]])


def test_a_mention_outside_of_all_sentences_is_left_out() -> None:
    found = read_places(pool(), MENTIONS, ([(20, 30, 0.0)], [], []), COSINES[:1], share, np.array([0]), ())
    assert found.names.tolist() == [HINDS]


def test_the_measures_of_a_bridge() -> None:
    """To the second: the source's best part is the first, 0.8; of the target the best other part is 0.6. To the third:
    0.5 and, the first part taken, 0.0. Values 0.8 + 0.6 + 0.25 + 0.5 * 1 = 2.15 and 0.5 + 0.0 + 0.5 = 1.0: the second
    place is e^(4 * -1.15) = 0.01005.
    """
    found = bridge_features(places([0]), np.array([0]), 3, RARITY)
    assert found.shape == (1, 3, len(BRIDGE_FEATURES))
    assert row(found, 0, 1) == pytest.approx(
        {"bridge source": 0.8, "bridge target": 0.6, "bridge target words": 1.0, "bridge rarity": 0.25,
         "bridge in title": 1.0, "bridge place": 1.0}
    )  # fmt: skip
    assert list(row(found, 0, 2).values()) == pytest.approx([0.5, 0.0, 0.0, 0.5, 0.0, 0.01005], abs=1e-5)
    assert not found[0, 0].any()


def test_of_two_names_the_better_one_leads() -> None:
    """Values 0.9 + 0.1 + 0.25 = 1.25 and 0.3 + 0.4 + 1.0 = 1.7."""
    both = PooledMentions(
        np.array([0, 0, 1, 1]), np.array([MISSISSIPPI, WELLS, MISSISSIPPI, WELLS]),
        np.array([[0.9, 0.0], [0.3, 0.0], [0.0, 0.1], [0.0, 0.4]], dtype=np.float32),
        np.zeros(4, dtype=np.float32), np.zeros(4, dtype=np.float32),
    )  # fmt: skip
    assert list(row(bridge_features(both, np.array([0]), 2, RARITY), 0, 1).values())[:4] == pytest.approx(
        [0.3, 0.4, 0.0, 1.0]
    )


def test_a_question_of_one_part_asks_both_ends_for_it() -> None:
    one = places([0])
    single = PooledMentions(one.passages, one.names, one.cosines[:, :1], one.words, one.in_title)
    assert list(row(bridge_features(single, np.array([0]), 3, RARITY), 0, 1).values())[:2] == pytest.approx([0.8, 0.2])


def test_each_source_has_its_own_rows() -> None:
    found = bridge_features(places([2, 0]), np.array([2, 0]), 3, RARITY)
    assert [bool(found[0, at].any()) for at in range(3)] == [True, False, False]
    assert [bool(found[1, at].any()) for at in range(3)] == [False, True, True]


def test_nothing_in_nothing() -> None:
    none = np.array([], dtype=np.int64)
    found = read_places([], [], [], COSINES[:0], share, none, ())
    assert found.cosines.shape == (0, 2)
    assert bridge_features(found, none, 0, RARITY).shape == (0, 0, len(BRIDGE_FEATURES))
