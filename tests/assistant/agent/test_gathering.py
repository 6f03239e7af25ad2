from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agent.replying.chains import chains
from assistant.agent.replying.gathering import AT_ONE, FACTS, LINE, trace_of
from assistant.agent.replying.reply import Chain, Link, Reply
from assistant.agent.workspace import Workspace
from assistant.conversations.session import answer
from kb.name_keys import name_key
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import group_anchors
from tools.bubble_expansion import expand_bubbles
from tools.constraint_retrieval import retrieve_by_constraints
from tools.path_resurrection import resurrect_paths
from tools.path_search import search_paths
from tools.planning.plan import Constraint, Plan
from tools.reading.answering import Hop
from tools.types import Hit

QUESTION = "Where was the director of The Glass Harbour born?"
DIRECTOR = Constraint("The Glass Harbour", "director", "?director")
BORN = Constraint("?director", "place of birth", "?place")
NOBODY = Constraint("Tarnow Bay", "mayor", "?mayor")


@pytest.fixture(scope="module")
def reply(small_file: Path) -> Reply:
    return answer(small_file, QUESTION)


def grounded(kb: KnowledgeBase, *constraints: Constraint) -> Workspace:
    plan = Plan(constraints, "?place")
    workspace = Workspace(QUESTION, plan)
    workspace.add_constraints(plan, retrieve_by_constraints(kb, QUESTION, plan))
    return workspace


def test_a_hop_keeps_what_was_planned_and_what_its_unknown_became(reply: Reply) -> None:
    first, second = reply.chains[0].links
    assert first.planned == ("The Glass Harbour", "director", first.unknown)
    assert (first.unknown.startswith("?"), first.value) == (True, "Irena Valdis")
    assert second.planned == (first.unknown, "place of birth", second.unknown)
    assert second.value == "Tarnow Bay"


def test_a_fact_that_reads_the_other_way_round_still_binds_its_unknown(small: KnowledgeBase) -> None:
    workspace = grounded(small, Constraint("?director", "directed", "The Glass Harbour"))
    ((link,),) = [chain.links for chain in chains(workspace, ())]
    assert (link.state, link.unknown, link.value) == ("resolved", "?director", "Irena Valdis")
    assert link.planned == ("?director", "directed", "The Glass Harbour")
    assert (link.head, link.tail) == ("The Glass Harbour", "Irena Valdis")


def test_an_open_hop_names_its_unknown_and_the_nearest_passages(small: KnowledgeBase) -> None:
    workspace = grounded(small, DIRECTOR, BORN, NOBODY)
    tarnow = next(one for one in small.document_passages("tarnow"))
    workspace.recovered[2] = (Hit(tarnow, 1.0), Hit(tarnow, 0.5))
    link = chains(workspace, ())[-1].links[-1]
    assert (link.state, link.unknown, link.value, link.nearest) == ("unresolved", "?mayor", "", (tarnow.id,))
    workspace.hops = (Hop(DIRECTOR, "Irena Valdis", 1, "s", 1.0), Hop(NOBODY, "", None, "", 0.0))
    assert chains(workspace, ())[-1].links[-1].nearest == (tarnow.id,)


def test_other_values_are_rivals(small: KnowledgeBase) -> None:
    workspace = grounded(small, Constraint("Irena Valdis", "", "?x"))
    link = chains(workspace, ())[0].links[0]
    state = workspace.states[0]
    others = [one.other_name for one in state.triples if name_key(one.other_name) != name_key(link.value)]
    assert link.rivals == tuple(dict.fromkeys(others))[:3]
    assert link.rivals


def test_the_trace_has_facts_around_the_thread_that_are_not_in_it(reply: Reply) -> None:
    facts = reply.trace.facts
    thread = {name_key(term) for link in reply.chains[0].links for term in (link.head, link.tail)}
    pairs = {frozenset((name_key(link.head), name_key(link.tail))) for link in reply.chains[0].links}
    assert 0 < len(facts) <= FACTS
    assert all(thread & {name_key(fact.head), name_key(fact.tail)} for fact in facts)
    assert all(frozenset((name_key(fact.head), name_key(fact.tail))) not in pairs for fact in facts)
    assert all(0 <= fact.rank <= len(reply.passages) for fact in facts)
    assert any("Oskar Valdis" in (fact.head, fact.tail) for fact in facts)


def test_a_hub_leaves_room_for_others(small: KnowledgeBase) -> None:
    chain = Chain((Link("Irena Valdis", "x", "Karsk"),))
    trace = trace_of(small, Workspace(QUESTION), [chain], [one.id for one in small.passages(range(0))])
    assert trace.facts == ()
    every = [passage.id for key in ("valdis", "oskar", "karsk") for passage in small.document_passages(key)]
    facts = trace_of(small, Workspace(QUESTION), [chain], every).facts
    assert 0 < sum("Irena Valdis" in (fact.head, fact.tail) for fact in facts) <= AT_ONE


def test_without_a_thread_the_facts_are_around_the_first_passages(small: KnowledgeBase) -> None:
    ids = [passage.id for passage in small.document_passages("oskar")]
    facts = trace_of(small, Workspace(QUESTION), (), ids).facts
    assert facts
    assert all("Oskar Valdis" in (fact.head, fact.tail) for fact in facts)


def test_each_passage_tells_at_what_place_which_tool_found_it(reply: Reply) -> None:
    assert all(len(passage.ranks) == len(passage.sources) for passage in reply.passages)
    assert any(1 in passage.ranks for passage in reply.passages)
    assert all(tool.summary and not tool.failed for tool in reply.tools)


def test_paths_that_were_pruned_and_brought_back_are_told(small: KnowledgeBase) -> None:
    workspace = Workspace(QUESTION, paths=search_paths(small, QUESTION))
    assert workspace.paths is not None
    trace = trace_of(small, workspace, (), ())
    assert trace.paths
    assert trace.revived == ()
    assert trace.kept + trace.pruned >= len(workspace.paths.visited)
    result = resurrect_paths(small, QUESTION, workspace.paths)
    workspace.revived = result.resurrected
    assert len(trace_of(small, workspace, (), ()).revived) == min(len(result.resurrected), 3)


def test_groups_and_graphs_are_lines_of_bounded_length(small: KnowledgeBase) -> None:
    groups = group_anchors(small, QUESTION).groups
    graphs = expand_bubbles(small, QUESTION, groups or None).graphs
    trace = trace_of(small, Workspace(QUESTION, groups=groups, graphs=graphs), (), ())
    assert len(trace.groups) == min(len(groups), 3)
    assert len(trace.graphs) == min(len([graph for graph in graphs if graph.facts]), 3)
    assert all(len(line) <= LINE for line in (*trace.groups, *trace.graphs))


def test_a_trace_is_a_small_part_of_what_is_kept(reply: Reply) -> None:
    def size(one: Reply) -> int:
        return len(json.dumps(one.to_record(), ensure_ascii=False).encode())

    bare = replace(reply, trace=replace(reply.trace, facts=(), groups=(), graphs=(), paths=(), revived=()))
    assert size(reply) - size(bare) < 4_000
    assert Reply.from_json(json.loads(json.dumps(reply.to_record()))) == reply
