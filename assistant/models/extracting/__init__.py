"""Facts from passages by a language model: asked once, kept, and paid for within a budget. Facts by rule, and what
becomes of both, are in `kb/`.
"""

__all__ = ["estimate", "extraction_prompt", "model_extractor"]
