"""The thresholds between sure, likely and none, and what a smaller risk makes of them."""

from __future__ import annotations

import pytest

from tools.reading.certainty import RISK, Certainty, certainty_of, least_confidence, likelier


@pytest.mark.parametrize(
    ("risk", "least"),
    [(0.0, 1.0), (0.025, 0.975), (0.05, 0.95), (0.1, 0.85), (0.15, 0.75), (0.325, 0.375), (0.5, 0.0), (1.0, 0.0)],
)
def test_the_least_confidence_is_the_measured_one_and_lies_between_two_measured_ones(risk: float, least: float) -> None:
    assert least_confidence(risk) == pytest.approx(least)


def test_a_larger_risk_never_asks_for_more() -> None:
    thresholds = [least_confidence(share / 100) for share in range(101)]
    assert thresholds == sorted(thresholds, reverse=True)


@pytest.mark.parametrize("risk", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_risk_is_a_share(risk: float) -> None:
    with pytest.raises(ValueError, match="share from 0 to 1"):
        least_confidence(risk)
    with pytest.raises(ValueError, match="share from 0 to 1"):
        certainty_of(0.8, risk=risk)


SURE, LIKELY = least_confidence(RISK / 3), least_confidence(RISK)


@pytest.mark.parametrize(
    ("confidence", "certainty"),
    [
        (1.0, "sure"),
        (SURE + 0.001, "sure"),
        (SURE - 0.001, "likely"),
        (LIKELY + 0.001, "likely"),
        (LIKELY - 0.001, "none"),
        (0.0, "none"),
    ],
)
def test_the_words_at_the_usual_risk(confidence: float, certainty: Certainty) -> None:
    assert pytest.approx(0.15) == RISK
    assert 0.5 < LIKELY < SURE < 1.0
    assert certainty_of(confidence) == certainty


def test_nothing_is_sure_behind_an_open_hop() -> None:
    assert certainty_of(0.99) == "sure"
    assert certainty_of(0.99, has_open_hop=True) == "likely"
    assert certainty_of(0.3, has_open_hop=True) == "none"


def test_the_risk_moves_both_thresholds() -> None:
    assert certainty_of(SURE + 0.001, risk=RISK / 2) == "likely"
    assert certainty_of(LIKELY + 0.001, risk=RISK / 2) == "none"
    assert certainty_of(LIKELY, risk=0.6) == "sure"
    assert certainty_of(LIKELY - 0.001, risk=0.2) == "likely"
    assert certainty_of(1.0, risk=0.0) == "sure"


def test_no_confidence_is_no_answer_whatever_the_risk() -> None:
    assert certainty_of(0.0, has_open_hop=True, risk=1.0) == "none"


def test_odds_grow_as_often_as_is_said() -> None:
    # 0.25 are odds of 1 to 3, nine times as many 3 to 1.
    assert likelier(0.25, 9.0) == pytest.approx(0.75)
    assert [likelier(one, 9.0) for one in (0.0, 1.0)] == [0.0, 1.0]
    assert likelier(0.4, 1.0) == 0.4
