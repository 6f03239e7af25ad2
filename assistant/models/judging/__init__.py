"""The judgements inside the techniques, made by a language model."""

__all__ = ["cache", "model_judge", "one_judgement", "opened", "schemas"]
