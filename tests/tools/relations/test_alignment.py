"""Types, alignment and the measures of triples, by hand."""

from __future__ import annotations

import math

import pytest

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint
from tools.relations.alignment import (
    TRIPLE_FEATURES,
    Asked,
    align,
    fits_type,
    other_end,
    says_relation,
    triple_features,
    variable_type,
)

DIRECTOR = Constraint("Silver Lanterns", "director", "?x", ("directed by",), tail_type="person")


def about(
    kb: KnowledgeBase, name: str, constraint: Constraint = DIRECTOR, question: str = "?"
) -> tuple[list[Triple], Asked]:
    """The triples of what is called so, by id, and a constraint asked of it."""
    ids = [match.entity.id for match in kb.find_entities(name, 1)]
    return kb.triples_of(ids), Asked(question, constraint, constraint, name, frozenset(ids))


def measures(kb: KnowledgeBase, asked: Asked, triples: list[Triple]) -> list[dict[str, float]]:
    """The measures of each triple by name."""
    rows = triple_features(kb, asked, triples).tolist()
    return [dict(zip(TRIPLE_FEATURES, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("?director1", "person"),
        ("?birthYear2", "date"),
        ("?birth_date", "date"),
        ("?birthdate1", "date"),
        ("?place_of_death", "place"),
        ("?birthplace", "place"),
        ("?date_of_death", "date"),
        ("?death2", "date"),
        ("?country", "place"),
        ("?thing", ""),
        ("?", ""),
        ("?of", ""),
        ("director", ""),  # a constant
    ],
)
def test_a_variable_s_name_tells_its_type(term: str, expected: str) -> None:
    assert variable_type(term) == expected


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
    triples, asked = about(cases, "Silver Lanterns")
    found = align(cases, asked, triples, 10)
    assert found[0].relation == "directed by"
    assert sorted(one.id for one in found) == sorted(one.id for one in triples)
    assert align(cases, asked, triples, 1) == found[:1]
    # Without, by id alone.
    assert align(cases, asked, triples, 10, by_relation=False) == sorted(triples, key=lambda one: one.id)


def test_alignment_breaks_ties_by_id(cases: KnowledgeBase) -> None:
    # The two stars stand in one sentence with one relation.
    triples, asked = about(cases, "Silver Lanterns")
    stars = [one.id for one in align(cases, asked, triples[::-1], 10) if one.relation == "starring"]
    assert stars == sorted(stars)
    assert len(stars) == 2


def test_alignment_leaves_out_what_cannot_be_of_the_type(cases: KnowledgeBase) -> None:
    # A variable's name tells as much as the plan does.
    for constraint in (
        Constraint("Tower of London", "built", "?x", tail_type="date"),
        Constraint("Tower of London", "built", "?year"),
    ):
        triples, asked = about(cases, "Tower of London", constraint)
        assert [one.tail_name for one in align(cases, asked, triples, 10)] == ["1078"]


def test_one_name_takes_one_place_by_its_best_aligned_triple(cases: KnowledgeBase) -> None:
    born = Constraint("Tomas Brandel", "place of birth", "?x", ("born in",), "person", "place")
    triples, asked = about(cases, "Tomas Brandel", born)
    towns = [one for one in triples if one.tail_name == "Lindholm"]
    assert len(towns) == 2
    assert [one.relation for one in align(cases, asked, towns, 10)] == ["born in"]


def test_nothing_aligns_or_measures_to_nothing(cases: KnowledgeBase) -> None:
    asked = Asked("Who?", DIRECTOR, DIRECTOR)
    assert align(cases, asked, [], 10) == []
    assert triple_features(cases, asked, []).shape == (0, len(TRIPLE_FEATURES))


def test_the_measures_of_a_triple_by_hand(cases: KnowledgeBase) -> None:
    question = "Who directed Silver Lanterns?"
    triples, asked = about(cases, "Silver Lanterns", question=question)
    (directed,) = [one for one in triples if one.relation == "directed by"]
    (row,) = measures(cases, asked, [directed])
    # "director" and "directed by" are both the stem "direct", which the relation and the sentence have.
    assert (row["relation words"], row["nearest words"], row["sentence words"]) == (1.0, 1.0, 1.0)
    # Tomas Brandel has two words and a document of his own; the passage is the film's; its sentence opens it.
    assert (row["type fits"], row["other has a document"], row["subject's own document"]) == (1.0, 1.0, 1.0)
    assert (row["other's own document"], row["early in passage"], row["anchor covered"]) == (0.0, 1.0, 1.0)
    # A person is asked for, who is no nationality, not named in the question, and outside brackets.
    assert [row[f"{kind} wanted"] for kind in ("date", "person", "place")] == [0.0, 1.0, 0.0]
    assert (row["is a nationality"], row["other in question"], row["in brackets"]) == (0.0, 0.0, 0.0)
    # The relation has two words of eight; one candidate has none to be compared with.
    assert (row["relation length"], row["anchor is head"]) == (0.25, 1.0)
    assert (row["more relation words"], row["closer sentence"], row["candidates"]) == (
        0.0,
        0.0,
        pytest.approx(math.log(2) / 3),
    )
    for name, text in (("cosine to constraint", DIRECTOR.text()), ("cosine to question", question)):
        cosine = cases.sentence_vectors.cosines([directed.sentence_id], cases.embed([text]))[0, 0]
        assert row[name] == pytest.approx(float(cosine))


def test_measures_against_the_other_candidates(cases: KnowledgeBase) -> None:
    triples, asked = about(cases, "Silver Lanterns")
    rows = {one.tail_name: row for one, row in zip(triples, measures(cases, asked, triples), strict=True)}
    # Only the director's relation has the word asked for, all share one sentence, and the director stands first in it.
    assert [rows[name]["more relation words"] for name in ("Tomas Brandel", "Ada Moor", "Ben Quill")] == [1, -1, -1]
    assert {row["closer sentence"] for row in rows.values()} == {0.0}
    assert [rows[name]["first of its kind"] for name in ("Tomas Brandel", "Ada Moor", "Ben Quill")] == [1, 0, 0]
    assert [rows[name]["last of its kind"] for name in ("Tomas Brandel", "Ada Moor", "Ben Quill")] == [0, 0, 1]


def test_seen_from_the_other_end(cases: KnowledgeBase) -> None:
    constraint = Constraint("?film", "directed by", "Tomas Brandel", (), "work")
    triples, asked = about(cases, "Tomas Brandel", constraint)
    (directed,) = [one for one in triples if one.relation == "directed by"]
    (row,) = measures(cases, asked, [directed])
    # The anchor is the tail, so the passage, though about the triple's head, is not about the anchor.
    assert (other_end(directed, asked.anchors), row["subject's own document"]) == ("Silver Lanterns", 0.0)
    assert (row["type fits"], row["other has a document"], row["other's own document"]) == (0.75, 1.0, 1.0)
    assert row["anchor is head"] == 0.0


def test_a_later_sentence_counts_less(cases: KnowledgeBase) -> None:
    triples, asked = about(cases, "Tower of London")
    (held,) = [one for one in triples if one.relation == "held prisoners"]
    at = cases.passage(held.passage).text.index("It attracts tourists")
    (row,) = measures(cases, asked, [held])
    assert row["early in passage"] == pytest.approx(1 / (1 + at / 200))


def test_birth_and_death_in_brackets() -> None:
    sentence = "Ada Moor (1 May 1870 - 2 June 1940) was an American keeper of ravens."
    facts = {name: Triple(1, 1, "Ada Moor", "is", 2, name, 1, 1, sentence) for name in ("1 May 1870", "American")}
    for relation, name, expected in (
        ("date of birth", "1 May 1870", True),
        ("died on", "1 May 1870", True),  # which of the two is for the measures to tell
        ("built", "1 May 1870", False),
        ("date of birth", "American", False),
        ("nationality", "American", True),
        ("nationality", "1 May 1870", False),
    ):
        constraint = Constraint("Ada Moor", relation, "?x")
        assert says_relation(Asked("?", constraint, constraint, "Ada Moor", frozenset({1})), facts[name]) is expected


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
    triples, asked = about(cases, "Silver Lanterns", Constraint("Silver Lanterns", relation, "?x", variants))
    (directed,) = [one for one in triples if one.relation == "directed by"]
    assert says_relation(asked, directed) is expected
