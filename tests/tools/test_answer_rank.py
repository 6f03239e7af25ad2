from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answers.docs import Evidence
from tools.answers.rank import (
    HOP_WEIGHTS,
    QUESTION_WEIGHTS,
    Query,
    features,
    focus_of,
    make_query,
    pointed_at,
    rank_spans,
    top_sentences,
)
from tools.answers.spans import Candidate, candidates, in_full, sort_fit, type_fit
from tools.answers.text import stem


def spans(text: str, answer_type: str, known: frozenset[str] = frozenset()) -> list[str]:
    doc = evidence(("Topic", text)).docs[0]
    return [one.text for i in range(len(doc.sentences)) for one in candidates(doc, i, answer_type, known)]


def test_spans_are_of_the_type_that_is_asked_for() -> None:
    text = "Ann Lee paid $40 million in Dale, Ohio on 3 May 1950."
    assert spans(text, "date") == ["3 May 1950"]
    assert spans(text, "year") == ["1950"]
    assert spans(text, "number") == ["$40 million"]
    assert spans(text, "person") == ["Ann Lee", "Dale", "Dale, Ohio", "Ohio"]


def test_a_name_is_offered_without_its_title_and_without_known_words() -> None:
    assert "Barney Hill" in spans("He met Senator Barney Hill.", "person")
    assert "Umbria" in spans("He was Earl of Umbria.", "place", frozenset({"earl"}))


def test_plain_phrases_answer_only_open_questions() -> None:
    assert "rugby player" in spans("He was a professional rugby player.", "text")
    assert spans("He was a professional rugby player.", "person") == []


def test_a_surname_is_taken_in_full() -> None:
    doc = evidence(("Topic", "The book by G. Stanley Hall came late. Hall was president.")).docs[0]
    hall = next(one for one in candidates(doc, 1, "person") if one.text == "Hall")
    start, end = in_full(hall)
    assert doc.text[start:end] == "G. Stanley Hall"


def candidate(text: str, name: str) -> Candidate:
    doc = evidence(("Topic", text)).docs[0]
    return next(one for one in candidates(doc, 0, "text") if one.text == name)


def test_types_and_sorts_of_names() -> None:
    assert type_fit("person", candidate("sung by Ann Lee", "Ann Lee")) == 1.0
    assert type_fit("organisation", candidate("at Hill University", "Hill University")) == 1.0
    assert type_fit("place", candidate("at Hill University", "Hill University")) == -1.0
    assert sort_fit(stem("county"), candidate("in Hill County", "Hill County")) == 1.0
    assert sort_fit(stem("country"), candidate("in Peru", "Peru")) == 1.0
    assert sort_fit(stem("state"), candidate("in Peru", "Peru")) == -1.0


def test_what_a_question_asks_for_and_points_at() -> None:
    assert focus_of("What county borders Hill?") == ("county",)
    assert focus_of("Who wrote it?") == ()
    assert pointed_at("Who founded the town of Hill?", ()) == frozenset({"found", "town", "hill"})
    assert pointed_at("The firm that made it is based where?", ()) == frozenset({"firm", "make", "bas"})
    assert pointed_at("Hill", ()) == frozenset()


def best(found: Evidence, query: Query) -> str:
    ranked = rank_spans(found, query, top_sentences(found, query), HOP_WEIGHTS)
    return ranked[0][1].text if ranked else ""


def test_the_span_next_to_the_relations_words_is_best() -> None:
    found = evidence(
        ("Hill", "Hill has a market. Its largest airport is Dale Airport. Its anthem is Sunrise by Ann Lee.")
    )
    query = make_query(found, "airport", "place", ("airport",), "Hill", "Hill", frozenset({"airport"}))
    assert best(found, query) == "Dale Airport"


def test_sentences_about_the_subject_come_before_all_others() -> None:
    found = evidence(("Hill", "Hill has an anthem."), ("Dale", "Dale has a famous airport named Cy."))
    query = make_query(found, "airport", "place", (), "Hill", "Hill")
    assert {one.doc.title for one in top_sentences(found, query)} == {"Hill"}


def test_every_weight_belongs_to_a_feature() -> None:
    found = evidence(("Hill", "Hill has an airport named Cy."))
    query = make_query(found, "airport", "place", (), "Hill", "Hill")
    (sentence,) = top_sentences(found, query)
    names = set(features(found, query, sentence, next(iter(candidates(sentence.doc, 0, "place")))))
    for weights in (HOP_WEIGHTS, QUESTION_WEIGHTS):
        assert set(weights) <= {*names, "none", "cosine"}


@pytest.mark.parametrize("text", ["", "   ", "...", "\n\n"])
def test_nothing_to_rank(text: str) -> None:
    found = evidence(("Hill", text))
    assert best(found, make_query(found, "airport", "place", (), "Hill", "Hill")) == ""
