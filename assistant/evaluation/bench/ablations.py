"""The techniques with one step after another switched off, as the papers' ablations do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from assistant.evaluation.bench.measure import DEPTH
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorParams, group_anchors
from tools.bubble_expansion import BubbleParams, expand_bubbles
from tools.constraint_recovery import RecoveryParams, retrieve_with_recovery
from tools.constraint_retrieval import ConstraintParams
from tools.edge_scoring import EdgeScoringParams, walk_scored_edges
from tools.evidence_chains import ChainParams, build_chains
from tools.evidence_expansion import ExpansionParams, expand_evidence
from tools.path_resurrection import ResurrectionParams, resurrect_paths
from tools.path_search import PathParams, search_paths
from tools.presets import preset
from tools.triple_scoring.triple_scorer import TripleParams, rank_triples
from tools.types import Hit

Find = Callable[[KnowledgeBase, str], Sequence[Hit]]
Variants = Sequence[tuple[str, Find]]
"""What is switched off, and the technique without it; the whole technique comes first."""


def recovery(kb: KnowledgeBase, question: str, params: RecoveryParams) -> Sequence[Hit]:
    """CS-RAG."""
    return retrieve_with_recovery(kb, question, params=params).hits


def edges(kb: KnowledgeBase, question: str, params: EdgeScoringParams) -> Sequence[Hit]:
    """CatRAG."""
    return walk_scored_edges(kb, question, DEPTH, params).hits


def bubbles(
    kb: KnowledgeBase, question: str, anchors: AnchorParams, bubble: BubbleParams, growth: ExpansionParams
) -> Sequence[Hit]:
    """BubbleRAG."""
    anchored = group_anchors(kb, question, params=anchors)
    if not anchored.groups:
        return anchored.hits
    grown = expand_bubbles(kb, question, anchored.groups, bubble)
    return expand_evidence(kb, question, grown.graphs, growth).hits if grown.graphs else anchored.hits


def paths(kb: KnowledgeBase, question: str, search: PathParams, resurrection: ResurrectionParams) -> Sequence[Hit]:
    """TGS-RAG."""
    found = search_paths(kb, question, params=search)
    return resurrect_paths(kb, question, found, params=resurrection).hits


def triples(kb: KnowledgeBase, question: str, params: TripleParams) -> Sequence[Hit]:
    """ReG@Triple."""
    return rank_triples(kb, question, DEPTH, params).hits


def chains(kb: KnowledgeBase, question: str, params: ChainParams) -> Sequence[Hit]:
    """ReG's chains."""
    return build_chains(kb, question, params=params).hits


def _recovery() -> Variants:
    whole, graph = RecoveryParams(), ConstraintParams()
    variants = {
        "": whole,
        "planner": replace(whole, plan=False),
        "constraint": replace(whole, ground=False),
        "relation": replace(whole, retrieval=replace(graph, by_relation=False)),
        "check (text for unresolved ones only)": replace(
            whole, retrieval=replace(graph, check=False), resolved_too=False
        ),
        "dist": replace(whole, retrieval=replace(graph, by_distribution=False)),
        "contextual reranking": replace(whole, retrieval=replace(graph, by_context=False)),
        "intersection": replace(whole, retrieval=replace(graph, intersect=False)),
        "typed variables": replace(whole, retrieval=replace(graph, typed=False)),
        "reranking of the text": replace(whole, rerank=False),
        "propagation": replace(whole, retrieval=replace(graph, propagate=False)),
        "textual recovery": replace(whole, recover=False),
        "recovery of resolved ones (ours)": replace(whole, resolved_too=False),
        "suggestions (ours)": replace(whole, suggest=0),
        "all of ours: as published": preset("constraint_recovery", "published"),
    }
    return [(label, partial(recovery, params=params)) for label, params in variants.items()]


def _edges() -> Variants:
    whole = EdgeScoringParams()
    variants = {
        "": whole,
        "symbolic anchors": replace(whole, symbolic_anchors=False),
        "edge weighting": replace(whole, weigh_edges=False),
        "key facts": replace(whole, key_facts=False),
        "fact filter": replace(whole, filter_facts=False),
        "trained seeds (ours)": replace(whole, rescored=0),
        "own passages (ours)": replace(whole, own_passage=0.0),
        "all of ours: as published": preset("edge_scoring", "published"),
    }
    return [(label, partial(edges, params=params)) for label, params in variants.items()]


def _bubbles() -> Variants:
    anchors, bubble, growth = AnchorParams(), BubbleParams(), ExpansionParams()
    published = preset("evidence_expansion", "published")
    variants = {
        "": (anchors, bubble, growth),
        "specialisation": (replace(anchors, specialise=False), bubble, growth),
        "relaxation": (replace(anchors, relax=False), bubble, growth),
        "ranking (first graph)": (anchors, replace(bubble, rank=False, kept=1), growth),
        "all but the best graph": (anchors, replace(bubble, kept=1), growth),
        "expansion": (anchors, bubble, replace(growth, depth=0)),
        "alpha 1 (0.1)": (anchors, replace(bubble, alpha=0.1), growth),
        "alpha 1 (5)": (anchors, replace(bubble, alpha=5.0), growth),
        "ties in one (ours)": (anchors, replace(bubble, fuse_ties=False), growth),
        "all of ours: as published": (published.bubbles.anchors, published.bubbles, published),
    }
    return [(label, partial(bubbles, anchors=a, bubble=b, growth=c)) for label, (a, b, c) in variants.items()]


def _paths() -> Variants:
    search, whole = PathParams(), ResurrectionParams()
    published = preset("path_resurrection", "published")
    variants = {
        "": (search, whole),
        "re-ranking": (search, replace(whole, rerank=False)),
        "bridging": (search, replace(whole, bridging=False)),
        "confirmation": (search, replace(whole, confirmation=0.0)),
        "trained scores (ours)": (replace(search, trained=0.0), whole),
        "path votes (ours)": (search, replace(whole, path_votes=0.0)),
        "all of ours: as published": (published.search, published),
    }
    return [(label, partial(paths, search=a, resurrection=b)) for label, (a, b) in variants.items()]


def _triples() -> Variants:
    whole = TripleParams()
    variants = {
        "": whole,
        "the second hop": replace(whole, hops=1),
        "facts near the question": replace(whole, near=0),
        "documents of the ends (ours)": replace(whole, ends=False),
    }
    return [(label, partial(triples, params=params)) for label, params in variants.items()]


def _chains() -> Variants:
    whole = ChainParams()
    variants = {
        "": whole,
        "rows from right to left": replace(whole, backward=False),
        "merging": replace(whole, merging=False),
        "the limit of two hops": replace(whole, hops=None),
    }
    return [(label, partial(chains, params=params)) for label, params in variants.items()]


ABLATIONS: Mapping[str, Callable[[], Variants]] = {
    "CS-RAG": _recovery,
    "BubbleRAG": _bubbles,
    "CatRAG": _edges,
    "TGS-RAG": _paths,
    "ReG@Triple": _triples,
    "ReG chains": _chains,
}
