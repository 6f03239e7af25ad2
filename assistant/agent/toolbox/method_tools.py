"""The five papers' methods as tools for a language model, each in one call, and all that is found in one rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic_ai import ToolReturn

from assistant.agent.deps import Deps
from assistant.agent.offline.extracted_answer import extract
from assistant.agent.short_text import LINE_CHARACTERS, attribute
from assistant.agent.toolbox.findings import render_lines, summarised
from assistant.agent.toolbox.search_stages import rank_all, recover, resolve_plan, resolved_count
from assistant.agent.toolbox.steps import Steps, plan_of
from assistant.agent.toolbox.text_tools import SEARCHED, Context, rendered, told_by_steps, told_open_steps
from assistant.agent.workspace import Workspace
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorResult, group_anchors
from tools.bubble_expansion import EvidenceGraph, expand_bubbles
from tools.edge_scoring import EdgeScoringResult, walk_scored_edges
from tools.evidence_chains import build_chains
from tools.evidence_expansion import expand_evidence
from tools.judgements.judge import Concept
from tools.path_resurrection import ResurrectionParams, resurrect_paths
from tools.path_search import Path, path_texts, search_paths
from tools.triple_scoring.triple_scorer import rank_triples
from tools.types import Hit

Facts = dict[int, Triple]
"""By their ids."""

SHOWN = 3
"""Paths and chains that are put into words: what comes after adds little."""

GRAPHS = 2
"""Graphs that are put into words: they mostly share their facts."""

FACTS = 3
"""Facts of a walk, of a graph's backbone, and of what a graph has grown by that are shown."""

FACT_CHARACTERS = 90
"""Of a fact in a line of several."""

NEW = 5
"""Passages of a technique that are shown, and graphs that are looked at for it: what comes behind is seldom about the
question.
"""

GIVEN = 6
"""Concepts or names of a model's own that are taken, as many as a judge's."""

CHAINED = 200
"""Facts that are chained (ReG, appendix E)."""

MOST_HITS = 15
"""Passages of a technique that are taken in, as many as the papers' experiments have."""


async def join_concepts(ctx: Context, concepts: tuple[str, ...] = ()) -> ToolReturn:
    """Find small graphs of facts in which several things come together.

    Args:
        concepts: The things, in a few words each.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    asked = workspace.standalone
    named = _given(concepts)
    given = tuple(Concept(one, 1 / len(named)) for one in named)
    anchored = await deps.call(group_anchors, asked, given or None, judge=deps.judge)
    workspace.groups = anchored.groups
    if not anchored.groups:
        lines = ["The passages found at first seem to answer already."] if anchored.answered else []
        return await _told(ctx, "anchor_grouping", anchored.hits, lines, (), asked, "no graph")
    joined = await deps.call(expand_bubbles, asked, anchored.groups, judge=deps.judge)
    grown = await deps.call(expand_evidence, asked, joined.graphs, judge=deps.judge)
    workspace.graphs = grown.graphs
    workspace.add_hits("bubble_expansion", joined.hits[:MOST_HITS])
    pairs = [pair for pair in zip(joined.graphs, grown.graphs, strict=True) if pair[1].facts][:NEW]
    facts = await deps.call(_facts_by_id, {fact for _, graph in pairs for fact in graph.facts})
    await _take_in(deps, "evidence_expansion", facts.values())
    lines, shown = _graph_lines(workspace, anchored, pairs, facts)
    hits = grown.hits or joined.hits
    return await _told(ctx, "evidence_expansion", hits, lines, shown, asked, f"{len(grown.graphs)} graphs")


async def follow_paths(ctx: Context, names: tuple[str, ...] = ()) -> ToolReturn:
    """Follow facts from names to what is asked, with what the passages found confirm.

    Args:
        names: The names to start from.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    asked = workspace.standalone
    workspace.paths = found = await deps.call(search_paths, asked, _given(names))
    known = _best_so_far(workspace)
    result = await deps.call(resurrect_paths, asked, found, known or None)
    workspace.add_hits("path_search", found.hits[:MOST_HITS])
    distinct = _distinct([path for path in result.paths if path.facts])[:SHOWN]
    facts = await deps.call(_facts_by_id, {fact for path in distinct for fact in path.facts})
    workspace.revived = result.resurrected
    # The ranking heeds the order of path_resurrection, as it has learned to for whole questions.
    stage = "path_resurrection"
    await _take_in(deps, stage, facts.values())
    votes = await deps.call(_votes, distinct, tuple(hit.passage.id for hit in known or result.hits))
    texts = await deps.call(path_texts, distinct)
    back = {path.entities for path in result.resurrected}
    lines = [
        _cited(
            workspace,
            text,
            [facts[one] for one in path.facts],
            f"{vote} of {len(path.entities)} names confirmed by the passages"
            + (", brought back for it" if path.entities in back else ""),
        )
        for path, text, vote in zip(distinct, texts, votes, strict=True)
    ]
    summary = f"{len(found.paths)} paths, {len(result.resurrected)} brought back"
    return await _told(ctx, stage, result.hits, lines, list(facts.values()), asked, summary)


