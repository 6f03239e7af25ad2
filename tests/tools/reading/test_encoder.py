"""The reader's matrices by hand: blocks of 4 bits, the update, and the rounding to whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tools.reading.encoder import BLOCK, Encoder, dequantized, rounded
from tools.reading.second_reader import load_second_reader


def block(scale: float, least: float, halves: list[int]) -> list[int]:
    """32 weights of 4 bits: the low half of byte i is weight i, the high one weight 16 + i."""
    spread = np.array([scale, least], dtype=np.float16).view(np.uint8).tolist()
    return [*spread, *(halves[i] | halves[16 + i] << 4 for i in range(16))]


def test_a_block_by_hand() -> None:
    halves = [i % 16 for i in range(BLOCK)]
    blocks = np.array([block(0.5, -2.0, halves), block(0.0, 1.0, halves)], dtype=np.uint8)
    found = dequantized(blocks)
    assert found[0].tolist() == [0.5 * half - 2 for half in halves]
    assert found[1].tolist() == [1.0] * BLOCK


def test_the_update_is_added_before_the_rounding() -> None:
    """A row of ones with an update of 2 x 0.5 x 3 at its first place: 4 there, which is 127, and 1 elsewhere, 32."""
    blocks = np.array([block(0.0, 1.0, [0] * BLOCK)], dtype=np.uint8)
    down = np.zeros((1, BLOCK), dtype=np.float32)
    down[0, 0] = 3
    whole, counts = rounded(blocks, down, np.array([[0.5]], dtype=np.float32))
    assert whole.shape == (BLOCK, 1)
    assert whole[:, 0].tolist() == [127] + [32] * (BLOCK - 1)
    assert counts == pytest.approx([4 / 127 / 127])


def test_a_matrix_of_nothing_stays_nothing() -> None:
    blocks = np.array([block(0.0, 0.0, [0] * BLOCK)], dtype=np.uint8)
    whole, counts = rounded(blocks, np.zeros((1, BLOCK), dtype=np.float32), np.zeros((1, 1), dtype=np.float32))
    assert not whole.any()
    assert np.isfinite(counts).all()


def test_what_is_beside_a_text_in_a_batch_does_not_change_it() -> None:
    network = load_second_reader()._network
    assert isinstance(network, Encoder)
    ids, longer = network.encode(["Ana leads the bakery.", "Bob leads the mill, and Cem the press at the river."])
    alone = network.logits([ids.ids])[0]
    together = network.logits([ids.ids, longer.ids])[0]
    assert together[: len(ids.ids)] == pytest.approx(alone, abs=1e-3)
