"""The facts around an entity, and one passage in full."""

from __future__ import annotations

import pytest
from knowledge_bases import passage_id

from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase
from tools.search.neighbours import neighbours
from tools.search.read_passage import read_passage


def test_both_ends_of_a_fact_have_it_as_a_neighbour(chain: KnowledgeBase) -> None:
    for name in ("Silver Lanterns", "Tomas Brandel"):
        assert "Silver Lanterns is a film directed by Tomas Brandel" in [one.text() for one in neighbours(chain, name)]


def test_without_a_query_facts_come_by_id(chain: KnowledgeBase) -> None:
    ids = [one.id for one in neighbours(chain, "Tomas Brandel")]
    assert ids == sorted(ids)
    assert len(ids) > 1


def test_a_query_brings_the_closest_sentence_first(town: KnowledgeBase) -> None:
    facts = neighbours(town, "Ada Moor", "Who kept the ravens?")
    assert "keeper of ravens" in facts[0].sentence
    facts = neighbours(town, "Ada Moor", "Where was she born and where did she die?")
    assert "born in London" in facts[0].sentence


def test_k_is_the_most_that_comes(town: KnowledgeBase) -> None:
    every = neighbours(town, "Ada Moor", k=100)
    assert neighbours(town, "Ada Moor", k=2) == every[:2]
    assert neighbours(town, "Ada Moor", k=0) == neighbours(town, "Ada Moor", k=-1) == []


def test_an_id_and_a_name_are_the_same(chain: KnowledgeBase) -> None:
    (entity,) = chain.named(["lindholm"])["lindholm"]
    assert neighbours(chain, entity) == neighbours(chain, "Lindholm") != []


def test_a_name_of_several_takes_all_that_match_in_full(town: KnowledgeBase) -> None:
    heads = {one.head_name for one in neighbours(town, "Mercury")}
    assert {"Mercury (planet)", "Mercury (god)"} <= heads


def test_a_name_that_matches_in_part_takes_the_best(chain: KnowledgeBase) -> None:
    assert neighbours(chain, "the town of Lindholm") == neighbours(chain, "Lindholm")


@pytest.mark.parametrize("entity", ["Zanzibar", "", "'; --", 1, -1])
def test_the_unknown_has_no_neighbours(chain: KnowledgeBase, entity: str | int) -> None:
    assert neighbours(chain, entity, "anything") == []


def test_a_passage_is_read_in_full(chain: KnowledgeBase) -> None:
    passage = read_passage(chain, passage_id(chain, "Skarn"))
    assert (passage.title, passage.text, passage.ordinal) == ("Skarn", "Skarn flows to the Grey Sea.", 0)


def test_an_unknown_passage_is_refused_with_its_id(chain: KnowledgeBase) -> None:
    with pytest.raises(UsageError, match="no passage 17"):
        read_passage(chain, 17)
