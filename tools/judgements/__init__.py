"""The offline judgements, one module for each kind."""

__all__ = ["judge", "offline_judge", "sensible_paths", "summaries"]
