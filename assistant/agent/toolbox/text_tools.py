"""What a language model begins with, a whole search and a look for one thing, and how passages read to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext, ToolReturn
from pydantic_ai.messages import ModelMessage

from assistant.agent.deps import CHARACTERS_OF_TOKEN, Deps, context_left
from assistant.agent.offline.extracted_answer import Extracted, extract
from assistant.agent.rewording import understand
from assistant.agent.short_text import attribute
from assistant.agent.toolbox import search_stages as stages
from assistant.agent.toolbox.excerpts import focus_of, weigh_sentences
from assistant.agent.toolbox.findings import RESULT_CHARACTERS, Step, fenced, render_evidence, steps_of, summarised
from assistant.agent.toolbox.searching import search_all
from assistant.agent.toolbox.steps import Steps, plan_of
from assistant.agent.workspace import Evidence
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.reading.answering import Hop
from tools.search.read_passage import read_passage as passage_of
from tools.types import Hit

Count = Annotated[int, Field(ge=1, le=30)]
Context = RunContext[Deps]

RENDERED_PASSAGES = 10
"""Passages of a call that are rendered for the model: below, their share that a question needs is small."""

SEARCHED = 1_000
"""Characters of passages in the answer to a search for one thing: the first few."""

NEAREST = 3
"""Names told to a model in the place of one that no passage has."""

LEAST_CHARACTERS = 600
"""Of a tool's answer where the model's context is full: one passage."""


async def find_evidence(ctx: Context, steps: Steps, question: str = "") -> ToolReturn:
    """Find the passages for all steps of the question. Call this first.

    Args:
        steps: Each "subject | relation | object", unknowns as ?name.
        question: Only for a follow-up: the whole question in words that stand on their own.
    """
    workspace = ctx.deps.workspace
    understand(workspace, ctx.messages, question)
    workspace.plan = plan_of(workspace.standalone, steps, workspace.plan)
    workspace.states, workspace.blocks = (), ()
    read = await search_all(ctx.deps)
    return ToolReturn(
        await told_by_steps(ctx, read),
        metadata=f"{stages.resolved_count(workspace)}, {summarised(workspace.ranked[:RENDERED_PASSAGES])}",
    )


async def passage_search(ctx: Context, query: str, k: Count = 10) -> ToolReturn:
    """Find passages that say something: for one step, with the names found."""
    finding = await stages.search(ctx.deps, query, k)
    ctx.deps.workspace.asked_for.append(tuple(Hit(one.passage, one.score) for one in finding.found))
    return ToolReturn(await rendered(ctx, finding.found, query, limit=SEARCHED), metadata=finding.summary)


async def read_passage(ctx: Context, number: int) -> ToolReturn:
    """Read all of a passage."""
    evidence = ctx.deps.workspace.cited(number)
    if evidence is None:
        raise ModelRetry(_no_passage(number, len(ctx.deps.workspace.evidence)))
    passage = await ctx.deps.call(passage_of, evidence.passage.id)
    ctx.deps.shown.add(number)
    return ToolReturn(fenced(number, passage), metadata=passage.title)


TEXT_TOOLS = (find_evidence, passage_search, read_passage)


async def told_by_steps(ctx: Context, read: Extracted, limit: int = RESULT_CHARACTERS) -> str:
    """The steps with what was found for each, its evidence below it, and the best of the ranking besides.

    The passages that the steps are told with come first, so that there is room for what is to be cited.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    read_from = [one.triples[0].triple.passage for one in workspace.states if one.status == "resolved" and one.triples]
    read_from += [hop.passage for hop in read.hops if hop.passage is not None]
    told = [one for passage in read_from if (one := workspace.of_passage(passage))]
    found = (*told, *workspace.ranked[:RENDERED_PASSAGES], *workspace.best_of_steps())
    unknown = f"{await deps.call(_unknown_name, read.unknown)}\n" if read.unknown else ""
    steps = steps_of(workspace, read.hops)
    return unknown + await rendered(ctx, tuple(dict.fromkeys(found)), hops=read.hops, steps=steps, limit=limit)


async def told_open_steps(ctx: Context) -> str:
    """What there is by now for the steps that the graph leaves open, a line each; "" where there is no such step."""
    deps, workspace = ctx.deps, ctx.deps.workspace
    if not workspace.states:
        return ""
    read = await deps.call(extract, workspace)
    pairs = zip(workspace.states, steps_of(workspace, read.hops), strict=True)
    return "".join(f"{step.text}\n" for state, step in pairs if state.status == "unresolved")


async def rendered(
    ctx: Context,
    found: Sequence[Evidence],
    *asked: str,
    hops: tuple[Hop, ...] = (),
    facts: Sequence[Triple] = (),
    steps: Sequence[Step] = (),
    limit: int = RESULT_CHARACTERS,
) -> str:
    """The first of the passages found for the model, as far as there is room: the sentences near to what is `asked`,
    by default the question and its steps, and those that the hops and the facts rest on.
    """
    deps, shown = ctx.deps, found[: RENDERED_PASSAGES + len(steps)]
    focus = focus_of(deps.workspace, asked, hops, facts)
    sentences = await deps.call(weigh_sentences, focus, [item.passage for item in shown])
    most = min(limit, room(ctx.messages, deps.context_window))
    return render_evidence(shown, sentences, deps.shown, deps.seen, most, steps)


def room(messages: list[ModelMessage], context_window: int) -> int:
    """Characters that a tool's answer may have so that as much again, and an answer, fit the context after it."""
    return max(LEAST_CHARACTERS, context_left(messages, context_window) * CHARACTERS_OF_TOKEN // 2)


def _no_passage(number: int, count: int) -> str:
    known = f"give one from 1 to {count}" if count else "none has been found so far, call find_evidence first"
    return f"There is no passage [{number}]: {known}."


def _unknown_name(kb: KnowledgeBase, name: str) -> str:
    """That a name is in no passage found, and the names of the file that come nearest."""
    near = [entity.name for entity in kb.entities([one for one, _ in kb.search_entities(kb.embed([name])[0], NEAREST)])]
    told = f" The nearest names are: {'; '.join(near)}." if near else ""
    return attribute(f"No passage so far names {name!r}.{told}", 300)
