"""Follow-up questions, put so that they stand alone."""

__all__ = ["standing_alone"]
