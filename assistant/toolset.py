"""The tools of the agent that look at text, entities and constraints, each thinly wrapped."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext, ToolReturn

from assistant.deps import Deps
from assistant.evidence import fenced, render_constraints, render_entities, render_evidence, render_triples, summarised
from assistant.workspace import Evidence
from kb.store import KnowledgeBase
from tools.constraint_recovery import recover_constraints
from tools.constraint_retrieval import ConstraintResult, retrieve_by_constraints
from tools.entity_lookup import look_up_entity
from tools.evidence_walk import evidence_walk as walk_evidence
from tools.graph_walk import graph_walk as walk_graph
from tools.neighbours import neighbours as facts_of
from tools.passage_search import search_passages
from tools.plan import Constraint
from tools.read_passage import read_passage as passage_of
from tools.types import Hit

Count = Annotated[int, Field(ge=1, le=30)]
Context = RunContext[Deps]

RENDERED_PASSAGES = 10
"""Passages of a resolved plan that are rendered for the model: below, their share that a question needs is small."""


async def passage_search(ctx: Context, query: str, k: Count = 10) -> ToolReturn:
    """Find passages by meaning and by words together.

    Args:
        query: What the passage says, as a phrase or a question; names of things help.
        k: How many passages at most.
    """
    hits = await ctx.deps.call(search_passages, query=query, k=k)
    return _passages(ctx, ctx.deps.workspace.add_hits("passage_search", hits))


async def evidence_walk(ctx: Context, question: str = "", k: Count = 10) -> ToolReturn:
    """Rank the passages that together are most likely the question's evidence, from all that was found and its links.

    Args:
        question: The question in words that stand on their own, where it refers to an earlier one; else empty.
        k: How many passages at most.
    """
    workspace = ctx.deps.workspace
    workspace.standalone = question or workspace.standalone
    lists = workspace.ranked_ids()
    hits = await ctx.deps.call(walk_evidence, workspace.standalone, workspace.plan, lists, k=k)
    return _passages(ctx, workspace.rank("evidence_walk", hits))


async def graph_walk(ctx: Context, question: str, seeds: tuple[str, ...] = (), k: Count = 10) -> ToolReturn:
    """Find passages that hang together with the question over several hops, by a random walk over the graph of facts.

    Args:
        question: The whole question.
        seeds: Names of entities to start from, where some are known that the question leaves out.
        k: How many passages at most.
    """
    hits = await ctx.deps.call(walk_graph, question=question, seeds=seeds, k=k)
    return _passages(ctx, ctx.deps.workspace.add_hits("graph_walk", hits))


async def constraint_retrieval(
    ctx: Context, constraints: tuple[Constraint, ...], target: str = "", question: str = ""
) -> ToolReturn:
    """Resolve a plan: facts and passages for each constraint, and whether its evidence is sufficient.

    Args:
        constraints: The question as triple patterns in the order in which they can be resolved, unknowns written ?name.
        target: The unknown that is asked for; empty for a comparison or a yes-or-no question.
        question: The question in words that stand on their own, where it refers to an earlier one; else empty.
    """
    workspace = ctx.deps.workspace
    workspace.standalone = question or workspace.standalone
    plan = workspace.planned(constraints, target)
    result = await ctx.deps.call(retrieve_by_constraints, question=workspace.standalone, plan=plan)
    found = workspace.add_constraints(plan, result)
    text = f"{render_constraints(workspace)}\n{render_evidence(found[:RENDERED_PASSAGES], ctx.deps.shown)}"
    resolved = sum(state.status == "resolved" for state in result.states)
    return ToolReturn(text, metadata=f"{resolved} of {len(result.states)} constraints resolved, {summarised(found)}")


async def textual_recovery(ctx: Context, constraint: Annotated[int, Field(ge=0)] = 0, k: Count = 5) -> ToolReturn:
    """Look in the text itself for what constraint_retrieval left unresolved, one constraint leading to the next.

    Args:
        constraint: The number in the plan of the one wanted, from 1; 0 for all that are unresolved.
        k: How many passages at most for each.
    """
    workspace = ctx.deps.workspace
    if not workspace.states:
        raise ModelRetry("No plan is resolved so far. Call constraint_retrieval first.")
    if constraint > len(workspace.states):
        raise ModelRetry(f"There is no constraint {constraint}: the plan resolved so far has {len(workspace.states)}.")
    result = ConstraintResult(workspace.states, workspace.bindings, tuple(workspace.lists["constraint_retrieval"]))
    recovered = await ctx.deps.call(recover_constraints, workspace.standalone, result)
    left_open = [place for place, state in enumerate(workspace.states) if state.status == "unresolved"]
    for place in [constraint - 1] if constraint else left_open:
        workspace.recovered[place] = recovered.blocks[place].hits[:k]
    # All constraints together are one ranking, with the passages of the resolved ones in their place.
    found = recovered.blocks[constraint - 1].hits[:k] if constraint else recovered.hits
    return _passages(ctx, workspace.rank("textual_recovery", found))


async def entity_lookup(ctx: Context, mention: str, k: Count = 5) -> ToolReturn:
    """Find which entities of the knowledge base a name may mean.

    Args:
        mention: The name, as written in the question or a passage.
        k: How many entities at most.
    """
    matches = await ctx.deps.call(look_up_entity, mention=mention, k=k)
    return ToolReturn(render_entities(matches), metadata="; ".join(match.entity.name for match in matches) or "none")


async def neighbours(ctx: Context, entity: str, query: str = "", k: Count = 15) -> ToolReturn:
    """List the facts around an entity, those closest to the query first.

    Args:
        entity: The entity's name, as entity_lookup gives it.
        query: What about the entity is of interest; empty for everything.
        k: How many facts at most.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    triples = await deps.call(facts_of, entity=entity, query=query, k=k)
    passages = await deps.call(_passages_in_order, tuple(dict.fromkeys(triple.passage for triple in triples)))
    workspace.add_triples(triples)
    workspace.add_hits("neighbours", passages)
    return ToolReturn(render_triples(triples, workspace), metadata=f"{len(triples)} facts")


async def read_passage(ctx: Context, number: int) -> ToolReturn:
    """Read a passage that was found, in full.

    Args:
        number: Its number, as in [3].
    """
    evidence = ctx.deps.workspace.cited(number)
    if evidence is None:
        raise ModelRetry(f"There is no passage [{number}]: {len(ctx.deps.workspace.evidence)} have been found so far.")
    passage = await ctx.deps.call(passage_of, evidence.passage.id)
    ctx.deps.shown.add(number)
    return ToolReturn(fenced(number, passage), metadata=passage.title)


TEXT_TOOLS = (
    constraint_retrieval,
    textual_recovery,
    evidence_walk,
    graph_walk,
    passage_search,
    entity_lookup,
    neighbours,
    read_passage,
)


def _passages(ctx: Context, found: tuple[Evidence, ...]) -> ToolReturn:
    return ToolReturn(render_evidence(found, ctx.deps.shown), metadata=summarised(found))


def _passages_in_order(kb: KnowledgeBase, ids: tuple[int, ...]) -> list[Hit]:
    return [Hit(passage, 1 / rank) for rank, passage in enumerate(kb.passages(ids), 1)]
