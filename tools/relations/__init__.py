"""Whether a triple or a passage states the relation that a constraint asks for: alignment, measures, rerankers. How
facts are scored against a whole question is in `tools/triple_scoring`.
"""

__all__ = ["alignment", "reranker", "text_triples"]
