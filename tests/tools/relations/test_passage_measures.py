"""The measures of a passage against a constraint, by hand on a handful of documents."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint
from tools.relations.alignment import Asked, PassageOdds
from tools.relations.passage_measures import NO_FACT, PASSAGE_FEATURES, passage_features

BIRTH = Constraint("Tomas Brandel", "place of birth", "?town", ("born in",), "person", "place")
QUESTION = "Where was Tomas Brandel born?"
TITLES = ("Tomas Brandel", "Silver Lanterns", "Skarn")


def measures(
    kb: KnowledgeBase, constraint: Constraint = BIRTH, found: PassageOdds | None = None, certainty: float = 1.0
) -> dict[str, list[float]]:
    """Each measure of the three passages, by name."""
    anchor = next((end for end in (constraint.head, constraint.tail) if not end.startswith("?")), "")
    passages = [kb.document_passages(title)[0] for title in TITLES]
    asked = Asked(QUESTION, constraint, constraint, anchor, certainty=certainty)
    columns = passage_features(kb, asked, passages, found or PassageOdds()).T.tolist()
    return dict(zip(PASSAGE_FEATURES, columns, strict=True))


def test_names(chain: KnowledgeBase) -> None:
    found = measures(chain)
    assert found["title is anchor"] == [1, 0, 0]
    assert found["title is like anchor"] == [1, 0, 0]
    # "Silver Lanterns is a film directed by Tomas Brandel": both words of the name, and the name itself.
    assert found["anchor covered"] == [1, 1, 0]
    assert found["names anchor"] == [1, 1, 0]
    assert found["title in question"] == [1, 0, 0]
    assert found["anchor in question"] == [1, 1, 1]
    assert found["no anchor"] == [0, 0, 0]


def test_words_of_the_relation(chain: KnowledgeBase) -> None:
    found = measures(chain)
    # "born in" is the stem "born", which only his own passage has; "place of birth" is in none.
    assert found["relation words"] == [1, 0, 0]
    assert found["sentence relation words"] == [1, 0, 0]


def test_rare_words_weigh_more(chain: KnowledgeBase) -> None:
    constraint = Constraint("Tomas Brandel", "born", "?x")
    found = measures(chain, constraint)
    # Wanted: toma, brandel (in two of three passages), born (in one), x (in none, counted as one).
    two, one = math.log1p(3 / 2), math.log1p(3)
    total = 2 * two + 2 * one
    assert found["rare words"] == pytest.approx([(2 * two + one) / total, 2 * two / total, 0.0])
    assert found["more rare words"] == pytest.approx([one / total, -one / total, -(2 * two + one) / total])


def test_meaning(chain: KnowledgeBase) -> None:
    found = measures(chain)
    vector = chain.embed([BIRTH.text()])[0]
    ids = [chain.document_passages(title)[0].id for title in TITLES]
    assert found["cosine to constraint"] == pytest.approx((chain.passage_vectors(ids) @ vector).tolist(), abs=1e-6)
    best = sorted(found["cosine to constraint"])
    assert found["closer to constraint"][0] == pytest.approx(best[-1] - best[-2], abs=1e-6)
    sentences = [one[3] for one in chain.passage_sentences(ids[:1])]
    assert found["best sentence"][0] == pytest.approx(
        float(chain.sentence_vectors.cosines(sentences, vector[None]).max()), abs=1e-6
    )


def test_what_was_found_before(chain: KnowledgeBase) -> None:
    first, second, third = (chain.document_passages(title)[0].id for title in TITLES)
    found = measures(chain, found=PassageOdds({first: 3.0, second: -100.0}, {third: 1.5}, True), certainty=0.25)
    # Log-odds over six, cut at six; a passage without a fact has NO_FACT = -6.
    assert NO_FACT == -6
    assert found["fact"] == [0.5, -1.0, -1.0]
    assert found["more likely fact"] == [1.5, -1.5, -1.5]
    assert found["value"] == [-1.0, -1.0, 0.25]
    assert (found["is resolved"], found["certainty"]) == ([1, 1, 1], [0.25] * 3)


def test_without_a_known_end(chain: KnowledgeBase) -> None:
    found = measures(chain, Constraint("?person", "place of birth", "?town"))
    assert found["no anchor"] == [1, 1, 1]
    assert found["title is anchor"] == found["names anchor"] == found["anchor covered"] == [0, 0, 0]


def test_with_both_ends_known(chain: KnowledgeBase) -> None:
    found = measures(chain, Constraint("Tomas Brandel", "born in", "Lindholm"))
    assert found["both ends known"] == [1, 1, 1]
    assert found["names the other"] == [1, 0, 0]


def test_no_passages_no_rows(chain: KnowledgeBase) -> None:
    features = passage_features(chain, Asked("?", BIRTH, BIRTH), [], PassageOdds())
    assert features.shape == (0, len(PASSAGE_FEATURES))


def test_always_finite(town: KnowledgeBase) -> None:
    passages = town.passages([one.id for title in ("London", "Salt Harbour") for one in town.document_passages(title)])
    for question, constraint in (("", Constraint("", "", "")), ("?!", Constraint("?", "", "?"))):
        features = passage_features(town, Asked(question, constraint, constraint), passages, PassageOdds())
        assert np.isfinite(features).all()
