"""Rerankers: the networks by hand, a cross-encoder made on the spot, and what cannot be loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from kb.errors import UsageError
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_retrieval import ConstraintParams, retrieve_by_constraints
from tools.planning.plan import Constraint, Plan
from tools.relations.alignment import Asked
from tools.relations.reranker import Network, chance, load_reranker, score_candidates

DIRECTOR = Constraint("Silver Lanterns", "director", "?x", ("directed by",), tail_type="person")
WORDS = "silver lanterns directed by tomas brandel starring ada moor ben quill who director x film is a and".split()


def asked_of(kb: KnowledgeBase, constraint: Constraint = DIRECTOR) -> Asked:
    ids = frozenset(match.entity.id for match in kb.find_entities(constraint.head, 1))
    return Asked("Who directed Silver Lanterns?", constraint, constraint, constraint.head, ids)


def triples_of(kb: KnowledgeBase) -> list[Triple]:
    return kb.triples_of(sorted(asked_of(kb).anchors))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a cross-encoder of one layer of eight numbers and random weights."""
    return _save_tiny(tmp_path_factory.mktemp("tiny"), 1)


def _save_tiny(folder: Path, labels: int) -> str:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(0)
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]), "utf-8")
    config = BertConfig(
        vocab_size=5 + len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=64, num_labels=labels, initializer_range=1.0,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return str(folder)


def network(*layers: object) -> Network:
    return Network(tuple(np.array(one, dtype=np.float32) for one in layers))


def test_a_network_by_hand() -> None:
    # x = (3, 1) becomes ((3-1)/2, (1-1)/1) = (1, 0); hidden = relu(2*1 + 0 - 1, -1*1 + 0) = (1, 0); 3*1 + 5*0 - 1 = 2.
    one = network([1, 1], [2, 1], [[2, 4], [-1, 1]], [-1, 0], [3, 5], [-1])
    assert one.logits(np.array([[3.0, 1.0]])).tolist() == [2.0]
    assert one.logits(np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize(("log_odds", "expected"), [(0.0, 0.5), (np.log(3), 0.75), (-1000.0, 0.0), (1000.0, 1.0)])
def test_chances_of_log_odds(log_odds: float, expected: float) -> None:
    assert chance(log_odds) == pytest.approx(expected)


def test_candidates_come_best_first_and_ties_by_id(cases: KnowledgeBase) -> None:
    triples = triples_of(cases)

    class Fixed:
        def score_triples(self, kb: KnowledgeBase, asked: Asked, triples: list[Triple]) -> np.ndarray:
            return np.array([float(one.relation == "directed by") for one in triples])

    for order in (triples, triples[::-1]):
        scored = score_candidates(cases, asked_of(cases), order, Fixed())  # type: ignore[arg-type]
        assert [(one.other_name, one.score) for one in scored[:1]] == [("Tomas Brandel", 1.0)]
        assert [one.triple.id for one in scored[1:]] == sorted(one.triple.id for one in scored[1:])
    assert score_candidates(cases, asked_of(cases), [], Fixed()) == []  # type: ignore[arg-type]


def test_the_shipped_scorer_tells_a_director_from_a_star(cases: KnowledgeBase) -> None:
    reranker = load_reranker()
    scored = score_candidates(cases, asked_of(cases), triples_of(cases), reranker)
    assert scored[0].other_name == "Tomas Brandel"
    assert chance(scored[0].score) > 0.5
    assert scored[0].score > scored[1].score + 1
    stars = Constraint("Silver Lanterns", "starring", "?actor", ("cast member",), tail_type="person")
    scored = score_candidates(cases, asked_of(cases, stars), triples_of(cases), reranker)
    assert {one.other_name for one in scored[:2]} == {"Ada Moor", "Ben Quill"}


def test_the_shipped_scorer_tells_the_passage_from_others(cases: KnowledgeBase) -> None:
    titles = ("Karsk", "Silver Lanterns", "Lady Godiva")
    passages = [cases.document_passages(title)[0] for title in titles]
    scores = load_reranker().score_passages(cases, asked_of(cases), passages)
    assert int(scores.argmax()) == 1
    assert chance(float(scores[1])) > 0.5
    assert load_reranker().score_passages(cases, asked_of(cases), []).shape == (0,)


def test_a_cross_encoder_from_a_folder(cases: KnowledgeBase, tiny: str) -> None:
    reranker = load_reranker(tiny)
    triples = triples_of(cases)
    scores = reranker.score_triples(cases, asked_of(cases), triples)
    assert scores.shape == (len(triples),)
    # Raw logits, not squeezed to 0..1, which the softmax of the sufficiency check would flatten.
    assert np.abs(scores).max() > 1.0
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    pair = ("Who directed Silver Lanterns? Silver Lanterns director x", triples[0].text())
    alone = CrossEncoder(tiny).predict([pair], activation_fn=Identity(), show_progress_bar=False)
    assert scores[0] == pytest.approx(float(alone[0]), abs=1e-4)
    passages = [cases.document_passages(title)[0] for title in ("Karsk", "Silver Lanterns")]
    assert reranker.score_passages(cases, asked_of(cases), passages).shape == (2,)
    assert reranker.score_triples(cases, asked_of(cases), []).shape == (0,)


def test_constraint_retrieval_with_a_cross_encoder(cases: KnowledgeBase, tiny: str) -> None:
    params = ConstraintParams(reranker=tiny)
    (state,) = retrieve_by_constraints(cases, "Who directed Silver Lanterns?", Plan((DIRECTOR,)), params).states
    expected = load_reranker(tiny).score_triples(cases, state.asked[0], [one.triple for one in state.triples])
    assert [one.score for one in state.triples] == pytest.approx(expected.tolist(), abs=1e-4)


def test_what_cannot_be_loaded_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no cross-encoder .*leave the reranker out"):
        load_reranker(str(tmp_path / "nothing"))


def test_a_cross_encoder_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match=r"needs more: pip install 'clew\[models\]'"):
        load_reranker(str(tmp_path / "another"))


def test_a_model_of_two_scores_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 scores for a pair"):
        load_reranker(_save_tiny(tmp_path, 2))


def test_no_model_is_looked_for_on_another_machine() -> None:
    """Not even where the libraries were imported before: `loopback_only` sees who tries."""
    import huggingface_hub.constants  # noqa: F401

    with pytest.raises(UsageError, match="'none-of-this-name'"):
        load_reranker("none-of-this-name")
