from __future__ import annotations

import numpy as np
import pytest

from assistant.evaluation.significance import bootstrap_intervals, mcnemar, sign_flip


def test_the_bootstrap_of_two_questions_can_only_draw_three_means() -> None:
    # 00, 01 or 10, 11 with probabilities 1/4, 1/2, 1/4: both ends of 95 % lie on the outer two.
    assert bootstrap_intervals([[0.0], [1.0]]) == [(0.0, 1.0)]


def test_the_bootstrap_interval_is_close_to_the_normal_one_where_there_are_many_questions() -> None:
    # 60 of 400: 0.15 ± 1.96 * sqrt(0.15 * 0.85 / 400) = 0.15 ± 0.035.
    values = np.array([1.0] * 60 + [0.0] * 340)
    ((low, high),) = (pair for pair in bootstrap_intervals(values[:, None]) if pair)
    assert low == pytest.approx(0.115, abs=0.005)
    assert high == pytest.approx(0.185, abs=0.005)


def test_columns_are_resampled_alike_and_again_the_same() -> None:
    values = np.array([[0.0, 10.0], [0.5, 10.5], [1.0, 11.0], [1.0, 11.0]])
    first, second = bootstrap_intervals(values)
    assert first is not None
    assert second == pytest.approx((first[0] + 10, first[1] + 10))
    assert bootstrap_intervals(values) == [first, second]
    assert bootstrap_intervals(values[:, :1]) == [first]


def test_there_is_no_interval_where_nothing_varies() -> None:
    assert bootstrap_intervals([[1.0], [1.0], [1.0]]) == [None]
    assert bootstrap_intervals([[0.3]]) == [None]
    varied, constant = bootstrap_intervals([[0.0, 1.0], [1.0, 1.0]])
    assert varied is not None
    assert constant is None


def test_many_questions_are_resampled_in_portions() -> None:
    # 1,500 questions times 2,000 resamples are drawn in four portions. 0.5 ± 1.96 * 0.5 / sqrt(1,500) = 0.5 ± 0.0253.
    ((low, high),) = (pair for pair in bootstrap_intervals([[0.0], [1.0]] * 750) if pair)
    assert (low, high) == (pytest.approx(0.4747, abs=0.004), pytest.approx(0.5253, abs=0.004))


@pytest.mark.parametrize(
    ("won", "lost", "p"),
    [
        # Twice (1/2)^5; twice (1 + 10) / 2^10; twice (1 + 3) / 2^3 is 1, and no more than that for a tie.
        (5, 0, 2 / 32),
        (1, 9, 22 / 1024),
        (2, 1, 1.0),
        (1, 1, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_by_hand(won: int, lost: int, p: float) -> None:
    assert mcnemar(won, lost) == pytest.approx(p)
    assert mcnemar(lost, won) == pytest.approx(p)


def test_mcnemar_of_thousands_does_not_overflow() -> None:
    assert mcnemar(6000, 5000) < 1e-15
    assert mcnemar(5000, 5000) == 1.0


def test_sign_flips_counted_by_hand() -> None:
    # Of the eight sums ±1 ±2 ±3 the seen 1 + 2 + 3 = 6 is matched by 6 and -6.
    assert sign_flip([1.0, 2.0, 3.0]) == pytest.approx(2 / 8)
    # The seen sum is 4; 6, 4, -4, -6 are as far: half of them. Questions that do not differ change nothing.
    assert sign_flip([-1.0, 2.0, 3.0]) == pytest.approx(4 / 8)
    assert sign_flip([-1.0, 0.0, 2.0, 0.0, 3.0]) == pytest.approx(4 / 8)
    assert sign_flip([0.5]) == 1.0
    assert sign_flip([0.0, 0.0]) == 1.0
    assert sign_flip([]) == 1.0


def test_sign_flips_of_ones_are_mcnemars_test() -> None:
    assert sign_flip([1.0] * 9 + [-1.0]) == pytest.approx(mcnemar(9, 1))


def test_sampled_sign_flips_are_seeded_and_near_the_exact_ones() -> None:
    # 15 won, 5 lost: exact p = 0.0414.
    differences = [1.0] * 15 + [-1.0] * 5
    assert sign_flip(differences) == pytest.approx(mcnemar(15, 5), abs=0.01)
    assert sign_flip(differences) == sign_flip(differences)
    # None of 9,999 flips of forty gives all the same sign: (1 + 0) / (1 + 9,999).
    assert sign_flip([1.0] * 40) == pytest.approx(1 / 10_000)
