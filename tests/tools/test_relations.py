"""Which triples state a relation: the measures by hand, and the order that their model gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kb.records import Triple
from kb.store import KnowledgeBase
from tools.plan import Constraint
from tools.relations import FEATURES, align, fits_type, other_end, says_relation, score_candidates, triple_features

DIRECTOR = Constraint("Silver Lanterns", "director", "?x", ("directed by",), tail_type="person")


def about(kb: KnowledgeBase, name: str) -> tuple[list[Triple], set[int]]:
    """The triples of what is called so, by id, and its entities."""
    ids = [match.entity.id for match in kb.find_entities(name, 1)]
    return kb.triples_of(ids), set(ids)


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("4 May 1899", "date", 1.0),
        ("1899", "year", 1.0),
        ("4 May", "date", 0.0),  # no year
        ("12", "date", 0.0),
        ("Lindholm", "date", 0.0),
        ("12", "number", 1.0),
        ("three", "number", 0.0),
        ("1899", "person", 0.0),
        ("1899", "place", 0.0),
        ("1899", "organisation", 0.0),
        ("1899", "nationality", 0.0),
        ("1984", "work", 0.5),  # a title may be a number
        ("1899", "", 0.5),
        ("Ada Moor", "person", 1.0),
        ("Sappho", "person", 0.6),
        ("French", "nationality", 1.0),
        ("Ada Moor", "nationality", 0.5),
        ("Lindholm", "place", 0.75),
        ("Silver Lanterns", "work", 0.75),
        ("Ada Moor", "", 0.75),
        ("", "person", 0.6),
    ],
)
def test_what_a_name_looks_like(name: str, wanted: str, expected: float) -> None:
    assert fits_type(name, wanted) == expected


def test_alignment_puts_the_asked_relation_first(cases: KnowledgeBase) -> None:
    triples, _ = about(cases, "Silver Lanterns")
    found = align(cases, DIRECTOR, triples, 10)
    assert found[0].relation == "directed by"
    assert sorted(one.id for one in found) == sorted(one.id for one in triples)
    assert align(cases, DIRECTOR, triples, 1) == found[:1]


def test_alignment_breaks_ties_by_id(cases: KnowledgeBase) -> None:
    # The two stars stand in one sentence with one relation.
    triples, _ = about(cases, "Silver Lanterns")
    stars = [one.id for one in align(cases, DIRECTOR, triples[::-1], 10) if one.relation == "starring"]
    assert stars == sorted(stars)
    assert len(stars) == 2


def test_nothing_aligns_or_scores_to_nothing(cases: KnowledgeBase) -> None:
    assert align(cases, DIRECTOR, [], 10) == []
    assert score_candidates(cases, "Who?", DIRECTOR, [], {1}) == []


def test_the_measures_of_a_triple_by_hand(cases: KnowledgeBase) -> None:
    triples, anchors = about(cases, "Silver Lanterns")
    (directed,) = [one for one in triples if one.relation == "directed by"]
    question = "Who directed Silver Lanterns?"
    row = dict(zip(FEATURES, triple_features(cases, question, DIRECTOR, [directed], anchors)[0], strict=True))
    # "director" and "directed by" are both the stem "direct", which the relation and the sentence have.
    assert (row["relation words"], row["nearest words"], row["sentence words"]) == (1.0, 1.0, 1.0)
    # Tomas Brandel has two words and a document of his own; the passage is the film's; its sentence opens it.
    assert (row["type fits"], row["other has a document"], row["subject's own document"]) == (1.0, 1.0, 1.0)
    assert row["early in passage"] == 1.0
    for name, text in (("cosine to constraint", DIRECTOR.text()), ("cosine to question", question)):
        cosine = cases.sentence_vectors.cosines([directed.sentence_id], cases.embed([text]))[0, 0]
        assert row[name] == pytest.approx(float(cosine))


def test_seen_from_the_other_end(cases: KnowledgeBase) -> None:
    triples, anchors = about(cases, "Tomas Brandel")
    (directed,) = [one for one in triples if one.relation == "directed by"]
    constraint = Constraint("?film", "directed by", "Tomas Brandel", (), "work")
    row = dict(zip(FEATURES, triple_features(cases, "?", constraint, [directed], anchors)[0], strict=True))
    # The anchor is the tail, so the passage, though about the triple's head, is not about the anchor.
    assert (other_end(directed, anchors), row["subject's own document"]) == ("Silver Lanterns", 0.0)
    assert (row["type fits"], row["other has a document"]) == (0.75, 1.0)


def test_a_later_sentence_counts_less(cases: KnowledgeBase) -> None:
    triples, anchors = about(cases, "Tower of London")
    (held,) = [one for one in triples if one.relation == "held prisoners"]
    at = cases.passage(held.passage).text.index("It attracts tourists")
    row = triple_features(cases, "?", DIRECTOR, [held], anchors)[0]
    assert row[FEATURES.index("early in passage")] == pytest.approx(1 / (1 + at / 200))


def test_candidates_come_best_first_with_finite_log_odds(cases: KnowledgeBase) -> None:
    for name in ("Silver Lanterns", "Tower of London", "No Cross, No Crown"):
        triples, anchors = about(cases, name)
        scored = score_candidates(cases, "Who directed it?", DIRECTOR, triples, anchors)
        assert [one.score for one in scored] == sorted((one.score for one in scored), reverse=True)
        assert all(math.isfinite(one.score) and -30 < one.score < 15 for one in scored)
    assert score_candidates(cases, "?", DIRECTOR, *about(cases, "Silver Lanterns"))[0].other_name == "Tomas Brandel"


def test_equal_candidates_come_by_id_whatever_their_order(cases: KnowledgeBase) -> None:
    triples, anchors = about(cases, "Silver Lanterns")
    stars = [one for one in triples if one.relation == "starring"]
    for order in (stars, stars[::-1]):
        scored = score_candidates(cases, "?", DIRECTOR, order, anchors)
        assert scored[0].score == scored[1].score
        assert [one.triple.id for one in scored] == sorted(one.id for one in stars)


def test_one_name_counts_once_by_its_best_triple(cases: KnowledgeBase) -> None:
    triples, anchors = about(cases, "Tomas Brandel")
    towns = [one for one in triples if one.tail_name == "Lindholm"]
    born = Constraint("Tomas Brandel", "place of birth", "?x", ("born in",), "person", "place")
    (scored,) = score_candidates(cases, "Where was he born?", born, towns, anchors)
    assert len(towns) == 2
    assert scored.triple.relation == "born in"


def test_the_scores_are_the_model_s(cases: KnowledgeBase) -> None:
    triples, anchors = about(cases, "Silver Lanterns")
    features = triple_features(cases, "?", DIRECTOR, triples, anchors)
    assert features.shape == (3, len(FEATURES))
    assert np.isfinite(features).all()
    # A logistic model: equal steps in a measure are equal steps in log-odds. A better type raises them.
    untyped = Constraint("Silver Lanterns", "director", "?x", ("directed by",), tail_type="date")
    best, worse = (score_candidates(cases, "?", one, triples, anchors)[0].score for one in (DIRECTOR, untyped))
    assert best > worse


@pytest.mark.parametrize(
    ("relation", "variants", "expected"),
    [
        ("director", (), True),
        ("made", ("directed by",), True),
        ("composer", ("music by",), False),
        ("by", (), False),  # no content word
        ("", (), False),
    ],
)
def test_saying_a_relation(cases: KnowledgeBase, relation: str, variants: tuple[str, ...], expected: bool) -> None:
    triples, _ = about(cases, "Silver Lanterns")
    (directed,) = [one for one in triples if one.relation == "directed by"]
    assert says_relation(Constraint("Silver Lanterns", relation, "?x", variants), directed) is expected
