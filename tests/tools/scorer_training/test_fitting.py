"""Fitting: what is learned, from where it goes on, what is written; and files that are no scorer."""

from __future__ import annotations

import zipfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from kb.errors import UsageError
from tools.scorer_training.examples import Example, average_precision, documents_found, recall
from tools.scorer_training.fitting import BLIND_PARTS, Network, fit, go_on, scores_of, written
from tools.triple_scoring.triple_measures import MEASURES
from tools.triple_scoring.triple_model import DIMENSION, MODEL, TripleModel, load_model, read_model

TELLING = MEASURES.index("tail has a year")


def example(number: int, dimension: int = DIMENSION) -> Example:
    """Thirty facts, of which three are evidence: those whose tail has a year."""
    random = np.random.default_rng(number)
    spread = load_model().scale * random.normal(size=(30, len(MEASURES))).astype(np.float32)
    evidence = np.arange(30) < 3
    measures = load_model().mean + np.float32(0.3) * spread
    measures[:, TELLING] = evidence
    vectors = tuple(random.normal(size=(30, dimension)).astype(np.float16) * np.float16(0.05) for _ in range(3))
    documents = np.array([f"d{at % 10}" for at in range(30)])
    question = np.ones(dimension, dtype=np.float32) / np.float32(dimension**0.5)
    return Example(question, measures, vectors, evidence, documents, frozenset({"d0", "d1", "d2"}))


@pytest.fixture(scope="module")
def seen() -> list[Example]:
    return [example(number) for number in range(24)]


def precision(model: TripleModel, examples: list[Example]) -> float:
    scores = [model.logits(one.measures, None, None) for one in examples]
    return float(np.mean([average_precision(one.evidence, of) for one, of in zip(examples, scores, strict=True)]))


def test_what_tells_evidence_is_learned_for_questions_not_seen(seen: list[Example]) -> None:
    unseen = [example(number) for number in range(100, 110)]
    told: list[tuple[int, int]] = []
    trained = go_on(seen, load_model(), tell=lambda done, total: told.append((done, total))).trained()
    assert precision(load_model(), unseen) < 0.5
    assert precision(trained, unseen) > 0.8
    assert told == [(epoch, 16) for epoch in range(1, 17)]


def test_it_goes_on_from_the_weights_that_are_given(seen: list[Example]) -> None:
    network = Network.of(load_model())
    one = seen[0]
    vectors = tuple(part.astype(np.float32) for part in one.vectors)
    heads, relations, tails = vectors
    wanted = load_model().logits(one.measures, one.question, (heads, relations, tails))
    np.testing.assert_allclose(scores_of(network)(one), wanted, rtol=1e-3, atol=1e-3)
    # A network that is fitted anew has other weights, though what it is shown is the same.
    assert not np.allclose(fit(seen).trained().mean, load_model().mean)


def test_the_same_examples_give_the_same_bytes_and_these_are_read(seen: list[Example], tmp_path: Path) -> None:
    first, second = (written(go_on(seen, load_model()).trained()) for _ in range(2))
    assert first == second
    path = tmp_path / "own.npz"
    path.write_bytes(first)
    model, again = read_model(path), go_on(seen, load_model()).trained()
    for field in fields(model):
        np.testing.assert_array_equal(getattr(model, field.name), getattr(again, field.name))


def test_without_vectors_those_of_another_size_do_no_harm() -> None:
    strangers = [example(number, dimension=8) for number in range(24)]
    trained = go_on(strangers, load_model(), BLIND_PARTS).trained()
    assert precision(trained, strangers) > 0.8


def test_ranks_by_hand() -> None:
    marked, scores = np.array([True, False, True, False]), np.array([3.0, 2.0, 1.0, 0.0])
    assert average_precision(marked, scores) == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert (recall(marked, scores, 1), recall(marked, scores, 3)) == (0.5, 1.0)
    one = replace(example(1), documents=np.array(["a", "a", "b", "c"]), supporting=frozenset({"a", "c"}))
    # The second document is found at the second place: facts of one document count once.
    assert [documents_found(one, scores, k) for k in (1, 2, 3)] == [0.5, 0.5, 1.0]


# -- files ------------------------------------------------------------------------------------------------------------


def arrays() -> dict[str, np.ndarray]:
    with np.load(MODEL) as held:
        return {name: held[name] for name in held.files}


def saved(path: Path, **given: np.ndarray) -> Path:
    np.savez(path, **given)
    return path


def test_files_that_are_no_scorer_are_one_clear_error(tmp_path: Path) -> None:
    text = tmp_path / "text.npz"
    text.write_text("no scorer")
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "torn.npz").write_bytes(MODEL.read_bytes()[:5000])
    own = arrays()
    lacking = saved(tmp_path / "lacking.npz", **{name: own[name] for name in list(own)[1:]})
    narrow = saved(tmp_path / "narrow.npz", **{**own, "head": own["head"][:-1]})
    endless = saved(tmp_path / "endless.npz", **{**own, "bias": own["bias"] * np.inf})
    zero = saved(tmp_path / "zero.npz", **{**own, "scale": own["scale"] * 0})
    objects = saved(tmp_path / "objects.npz", **{**own, "out": np.array([{}], dtype=object)})
    words = saved(tmp_path / "words.npz", **{**own, "out": np.array(["a"])})
    for path in (text, tmp_path / "empty.npz", tmp_path / "torn.npz", lacking, narrow, endless, zero, objects, words):
        with pytest.raises(UsageError, match=rf"{path.name}' is no scorer that clew train has written"):
            read_model(path)
    for path in (tmp_path / "none.npz", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            read_model(path)


def test_a_file_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        for field in fields(TripleModel):
            parts.writestr(f"{field.name}.npy", bytes(3_000_000))
    with pytest.raises(UsageError, match="its arrays have 36,000,000 bytes"):
        read_model(path)
