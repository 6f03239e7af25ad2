"""Whether what an answer says is in the passages that it cites: names, dates and numbers."""

__all__ = ["cited_claims", "cited_text", "terms"]