async def walk_facts(ctx: Context, query: str = "") -> ToolReturn:
    """Walk along facts to a step whose name is not known.

    Args:
        query: What is asked, with the names found.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    query = query.strip()
    asked = query or workspace.standalone
    result = await deps.call(walk_scored_edges, asked, judge=deps.judge)
    facts = result.facts[:FACTS]
    workspace.add_triples(facts)
    # The ranking heeds the order of edge_scoring, as it has learned to for whole questions.
    stage = "walk_facts" if query else "edge_scoring"
    await _take_in(deps, stage, facts)
    lines = [_fact(workspace, fact) for fact in facts]
    lines += _edge_lines(result)
    return await _told(ctx, stage, result.hits, lines, facts, asked, f"from {len(result.seeds)} seeds")


async def chain_facts(ctx: Context, query: str = "") -> ToolReturn:
    """Put the facts nearest to the question in rows, each going on from the one before.

    Args:
        query: What is asked, with the names found.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    query = query.strip()
    asked = query or workspace.standalone
    scored = await deps.call(rank_triples, asked, k=CHAINED)
    workspace.add_hits("triple_scorer", scored.hits[:MOST_HITS])
    result = await deps.call(build_chains, asked, [one.triple for one in scored.triples] or None)
    chains = result.chains[:SHOWN]
    facts = [fact for chain in chains for fact in chain.facts]
    workspace.add_triples(facts)
    await _take_in(deps, "evidence_chains", facts)
    lines = [_cited(workspace, chain.text(), chain.facts) for chain in chains]
    hits, summary = result.hits or scored.hits, f"{len(scored.triples)} facts in {len(result.chains)} chains"
    return await _told(ctx, "evidence_chains", hits[:MOST_HITS], lines, facts, asked, summary)


async def resolve_constraints(ctx: Context, steps: Steps) -> ToolReturn:
    """Resolve the steps anew, in other words or with the names found.

    Args:
        steps: As for find_evidence, all of them.
    """
    deps, workspace = ctx.deps, ctx.deps.workspace
    await resolve_plan(deps, plan_of(workspace.standalone, steps, workspace.plan))
    await recover(deps)
    ranked = await rank_all(deps)
    read = await deps.call(extract, workspace)
    return ToolReturn(
        await told_by_steps(ctx, read, SEARCHED), metadata=f"{resolved_count(workspace)}, {summarised(ranked.found)}"
    )


TECHNIQUES = (join_concepts, follow_paths, walk_facts, chain_facts, resolve_constraints)


async def _told(
    ctx: Context,
    stage: str,
    hits: Sequence[Hit],
    lines: Sequence[str],
    facts: Sequence[Triple],
    asked: str,
    summary: str,
) -> ToolReturn:
    """The lines, what of the steps is open still, and the passages: those of the facts in the lines first."""
    deps, workspace = ctx.deps, ctx.deps.workspace
    found = workspace.add_hits(stage, hits)
    stating = [one for fact in facts if (one := workspace.of_passage(fact.passage))]
    workspace.asked_for.append(tuple(hits))
    await rank_all(deps)
    steps = await told_open_steps(ctx)
    fresh = sorted(found, key=lambda one: one.number in deps.shown)
    first = list({one.number: one for one in (*stating, *fresh)}.values())[:NEW]
    passages = await rendered(ctx, first, asked, facts=facts, limit=SEARCHED)
    return ToolReturn(
        f"{render_lines(lines)}{steps}{passages}",
        metadata=f"{summary}, {summarised(found)}",
    )


