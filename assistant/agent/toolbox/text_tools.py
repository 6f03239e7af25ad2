"""The tools of the agent that look at text, entities and constraints, each thinly wrapped."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext, ToolReturn
from pydantic_ai.messages import ModelMessage

from assistant.agent.deps import CHARACTERS_OF_TOKEN, Deps, context_left
from assistant.agent.offline.extracted_answer import extract
from assistant.agent.toolbox.excerpts import focus_of, weigh_sentences
from assistant.agent.toolbox.findings import (
    RESULT_CHARACTERS,
    attribute,
    fenced,
    render_constraints,
    render_entities,
    render_evidence,
    render_steps,
    render_triples,
    summarised,
)
from assistant.agent.toolbox.steps import Steps, plan_of
from assistant.agent.workspace import Evidence, Workspace
from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_recovery import RecoveryResult, recover_constraints
from tools.constraint_retrieval import ConstraintResult, retrieve_by_constraints
from tools.evidence.evidence_walk import evidence_walk as walk_evidence
from tools.graph_walk import graph_walk as walk_graph
from tools.planning.plan import Constraint, Plan
from tools.reading.answering import Hop
from tools.search.entity_lookup import look_up_entity
from tools.search.neighbours import neighbours as facts_of
from tools.search.passage_search import search_passages
from tools.search.read_passage import read_passage as passage_of
from tools.types import Hit

Count = Annotated[int, Field(ge=1, le=30)]
Context = RunContext[Deps]

RENDERED_PASSAGES = 10
"""Passages of a call that are rendered for the model: below, their share that a question needs is small."""

RECOVERED = 5
"""Passages of a step left open by the graph, as textual_recovery finds them by default."""

SEARCHED = 1_200
"""Characters of passages in the answer to a search for one thing: the first few."""

NEAREST = 5
"""Names told to a model that asked for one which is not known."""

LEAST_CHARACTERS = 600
"""Of a tool's answer where the model's context is full: one passage."""


async def find_evidence(ctx: Context, steps: Steps, question: str = "") -> ToolReturn:
    """Find the passages for all steps of the question. Call this first.

    Args:
        steps: Each "subject | relation | object", unknowns as ?name.
        question: Only for a follow-up: the whole question in words that stand on their own.
    """
    workspace = ctx.deps.workspace
    workspace.standalone = question or workspace.standalone
    await _resolve(ctx, plan_of(workspace.standalone, steps, workspace.plan))
    recovered = await _recover(ctx)
    workspace.rank("textual_recovery", recovered.hits)
    found = await _ranked(ctx, RENDERED_PASSAGES)
    read = await ctx.deps.call(extract, workspace)
    text = await rendered(ctx, found, hops=read.hops)
    return ToolReturn(
        f"{render_steps(workspace, read.hops)}\n{text}", metadata=f"{_count(workspace)}, {summarised(found)}"
    )


async def passage_search(ctx: Context, query: str, k: Count = 10) -> ToolReturn:
    """Find passages that say something: for one step, with the names found."""
    hits = await ctx.deps.call(search_passages, query=query, k=k)
    return await _passages(ctx, ctx.deps.workspace.add_hits("passage_search", hits), query, limit=SEARCHED)


async def evidence_walk(ctx: Context, question: str = "", k: Count = 10) -> ToolReturn:
    """Rank again all that was found, and what is linked to it; also for a question that has no steps.

    Without `question` it is the one asked; an offline model takes more than ten by `k`.
    """
    workspace = ctx.deps.workspace
    workspace.standalone = question or workspace.standalone
    return await _passages(ctx, await _ranked(ctx, k))


async def graph_walk(ctx: Context, question: str, seeds: tuple[str, ...] = (), k: Count = 10) -> ToolReturn:
    """Find passages several hops away, by a random walk over the facts.

    Args:
        question: The whole question.
        seeds: Names found so far to start from.
    """
    hits = await ctx.deps.call(walk_graph, question=question, seeds=seeds, k=k)
    return await _passages(ctx, ctx.deps.workspace.add_hits("graph_walk", hits), question)


async def constraint_retrieval(
    ctx: Context, constraints: tuple[Constraint, ...], target: str = "", question: str = ""
) -> ToolReturn:
    """Resolve steps in the facts alone, as the first part of find_evidence does.

    Args:
        constraints: The steps, unknowns as ?name.
        target: The unknown that is asked for; empty for a comparison.
    """
    workspace = ctx.deps.workspace
    workspace.standalone = question or workspace.standalone
    found = await _resolve(ctx, workspace.planned(constraints, target))
    text = f"{render_constraints(workspace)}\n{await rendered(ctx, found)}"
    return ToolReturn(text, metadata=f"{_count(workspace)}, {summarised(found)}")


async def textual_recovery(ctx: Context, constraint: Annotated[int, Field(ge=0)] = 0, k: Count = 5) -> ToolReturn:
    """Look in the text for one step of the plan.

    Args:
        constraint: Its number, from 1; 0 for all that are open.
    """
    workspace = ctx.deps.workspace
    if not workspace.states:
        raise ModelRetry(
            "There is no plan so far. Call constraint_retrieval first, or find_evidence, with the question's steps."
        )
    if constraint > len(workspace.states):
        raise ModelRetry(f"There is no constraint {constraint}: the plan resolved so far has {len(workspace.states)}.")
    recovered = await _recover(ctx, constraint, k)
    # All constraints together are one ranking, with the passages of the resolved ones in their place.
    found = recovered.blocks[constraint - 1].hits[:k] if constraint else recovered.hits
    return await _passages(ctx, workspace.rank("textual_recovery", found))


async def entity_lookup(ctx: Context, mention: str, k: Count = 5) -> ToolReturn:
    """Find what a name may mean here, and how it is spelled.

    Args:
        mention: The name.
    """
    matches = await ctx.deps.call(look_up_entity, mention=mention, k=k)
    return ToolReturn(render_entities(matches), metadata="; ".join(match.entity.name for match in matches) or "none")


async def neighbours(ctx: Context, entity: str, query: str = "", k: Count = 15) -> ToolReturn:
    """List facts of an entity, each with its passage.

    Args:
        entity: Its name.
        query: What of it is wanted.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    triples = await deps.call(facts_of, entity=entity, query=query, k=k)
    passages = await deps.call(_passages_in_order, tuple(dict.fromkeys(triple.passage for triple in triples)))
    workspace.add_triples(triples)
    workspace.add_hits("neighbours", passages)
    if not triples:
        return ToolReturn(await ctx.deps.call(_unknown_entity, entity), metadata="no facts")
    return ToolReturn(render_triples(triples, workspace), metadata=f"{len(triples)} facts")


