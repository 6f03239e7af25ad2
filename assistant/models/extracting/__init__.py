"""Facts from passages by a language model: asked once, kept, and paid for within a budget."""

__all__ = ["estimate", "extraction_prompt", "model_extractor"]
