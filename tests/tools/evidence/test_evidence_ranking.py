"""One ranking of what all tools found: the evidence walk's order first, then reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import pytest

from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.ranking import LEADER, rank_evidence
from tools.types import Hit


def hit(one: int, score: float = 0.5) -> Hit:
    return Hit(Passage(one, f"d{one}", f"Title {one}", "", "", 0, 0, None, 0), score)


def ranked(kb: KnowledgeBase, lists: Mapping[str, Sequence[Hit]], k: int = 10) -> list[Hit]:
    return rank_evidence(kb, "Who?", None, lists, {}, k)


def ids(hits: Sequence[Hit]) -> list[int]:
    return [one.passage.id for one in hits]


def test_the_leader_s_order_is_kept_and_the_others_follow(empty: KnowledgeBase) -> None:
    lists = {"passage_search": [hit(7), hit(1), hit(8)], LEADER: [hit(3, 0.6), hit(1, 0.2)], "graph_walk": [hit(8)]}
    found = ranked(empty, lists)
    # 7 has 1/61; 8 has 1/63 + 1/61. What the leader has is not counted again.
    assert ids(found) == [3, 1, 8, 7]
    assert [one.score for one in found[:2]] == [0.6, 0.2]


def test_the_others_score_below_the_leader_s_last(empty: KnowledgeBase) -> None:
    found = ranked(empty, {LEADER: [hit(3, 0.6), hit(1, 0.2)], "passage_search": [hit(7), hit(8)]})
    # s / (1 + s) of the floor 0.2, with s = 1/61 and 1/62.
    assert [one.score for one in found[2:]] == pytest.approx([0.2 / 62, 0.2 / 63])


def test_without_a_leader_reciprocal_ranks_decide(empty: KnowledgeBase) -> None:
    found = ranked(empty, {"passage_search": [hit(1), hit(2)], "graph_walk": [hit(2), hit(3)]})
    # 2 has 1/62 + 1/61, 1 has 1/61, 3 has 1/62.
    assert ids(found) == [2, 1, 3]


def test_the_order_of_the_tools_does_not_matter_and_ties_go_by_id(empty: KnowledgeBase) -> None:
    lists = {"a": [hit(9), hit(4)], "b": [hit(4), hit(9)], "c": [hit(5)]}
    for names in permutations(lists):
        assert ids(ranked(empty, {name: lists[name] for name in names})) == [4, 9, 5]


def test_k_cuts_and_nothing_gives_nothing(empty: KnowledgeBase) -> None:
    lists = {LEADER: [hit(3), hit(1)], "passage_search": [hit(7)]}
    assert [ids(ranked(empty, lists, k)) for k in (0, 1, 3, 99)] == [[], [3], [3, 1, 7], [3, 1, 7]]
    assert ranked(empty, {}) == ranked(empty, {LEADER: []}) == []