async def read_passage(ctx: Context, number: int) -> ToolReturn:
    """Read all of a passage."""
    evidence = ctx.deps.workspace.cited(number)
    if evidence is None:
        raise ModelRetry(_no_passage(number, len(ctx.deps.workspace.evidence)))
    passage = await ctx.deps.call(passage_of, evidence.passage.id)
    ctx.deps.shown.add(number)
    return ToolReturn(fenced(number, passage), metadata=passage.title)


TEXT_TOOLS = (
    find_evidence,
    constraint_retrieval,
    textual_recovery,
    evidence_walk,
    graph_walk,
    passage_search,
    entity_lookup,
    neighbours,
    read_passage,
)


async def rendered(
    ctx: Context, found: tuple[Evidence, ...], *asked: str, hops: tuple[Hop, ...] = (), limit: int = RESULT_CHARACTERS
) -> str:
    """The first of the passages found for the model, as far as there is room: the sentences near to what is `asked`,
    by default the question and its steps.
    """
    deps, shown = ctx.deps, found[:RENDERED_PASSAGES]
    focus = focus_of(deps.workspace, asked, hops)
    sentences = await deps.call(weigh_sentences, focus, [item.passage for item in shown])
    return render_evidence(shown, sentences, deps.shown, deps.seen, min(limit, room(ctx.messages, deps.context_window)))


def room(messages: list[ModelMessage], context_window: int) -> int:
    """Characters that a tool's answer may have so that as much again, and an answer, fit the context after it."""
    return max(LEAST_CHARACTERS, context_left(messages, context_window) * CHARACTERS_OF_TOKEN // 2)


async def _passages(
    ctx: Context, found: tuple[Evidence, ...], *asked: str, limit: int = RESULT_CHARACTERS
) -> ToolReturn:
    return ToolReturn(await rendered(ctx, found, *asked, limit=limit), metadata=summarised(found))


async def _resolve(ctx: Context, plan: Plan) -> tuple[Evidence, ...]:
    workspace = ctx.deps.workspace
    result = await ctx.deps.call(retrieve_by_constraints, question=workspace.standalone, plan=plan)
    return workspace.add_constraints(plan, result)


async def _recover(ctx: Context, constraint: int = 0, k: int = RECOVERED) -> RecoveryResult:
    """The text searched for the constraint of this number, or for all; those left open are noted in the Workspace."""
    workspace = ctx.deps.workspace
    result = ConstraintResult(workspace.states, workspace.bindings, tuple(workspace.lists["constraint_retrieval"]))
    recovered = await ctx.deps.call(recover_constraints, workspace.standalone, result)
    left_open = [place for place, state in enumerate(workspace.states) if state.status == "unresolved"]
    for place in [constraint - 1] if constraint else left_open:
        workspace.recovered[place] = recovered.blocks[place].hits[:k]
    return recovered


async def _ranked(ctx: Context, k: int) -> tuple[Evidence, ...]:
    workspace = ctx.deps.workspace
    lists = workspace.ranked_ids()
    hits = await ctx.deps.call(walk_evidence, workspace.standalone, workspace.plan, lists, k=k)
    return workspace.rank("evidence_walk", hits)


def _count(workspace: Workspace) -> str:
    resolved = sum(state.status == "resolved" for state in workspace.states)
    return f"{resolved} of {len(workspace.states)} constraints resolved"


def _no_passage(number: int, count: int) -> str:
    known = f"give one from 1 to {count}" if count else "none has been found so far, call find_evidence first"
    return f"There is no passage [{number}]: {known}."


def _unknown_entity(kb: KnowledgeBase, name: str) -> str:
    """What the model is told of a name without facts: the names that come nearest."""
    near = [entity.name for entity in kb.entities([one for one, _ in kb.search_entities(kb.embed([name])[0], NEAREST)])]
    told = f" The nearest names are: {'; '.join(near)}." if near else ""
    return attribute(f"No facts about {name!r}.{told}", 400) + " Try one of them, or passage_search."


def _passages_in_order(kb: KnowledgeBase, ids: tuple[int, ...]) -> list[Hit]:
    return [Hit(passage, 1 / rank) for rank, passage in enumerate(kb.passages(ids), 1)]
