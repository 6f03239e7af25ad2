"""Whether what an answer says is in the passages that it cites: names, dates and numbers. What follows where it is not,
is decided above: in `final_answer`, `moving_citations` and `replying`.
"""

__all__ = ["cited_claims", "cited_text", "terms"]
