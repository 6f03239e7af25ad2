"""Follow-up questions, put so that they stand alone. Nothing is answered here, and a first question is left as it
is.
"""

__all__ = ["standing_alone"]
