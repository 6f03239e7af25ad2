"""The stages of a search as tools of the agent: the offline policy calls them one by one. A language model is offered
find_evidence, which goes through them all, and may call any.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_ai import ToolReturn

from assistant.agent.rewording import understand
from assistant.agent.toolbox import search_stages as stages
from assistant.agent.toolbox.findings import render_constraints, render_lines
from assistant.agent.toolbox.text_tools import SEARCHED, Context, Count, rendered
from tools.path_search import path_texts
from tools.planning.plan import Constraint

SHOWN = 6
"""Paths that are put into words: what comes after adds little."""


async def constraint_retrieval(
    ctx: Context, constraints: tuple[Constraint, ...], target: str = "", question: str = ""
) -> ToolReturn:
    """Resolve steps in the facts alone.

    Args:
        constraints: The steps, unknowns as ?name.
        target: The unknown that is asked for; empty for a comparison.
    """
    workspace = ctx.deps.workspace
    understand(workspace, ctx.messages, question)
    finding = await stages.resolve(ctx.deps, constraints, target)
    return ToolReturn(
        f"{render_constraints(workspace)}\n{await rendered(ctx, finding.found)}", metadata=finding.summary
    )


async def textual_recovery(ctx: Context, constraint: Annotated[int, Field(ge=0)] = 0, k: Count = 5) -> ToolReturn:
    """Look in the text for one step of the plan.

    Args:
        constraint: Its number, from 1; 0 for all that are open.
    """
    finding = await stages.recover(ctx.deps, constraint, k)
    return ToolReturn(await rendered(ctx, finding.found), metadata=finding.summary)


async def evidence_walk(ctx: Context, question: str = "", k: Count = 10) -> ToolReturn:
    """Rank again all that was found, and what is linked to it."""
    understand(ctx.deps.workspace, ctx.messages, question)
    finding = await stages.rank(ctx.deps, k)
    return ToolReturn(await rendered(ctx, finding.found), metadata=finding.summary)


async def edge_scoring(ctx: Context, k: Count = 10) -> ToolReturn:
    """Walk along scored facts."""
    finding = await stages.walk_edges(ctx.deps, k, ctx.deps.judge)
    return ToolReturn(await rendered(ctx, finding.found, limit=SEARCHED), metadata=finding.summary)


async def path_search(ctx: Context, seeds: tuple[str, ...] = ()) -> ToolReturn:
    """Find paths of facts from names towards the question.

    Args:
        seeds: The names; none for those in the question.
    """
    finding = await stages.find_paths(ctx.deps, seeds)
    assert ctx.deps.workspace.paths is not None
    lines = render_lines(await ctx.deps.call(path_texts, ctx.deps.workspace.paths.paths[:SHOWN]))
    return ToolReturn(lines + await rendered(ctx, finding.found, limit=SEARCHED), metadata=finding.summary)


async def path_resurrection(ctx: Context) -> ToolReturn:
    """Bring back the dropped paths that passages support."""
    finding = await stages.resurrect(ctx.deps)
    return ToolReturn(await rendered(ctx, finding.found, limit=SEARCHED), metadata=finding.summary)


STAGE_TOOLS = (
    constraint_retrieval,
    textual_recovery,
    edge_scoring,
    path_search,
    path_resurrection,
    evidence_walk,
)
