"""Scorers by fold, for the training of the walk."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.cross_fit import FOLDS, fold_file, fold_of, scorers_without
from kb.errors import UsageError
from tools.relations import reranker
from tools.triple_scoring import triple_model


def with_another_bias(path: Path, shipped: Path, name: str) -> None:
    with np.load(shipped) as arrays:
        np.savez(path, **{key: arrays[key] + (key == name) for key in arrays.files})


def test_a_question_is_in_the_fold_of_its_place() -> None:
    assert [fold_of(number) for number in range(FOLDS + 1)] == [*range(FOLDS), 0]


def test_the_scorers_of_a_fold_are_used_inside_and_the_shipped_ones_after(tmp_path: Path) -> None:
    shipped = reranker.SCORES, triple_model.MODEL
    with_another_bias(fold_file(tmp_path, 2, shipped[0]), shipped[0], "triples_5")
    with_another_bias(fold_file(tmp_path, 2, shipped[1]), shipped[1], "out_bias")
    before, bias = reranker.load_reranker(), triple_model.load_model().out_bias
    assert isinstance(before, reranker.TrainedReranker)
    with scorers_without(tmp_path, 2):
        inside = reranker.load_reranker()
        assert isinstance(inside, reranker.TrainedReranker)
        assert inside.triples.layers[5] == before.triples.layers[5] + 1
        np.testing.assert_allclose(triple_model.load_model().out_bias, bias + 1)
    assert shipped[0] == reranker.SCORES
    np.testing.assert_array_equal(triple_model.load_model().out_bias, bias)


def test_a_fold_without_scorers_is_told(tmp_path: Path) -> None:
    shutil.copy(reranker.SCORES, fold_file(tmp_path, 0, reranker.SCORES))
    with (
        pytest.raises(UsageError, match=r"without-fold-0/triple_scorer\.npz is not there; run: make train"),
        scorers_without(tmp_path, 0),
    ):
        pass
