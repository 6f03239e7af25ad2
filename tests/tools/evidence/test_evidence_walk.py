"""The learned walk: by hand, against every path written out, its documents' order, and on the example corpus."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knowledge_bases import passage_id

from kb.errors import UsageError
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.evidence_walk import (
    SHORT_DOCUMENT,
    Floats,
    _document_order,
    _in_thread_order,
    _with_what_follows,
    evidence_walk,
    load_model,
    walk,
)
from tools.evidence.pool import PAIR_FEATURES, PASSAGE_FEATURES, Pool
from tools.planning.plan import Plan

EXAMPLES = Path(__file__).parents[3] / "examples" / "questions.jsonl"


def pool_of(count: int, pairs: list[tuple[int, int]]) -> Pool:
    """Passages with the ids of `graphs.make_graph`, and measures that are all zero."""
    passages = [Passage(100 + at, f"d{at}", f"Title {at}", "", "", 0, 0, None, 0) for at in range(count)]
    return Pool(
        passages,
        np.zeros((count, len(PASSAGE_FEATURES)), dtype=np.float32),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.zeros((len(pairs), len(PAIR_FEATURES)), dtype=np.float32),
    )


def floats(values: list[float]) -> Floats:
    return np.array(values, dtype=np.float32)


def masses(count: int, links: dict[tuple[int, int], float], starts: list[float]) -> tuple[list[float], list[int]]:
    """The walk over weights instead of logits."""
    pool = pool_of(count, list(links))
    found, previous = walk(pool, np.log(floats(starts)), np.log(floats(list(links.values()))))
    return np.exp(found).tolist(), previous.tolist()


def by_paths(count: int, links: dict[tuple[int, int], float], starts: list[float]) -> list[float]:
    """What three steps bring to each passage, path by path.

    A path's weight is its start's chance times its links'. Normalising after each step divides a path of length l by
    the sums of the last l steps but the third, which divides all alike.
    """
    total = sum(starts)
    of_length = [[0.0] * count for _ in range(4)]
    paths = [([at], start / total) for at, start in enumerate(starts)]
    for length in range(4):
        for path, weight in paths:
            of_length[length][path[-1]] += weight
        paths = [([*p, b], weight * link) for p, weight in paths for (a, b), link in links.items() if a == p[-1]]
    one, two, three = (sum(found) for found in of_length[1:])
    first = 1 + one
    second = 1 + (one + two) / first
    divided = [1.0, 1 / second, 1 / (first * second), 1 / (first * second)]
    sums = [sum(of_length[length][at] * divided[length] for length in range(4)) for at in range(count)]
    assert sum(sums) == pytest.approx(1 + one * divided[1] + two * divided[2] + three * divided[3])
    return [value / sum(sums) for value in sums]


# The walk -------------------------------------------------------------------------------------------------------------


def test_three_passages_by_hand() -> None:
    # Starts 1/2, 1/4, 1/4, and a link of weight 2 from the first to the second.
    # Step 1: 1/2, 1/4 + 2 * 1/2, 1/4 = 0.5, 1.25, 0.25, divided by their sum 2: 0.25, 0.625, 0.125.
    # Step 2: 1/2, 1/4 + 2 * 0.25, 1/4, divided by 1.5: 1/3, 1/2, 1/6.
    # Step 3: 1/2, 1/4 + 2 * 1/3, 1/4, divided by 5/3: 0.3, 0.55, 0.15.
    found, previous = masses(3, {(0, 1): 2.0}, [2.0, 1.0, 1.0])
    assert found == pytest.approx([0.3, 0.55, 0.15], abs=1e-6)
    # 2/3 came over the link, more than the second's own 1/4.
    assert previous == [-1, 0, -1]


def test_without_pairs_the_starts_are_all() -> None:
    found, previous = masses(3, {}, [1.0, 2.0, 1.0])
    assert found == pytest.approx([0.25, 0.5, 0.25])
    assert previous == [-1, -1, -1]


def test_a_single_passage_has_everything() -> None:
    found, previous = masses(1, {}, [0.001])
    assert (found, previous) == ([1.0], [-1])


def test_a_chain_supports_its_last_passage() -> None:
    # The third is hardly a start of its own, and the chain is all that leads to it.
    found, previous = masses(4, {(0, 1): 5.0, (1, 2): 5.0}, [1.0, 0.01, 0.01, 0.5])
    assert found[2] > found[3]
    assert previous[1:] == [0, 1, -1]


def test_what_leads_to_a_passage_is_the_link_that_brings_most() -> None:
    _, previous = masses(3, {(0, 2): 1.0, (1, 2): 1.5}, [1.0, 1.0, 0.1])
    assert previous[2] == 1


def test_equal_links_name_the_first_passage() -> None:
    for links in ({(0, 2): 2.0, (1, 2): 2.0}, {(1, 2): 2.0, (0, 2): 2.0}):
        assert masses(3, links, [1.0, 1.0, 0.1])[1] == [-1, -1, 0]


def test_a_weak_link_leads_nowhere() -> None:
    assert masses(2, {(0, 1): 0.1}, [1.0, 1.0])[1] == [-1, -1]


weights = st.floats(0.01, 20.0)


@given(st.data())
def test_the_walk_agrees_with_all_paths(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    places = [(a, b) for a in range(count) for b in range(count) if a != b]
    chosen = data.draw(st.lists(st.sampled_from(places), unique=True, max_size=8)) if places else []
    links = {pair: data.draw(weights) for pair in chosen}
    starts = data.draw(st.lists(weights, min_size=count, max_size=count))
    found, _ = masses(count, links, starts)
    assert found == pytest.approx(by_paths(count, links, starts), abs=1e-5)


def test_far_apart_logits_stay_finite() -> None:
    pool = pool_of(3, [(0, 1), (1, 2)])
    found, _ = walk(pool, floats([-500.0, 0.0, 500.0]), floats([300.0, -300.0]))
    assert np.isfinite(found).all()
    assert np.exp(found).sum() == pytest.approx(1.0)


# The order of documents -----------------------------------------------------------------------------------------------


def order(documents: list[int], chances: list[float]) -> list[int]:
    """The order of a pool that is the whole file."""
    pool = pool_of(len(documents), [])
    links = SimpleNamespace(
        documents=lambda ids: dict(zip(ids, documents, strict=True)),
        sizes=lambda of: {one: documents.count(one) for one in of},
    )
    kb = cast(KnowledgeBase, SimpleNamespace(links=links))
    return _document_order(kb, pool, np.log(floats(chances)))


def test_the_parts_of_a_short_document_count_together() -> None:
    # Alone none of the second document's beats 0.4; together they have 0.5. Its best part shows it.
    assert order([0, 1, 1, 2], [0.4, 0.2, 0.3, 0.1]) == [2, 0, 3, 1]


def test_the_other_parts_come_behind_everything_else_by_their_own_score() -> None:
    assert order([0, 0, 0, 1, 2], [0.5, 0.2, 0.25, 0.04, 0.01]) == [0, 3, 4, 2, 1]


def test_the_passages_of_a_long_document_stand_for_themselves() -> None:
    documents = [0] * (SHORT_DOCUMENT + 1) + [1]
    assert order(documents, [0.2, 0.19, 0.18, 0.02, 0.01, 0.4]) == [5, 0, 1, 2, 3, 4]


def test_equal_scores_come_by_place() -> None:
    assert order([0, 1, 2], [0.3, 0.3, 0.3]) == [0, 1, 2]
    assert order([0, 0, 1], [0.2, 0.2, 0.5]) == [2, 0, 1]


# The model ------------------------------------------------------------------------------------------------------------


def test_the_logits_are_those_of_two_small_networks() -> None:
    model = load_model()
    random = np.random.default_rng(0)
    blank = pool_of(4, [(0, 1), (1, 3), (3, 0)])
    features = random.random(blank.features.shape).astype(np.float32)
    pair_features = random.random(blank.pair_features.shape).astype(np.float32)
    pool = Pool(blank.passages, features, blank.pairs, pair_features)

    def network(layers: tuple[Floats, ...], x: list[float]) -> float:
        hidden = [
            max(sum(w * v for w, v in zip(row, x, strict=True)) + b, 0.0)
            for row, b in zip(layers[0].tolist(), layers[1].tolist(), strict=True)
        ]
        return float(sum(w * h for w, h in zip(layers[2][0].tolist(), hidden, strict=True)) + layers[3][0])

    x = ((features - model.passage_mean) / model.passage_scale).tolist()
    e = ((pair_features - model.pair_mean) / model.pair_scale).tolist()
    passages, pairs = model.logits(pool)
    assert passages.tolist() == pytest.approx([network(model.passage_layers, row) for row in x], abs=1e-3)
    expected = [network(model.pair_layers, [*e[at], *x[a], *x[b]]) for at, (a, b) in enumerate(pool.pairs.tolist())]
    assert pairs.tolist() == pytest.approx(expected, abs=1e-3)


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    names = ("mean", "scale", *map(str, range(4)))
    path = tmp_path / "old.npz"
    np.savez(path, **{f"{part}_{name}": np.zeros(3) for part in ("passage", "pair") for name in names})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"old\.npz was trained on other features .* make train"):
        load_model(path)
    load_model.cache_clear()


# From a question ------------------------------------------------------------------------------------------------------


def test_the_thread_of_a_chain(chain: KnowledgeBase) -> None:
    hits = evidence_walk(chain, "Where was the director of Silver Lanterns born?")
    assert {hit.passage.title for hit in hits[:2]} == {"Silver Lanterns", "Tomas Brandel"}
    assert [hit.passage.title for hit in hits[:2]] == ["Silver Lanterns", "Tomas Brandel"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 < hit.score <= 1 for hit in hits)
    (director,) = [hit for hit in hits if hit.passage.title == "Tomas Brandel"]
    assert director.after == passage_id(chain, "Silver Lanterns")
    assert director.why == "follows from Silver Lanterns"


def test_the_first_five_stand_in_the_order_of_their_threads() -> None:
    """0 follows from 2, 1 from 0, 3 from nothing, 4 from 9, which is not among them: 2 moves before 0, others stay."""
    previous = np.array([2, 0, -1, -1, 9, -1, -1, -1, -1, -1])
    assert _in_thread_order([0, 1, 2, 3, 4], previous) == [2, 0, 1, 3, 4]
    assert _in_thread_order([3, 1, 0], previous) == [3, 0, 1]
    assert _in_thread_order([], previous) == []


def test_a_passage_scores_at_least_what_follows_from_it_but_not_what_stands_last() -> None:
    chances = np.array([0.1, 0.3, 0.2, 0.05, 0.04, 0.01, 0.25], dtype=np.float32)
    assert _with_what_follows(chances).tolist() == pytest.approx([0.3, 0.3, 0.2, 0.05, 0.04, 0.01, 0.25])
    assert _with_what_follows(chances[:0]).tolist() == []


def test_every_thread_starts_at_the_question(chain: KnowledgeBase) -> None:
    hits = evidence_walk(chain, "Where was the director of Silver Lanterns born?")
    assert {hit.why for hit in hits if hit.after is None} == {"found by the question itself"}
    assert {hit.after for hit in hits} <= {None, *(hit.passage.id for hit in hits)}


def test_a_plan_may_be_given(chain: KnowledgeBase) -> None:
    hits = evidence_walk(chain, "Where was the director of Silver Lanterns born?", Plan(()), k=2)
    assert len(hits) == 2


def test_what_others_found_joins_and_what_is_unknown_does_not(chain: KnowledgeBase) -> None:
    question = "Where was the director of Silver Lanterns born?"
    assert evidence_walk(chain, question, lists={"a": [1, -1, 2**63 - 1]}) == evidence_walk(chain, question)


@pytest.mark.parametrize(("question", "k"), [("", 5), (" \n", 5), ("Who?", 0), ("Who?", -1)])
def test_a_blank_question_or_no_place_finds_nothing(chain: KnowledgeBase, question: str, k: int) -> None:
    assert evidence_walk(chain, question, k=k) == []


def test_small_and_empty_files(single: KnowledgeBase, empty: KnowledgeBase) -> None:
    (hit,) = evidence_walk(single, "Where does Skarn flow to?")
    assert (hit.score, hit.after) == (1.0, None)
    assert evidence_walk(empty, "Where does Skarn flow to?") == []


def test_the_evidence_of_the_example_questions(examples: KnowledgeBase) -> None:
    """Measured: 92 % of the questions have all their evidence among the first five documents, and 97 % of all that
    supports is among them. The floors leave room for a question or two.
    """
    questions = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()]
    shares = []
    for one in questions:
        if wanted := set(one["supporting"]):
            hits = evidence_walk(examples, one["question"])
            first = list(dict.fromkeys(hit.passage.document for hit in hits))[:5]
            shares.append(len(wanted & set(first)) / len(wanted))
    assert np.mean([share == 1.0 for share in shares]) >= 0.85
    assert np.mean(shares) >= 0.93
