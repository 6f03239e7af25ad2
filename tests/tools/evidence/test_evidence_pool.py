"""The pool around a question: which passages are in, and their measures by hand on a chain of four documents.

Silver Lanterns -> Tomas Brandel -> Lindholm -> Skarn
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from knowledge_bases import passage_id

from kb.store.dense import highest
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence import pool as evidence_pool
from tools.evidence.pool import PAIR_FEATURES, PASSAGE_FEATURES, Pool, gather
from tools.planning.plan import Constraint, Plan
from tools.search.word_match import stems

QUESTION = "Who directed Silver Lanterns and was born in Lindholm?"
DIRECTOR = Constraint("Silver Lanterns", "director", "?person", ("directed by",), "work", "person")
BIRTH = Constraint("?person", "place of birth", "?town", ("born in",), "person", "place")
HOSTILE = [
    "",
    "   ",
    "?",
    "Who? " * 5000,
    "伦敦塔在哪里？",
    "<b>'; DROP TABLE passages; --</b>",
    "\x00\ufffd",
    "Silver Lanterns " * 200,
    "quixotic zymurgy",
]


def names(pool: Pool) -> list[str]:
    return [passage.title for passage in pool.passages]


def of_passage(pool: Pool, title: str) -> dict[str, float]:
    row = pool.features[names(pool).index(title)]
    return dict(zip(PASSAGE_FEATURES, row.tolist(), strict=True))


def of_pair(pool: Pool, source: int, target: int) -> dict[str, float]:
    (at,) = [place for place, pair in enumerate(pool.pairs.tolist()) if pair == [source, target]]
    return dict(zip(PAIR_FEATURES, pool.pair_features[at].tolist(), strict=True))


def between(pool: Pool, source: str, target: str) -> dict[str, float]:
    return of_pair(pool, names(pool).index(source), names(pool).index(target))


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text search gives one passage and only links lead on: a wide pool would hold all of a small file."""
    monkeypatch.setattr(evidence_pool, "_TEXT", 1)
    monkeypatch.setattr(evidence_pool, "_AGAIN", 0)
    monkeypatch.setattr(evidence_pool, "_BACK", 0)


# Which passages are in ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("narrow")
def test_the_pool_reaches_two_links_from_what_is_found(chain: KnowledgeBase) -> None:
    # The question finds and names the film; its director is one step away, his town two, the river three.
    assert set(names(gather(chain, "Who directed Silver Lanterns?", None))) == {
        "Silver Lanterns",
        "Tomas Brandel",
        "Lindholm",
    }


@pytest.mark.usefixtures("narrow")
def test_links_are_followed_backwards_as_well(chain: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_pool, "_OUT", 0)
    assert set(names(gather(chain, "Where does Skarn flow to?", None))) == {"Skarn", "Lindholm"}  # it names both
    monkeypatch.setattr(evidence_pool, "_BACK", 1)
    assert len(gather(chain, "Where does Skarn flow to?", None).passages) == 4  # two steps back from Lindholm


@pytest.mark.usefixtures("narrow")
def test_what_other_tools_found_joins(chain: KnowledgeBase) -> None:
    river = passage_id(chain, "Skarn")
    assert len(gather(chain, "Who directed Silver Lanterns?", None, {"a": [river]}).passages) == 4
    assert len(gather(chain, "Who directed Silver Lanterns?", None, {"a": [river], "b": [river]}).passages) == 4


@pytest.mark.usefixtures("narrow")
def test_each_constraint_is_searched_for_on_its_own(chain: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_pool, "_PART", 1)
    flows = Constraint("?river", "flows to", "Grey Sea")
    assert "Skarn" in names(gather(chain, "Who directed Silver Lanterns?", Plan((DIRECTOR, flows))))
    assert "Skarn" not in names(gather(chain, "Who directed Silver Lanterns?", Plan((DIRECTOR,))))


