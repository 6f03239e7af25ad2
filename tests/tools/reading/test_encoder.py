"""The reader's matrices by hand: blocks of 4 bits, the rounding to whole numbers, and distances."""

from __future__ import annotations

import numpy as np
import pytest

from tools.reading.encoder import BLOCK, buckets, dequantized, in_blocks, rounded
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


def test_sixteen_steps_are_kept_as_they_are() -> None:
    """-2, -1.5, … 5.5: the scale is 0.5 and the least -2, all of which float16 has."""
    matrix = np.array([[0.5 * (i % 16) - 2 for i in range(BLOCK)]], dtype=np.float32)
    blocks = in_blocks(matrix)
    assert blocks.tolist() == [block(0.5, -2.0, [i % 16 for i in range(BLOCK)])]
    assert np.array_equal(dequantized(blocks), matrix)


def test_one_far_value_does_not_take_the_steps_of_the_others() -> None:
    """31 values within 0..1 and one of 3: with the whole range a step is 0.2, with four fifths of it less, and the sum
    of the squares is the least of the shares that are tried.
    """
    values = np.append(np.linspace(0, 1, BLOCK - 1), 3.0).astype(np.float32)[None]
    error = float(((dequantized(in_blocks(values)) - values) ** 2).sum())
    whole = np.rint(values / 0.2) * 0.2
    assert error <= float(((whole - values) ** 2).sum()) + 1e-4


def test_blocks_of_nothing_and_of_one_value() -> None:
    matrix = np.concatenate([np.zeros((1, BLOCK)), np.full((1, BLOCK), 0.75)]).astype(np.float32)
    assert np.array_equal(dequantized(in_blocks(matrix)), matrix)


def test_distances_by_hand() -> None:
    """Below 8 each distance has its own bias; 8 to 11 share one (8 x 2^(1/2) is 11.3), 16 is two further, as log 2 is a
    quarter of log 16 and there are eight; from 128 on all share the last. Looking ahead is the second half.
    """
    found = buckets(300)
    assert [found[299, 299 - far] for far in (0, 1, 7, 8, 11, 12, 16, 128, 299)] == [0, 1, 7, 8, 8, 9, 10, 15, 15]
    assert [found[0, far] for far in (0, 1, 7, 8, 16, 128)] == [0, 17, 23, 24, 26, 31]
    assert buckets(1).tolist() == [[0]]


def test_a_matrix_in_whole_numbers_by_hand() -> None:
    """Of a row whose largest is 4 a whole number counts 4 / 127: 1 is 31.75 of them, -4 all 127. Of one of thirds the
    largest counts as much of its own. What a row counts is divided by 127 once more, for the tokens.
    """
    whole, counts = rounded(np.array([[1, -4, 0], [0.1, 0.1, 0.3]], dtype=np.float32))
    assert whole.dtype == np.int8
    assert whole.T.tolist() == [[32, -127, 0], [42, 42, 127]]
    assert counts == pytest.approx([4 / 127 / 127, 0.3 / 127 / 127])


def test_a_row_of_nothing_stays_nothing() -> None:
    whole, counts = rounded(np.zeros((1, BLOCK), dtype=np.float32))
    assert whole.shape == (BLOCK, 1)
    assert not whole.any()
    assert np.isfinite(counts).all()


def test_words_are_the_tokens_of_bert_behind_four() -> None:
    """In BERT's vocabulary "the" is 1996 and "cat" 4937; a special token's name in a text is text."""
    network = load_second_reader()._network
    assert network.encode(["The cat", ""]) == [([2000, 4941], [(0, 3), (4, 7)]), ([], [])]
    assert len(network.encode(["[SEP]"])[0][0]) > 1
