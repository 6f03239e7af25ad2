"""Growth of evidence graphs by a scripted judge: hop by hop, stopped at any point, within its limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from bubble_cases import LOTHAIR_QUESTION, MATRIX, MATRIX_CONCEPTS, MATRIX_FACTS, MATRIX_QUESTION, facts, names
from knowledge_bases import build_file

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import group_anchors
from tools.bubble_expansion import EvidenceGraph, evidence_passages, expand_bubbles
from tools.evidence_expansion import ExpansionParams, ExpansionResult, expand_evidence
from tools.judgements.judge import Choice
from tools.judgements.offline_judge import OfflineJudge


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("matrix"), MATRIX, MATRIX_FACTS)) as kb:
        yield kb


class ByRelation(OfflineJudge):
    """Picks facts of given relations, and has enough once it knows one of another."""

    def __init__(self, kb: KnowledgeBase, relations: Sequence[str], enough: str = "") -> None:
        super().__init__(kb)
        self.relations, self.enough = relations, enough
        self.asked: list[tuple[list[str], list[str]]] = []

    def choose_facts(self, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int) -> Choice:
        self.asked.append(([one.text() for one in known], [one.text() for one in frontier]))
        picked = [one for one in frontier if one.relation in self.relations][:most]
        done = any(one.relation == self.enough for one in [*known, *picked])
        return Choice(tuple(one.id for one in picked), done)


def backbone(kb: KnowledgeBase) -> tuple[EvidenceGraph, ...]:
    return expand_bubbles(kb, MATRIX_QUESTION, group_anchors(kb, MATRIX_QUESTION, MATRIX_CONCEPTS).groups).graphs


def alone(kb: KnowledgeBase, *entities: str) -> tuple[EvidenceGraph, ...]:
    return tuple(EvidenceGraph((kb.find_entities(one, 1)[0].entity.id,), (), 1, 0.5, 0.0, 2.0) for one in entities)


def grow(kb: KnowledgeBase, judge: ByRelation, params: ExpansionParams | None = None) -> ExpansionResult:
    return expand_evidence(kb, MATRIX_QUESTION, backbone(kb), params, judge)


# The paper's example -------------------------------------------------------------------------------------------------


def test_the_villain_and_who_played_him(matrix: KnowledgeBase) -> None:
    # Figure 3: from the backbone by "is antagonist of" to Agent Smith, by "played by" to Hugo Weaving.
    judge = ByRelation(matrix, ["is antagonist of", "played by"], enough="played by")
    result = grow(matrix, judge)
    best = result.graphs[0]
    assert {"Agent Smith", "Hugo Weaving"} <= names(matrix, best.entities)
    assert {"Agent Smith is antagonist of The Matrix", "Agent Smith played by Hugo Weaving"} <= facts(
        matrix, best.facts
    )
    first = [one for one in result.steps if one.graph == 0]
    assert [(one.hop, one.enough) for one in first] == [(1, False), (2, True)]
    assert {"The Matrix", "Agent Smith"} <= {hit.passage.title for hit in result.hits}


def test_the_offline_judge_works_on_its_own(matrix: KnowledgeBase) -> None:
    result = expand_evidence(matrix, MATRIX_QUESTION)
    assert "The Matrix" in {hit.passage.title for hit in result.hits}
    assert expand_evidence(matrix, MATRIX_QUESTION) == result


# Growth --------------------------------------------------------------------------------------------------------------


def test_a_hop_sees_the_facts_at_the_newest_ends(matrix: KnowledgeBase) -> None:
    judge = ByRelation(matrix, ["is antagonist of", "played by"])
    expand_evidence(matrix, MATRIX_QUESTION, alone(matrix, "The Matrix"), judge=judge)
    shown = [set(frontier) for _, frontier in judge.asked]
    assert shown[0] == {
        "K. Reeves plays a role in The Matrix",
        "Laurence Fishburne plays a role in The Matrix",
        "Agent Smith is antagonist of The Matrix",
    }
    assert shown[1] == {"Agent Smith played by Hugo Weaving", "Agent Smith hunts Neo"}
    assert judge.asked[1][0] == ["Agent Smith is antagonist of The Matrix"]
    assert len(shown) == 2  # Hugo Weaving has no other facts


def test_ends_where_nothing_is_picked(matrix: KnowledgeBase) -> None:
    result = grow(matrix, ByRelation(matrix, []))
    assert all(step.picked == () and step.hop == 1 for step in result.steps)
    assert result.graphs == backbone(matrix)
    assert not result.stopped


def test_a_fact_is_shown_once(matrix: KnowledgeBase) -> None:
    judge = ByRelation(matrix, [])
    expand_evidence(matrix, MATRIX_QUESTION, alone(matrix, "The Matrix", "The Matrix", "Agent Smith"), judge=judge)
    every = [text for _, frontier in judge.asked for text in frontier]
    assert len(every) == len(set(every))
    assert len(judge.asked) == 2  # the second graph has nothing new to show


def test_depth_limits_the_hops(matrix: KnowledgeBase) -> None:
    every = ["is antagonist of", "played by", "plays a role in", "born in", "hunts", "is"]
    hops = [
        max((one.hop for one in grow(matrix, ByRelation(matrix, every), ExpansionParams(depth=depth)).steps), default=0)
        for depth in (0, 1, 2, 6)
    ]
    assert hops[:3] == [0, 1, 2]
    assert 2 <= hops[3] <= 6


def test_no_more_facts_than_asked_for(matrix: KnowledgeBase) -> None:
    judge = ByRelation(matrix, ["is antagonist of", "played by", "plays a role in"])
    for params, picked, shown in ((ExpansionParams(most=1, max_frontier=2), 1, 2), (ExpansionParams(most=2), 2, 3)):
        steps = grow(matrix, judge, params).steps
        assert max(len(step.picked) for step in steps) == picked
        assert (max(step.shown for step in steps) == shown) is (params.max_frontier == 2)


def test_a_judge_that_picks_too_much_and_twice_is_held_to_what_was_asked(matrix: KnowledgeBase) -> None:
    class Greedy(OfflineJudge):
        def choose_facts(self, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int) -> Choice:
            return Choice(tuple(one.id for one in (*frontier, *frontier)))

    result = grow(matrix, Greedy(matrix), ExpansionParams(most=2))
    picked = [one for step in result.steps for one in step.picked]
    assert max(len(step.picked) for step in result.steps) == 2
    assert len(picked) == len(set(picked))


def test_a_judge_that_picks_what_it_was_not_shown_is_not_followed(matrix: KnowledgeBase) -> None:
    class Liar(OfflineJudge):
        def choose_facts(self, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int) -> Choice:
            return Choice((12345, *matrix.fact_graph.facts.tolist()[:2]))

    result = expand_evidence(matrix, MATRIX_QUESTION, alone(matrix, "Salt Road"), judge=Liar(matrix))
    assert facts(matrix, result.graphs[0].facts) <= {"Salt Road led to Prague"}


# Anytime -------------------------------------------------------------------------------------------------------------


def test_the_result_of_every_hop_is_that_of_the_full_growth_so_far(matrix: KnowledgeBase) -> None:
    relations = ["is antagonist of", "played by", "plays a role in"]
    full = grow(matrix, ByRelation(matrix, relations))
    assert len(full.steps) >= 3
    for steps in range(1, len(full.steps) + 1):
        part = grow(matrix, ByRelation(matrix, relations), ExpansionParams(max_steps=steps))
        assert part.steps == full.steps[:steps]
        assert part.stopped
        assert part.hits == evidence_passages(matrix, MATRIX_QUESTION, part.graphs)
        assert all(set(a.facts) <= set(b.facts) for a, b in zip(part.graphs, full.graphs, strict=True))


def test_no_time_still_gives_a_hop(matrix: KnowledgeBase) -> None:
    result = grow(matrix, ByRelation(matrix, ["plays a role in"]), ExpansionParams(seconds=0.0))
    assert len(result.steps) == 1
    assert result.stopped
    assert result.hits


# Edges of the input --------------------------------------------------------------------------------------------------


def test_nothing_to_grow(matrix: KnowledgeBase, empty: KnowledgeBase) -> None:
    nothing = ExpansionResult((), (), False, ())
    assert expand_evidence(matrix, "") == nothing
    assert expand_evidence(matrix, MATRIX_QUESTION, []) == nothing
    assert expand_evidence(empty, LOTHAIR_QUESTION) == nothing


@pytest.mark.parametrize("question", ["?", "zzyzx", "日本", "Who?"])
def test_any_question_has_a_sane_result(matrix: KnowledgeBase, question: str) -> None:
    assert len(expand_evidence(matrix, question).hits) <= 15
