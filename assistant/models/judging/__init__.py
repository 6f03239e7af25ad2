"""The judgements inside the techniques, made by a language model. What is judged, and the offline judge, are in
`tools/judgements`.
"""

__all__ = ["cache", "model_judge", "one_judgement", "opened", "schemas"]