def _given(texts: Sequence[str]) -> tuple[str, ...]:
    """What a model gave to begin with: the first of its texts that say something."""
    return tuple(dict.fromkeys(one.strip() for one in texts if one.strip()))[:GIVEN]


async def _take_in(deps: Deps, stage: str, facts: Iterable[Triple]) -> None:
    """The passages that facts come from, which then have numbers to be cited by."""
    workspace = deps.workspace
    unknown = {fact.passage for fact in facts if workspace.of_passage(fact.passage) is None}
    workspace.add_hits(stage, await deps.call(_bare_hits, tuple(sorted(unknown))))


def _bare_hits(kb: KnowledgeBase, ids: tuple[int, ...]) -> list[Hit]:
    return [Hit(passage, 0.0) for passage in kb.passages(ids)]


def _facts_by_id(kb: KnowledgeBase, ids: Iterable[int]) -> Facts:
    return {one.id: one for one in kb.triples(sorted(ids))}


def _best_so_far(workspace: Workspace) -> tuple[Hit, ...]:
    """The passages that text and paths verify each other by: the best of what was found, as many as the paper has."""
    most = ResurrectionParams().passages
    return tuple(workspace.lists.get("evidence_walk", workspace.lists.get("passage_search", ()))[:most])


def _votes(kb: KnowledgeBase, paths: Sequence[Path], passages: tuple[int, ...]) -> list[int]:
    """How many of each path's things the passages name."""
    named = {entity for _, _, _, entity in kb.passage_mentions(passages)}
    return [sum(one in named for one in path.entities) for path in paths]


def _distinct(paths: Sequence[Path]) -> list[Path]:
    """The paths without those that are the same in the other direction, or the beginning of a longer one before."""
    kept: list[Path] = []
    for path in paths:
        facts = set(path.facts)
        if not any(facts <= set(one.facts) for one in kept):
            kept.append(path)
    return kept


def _graph_lines(
    workspace: Workspace, anchored: AnchorResult, pairs: Sequence[tuple[EvidenceGraph, EvidenceGraph]], facts: Facts
) -> tuple[list[str], list[Triple]]:
    """The graphs in words, as they were joined and as they have grown, and the facts in them: what each joins and
    lacks, the facts that join it, then what was added; a graph that says nothing new is left out.
    """
    names = [" / ".join(group.concepts) for group in anchored.groups]
    lines: list[str] = []
    shown: dict[int, Triple] = {}
    for backbone, graph in pairs:
        added = [one for one in graph.facts if one not in backbone.facts]
        told = [*backbone.facts[:FACTS], *added[:FACTS]]
        if len(lines) == GRAPHS or not set(told) - shown.keys():
            continue
        shown |= {one: facts[one] for one in told}
        joins = [name for at, name in enumerate(names) if graph.mask >> at & 1]
        lacks = [name for name in names if name not in joins]
        first, more = (
            "; ".join(_fact(workspace, facts[one]) for one in some) for some in (backbone.facts[:FACTS], added[:FACTS])
        )
        about = f"joins {', '.join(joins)}" + (f", lacks {', '.join(lacks)}" if lacks else "")
        lines.append(f"{attribute(about)}: " + "; from there: ".join(filter(None, (first, more))))
    return lines, list(shown.values())


def _fact(workspace: Workspace, fact: Triple) -> str:
    return f"{attribute(fact.text(), FACT_CHARACTERS)} {workspace.numbers(fact.passage)}".strip()


def _cited(workspace: Workspace, text: str, facts: Iterable[Triple], more: str = "") -> str:
    """A line with the numbers of the passages that its facts come from."""
    numbers = "".join(dict.fromkeys(workspace.numbers(fact.passage) for fact in facts))
    behind = f" {numbers}" + (f" ({more})" if more else "")
    return attribute(text, LINE_CHARACTERS - len(behind)) + behind


def _edge_lines(result: EdgeScoringResult) -> list[str]:
    """The steps that the walk took most, in a line."""
    best = [edge for edge in sorted(result.edges, key=lambda edge: -edge.score) if edge.score > 0][:SHOWN]
    steps = "; ".join(f"{edge.source.name} -> {edge.target.name}" for edge in best)
    return [f"The walk went by: {steps}"] if steps else []
