"""Whether a triple or a passage states the relation that a constraint asks for: alignment, measures, rerankers."""

__all__ = ["alignment", "reranker", "text_triples"]
