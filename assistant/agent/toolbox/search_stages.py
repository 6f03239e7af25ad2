"""The stages of a search: what each finds goes into the Workspace. They are tools of the agent one by one, and
find_evidence runs them as the offline policy does (assistant/agent/toolbox/searching.py).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from pydantic_ai import ModelRetry

from assistant.agent.deps import Deps
from assistant.agent.offline.policy import RANKED
from assistant.agent.toolbox.findings import summarised
from assistant.agent.workspace import Evidence, Workspace
from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_recovery import recover_constraints
from tools.constraint_retrieval import ConstraintResult, retrieve_by_constraints
from tools.edge_scoring import walk_scored_edges
from tools.evidence.evidence_walk import FIRST, evidence_walk
from tools.judgements.judge import Judge
from tools.path_resurrection import resurrect_paths
from tools.path_search import search_paths
from tools.planning.plan import Constraint, Plan
from tools.search.passage_search import search_passages
from tools.types import Hit

RECOVERED = 5
"""Passages of a step left open by the graph, as textual_recovery finds them by default."""


OF_EACH = 1
"""Passages of each search of a language model's own that come right behind the first. Of 19 questions of MuSiQue with
plans as recorded, and one search each for a step, recall@10 is 94.7 with none, 92.1 to 97.4 with one, 89.5 to 94.7
with three.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """The passages that a stage found, in its order, and what came of it in a few words for people."""

    found: tuple[Evidence, ...]
    summary: str


async def resolve(deps: Deps, constraints: tuple[Constraint, ...], target: str = "") -> Finding:
    """Constraint retrieval: the plan grounded in the graph."""
    return await resolve_plan(deps, deps.workspace.planned(constraints, target))


async def resolve_plan(deps: Deps, plan: Plan) -> Finding:
    """As `resolve`, with all that is known of the plan."""
    workspace = deps.workspace
    result = await deps.call(retrieve_by_constraints, question=workspace.standalone, plan=plan)
    found = workspace.add_constraints(plan, result)
    return Finding(found, f"{resolved_count(workspace)}, {summarised(found)}")


async def recover(deps: Deps, constraint: int = 0, k: int = RECOVERED) -> Finding:
    """Textual recovery for the constraint of this number, or for all; those left open are noted in the Workspace.

    Raises ModelRetry where there is no plan, or no such constraint.
    """
    workspace = deps.workspace
    if not workspace.states:
        raise ModelRetry(
            "There is no plan so far. Call constraint_retrieval first, or find_evidence, with the question's steps."
        )
    if constraint > len(workspace.states):
        raise ModelRetry(f"There is no constraint {constraint}: the plan resolved so far has {len(workspace.states)}.")
    result = ConstraintResult(workspace.states, workspace.bindings, tuple(workspace.lists["constraint_retrieval"]))
    recovered = await deps.call(recover_constraints, workspace.standalone, result)
    workspace.blocks = recovered.blocks
    left_open = [place for place, state in enumerate(workspace.states) if state.status == "unresolved"]
    for place in [constraint - 1] if constraint else left_open:
        workspace.recovered[place] = recovered.blocks[place].hits[:k]
    # All constraints together are one ranking, with the passages of the resolved ones in their place.
    found = workspace.rank(
        "textual_recovery", recovered.blocks[constraint - 1].hits[:k] if constraint else recovered.hits
    )
    return Finding(found, summarised(found))


async def walk_edges(deps: Deps, k: int = 10, judge: Judge | None = None) -> Finding:
    """Edge scoring, with the judgements of `judge`, by default the offline ones."""
    result = await deps.call(walk_scored_edges, deps.workspace.standalone, k=k, judge=judge)
    found = deps.workspace.add_hits("edge_scoring", result.hits)
    return Finding(found, f"from {len(result.seeds)} seeds, {summarised(found)}")


async def find_paths(deps: Deps, seeds: tuple[str, ...] = ()) -> Finding:
    """Path search from these names, or from those in the question."""
    workspace = deps.workspace
    workspace.paths = result = await deps.call(search_paths, workspace.standalone, seeds)
    found = workspace.add_hits("path_search", result.hits)
    return Finding(found, f"{len(result.paths)} paths, {summarised(found)}")


async def resurrect(deps: Deps) -> Finding:
    """Path resurrection from the paths found before."""
    workspace = deps.workspace
    result = await deps.call(resurrect_paths, workspace.standalone, workspace.paths)
    workspace.revived = result.resurrected
    found = workspace.add_hits("path_resurrection", result.hits)
    return Finding(found, f"{len(result.resurrected)} paths brought back, {summarised(found)}")


async def search(deps: Deps, query: str, k: int = 10) -> Finding:
    """Plain search for passages."""
    deps.workspace.searched.append(query)
    found = deps.workspace.add_hits("passage_search", await deps.call(search_passages, query=query, k=k))
    return Finding(found, summarised(found))


async def rank(deps: Deps, k: int = 10) -> Finding:
    """The evidence walk: everything found by now in one ranking."""
    found = await deps.call(_ranked, deps.workspace, k)
    return Finding(found, summarised(found))


async def rank_all(deps: Deps) -> Finding:
    """As `rank`, with what a language model looked for in its own words."""
    found = await deps.call(_ranked_with_asked, deps.workspace)
    return Finding(found, summarised(found))


def rank_again(kb: KnowledgeBase, workspace: Workspace) -> None:
    """Give what has been found since the latest ranking its place in it."""
    if workspace.unranked and workspace.evidence:
        _ranked_with_asked(kb, workspace)


def _ranked(kb: KnowledgeBase, workspace: Workspace, k: int) -> tuple[Evidence, ...]:
    hits = evidence_walk(kb, workspace.standalone, workspace.plan, workspace.ranked_ids(), k=k)
    return workspace.rank("evidence_walk", hits)


def _ranked_with_asked(kb: KnowledgeBase, workspace: Workspace) -> tuple[Evidence, ...]:
    """The walk, which knows the question and the plan, goes first; behind the passages that it is surest of comes what
    was asked for since, which it cannot know.
    """
    hits = evidence_walk(kb, workspace.standalone, workspace.plan, workspace.ranked_ids(), k=RANKED)
    first = hits[:FIRST]
    placed = {hit.passage.id for hit in first}
    score = first[-1].score if first else 1.0
    wanted: dict[int, Hit] = {}
    for found in workspace.asked_for:
        fresh = [hit for hit in found if hit.passage.id not in placed][:OF_EACH]
        wanted |= {hit.passage.id: Hit(hit.passage, score, "found by what was asked for") for hit in fresh}
    rest = [hit for hit in hits[FIRST:] if hit.passage.id not in wanted]
    return workspace.rank("evidence_walk", [*first, *wanted.values(), *rest])


STAGES: Mapping[str, Callable[..., Awaitable[Finding]]] = {
    "constraint_retrieval": resolve,
    "textual_recovery": recover,
    "edge_scoring": walk_edges,
    "path_search": find_paths,
    "path_resurrection": resurrect,
    "passage_search": search,
    "evidence_walk": rank,
}
"""By the names that the offline policy calls them by, with the arguments that it gives."""


def resolved_count(workspace: Workspace) -> str:
    """How many constraints the graph resolves, for people."""
    resolved = sum(state.status == "resolved" for state in workspace.states)
    return f"{resolved} of {len(workspace.states)} constraints resolved"
