"""The offline model: what to do next, what a question means, and an answer extracted from what was found. Reading and
choosing themselves are in `tools/reading`; certainty is in `replying`.
"""

__all__ = ["about_base", "extracted_answer", "offline_model", "policy", "situation", "sorts"]
