"""What is written of a training: so far on the way from where it began to where it and others came to."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from benchmarks.reader_training import mean_with


@pytest.mark.parametrize(
    ("beside", "share", "written"),
    [
        pytest.param((), 0.0, 1.0, id="nothing of it"),
        pytest.param((), 0.5, 3.0, id="halfway from 1 to 5"),
        pytest.param((), 1.0, 5.0, id="all of it"),
        pytest.param((9.0,), 0.25, 2.5, id="a quarter of the way from 1 to the mean of 5 and 9"),
        pytest.param((9.0, 1.0), 1.0, 5.0, id="the mean of three"),
    ],
)
def test_what_is_written_is_on_the_way_to_the_mean_of_what_was_trained(
    beside: tuple[float, ...], share: float, written: float
) -> None:
    net = nn.Linear(1, 1, bias=False)
    nn.init.constant_(net.weight, 5.0)
    others = [{"weight": torch.tensor([[one]])} for one in beside]
    mean = mean_with({"weight": torch.tensor([[1.0]])}, net, others, share)
    assert {name: one.item() for name, one in mean.items()} == {"weight": written}
