from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from knowledge_bases import build_file, passage_id

from kb.errors import UsageError
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.search.closeness import Closeness
from tools.triple_scoring import triple_scorer
from tools.triple_scoring.triple_measures import GRAPH_MEASURES, MEASURES, WORD_MEASURES, TripleMeasures
from tools.triple_scoring.triple_model import MODEL, TripleModel, load_model, read_model
from tools.triple_scoring.triple_scorer import (
    TripleParams,
    candidate_triples,
    rank_triples,
    score_triples,
)

DOCUMENTS = {
    "Silver Lanterns": "Silver Lanterns is a film directed by Tomas Brandel. It was shown in Karsk in 1931.",
    "Tomas Brandel": "Tomas Brandel was born in Lindholm. He kept bees in Ulvik.",
    "Lindholm": "Lindholm lies in Karsk. It has a harbour.",
    "Paper Boats": "Paper Boats is a film directed by Irena Valdis.",
    "Grey Sea": "The Grey Sea is a sea.",
}
FACTS = {
    "Silver Lanterns": [
        ("Silver Lanterns", "directed by", "Tomas Brandel"),
        ("Silver Lanterns", "shown in", "Karsk"),
        ("Silver Lanterns", "shown in", "1931"),
    ],
    "Tomas Brandel": [("Tomas Brandel", "born in", "Lindholm"), ("Tomas Brandel", "kept bees in", "Ulvik")],
    "Lindholm": [("Lindholm", "lies in", "Karsk")],
    "Paper Boats": [("Paper Boats", "directed by", "Irena Valdis")],
    "Grey Sea": [],
}
DIRECTOR = "Who is the director of Silver Lanterns?"
BORN = "Where was the director of Silver Lanterns born?"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Two films, a director, his town and its county, and a sea that no fact names."""
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("films"), DOCUMENTS, FACTS)) as kb:
        yield kb


def every_fact(kb: KnowledgeBase) -> list[Triple]:
    return kb.triples(kb.fact_graph.facts.tolist())


def entity(kb: KnowledgeBase, name: str) -> int:
    return kb.named([name.casefold()])[name.casefold()][0]


def texts(kb: KnowledgeBase, question: str, k: int, params: TripleParams | None = None) -> list[str]:
    return [one.triple.text() for one in rank_triples(kb, question, k, params).triples]


# -- the network ------------------------------------------------------------------------------------------------------


def small_model() -> TripleModel:
    """Three measures, vectors of four components, five hidden units, two inner ones."""
    random = np.random.default_rng(1)
    shapes = {
        "mean": (3,), "scale": (3,), "measures": (3, 5), "bias": (5,), "question": (4, 5), "head": (4, 5),
        "relation": (4, 5), "tail": (4, 5), "inner": (5, 2), "inner_bias": (2,), "out": (2,), "out_bias": (1,),
    }  # fmt: skip
    model = TripleModel(**{name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()})
    return replace(model, scale=np.abs(model.scale) + np.float32(0.5))


def slow_logit(model: TripleModel, measures: np.ndarray, vectors: dict[str, np.ndarray]) -> float:
    """One fact at a time, one unit at a time."""
    hidden = []
    for unit in range(len(model.bias)):
        total = float(model.bias[unit])
        for at, value in enumerate(measures):
            total += (value - model.mean[at]) / model.scale[at] * model.measures[at, unit]
        for name, vector in vectors.items():
            total += sum(vector[at] * getattr(model, name)[at, unit] for at in range(len(vector)))
        hidden.append(max(total, 0.0))
    inner = [
        max(sum(value * model.inner[at, unit] for at, value in enumerate(hidden)) + model.inner_bias[unit], 0.0)
        for unit in range(len(model.out))
    ]
    return float(sum(value * model.out[at] for at, value in enumerate(inner)) + model.out_bias[0])


def test_the_forward_pass_agrees_with_a_loop() -> None:
    random, model = np.random.default_rng(2), small_model()
    measures = random.normal(size=(6, 3)).astype(np.float32)
    question = random.normal(size=4).astype(np.float32)
    heads, relations, tails = random.normal(size=(3, 6, 4)).astype(np.float32)
    found = model.logits(measures, question, (heads, relations, tails))
    parts = {"question": np.tile(question, (6, 1)), "head": heads, "relation": relations, "tail": tails}
    wanted = [slow_logit(model, measures[at], {name: rows[at] for name, rows in parts.items()}) for at in range(6)]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    blind = [slow_logit(model, row, {}) for row in measures]
    np.testing.assert_allclose(model.logits(measures, None, None), blind, rtol=1e-4, atol=1e-5)


def test_the_shipped_weights_fit_the_measures_and_are_small() -> None:
    model = load_model()
    assert model.measures.shape[0] == len(model.mean) == len(MEASURES)
    assert all(np.isfinite(getattr(model, field.name)).all() for field in fields(model))
    assert MODEL.stat().st_size < 1_000_000


def test_weights_of_other_measures_are_refused_with_what_to_do(tmp_path: Path) -> None:
    with np.load(MODEL) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    kept |= {name: kept[name][:-1] for name in ("mean", "scale", "measures")}
    path = tmp_path / "old.npz"
    np.savez(path, **kept)
    with pytest.raises(UsageError, match=rf"old.npz' .* {len(MEASURES) - 1} measures .* make train"):
        read_model(path)


# -- what is measured -------------------------------------------------------------------------------------------------


def test_measures_of_a_fact_by_hand(films: KnowledgeBase) -> None:
    facts = {one.text(): one for one in every_fact(films)}
    fact = facts["Silver Lanterns directed by Tomas Brandel"]
    film = entity(films, "Silver Lanterns")
    row = dict(zip(MEASURES, TripleMeasures(films, DIRECTOR, [film]).measures([fact])[0], strict=True))
    # Of the question's stems (direct, silver, lantern) the relation's only one, "direct", is there, and all three are
    # in the sentence; the plan asks (Silver Lanterns, director, ?), which has a known end, and nothing else.
    assert row["relation in question"] == row["known end's relation"] == 1
    assert row["question in sentence"] == 1
    assert row["open relation"] == row["open relation in sentence"] == 0
    # The first sentence; the film is what its passage is about, and so named in the question; he has a document.
    assert row["early in passage"] == row["passage about head"] == row["head in question"] == 1
    assert row["passage about tail"] == row["tail in question"] == row["tail has digits"] == 0
    assert row["head has a document"] == row["tail has a document"] == 1
    # Names in 1 and in 2 passages: the film in its own, he in the film's and in his own.
    assert row["passages of head"] == pytest.approx(np.log(2))
    assert row["passages of tail"] == pytest.approx(np.log(3))
    # The film is the source. One fact ends at him, from the film: 1; three leave the film, but none ends there.
    assert [row[f"head, {step}"] for step in ("source", "1", "2", "-1", "-2")] == [1, 0, 0, 0, 0]
    assert [row[f"tail, {step}"] for step in ("source", "1", "2", "-1", "-2")] == [0, 1, 0, 0, 0]
    # The fact is itself the link between the film and him.
    assert row["link says relation: tail"] == 1
    assert row["closest link of tail"] == pytest.approx(row["cosine of sentence"], abs=1e-6)
    assert row["link says relation: head"] == row["closest link of head"] == 0


def test_a_year_is_told_from_a_name(films: KnowledgeBase) -> None:
    facts = [one for one in every_fact(films) if one.relation == "shown in"]
    rows = TripleMeasures(films, DIRECTOR, []).measures(facts)
    years = dict(zip((one.tail_name for one in facts), rows[:, MEASURES.index("tail has a year")], strict=True))
    assert years == {"Karsk": 0, "1931": 1}


def test_a_second_hop_has_the_root_of_its_share(films: KnowledgeBase) -> None:
    # Karsk is the tail of two facts: of the film, a source, and of Lindholm. One hop on it has 1/2, and the fact's tail
    # its root; Lindholm, two hops on along one fact each, has 1.
    fact = next(one for one in every_fact(films) if one.text() == "Lindholm lies in Karsk")
    measured = TripleMeasures(films, BORN, [entity(films, "Silver Lanterns")]).measures([fact])[0]
    assert measured[MEASURES.index("tail, 1")] == pytest.approx(np.sqrt(0.5))
    assert measured[MEASURES.index("head, 2")] == 1


def test_the_names_of_measures_are_all_different() -> None:
    assert len(set(MEASURES)) == len(MEASURES) == len(WORD_MEASURES) + len(GRAPH_MEASURES) + 10


# -- scores -----------------------------------------------------------------------------------------------------------


def test_the_fact_that_is_asked_for_is_above_the_others_of_its_subject(films: KnowledgeBase) -> None:
    facts = every_fact(films)
    scores = score_triples(films, DIRECTOR, facts, [entity(films, "Silver Lanterns")])
    assert scores.shape == (len(facts),)
    assert facts[int(np.argmax(scores))].text() == "Silver Lanterns directed by Tomas Brandel"


def test_a_question_of_two_hops_gets_both(films: KnowledgeBase) -> None:
    assert set(texts(films, BORN, 2)) == {
        "Silver Lanterns directed by Tomas Brandel",
        "Tomas Brandel born in Lindholm",
    }


def test_the_director_of_another_film_is_below(films: KnowledgeBase) -> None:
    other = texts(films, "Who is the director of Paper Boats?", 1)
    assert other == ["Paper Boats directed by Irena Valdis"]


def test_a_score_does_not_depend_on_the_company(films: KnowledgeBase) -> None:
    facts, sources = every_fact(films), [entity(films, "Silver Lanterns")]
    together = score_triples(films, BORN, facts, sources)
    np.testing.assert_allclose(score_triples(films, BORN, facts[::-1], sources), together[::-1], rtol=1e-5)
    alone = [score_triples(films, BORN, [one], sources)[0] for one in facts]
    np.testing.assert_allclose(alone, together, rtol=1e-4, atol=1e-4)


def test_what_a_question_has_is_measured_once(films: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Counted(TripleMeasures):
        def __init__(self, kb: KnowledgeBase, question: str, sources: frozenset[int]) -> None:
            made.append(question)
            super().__init__(kb, question, sources)

    monkeypatch.setattr(triple_scorer, "TripleMeasures", Counted)
    sources = [entity(films, "Silver Lanterns")]
    facts = films.triples_of(sources)
    with KnowledgeBase.open(films.path) as kb:
        alone = [score_triples(kb, BORN, [one], sources)[0] for one in facts]
        assert made == [BORN]
        other = score_triples(kb, BORN, facts, [])
        again = score_triples(kb, BORN, facts, sources)
        score_triples(kb, DIRECTOR, facts, sources)
        assert made == [BORN, BORN, BORN, DIRECTOR]
    np.testing.assert_allclose(alone, again, rtol=1e-5)
    assert not np.allclose(other, again)


def test_no_triples_no_scores(films: KnowledgeBase) -> None:
    assert score_triples(films, BORN, [], [1]).shape == (0,)
    assert TripleMeasures(films, BORN, []).measures([]).shape == (0, len(MEASURES))


@pytest.mark.parametrize("question", ["", "   ", "?!", "zzzz", "名前は何ですか"])
@pytest.mark.parametrize("sources", [[], [1, -5]])
def test_any_question_and_unknown_sources_give_numbers(films: KnowledgeBase, question: str, sources: list[int]) -> None:
    facts = every_fact(films)
    assert np.isfinite(score_triples(films, question, facts, sources)).all()


def test_another_embedding_model_leaves_the_vectors_out(films: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, sources = every_fact(films), [entity(films, "Silver Lanterns")]
    with_vectors = score_triples(films, BORN, facts, sources)
    monkeypatch.setattr(triple_scorer, "DEFAULT_MODEL", "another model")
    without = score_triples(films, BORN, facts, sources)
    measured = TripleMeasures(films, BORN, sources).measures(facts)
    np.testing.assert_allclose(without, load_model().logits(measured, None, None))
    assert not np.allclose(with_vectors, without)


# -- ranking ----------------------------------------------------------------------------------------------------------


def test_passages_come_by_their_best_fact(films: KnowledgeBase) -> None:
    result = rank_triples(films, BORN, params=TripleParams(ends=False))
    best: dict[int, float] = {}
    for one in result.triples:
        best[one.triple.passage] = max(best.get(one.triple.passage, -np.inf), one.score)
    wanted = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    assert [(hit.passage.id, hit.score) for hit in result.hits] == wanted
    assert {hit.passage.title for hit in result.hits[:2]} == {"Silver Lanterns", "Tomas Brandel"}
    assert passage_id(films, "Grey Sea") not in best


def test_documents_of_a_facts_ends_are_found_below_it(films: KnowledgeBase) -> None:
    # The one fact kept stands in the film's passage; its other end has a document, which costs two log-odds.
    result = rank_triples(films, DIRECTOR, 1)
    (fact,) = result.triples
    film, director = result.hits
    assert (film.passage.title, film.score, film.after) == ("Silver Lanterns", fact.score, None)
    assert (director.passage.title, director.score) == ("Tomas Brandel", fact.score - 2)
    assert director.after == film.passage.id
    assert director.why == "about an end of: Silver Lanterns directed by Tomas Brandel"
    assert rank_triples(films, DIRECTOR, 1, TripleParams(ends=False)).hits == result.hits[:1]


def test_equal_scores_go_by_id(films: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triple_scorer, "score_triples", lambda kb, question, triples, sources: np.zeros(len(triples)))
    result = rank_triples(films, BORN)
    assert [one.triple.id for one in result.triples] == films.fact_graph.facts.tolist()
    stating = [hit.passage.id for hit in result.hits if hit.score == 0]
    assert stating == sorted({one.triple.passage for one in result.triples})


def test_two_runs_are_equal(films: KnowledgeBase) -> None:
    assert rank_triples(films, BORN) == rank_triples(films, BORN)


def test_only_k_are_kept(films: KnowledgeBase) -> None:
    every = rank_triples(films, BORN)
    assert rank_triples(films, BORN, 2).triples == every.triples[:2]
    assert every.scored == len(every.triples) == len(films.fact_graph.facts)
    assert not every.truncated


@pytest.mark.parametrize(("question", "k"), [("", 5), ("  ", 5), (BORN, 0), (BORN, -1)])
def test_nothing_asked_nothing_found(films: KnowledgeBase, question: str, k: int) -> None:
    assert rank_triples(films, question, k) == triple_scorer.TripleResult((), (), 0, False)


def test_a_file_without_facts_gives_nothing(empty: KnowledgeBase) -> None:
    assert rank_triples(empty, BORN).hits == ()


def test_candidates_are_within_two_hops(films: KnowledgeBase) -> None:
    # With nothing near by meaning: the film's three facts, then those at Tomas Brandel and at Karsk; Paper Boats' fact
    # is joined to none of them.
    params = TripleParams(near=0)
    source = [entity(films, "Silver Lanterns")]
    one_hop, _ = candidate_triples(films, BORN, source, replace(params, hops=1))
    two_hops, _ = candidate_triples(films, BORN, source, params)
    assert sorted(one.text() for one in one_hop) == sorted(" ".join(fact) for fact in FACTS["Silver Lanterns"])
    assert {one.text() for one in two_hops} - {one.text() for one in one_hop} == {
        "Tomas Brandel born in Lindholm",
        "Tomas Brandel kept bees in Ulvik",
        "Lindholm lies in Karsk",
    }
    assert candidate_triples(films, BORN, [], params) == ([], False)


@pytest.mark.parametrize("near", [0, 1, 3, 99])
def test_without_entities_the_closest_sentences_facts_are_candidates(films: KnowledgeBase, near: int) -> None:
    found, _ = candidate_triples(films, BORN, [], TripleParams(near=near))
    closeness = Closeness(films, BORN).fact_rows
    ids = films.fact_graph.facts.tolist()
    wanted = sorted(ids, key=lambda one: (-closeness[ids.index(one)], one))[:near]
    assert [one.id for one in found] == sorted(wanted)


def test_a_hub_gives_its_closest_facts_and_says_so(films: KnowledgeBase) -> None:
    source = [entity(films, "Silver Lanterns")]
    found, truncated = candidate_triples(films, DIRECTOR, source, TripleParams(near=0, hops=1, degree=1))
    assert [one.text() for one in found] == ["Silver Lanterns directed by Tomas Brandel"]
    assert truncated


def test_distant_facts_give_way_first(films: KnowledgeBase) -> None:
    source = [entity(films, "Silver Lanterns")]
    found, truncated = candidate_triples(films, BORN, source, TripleParams(near=0, candidates=4))
    assert {" ".join(fact) for fact in FACTS["Silver Lanterns"]} < {one.text() for one in found}
    assert len(found) == 4
    assert truncated
    # The limit holds for near ones too, where there are more of them than it.
    found, truncated = candidate_triples(films, BORN, source, TripleParams(candidates=2))
    assert (len(found), truncated) == (2, True)
