"""The retrieval techniques: one module each, callable from plain Python over a knowledge base opened to read. No agent,
no model at an endpoint and no SQL.
"""

__all__ = [
    "anchor_grouping",
    "answer_rules",
    "bubble_expansion",
    "constraint_recovery",
    "constraint_retrieval",
    "edge_scoring",
    "evidence",
    "evidence_chains",
    "evidence_expansion",
    "graph_walk",
    "judgements",
    "path_resurrection",
    "path_search",
    "planning",
    "presets",
    "reading",
    "registry",
    "relations",
    "scorer_training",
    "search",
    "textual_recovery",
    "triple_scoring",
    "types",
]