def test_what_is_close_to_the_question_and_a_passage_is_searched_for_once(
    chain: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[np.ndarray] = []
    scan = KnowledgeBase.scan
    monkeypatch.setattr(KnowledgeBase, "scan", lambda kb, rows: (searched.append(rows), scan(kb, rows))[1])
    pool = gather(chain, QUESTION, None)
    first, *again = searched
    assert len(first) == 1
    rows = np.concatenate(again)
    expected = chain.passage_vectors([one.id for one in pool.passages]) + chain.embed([QUESTION])
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert sorted(rows.tolist()) == sorted(expected.tolist()), "each passage of a small file is a source, in two steps"


def test_a_wide_pool_holds_all_of_a_small_file_in_the_order_of_ids(town: KnowledgeBase) -> None:
    pool = gather(town, "Who was rich?", None)
    assert [passage.id for passage in pool.passages] == town.graph.passages.tolist()


def test_an_empty_file_gives_an_empty_pool(empty: KnowledgeBase) -> None:
    pool = gather(empty, QUESTION, Plan((DIRECTOR, BIRTH)))
    assert pool.passages == []
    assert pool.features.shape == (0, len(PASSAGE_FEATURES))
    assert pool.pairs.shape == (0, 2)
    assert pool.pair_features.shape == (0, len(PAIR_FEATURES))


def test_a_single_passage_has_no_pairs(single: KnowledgeBase) -> None:
    pool = gather(single, "Where does Skarn flow to?", None)
    assert (names(pool), len(pool.pairs)) == (["Skarn"], 0)
    assert pool.pair_features.shape == (0, len(PAIR_FEATURES))


# Measures of a passage ------------------------------------------------------------------------------------------------


def test_the_measures_of_a_named_passage(chain: KnowledgeBase) -> None:
    row = of_passage(gather(chain, "Who directed Silver Lanterns?", None), "Silver Lanterns")
    # The best by vector and by words; named by the one name in the question, whose title of two words is all there.
    assert (row["dense rank"], row["bm25 rank"], row["bm25 share"]) == (1.0, 1.0, 1.0)
    assert (row["is named"], row["named words"], row["title covered"]) == pytest.approx((1.0, 2 / 6, 1.0))
    assert (row["question covered"], row["named entities"], row["names in question"]) == (
        1.0,
        *[pytest.approx(1 / 3)] * 2,
    )
    # The name stands in one passage only: 1 / (1 + ln 2).
    assert row["named rarity"] == pytest.approx(1 / (1 + math.log(2)))
    assert row["is later part"] == 0.0


def test_the_measures_of_a_passage_that_is_only_there(chain: KnowledgeBase) -> None:
    row = of_passage(gather(chain, "Who directed Silver Lanterns?", None), "Tomas Brandel")
    # Second by vector, not among the hits by words (rank 1000), and none of the question's words or names.
    assert row["dense rank"] == pytest.approx(61 / 62)
    assert (row["bm25 rank"], row["bm25 share"]) == pytest.approx((61 / 1060, 0.0))
    zeros = ("is named", "named words", "title covered", "question covered", "named entities", "named rarity")
    assert [row[name] for name in zeros] == [0.0] * 6


def test_the_cosines_of_a_passage(chain: KnowledgeBase) -> None:
    question = "Where was he born?"
    row = of_passage(gather(chain, question, None), "Tomas Brandel")
    own = passage_id(chain, "Tomas Brandel")
    vector = chain.embed([question])
    sentences = [one[3] for one in chain.passage_sentences([own])]
    first, second = sorted(chain.sentence_vectors.cosines(sentences, vector)[:, 0].tolist(), reverse=True)
    assert row["cosine"] == pytest.approx(float(chain.passage_vectors([own])[0] @ vector[0]), abs=1e-6)
    assert (row["best sentence"], row["second sentence"]) == pytest.approx((first, second))
    assert of_passage(gather(chain, question, None), "Skarn")["second sentence"] == 0.0


def test_rare_words_of_the_question_cover_more(chain: KnowledgeBase) -> None:
    # direct, silver, lantern and born stand in one of four passages: ln(1 + 4). lindholm stands in two: ln(1 + 2).
    pool = gather(chain, QUESTION, None)
    total = 4 * math.log(5) + math.log(3)
    assert of_passage(pool, "Silver Lanterns")["question covered"] == pytest.approx(3 * math.log(5) / total)
    assert of_passage(pool, "Tomas Brandel")["question covered"] == pytest.approx((math.log(5) + math.log(3)) / total)
    assert of_passage(pool, "Lindholm")["question covered"] == pytest.approx(math.log(3) / total)
    assert of_passage(pool, "Skarn")["question covered"] == 0.0


def test_relation_words_come_from_the_plan(chain: KnowledgeBase) -> None:
    pool = gather(chain, QUESTION, Plan((DIRECTOR, BIRTH)))
    # "director" is the stem "direct"; of "place of birth" none, and "born" in the variant "born in".
    assert [of_passage(pool, title)["relation words"] for title in ("Silver Lanterns", "Tomas Brandel")] == [1.0, 1.0]
    assert of_passage(pool, "Skarn")["relation words"] == 0.0
    assert of_passage(gather(chain, QUESTION, None), "Silver Lanterns")["relation words"] == 0.0


def test_a_constraint_counts_on_its_own_only_beside_another(chain: KnowledgeBase) -> None:
    alone = of_passage(gather(chain, QUESTION, Plan((DIRECTOR,))), "Tomas Brandel")
    assert (alone["constraint cosine"], alone["constraint sentence"]) == (0.0, 0.0)
    both = of_passage(gather(chain, QUESTION, Plan((DIRECTOR, BIRTH))), "Tomas Brandel")
    vectors = chain.embed([DIRECTOR.text(), BIRTH.text()])
    cosines = vectors @ chain.passage_vectors([passage_id(chain, "Tomas Brandel")])[0]
    assert both["constraint cosine"] == pytest.approx(float(cosines.max()), abs=1e-6)
    assert of_passage(gather(chain, QUESTION, Plan((DIRECTOR, BIRTH))), "Silver Lanterns")["constraint rank"] == 1.0
    assert alone["constraint rank"] == pytest.approx(1 / 100)  # in no list


def test_a_document_s_later_passages_are_told_apart(town: KnowledgeBase) -> None:
    pool = gather(town, "What did Salt Harbour take in?", None)
    parts = [at for at, passage in enumerate(pool.passages) if passage.title == "Salt Harbour"]
    assert len(parts) > 1
    for at in parts:
        row = dict(zip(PASSAGE_FEATURES, pool.features[at].tolist(), strict=True))
        first = pool.passages[at].ordinal == 0
        assert (row["is later part"], row["is named"]) == (float(not first), float(first))


# Measures of a pair ---------------------------------------------------------------------------------------------------


def test_a_link_forward(chain: KnowledgeBase) -> None:
    pool = gather(chain, "Who directed Silver Lanterns?", Plan((DIRECTOR,)))
    row = between(pool, "Silver Lanterns", "Tomas Brandel")
    assert (row["link"], row["link is exact"], row["back link"]) == (1.0, 1.0, 0.0)
    # The name follows 38 characters: "Silver Lanterns is a film directed by ", with "directed" near it.
    assert row["link place"] == pytest.approx(1 / (1 + 38 / 200))
    assert (row["link window relation"], row["link sentence relation"]) == (1.0, 1.0)
    ((_, _, _, sentence),) = chain.passage_sentences([passage_id(chain, "Silver Lanterns")])
    cosine = chain.sentence_vectors.cosines([sentence], chain.embed(["Who directed Silver Lanterns?"]))[0, 0]
    assert row["link sentence cosine"] == pytest.approx(float(cosine))
    assert (row["source is named"], row["target is named"], row["same document"]) == (1.0, 0.0, 0.0)
    # One link leaves the film.
    assert row["source out degree"] == pytest.approx(1 / (1 + math.log(2)))


def test_the_same_link_seen_from_its_target(chain: KnowledgeBase) -> None:
    pool = gather(chain, "Who directed Silver Lanterns?", Plan((DIRECTOR,)))
    forward, back = between(pool, "Silver Lanterns", "Tomas Brandel"), between(pool, "Tomas Brandel", "Silver Lanterns")
    assert (back["link"], back["back link"]) == (0.0, 1.0)
    assert back["back sentence cosine"] == forward["link sentence cosine"]
    assert back["back window relation"] == forward["link window relation"]
    # The director's name stands in two passages, his own among them.
    assert back["back degree"] == pytest.approx(1 / (1 + math.log(3)))
    assert (back["source is named"], back["target is named"]) == (0.0, 1.0)


def test_passages_that_do_not_touch_have_no_link(chain: KnowledgeBase) -> None:
    row = between(gather(chain, QUESTION, None), "Silver Lanterns", "Skarn")
    none = ("link", "link is exact", "link place", "back link", "shared names", "shared rarity", "residual covered")
    assert [row[name] for name in none] == [0.0] * 7


def test_a_name_with_two_meanings_links_to_each_by_half(town: KnowledgeBase) -> None:
    pool = gather(town, "Who was the patron of the salt trade?", None)
    for meaning in ("Mercury (god)", "Mercury (planet)"):
        row = between(pool, "Salt Trade", meaning)
        assert (row["link"], row["link is exact"]) == (0.5, 0.5)


def test_a_link_to_a_later_part_is_weaker(town: KnowledgeBase) -> None:
    pool = gather(town, "What did the salt trade of Salt Harbour bring?", None)
    parts = {passage.ordinal: at for at, passage in enumerate(pool.passages) if passage.title == "Salt Harbour"}
    source = names(pool).index("Salt Trade")
    for ordinal, target in parts.items():
        row = of_pair(pool, source, target)
        assert row["link"] == pytest.approx(1 / (1 + ordinal))
        assert row["link is exact"] == pytest.approx(1 / len(parts))
    assert of_pair(pool, parts[0], parts[1])["same document"] == 1.0


def test_what_the_source_lacks_and_the_target_has(chain: KnowledgeBase) -> None:
    pool = gather(chain, QUESTION, None)
    # The film lacks "born" (ln 5) and "lindholm" (ln 3). Its director has both, the town only the second.
    assert between(pool, "Silver Lanterns", "Tomas Brandel")["residual covered"] == pytest.approx(1.0)
    share = math.log(3) / (math.log(5) + math.log(3))
    assert between(pool, "Silver Lanterns", "Lindholm")["residual covered"] == pytest.approx(share)
    # The river lacks everything: four words of ln 5, one of ln 3.
    share = (math.log(5) + math.log(3)) / (4 * math.log(5) + math.log(3))
    assert between(pool, "Skarn", "Tomas Brandel")["residual covered"] == pytest.approx(share)


def test_nothing_is_missing_where_the_source_has_every_word(chain: KnowledgeBase) -> None:
    pool = gather(chain, "Who directed Silver Lanterns?", None)
    assert between(pool, "Silver Lanterns", "Tomas Brandel")["residual covered"] == 0.0


def test_shared_names_are_those_of_each_pair_by_itself(chain: KnowledgeBase) -> None:
    gathering = evidence_pool._Gathering(chain, QUESTION, Plan((DIRECTOR, BIRTH)), {})
    gathering.pool()
    found = gathering._shared_names()
    names = [{name for _, _, name in own} for own in gathering.mentions]
    for one, mine in enumerate(names):
        for two, others in enumerate(names):
            both = [gathering.degree[name] for name in mine & others if one != two]
            rare = [degree for degree in both if degree <= evidence_pool._RARE]
            rarest = max((1 / (1 + math.log(degree)) for degree in rare), default=0.0)
            assert found[one, two].tolist() == pytest.approx([min(len(rare) / 3, 1), rarest])
    assert found[:, :, 0].max() > 0


def test_shared_names_by_hand(chain: KnowledgeBase) -> None:
    pool = gather(chain, QUESTION, None)
    # Neighbours in the chain share one name, which two passages hold: one third, and 1 / (1 + ln 2).
    for pair in (("Silver Lanterns", "Tomas Brandel"), ("Lindholm", "Skarn"), ("Tomas Brandel", "Silver Lanterns")):
        row = between(pool, *pair)
        assert (row["shared names"], row["shared rarity"]) == pytest.approx((1 / 3, 1 / (1 + math.log(2))))


def test_what_follows_opens_like_a_thing_of_a_type_asked_for(chain: KnowledgeBase) -> None:
    pool = gather(chain, QUESTION, Plan((DIRECTOR, BIRTH)))
    # "was born" opens the director's passage, "is a town" Lindholm's; a film is not asked for.
    assert between(pool, "Silver Lanterns", "Tomas Brandel")["type fits"] == 1.0
    assert between(pool, "Tomas Brandel", "Lindholm")["type fits"] == 1.0
    assert between(pool, "Tomas Brandel", "Silver Lanterns")["type fits"] == 0.0
    assert between(gather(chain, QUESTION, None), "Tomas Brandel", "Lindholm")["type fits"] == 0.5


def test_the_ranks_of_other_techniques_are_measures(chain: KnowledgeBase) -> None:
    """First 1 / 1.5, second 1 / 2, and 0 for what a technique did not find or where it was not called."""
    skarn, town = passage_id(chain, "Skarn"), passage_id(chain, "Lindholm")
    pool = gather(chain, QUESTION, None, {"edge_scoring": [skarn, town], "unheard_of": [skarn]})
    assert of_passage(pool, "Skarn")["edge_scoring rank"] == pytest.approx(1 / 1.5)
    assert of_passage(pool, "Lindholm")["edge_scoring rank"] == pytest.approx(1 / 2)
    assert of_passage(pool, "Tomas Brandel")["edge_scoring rank"] == 0.0
    assert of_passage(pool, "Skarn")["path_resurrection rank"] == 0.0


def slow_pair(kb: KnowledgeBase, pool: Pool, question: str, source: int, target: int) -> list[float]:
    """Shared names, their rarity, cosine, residual and same document, one pair at a time."""
    ids = [passage.id for passage in pool.passages]
    words = [stems(f"{one.title} {one.text}") for one in pool.passages]
    rarity = {word: math.log(1 + len(ids) / max(sum(word in one for one in words), 1)) for word in stems(question)}
    held = [{row[3] for row in kb.passage_mentions([ids[at]])} for at in (source, target)]
    every = kb.mentioning(held[0] & held[1])
    degrees = [sum(entity == one for entity, _ in every) for one in held[0] & held[1]]
    rare = [degree for degree in degrees if degree <= 20]
    lacking = [word for word in rarity if word not in words[source]]
    total = sum(rarity[word] for word in lacking)
    vectors = kb.passage_vectors([ids[source], ids[target]])
    return [
        min(len(rare) / 3, 1.0),
        max((1 / (1 + math.log(degree)) for degree in rare), default=0.0),
        float(vectors[0] @ vectors[1]),
        sum(rarity[word] for word in lacking if word in words[target]) / total if total else 0.0,
        float(pool.passages[source].document == pool.passages[target].document),
    ]


@pytest.mark.parametrize("question", ["Where was Ada Moor born?", "Is Mercury the planet of the salt trade in London?"])
def test_pairs_agree_with_one_at_a_time(town: KnowledgeBase, question: str) -> None:
    pool = gather(town, question, None)
    wanted = ("shared names", "shared rarity", "cosine", "residual covered", "same document")
    found = pool.pair_features[:, [PAIR_FEATURES.index(name) for name in wanted]]
    expected = [slow_pair(town, pool, question, source, target) for source, target in pool.pairs.tolist()]
    np.testing.assert_allclose(found, expected, atol=1e-5)


# Whatever is asked ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", [*HOSTILE, QUESTION])
@pytest.mark.parametrize("constraints", [(), (DIRECTOR, BIRTH), (Constraint("", "", ""), Constraint("?", "?", "?"))])
def test_all_measures_are_finite(town: KnowledgeBase, question: str, constraints: tuple[Constraint, ...]) -> None:
    pool = gather(town, question, Plan(constraints))
    assert np.isfinite(pool.features).all()
    assert np.isfinite(pool.pair_features).all()
    assert np.abs(pool.features).max() <= 1.0 + 1e-5
    assert np.abs(pool.pair_features).max() <= 1.0 + 1e-5
    assert (pool.pairs[:, 0] != pool.pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pool.pairs.tolist()}) == len(pool.pairs)


def test_the_same_question_gives_the_same_pool(town: KnowledgeBase) -> None:
    first, second = (gather(town, QUESTION, Plan((DIRECTOR, BIRTH))) for _ in range(2))
    assert first.passages == second.passages
    for name in ("features", "pairs", "pair_features"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), max_size=40), st.integers(1, 6))
def test_the_highest_are_those_of_a_full_sort(scores: Sequence[float], k: int) -> None:
    expected = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:k]
    assert highest(np.array(scores, dtype=np.float32), k).tolist() == expected
