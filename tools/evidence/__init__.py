"""The evidence pool, its learned walk, and the one ranking of all that was found. What the techniques find is found in
their own modules.
"""

__all__ = ["evidence_walk", "ranking"]
