"""Anchors of concepts: names, words and vectors, specialised and relaxed, merged; and the paper's examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bubble_cases import LOTHAIR, LOTHAIR_FACTS, LOTHAIR_QUESTION, facts, names
from knowledge_bases import build_file

from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorGroup, AnchorParams, AnchorResult, _merge, _normalised, group_anchors
from tools.judgements.judge import Concept

MOTHER = Concept("mother", 0.3, ("Lothair II's mother",))
SUBJECT = Concept("Lothair II", 0.7, ("Lothar II",))


@pytest.fixture(scope="module")
def lothair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("lothair"), LOTHAIR, LOTHAIR_FACTS)) as kb:
        yield kb


def group_of(result: AnchorResult, concept: str) -> AnchorGroup:
    return next(one for one in result.groups if concept in one.concepts)


def titles_of(result: AnchorResult) -> list[str]:
    return [hit.passage.title for hit in result.hits]


# The paper's example -------------------------------------------------------------------------------------------------


def test_the_three_groups_of_lothairs_mother(lothair: KnowledgeBase) -> None:
    result = group_anchors(lothair, LOTHAIR_QUESTION)
    assert [one.concepts for one in result.groups] == [("Lothair II",), ("mother",), ("date of death",)]
    assert [one.weight for one in result.groups] == [pytest.approx(0.5), pytest.approx(0.3), pytest.approx(0.2)]
    assert names(lothair, result.groups[0].entities) == {"Lothar II"}
    assert facts(lothair, result.groups[1].facts) == {"Lothar II mother Gisela"}
    assert facts(lothair, result.groups[2].facts) == {"Gisela died in 860 AD"}
    assert {"Lothar II", "Gisela"} <= set(titles_of(result))


def test_without_specialisation_mother_is_any_mother(lothair: KnowledgeBase) -> None:
    result = group_anchors(lothair, LOTHAIR_QUESTION, params=AnchorParams(specialise=False))
    assert "Mother" in names(lothair, group_of(result, "mother").entities)


def test_without_relaxation_another_spelling_is_not_taken_up(lothair: KnowledgeBase) -> None:
    concepts = [SUBJECT]
    relaxed = group_anchors(lothair, LOTHAIR_QUESTION, concepts)
    strict = group_anchors(lothair, LOTHAIR_QUESTION, concepts, AnchorParams(relax=False))
    assert relaxed.groups[0].entities != strict.groups[0].entities
    assert list(relaxed.groups[0].entities.values()) == [1.0]  # all words of a name that is exactly so
    assert all(score < 1.0 for score in strict.groups[0].entities.values())  # a similar vector at best


def test_a_relaxed_word_finds_the_fact(lothair: KnowledgeBase) -> None:
    # "second marriage" is nowhere; "king" as another way to say "emperor" is.
    emperor = Concept("emperor", 0.3, ("Lothair II's emperor", "king of"))
    relaxed = group_anchors(lothair, LOTHAIR_QUESTION, [SUBJECT, emperor])
    strict = group_anchors(lothair, LOTHAIR_QUESTION, [SUBJECT, emperor], AnchorParams(relax=False))
    assert facts(lothair, group_of(relaxed, "emperor").facts) == {"Lothar II king of Lotharingia"}
    assert facts(lothair, group_of(strict, "emperor").facts) != {"Lothar II king of Lotharingia"}


def test_what_a_concept_found_is_where_the_next_is_looked_for(lothair: KnowledgeBase) -> None:
    death = Concept("died in", 0.2, ("Lothair II's mother's died in",))
    alone = Concept("died in", 0.2)
    bound = group_anchors(lothair, LOTHAIR_QUESTION, [SUBJECT, MOTHER, death])
    assert facts(lothair, group_of(bound, "died in").facts) == {"Gisela died in 860 AD"}
    free = group_anchors(lothair, LOTHAIR_QUESTION, [SUBJECT, MOTHER, alone])
    assert facts(lothair, group_of(free, "died in").facts) == {"Gisela died in 860 AD", "Adelheid died in 999"}


def test_a_names_longer_form_is_another_name(lothair: KnowledgeBase) -> None:
    result = group_anchors(lothair, "x", [Concept("Gisela", 1.0, ("Gisela of Lotharingia",))])
    assert "Gisela" in names(lothair, result.groups[0].entities)


# Groups --------------------------------------------------------------------------------------------------------------


def test_weights_are_normalised_over_the_groups_kept(lothair: KnowledgeBase) -> None:
    concepts = [Concept("Gisela", 0.6), Concept("Adelheid", 0.2), Concept("Berta", 0.2)]
    every = group_anchors(lothair, LOTHAIR_QUESTION, concepts)
    assert [one.weight for one in every.groups] == [pytest.approx(0.6), pytest.approx(0.2), pytest.approx(0.2)]
    two = group_anchors(lothair, LOTHAIR_QUESTION, concepts, AnchorParams(max_groups=2))
    # 0.6 / 0.8 and 0.2 / 0.8
    assert [one.weight for one in two.groups] == [pytest.approx(0.75), pytest.approx(0.25)]


def test_concepts_with_the_same_candidates_are_one_group() -> None:
    # Overlap is by the smaller set: {1} of {1, 2} is all of it, {3} of {1, 2} nothing.
    first = AnchorGroup(("Lothair",), 0.4, {1: 1.0, 2: 0.9})
    second = AnchorGroup(("King Lothair",), 0.3, {1: 0.95})
    third = AnchorGroup(("Gisela",), 0.3, {3: 1.0})
    merged = _merge([first, second, third], 0.5)
    assert [(one.concepts, one.weight) for one in merged] == [
        (("Lothair", "King Lothair"), pytest.approx(0.7)),
        (("Gisela",), 0.3),
    ]
    assert merged[0].entities == {1: 1.0, 2: 0.9}


def test_merging_goes_on_until_nothing_overlaps() -> None:
    # The first two have nothing in common until the third joins both.
    groups = [
        AnchorGroup((text,), 1 / 3, ids) for text, ids in (("a", {1: 1.0}), ("b", {2: 1.0}), ("c", {1: 0.5, 2: 0.5}))
    ]
    merged = _merge(groups, 0.5)
    assert [one.concepts for one in merged] == [("a", "c", "b")]
    assert merged[0].weight == pytest.approx(1.0)


def test_facts_and_entities_of_equal_id_do_not_overlap() -> None:
    groups = [AnchorGroup(("a",), 0.5, {1: 1.0}), AnchorGroup(("b",), 0.5, {}, {1: 1.0})]
    assert len(_merge(groups, 0.5)) == 2


def test_a_group_without_candidates_stays_and_merges_with_none() -> None:
    groups = [AnchorGroup(("a",), 0.5), AnchorGroup(("b",), 0.5)]
    assert _merge(groups, 0.5) == groups
    assert _normalised([]) == ()


def test_a_concept_that_the_file_does_not_have_keeps_its_weight(lothair: KnowledgeBase) -> None:
    result = group_anchors(
        lothair,
        LOTHAIR_QUESTION,
        [Concept("Gisela", 0.5), Concept("zzyzx qqq", 0.5)],
        AnchorParams(min_match=0.99, min_fact=0.99),
    )
    assert [(one.weight, bool(one.entities or one.facts)) for one in result.groups] == [(0.5, True), (0.5, False)]


# Pre-retrieval -------------------------------------------------------------------------------------------------------


def test_passages_that_answer_end_it(lothair: KnowledgeBase) -> None:
    question = "When did Gisela die?"
    result = group_anchors(lothair, question)
    assert result.answered
    assert result.groups == ()
    assert "Gisela" in titles_of(result)
    onwards = group_anchors(lothair, question, params=AnchorParams(stop_when_answered=False))
    assert not onwards.answered
    assert onwards.groups


def test_without_pre_retrieval_only_anchors_are_found(lothair: KnowledgeBase) -> None:
    result = group_anchors(lothair, "x", [Concept("Gisela", 1.0)], AnchorParams(pre_retrieved=0))
    assert titles_of(result) == ["Gisela"]


def test_hits_are_few_and_best_first(lothair: KnowledgeBase) -> None:
    result = group_anchors(lothair, LOTHAIR_QUESTION, params=AnchorParams(max_hits=2))
    assert len(result.hits) == 2
    assert result.hits[0].score >= result.hits[1].score


# Edges of the input --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "   ", "?", "of the", "zzyzx", "日本", "a" * 5000])
def test_any_question_has_a_sane_result(lothair: KnowledgeBase, question: str) -> None:
    result = group_anchors(lothair, question)
    assert sum(one.weight for one in result.groups) == pytest.approx(1.0 if result.groups else 0.0)
    assert group_anchors(lothair, question) == result


def test_an_empty_file_has_no_anchors(empty: KnowledgeBase) -> None:
    result = group_anchors(empty, LOTHAIR_QUESTION)
    assert result.hits == ()
    assert not any(one.entities or one.facts for one in result.groups)


def test_a_single_document(single: KnowledgeBase) -> None:
    assert titles_of(group_anchors(single, "Where does Skarn flow to?")) == ["Skarn"]


def test_facts_are_shared_by_concepts_that_say_the_same_alone() -> None:
    # One fact is the candidate of all: "She married Ben in Lindholm, where he was born."
    spouse = AnchorGroup(("spouse",), 0.3, {}, {7: 0.9})
    place = AnchorGroup(("place of birth",), 0.2, {}, {7: 0.8, 8: 0.8})
    birth = AnchorGroup(("birth",), 0.1, {}, {7: 0.7})
    assert [one.concepts for one in _merge([spouse, place], 0.5)] == [("spouse",), ("place of birth",)]
    # {7} of {7}, and all words of "birth" are in "place of birth".
    assert [one.concepts for one in _merge([spouse, place, birth], 0.5)] == [("spouse",), ("place of birth", "birth")]


# Chains --------------------------------------------------------------------------------------------------------------


def test_a_chain_is_followed_in_its_own_order_however_its_concepts_are_weighed(lothair: KnowledgeBase) -> None:
    # As a model may weigh them: what is asked for before what leads there.
    death = Concept("died in", 0.5, ("Lothair II's mother's died in",))
    heavy_first = group_anchors(lothair, LOTHAIR_QUESTION, [death, SUBJECT, MOTHER])
    assert facts(lothair, group_of(heavy_first, "died in").facts) == {"Gisela died in 860 AD"}


def test_a_word_that_a_model_capitalised_keeps_its_specialisation(lothair: KnowledgeBase) -> None:
    # The file knows a film called Mother; the question says "mother".
    capitalised = Concept("Mother", 0.3, ("Lothair II's mother",))
    result = group_anchors(lothair, LOTHAIR_QUESTION, [SUBJECT, capitalised])
    assert group_of(result, "Mother").entities == {}
    assert facts(lothair, group_of(result, "Mother").facts) == {"Lothar II mother Gisela"}
    # Nor is "Date of death" a name: neither the question nor the file has it.
    asked = Concept("Died in", 0.2, ("Lothair II's mother's died in",))
    result = group_anchors(lothair, LOTHAIR_QUESTION, [SUBJECT, capitalised, asked])
    assert facts(lothair, group_of(result, "Died in").facts) == {"Gisela died in 860 AD"}
    # A name of the file stays one, asked for or not.
    known = group_anchors(lothair, "x", [Concept("Mother", 1.0, ("Berta's mother",))])
    assert "Mother" in names(lothair, known.groups[0].entities)
