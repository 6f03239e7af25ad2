"""Concepts and their weights, whether passages answer, and which facts to go on with, by rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bubble_cases import LOTHAIR, LOTHAIR_FACTS, LOTHAIR_PLAN, LOTHAIR_QUESTION, MATRIX_QUESTION, fact_id
from knowledge_bases import build_file, passage_id

from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.answered import is_answered
from tools.judgements.concepts import find_concepts
from tools.judgements.judge import OfflineJudge
from tools.judgements.picked_facts import choose_facts
from tools.planning.plan import Constraint, Plan
from tools.planning.planner import plan_question


@pytest.fixture(scope="module")
def lothair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("lothair"), LOTHAIR, LOTHAIR_FACTS)) as kb:
        yield kb


def passage(title: str, text: str) -> Passage:
    return Passage(1, title, title, text, "", 0, len(text), None, 0)


# Concepts ------------------------------------------------------------------------------------------------------------


def test_the_papers_weights(lothair: KnowledgeBase) -> None:
    # Section 3.2: the subject about 0.5, the relation 0.3, the attribute asked for 0.2.
    found = find_concepts(lothair, LOTHAIR_QUESTION, LOTHAIR_PLAN)
    assert [(one.text, one.weight) for one in found] == [
        ("Lothair II", pytest.approx(0.5)),
        ("mother", pytest.approx(0.3)),
        ("date of death", pytest.approx(0.2)),
    ]


def test_underspecified_concepts_are_bound_to_the_others(lothair: KnowledgeBase) -> None:
    found = {one.text: one.alternatives for one in find_concepts(lothair, LOTHAIR_QUESTION, LOTHAIR_PLAN)}
    assert found["mother"] == ("Lothair II's mother",)
    assert found["date of death"] == ("Lothair II's mother's date of death",)


def test_the_planner_reads_the_papers_question_so(lothair: KnowledgeBase) -> None:
    found = OfflineJudge(lothair).concepts(LOTHAIR_QUESTION, ())
    assert [one.text for one in found] == ["Lothair II", "mother", "date of death"]
    assert "Lothair II's mother" in found[1].alternatives


def test_a_condition_is_relaxed_to_what_the_passages_say(lothair: KnowledgeBase) -> None:
    plan = Plan((Constraint("Ada Moor", "second marriage", "?spouse"),), "?spouse")
    told = [passage("Ada Moor", "Her marriage to Carl Rook was a quiet one.")]
    exact = [passage("Ada Moor", "Her second marriage was to Carl Rook.")]

    def alternatives(passages: list[Passage]) -> tuple[str, ...]:
        return next(
            one.alternatives for one in find_concepts(lothair, "?", plan, passages) if one.text == "second marriage"
        )

    assert alternatives(told) == ("Ada Moor's second marriage", "marriage")
    assert alternatives(exact) == ("Ada Moor's second marriage",)
    assert alternatives([]) == ("Ada Moor's second marriage",)


def test_a_variant_counts_only_where_a_passage_says_it(lothair: KnowledgeBase) -> None:
    told = [passage("Gisela", "She died in 860.")]
    found = {one.text: one.alternatives for one in find_concepts(lothair, LOTHAIR_QUESTION, LOTHAIR_PLAN, told)}
    assert found["date of death"] == ("Lothair II's mother's date of death", "died on", "died in")
    assert found["mother"] == ("Lothair II's mother",)  # nothing is said of children


@pytest.mark.parametrize(
    ("title", "is_spelling"),
    [("Lothar II", True), ("Lothair II", False), ("Lothar III", False), ("Robert II", False), ("Lothar", False)],
)
def test_titles_that_spell_a_name_another_way(lothair: KnowledgeBase, title: str, is_spelling: bool) -> None:
    found = find_concepts(lothair, LOTHAIR_QUESTION, LOTHAIR_PLAN, [passage(title, "A king.")])
    assert found[0].alternatives == ((title,) if is_spelling else ())


def test_a_comparison_asks_the_same_of_both(lothair: KnowledgeBase) -> None:
    plan = Plan(
        (Constraint("Gisela", "age", "?a"), Constraint("Berta", "age", "?b")),
        kind="comparison", comparison="more", options=("Gisela", "Berta"),
    )  # fmt: skip
    found = {one.text: one for one in find_concepts(lothair, "Who was older, Gisela or Berta?", plan)}
    # 5 : 5 : 2
    assert found["Gisela"].weight == found["Berta"].weight == pytest.approx(5 / 12)
    assert found["age"].alternatives == ("Gisela's age", "Berta's age")


def test_names_read_together_are_two(lothair: KnowledgeBase) -> None:
    found = OfflineJudge(lothair).concepts(MATRIX_QUESTION, ())
    assert {"Keanu Reeves", "Laurence Fishburne"} <= {one.text for one in found}


@pytest.mark.parametrize("question", ["Who was Gisela?", "where is it", "?", "", "of the", "日本", LOTHAIR_QUESTION])
def test_weights_sum_to_one_or_there_are_none(lothair: KnowledgeBase, question: str) -> None:
    found = find_concepts(lothair, question, plan_question(question))
    assert sum(one.weight for one in found) == pytest.approx(1.0 if found else 0.0)
    assert [one.weight for one in found] == sorted((one.weight for one in found), reverse=True)


# Whether passages answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "answered"),
    [
        (("Lothar II", "Gisela"), True),
        (("Gisela", "Lothar II"), True),
        (("Lothar II",), False),
        (("Gisela",), False),
        (("Lothar II", "Adelheid"), False),  # another one's death
        ((), False),
    ],
)
def test_answered_where_every_constraint_is_stated(
    lothair: KnowledgeBase, documents: tuple[str, ...], answered: bool
) -> None:
    plan = Plan((Constraint("Lothar II", "mother", "?mother"), LOTHAIR_PLAN.constraints[1]), "?date")
    passages = lothair.passages([passage_id(lothair, one) for one in documents])
    assert is_answered(lothair, LOTHAIR_QUESTION, plan, passages) is answered


def test_a_value_of_another_type_is_no_answer(lothair: KnowledgeBase) -> None:
    passages = lothair.passages([passage_id(lothair, "Salt Road")])
    led = Constraint("Salt Road", "led to", "?end")
    assert is_answered(lothair, "", Plan((led,)), passages)
    assert not is_answered(lothair, "", Plan((Constraint("Salt Road", "led to", "?end", tail_type="date"),)), passages)


def test_no_plan_is_not_answered(lothair: KnowledgeBase) -> None:
    assert not is_answered(lothair, "", Plan(()), lothair.passages([passage_id(lothair, "Gisela")]))


# Facts to go on with -------------------------------------------------------------------------------------------------


def test_facts_are_new_few_and_the_same_in_any_order(lothair: KnowledgeBase) -> None:
    frontier = lothair.triples_of([one.entity.id for one in lothair.find_entities("Gisela", 1)])
    known = [one for one in frontier if one.relation == "mother"]
    choice = choose_facts(lothair, LOTHAIR_QUESTION, known, frontier, 1)
    assert len(choice.facts) <= 1
    assert not {one.id for one in known} & set(choice.facts)
    assert choose_facts(lothair, LOTHAIR_QUESTION, known, frontier[::-1], 1) == choice


def test_enough_once_every_relation_is_said(lothair: KnowledgeBase) -> None:
    mother, death = lothair.triples(
        [fact_id(lothair, "Lothar II mother Gisela"), fact_id(lothair, "Gisela died in 860 AD")]
    )
    assert not choose_facts(lothair, LOTHAIR_QUESTION, [mother], [], 3).enough
    assert choose_facts(lothair, LOTHAIR_QUESTION, [mother, death], [], 3).enough


def test_nothing_from_an_empty_frontier(lothair: KnowledgeBase) -> None:
    assert choose_facts(lothair, "", [], [], 3).facts == ()
    frontier = lothair.triples_of([one.entity.id for one in lothair.find_entities("Gisela", 1)])
    assert choose_facts(lothair, LOTHAIR_QUESTION, [], frontier, 0).facts == ()


def test_what_several_constraints_say_of_a_thing_must_be_one_thing(tmp_path: Path) -> None:
    """One director lives in Lindholm, and the mother of the other is known: no passage says whose is asked for."""
    documents = {
        "Glass Birds": "Glass Birds was directed by Ada Moor and Ben Quill.",
        "Ben Quill": "Ben Quill lives in Lindholm.",
    }
    documents |= {"Ada Moor": "The mother of Ada Moor is Irena Moor."}
    stated = {
        "Glass Birds": [("Glass Birds", "director", "Ada Moor"), ("Glass Birds", "director", "Ben Quill")],
        "Ben Quill": [("Ben Quill", "lives in", "Lindholm")],
        "Ada Moor": [("Ada Moor", "mother", "Irena Moor")],
    }
    directed, mother = Constraint("Glass Birds", "director", "?who"), Constraint("?who", "mother", "?mother")
    with KnowledgeBase.open(build_file(tmp_path, documents, stated)) as kb:
        passages = [kb.passage(passage_id(kb, title)) for title in documents]
        assert is_answered(kb, "", Plan((directed, mother)), passages)
        assert not is_answered(kb, "", Plan((directed, Constraint("?who", "lives in", "Lindholm"), mother)), passages)
