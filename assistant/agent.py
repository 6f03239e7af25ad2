"""The agent: the tools, thinly wrapped, and the typed answer they lead to."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated

import pydantic_ai
from pydantic import Field
from pydantic_ai import Agent, ModelRetry, RunContext, ToolOutput, ToolReturn
from pydantic_ai.toolsets import FunctionToolset

from assistant.answers import Found, NotFound, Output, citation_problem
from assistant.deps import Deps, RecordedToolset
from assistant.evidence import fenced, render_constraints, render_entities, render_evidence, render_triples, summarised
from assistant.streaming import ANSWER_TOOL, NOT_FOUND_TOOL
from assistant.workspace import Evidence
from kb.store import KnowledgeBase
from tools.constraint_retrieval import retrieve_by_constraints
from tools.entity_lookup import look_up_entity
from tools.evidence_walk import evidence_walk as walk_evidence
from tools.graph_walk import graph_walk as walk_graph
from tools.neighbours import neighbours as facts_of
from tools.passage_search import search_passages
from tools.plan import Constraint
from tools.read_passage import read_passage as passage_of
from tools.textual_recovery import recover_text
from tools.types import Hit

pydantic_ai.BANNER_ENABLED = False

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
    also = tuple(item.passage.id for item in workspace.evidence)
    hits = await ctx.deps.call(walk_evidence, workspace.standalone, workspace.plan, also, k=k)
    return _passages(ctx, workspace.add_hits("evidence_walk", hits))


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


async def textual_recovery(ctx: Context, constraint: int, k: Count = 5) -> ToolReturn:
    """Look in the text itself for what an unresolved constraint asks, where the graph has no fact for it.

    Args:
        constraint: The constraint's number in the plan given to constraint_retrieval, from 1.
        k: How many passages at most.
    """
    workspace = ctx.deps.workspace
    if not 1 <= constraint <= len(workspace.states):
        raise ModelRetry(f"There is no constraint {constraint}: the plan resolved so far has {len(workspace.states)}.")
    hits = await ctx.deps.call(recover_text, workspace.standalone, workspace.bound(constraint - 1), k=k)
    return _passages(ctx, workspace.add_recovered(constraint - 1, hits))


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


TOOLS = (
    constraint_retrieval,
    textual_recovery,
    evidence_walk,
    graph_walk,
    passage_search,
    entity_lookup,
    neighbours,
    read_passage,
)


@cache
def agent() -> Agent[Deps, Output]:
    """The agent, the same for every model; made once, as its schemas take a tenth of a second."""
    made: Agent[Deps, Output] = Agent(
        output_type=[ToolOutput(Found, name=ANSWER_TOOL), ToolOutput(NotFound, name=NOT_FOUND_TOOL)],
        deps_type=Deps,
        instructions=files("assistant").joinpath("instructions.md").read_text(encoding="utf-8"),
        toolsets=[RecordedToolset(FunctionToolset(TOOLS, sequential=True))],
        retries={"tools": 3, "output": 3},
    )
    made.output_validator(_checked)
    return made


def _checked(ctx: Context, output: Output) -> Output:
    if problem := citation_problem(output, ctx.deps.workspace):
        raise ModelRetry(problem)
    return output


def _passages(ctx: Context, found: tuple[Evidence, ...]) -> ToolReturn:
    return ToolReturn(render_evidence(found, ctx.deps.shown), metadata=summarised(found))


def _passages_in_order(kb: KnowledgeBase, ids: tuple[int, ...]) -> list[Hit]:
    return [Hit(passage, 1 / rank) for rank, passage in enumerate(kb.passages(ids), 1)]
