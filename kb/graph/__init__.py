"""The graph: facts found in passages, by rule or by a model, and the arrays that whole-graph work reads. How a file is
opened is in `kb/store`; the techniques that walk over these arrays are in `tools/`.
"""

__all__ = [
    "by_ids",
    "extraction",
    "fact_graph",
    "model_extraction",
    "near_names",
    "openie",
    "passage_graph",
    "passage_work",
    "rule_extraction",
    "stored_vectors",
    "titles",
]
