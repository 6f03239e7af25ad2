"""The evidence pool, its learned walk, and the one ranking of all that was found."""

__all__ = ["evidence_walk", "ranking"]
