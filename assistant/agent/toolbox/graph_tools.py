"""The techniques over the graph of facts as the agent's tools, each handing the next one what it found."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_ai import ToolReturn

from assistant.agent.toolbox.findings import render_lines, summarised
from assistant.agent.toolbox.text_tools import SEARCHED, Context, Count, rendered
from assistant.agent.workspace import Evidence
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorGroup, group_anchors
from tools.bubble_expansion import BubbleParams, EvidenceGraph, expand_bubbles
from tools.edge_scoring import walk_scored_edges
from tools.evidence_chains import build_chains
from tools.evidence_expansion import ExpansionParams, expand_evidence
from tools.judgements.judge import Concept
from tools.path_resurrection import resurrect_paths
from tools.path_search import path_texts, search_paths
from tools.triple_scoring.triple_scorer import rank_triples

SHOWN = 6
"""Groups, graphs, paths and chains that are put into words for the model: what comes after adds little."""

NAMES = 4
"""Anchors of a group, and facts of a graph, that are shown."""


async def anchor_grouping(ctx: Context, concepts: tuple[Concept, ...] = ()) -> ToolReturn:
    """Find what the question's concepts may mean here; then bubble_expansion.

    Args:
        concepts: What the evidence must speak of, weights summing to 1; none to have them found.
    """
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(group_anchors, workspace.standalone, concepts or None, judge=ctx.deps.judge)
    workspace.groups = result.groups
    lines = await ctx.deps.call(_group_lines, result.groups[:SHOWN])
    told = "the passages first found may answer already" if result.answered else f"{len(result.groups)} groups"
    return await _told(ctx, lines, workspace.add_hits("anchor_grouping", result.hits), told)


async def bubble_expansion(ctx: Context, alpha: Annotated[float, Field(ge=0, le=10)] = 1.0) -> ToolReturn:
    """Find small graphs of facts in which the concepts meet; then evidence_expansion.

    `alpha` is how much a lacking concept counts against a graph: more where all are needed, 0 where any will do.
    """
    workspace = ctx.deps.workspace
    params = BubbleParams(alpha=alpha)
    result = await ctx.deps.call(
        expand_bubbles, workspace.standalone, workspace.groups or None, params=params, judge=ctx.deps.judge
    )
    workspace.groups, workspace.graphs = result.groups, result.graphs
    lines = await ctx.deps.call(_graph_lines, result.graphs[:SHOWN])
    return await _told(ctx, lines, workspace.add_hits("bubble_expansion", result.hits), f"{len(result.graphs)} graphs")


async def evidence_expansion(ctx: Context, hops: Annotated[int, Field(ge=1, le=6)] = 6) -> ToolReturn:
    """Grow these graphs, up to `hops` hops, towards what is still lacking."""
    workspace = ctx.deps.workspace
    params = ExpansionParams(depth=hops)
    result = await ctx.deps.call(
        expand_evidence, workspace.standalone, workspace.graphs or None, params=params, judge=ctx.deps.judge
    )
    workspace.graphs = result.graphs
    lines = await ctx.deps.call(_graph_lines, result.graphs[:SHOWN])
    return await _told(
        ctx, lines, workspace.add_hits("evidence_expansion", result.hits), f"{len(result.graphs)} graphs"
    )


async def edge_scoring(ctx: Context, k: Count = 10) -> ToolReturn:
    """Walk from the question's facts to a step whose name is unknown: for a missing middle."""
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(walk_scored_edges, workspace.standalone, k=k, judge=ctx.deps.judge)
    return await _told(ctx, [], workspace.add_hits("edge_scoring", result.hits), f"from {len(result.seeds)} seeds")


async def path_search(ctx: Context, seeds: tuple[str, ...] = ()) -> ToolReturn:
    """Find paths of facts from names towards the question; then path_resurrection.

    Args:
        seeds: The names; none for those in the question.
    """
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(search_paths, workspace.standalone, seeds)
    workspace.paths = result
    lines = await ctx.deps.call(path_texts, result.paths[:SHOWN])
    return await _told(ctx, lines, workspace.add_hits("path_search", result.hits), f"{len(result.paths)} paths")


async def path_resurrection(ctx: Context) -> ToolReturn:
    """Bring back the dropped paths that passages support."""
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(resurrect_paths, workspace.standalone, workspace.paths)
    lines = await ctx.deps.call(path_texts, result.resurrected[:SHOWN])
    told = f"{len(result.resurrected)} paths brought back"
    return await _told(ctx, lines, workspace.add_hits("path_resurrection", result.hits), told)


async def triple_scorer(ctx: Context, k: Count = 15) -> ToolReturn:
    """List the facts nearest to the question; then evidence_chains."""
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(rank_triples, workspace.standalone, k=k)
    workspace.facts = tuple(scored.triple for scored in result.triples)
    workspace.add_triples(workspace.facts)
    found = workspace.add_hits("triple_scorer", result.hits)
    return await _told(ctx, [fact.text() for fact in workspace.facts], found, f"{len(workspace.facts)} facts")


async def evidence_chains(ctx: Context) -> ToolReturn:
    """Order these facts into chains."""
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(build_chains, workspace.standalone, workspace.facts or None)
    lines = [chain.text() for chain in result.chains[:SHOWN]]
    return await _told(ctx, lines, workspace.add_hits("evidence_chains", result.hits), f"{len(result.chains)} chains")


GRAPH_TOOLS = (
    edge_scoring,
    anchor_grouping,
    bubble_expansion,
    evidence_expansion,
    path_search,
    path_resurrection,
    triple_scorer,
    evidence_chains,
)


async def _told(ctx: Context, lines: list[str], found: tuple[Evidence, ...], summary: str) -> ToolReturn:
    text = render_lines(lines) + await rendered(ctx, found, limit=SEARCHED)
    return ToolReturn(text, metadata=f"{summary}, {summarised(found)}")


def _group_lines(kb: KnowledgeBase, groups: tuple[AnchorGroup, ...]) -> list[str]:
    lines = []
    for group in groups:
        names = [one.name for one in kb.entities(list(group.entities)[:NAMES])]
        facts = _texts(kb.triples(list(group.facts)[: max(NAMES - len(names), 1)]))
        lines.append(f"{' / '.join(group.concepts)} ({group.weight:.2f}): {'; '.join([*names, *facts]) or 'nothing'}")
    return lines


def _graph_lines(kb: KnowledgeBase, graphs: tuple[EvidenceGraph, ...]) -> list[str]:
    return ["; ".join(_texts(kb.triples(graph.facts[:NAMES]))) for graph in graphs if graph.facts]


def _texts(triples: list[Triple]) -> list[str]:
    return [triple.text() for triple in triples]
